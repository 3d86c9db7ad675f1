/** Records what looks like an attack. Operators read it in the log, and see counts of today and yesterday among the figures. */
import { inOneTrip } from "../db/statement.ts";
import { type AppError, problemTable } from "../errors.ts";
import type { Concerned, EventDetails } from "../logs/security-log.ts";
import type { Registry } from "../registry.ts";
import { DAY } from "../time/time.ts";
import { isOfStranger } from "./credentials.ts";
import { rememberRefusal } from "./rate-limits.ts";
import * as limitStore from "./store.ts";

/**
 * Logs that somebody was turned away. For strangers, an event is logged once per network and minute, because they can cause it at will and
 * a line costs more than a request.
 */
export function logTurnedAway(
	registry: Registry,
	event: string,
	concerned: Concerned = {},
	details: EventDetails = {},
	level: "info" | "warn" = "warn",
): void {
	const { network } = registry;
	if (network && isOfStranger(registry) && !rememberRefusal(registry, `${event} logged for ${network}`)) return;
	registry.log(level, event, concerned, details);
}

/** Logs that a request was refused because of a missing credential, a missing right or a limit. Other errors are not logged here. */
export function logRefusal(registry: Registry, { code }: AppError): void {
	const { status } = problemTable[code];
	// A wrong password is logged where it is counted.
	if (![401, 403, 429].includes(status) || code === "INVALID_CREDENTIALS") return;
	logTurnedAway(registry, "refused", {}, { code }, status === 401 ? "info" : "warn");
}

/**
 * Logs an event that operators should look at, and counts it after the answer. Call it only where callers cannot cause it at will, because
 * each event costs a write.
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

/**
 * Counts that minting has run out of numbers in a country or zone, such as `NG` or `NG0421`. The hourly job reports it (src/jobs/watch.ts).
 */
export function noteShortage(registry: Registry, incident: "country_filling" | "zone_full", where: string) {
	countToday(registry, `incident:${incident} ${where}`);
}

function countToday({ now, database, afterAnswer }: Registry, subject: string) {
	const counting = inOneTrip(database, limitStore.countEvent({ subject, day: Math.floor(now / DAY) }));
	afterAnswer(counting.catch(() => undefined));
}
