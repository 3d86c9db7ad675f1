import { readPastedLocation } from "../../src/points/pasted-location.ts";

/** The place that a text gives in one line, as the vectors write it. */
export function toldLocation(text: string): string {
	const place = readPastedLocation(text);
	if (place.kind === "point") return `${place.point.lat} ${place.point.lng}`;
	if (place.kind === "code") return place.canonical;
	return place.part === undefined ? place.reason : `${place.reason}: ${place.part}`;
}
