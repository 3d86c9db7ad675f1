import type { Point } from "../points/coordinate-text.ts";
import type { TextField } from "./content.ts";
import type { AddressWithHistory } from "./store.ts";

/** What happened to an address at one time. A field is there when the change has such a value. */
export interface HistoryEvent {
	/** Milliseconds since the epoch. */
	at: number;
	change: "created" | TextField | "point" | "entrance" | "attested" | "read" | "retired";
	/** What the text was before, where one changed. */
	previousText?: string | null;
	/** Degrees, WGS 84. */
	previousLat?: number | null;
	previousLng?: number | null;
	/** The entrance before, where it changed. */
	previousEntrance?: Point | null;
	/** The attested level, 1 to 3. */
	level?: number;
	/** The canonical code of the address to go to instead; null where the owner named none. */
	successor?: string | null;
}

/** What happened to an address, oldest first. */
export function historyEvents({ address, pastValues, attestations, reads }: AddressWithHistory): HistoryEvent[] {
	const events: HistoryEvent[] = [
		{ at: address.createdAt, change: "created" },
		...pastValues.map(({ changedAt: at, change, text, lat, lng }) => {
			if (change === "point") return { at, change, previousLat: lat, previousLng: lng };
			return change === "entrance"
				? { at, change, previousEntrance: JSON.parse(text ?? "null") as Point | null }
				: { at, change, previousText: text };
		}),
		...attestations.map(({ createdAt: at, level }) => ({ at, change: "attested" as const, level })),
		...reads.map(({ readAt: at }) => ({ at, change: "read" as const })),
		...(address.retiredAt === null
			? []
			: [{ at: address.retiredAt, change: "retired" as const, successor: address.successor }]),
	];
	return events.sort((a, b) => a.at - b.at);
}
