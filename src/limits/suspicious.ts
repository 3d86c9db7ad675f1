/** What looks like an attack: operators read the log for it, and see its count of today and yesterday among the figures. */
import { inOneTrip } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import type { Concerned, EventDetails } from "../security-log.ts";
import { DAY } from "../time.ts";
import { limitStoreOf } from "./store.ts";

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
	const { now, database } = registry;
	registry.log("warn", event, concerned, details);
	const counting = inOneTrip(
		limitStoreOf(database).countEvent({ subject: `event:${event}`, day: Math.floor(now / DAY) }),
	);
	registry.afterAnswer(counting.catch(() => undefined));
}
