import type { ValueOf } from "../schemas/lazy.ts";
import { timestamp } from "../time/time.ts";
import { previously } from "./content.ts";
import type { historyEventSchema } from "./schemas.ts";
import type { AddressWithHistory } from "./store.ts";

/** An event in the history of an address, as its owner gets it. */
export type HistoryEvent = ValueOf<typeof historyEventSchema>;

/** The events in the history of an address, oldest first. */
export function historyEvents({ address, pastValues, attestations, reads }: AddressWithHistory): HistoryEvent[] {
	const { createdAt, retiredAt, successor } = address;
	const events: HistoryEvent[] = [
		{ at: timestamp(createdAt), change: "created" },
		...pastValues.map(({ changedAt, change, text, lat, lng }): HistoryEvent => {
			const at = timestamp(changedAt);
			if (change === "shared") return { at, change, expires_at: timestamp(Number(text)) };
			if (change === "point") return { at, change, previous_lat: lat ?? 0, previous_lng: lng ?? 0 };
			return change === "entrance"
				? { at, change, previous_entrance: JSON.parse(text ?? "null") }
				: { at, change, ...previously(change, text ?? "") };
		}),
		...attestations.map(({ createdAt, level }) => ({ at: timestamp(createdAt), change: "attested" as const, level })),
		...reads.map(({ readAt }) => ({ at: timestamp(readAt), change: "read" as const })),
	];
	if (retiredAt !== null) events.push({ at: timestamp(retiredAt), change: "retired", successor });
	return events.sort((a, b) => a.at.localeCompare(b.at));
}
