/** What looks like an attack: operators read the log for it, and see its count of today and yesterday among the figures. */
import { inOneTrip } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import type { Concerned, EventDetails } from "../security-log.ts";
import { DAY } from "../time.ts";
import * as limitStore from "./store.ts";

/**
 * Logs an event that operators should look at, and counts it after the answer. Call it where callers cannot cause it at will, as an event
 * costs a write.
 */
export function showSuspicion(
	registry: Registry,
	event: string,
	concerned: Concerned = {},
	details: EventDetails = {},
) {
	registry.log("warn", event, concerned, details);
	countToday(registry, `event:${event}`);
}

/** Counts that minting has run out of numbers, such as in `NG` or `NG0421`: the hourly job tells of it (src/jobs/watch.ts). */
export function noteShortage(registry: Registry, incident: "country_filling" | "zone_full", where: string) {
	countToday(registry, `incident:${incident} ${where}`);
}

function countToday({ now, database, afterAnswer }: Registry, subject: string) {
	const counting = inOneTrip(database, limitStore.countEvent({ subject, day: Math.floor(now / DAY) }));
	afterAnswer(counting.catch(() => undefined));
}
