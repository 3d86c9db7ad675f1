import { describe, expect, it } from "vitest";
import { readPlace } from "../../src/points/place-text.ts";
import { vectors } from "../support/vectors.ts";

/** The outcome in one line, as the vectors write it. */
function told(text: string): string {
	const place = readPlace(text);
	if (place.kind === "point") return `${place.point.lat} ${place.point.lng}`;
	if (place.kind === "code") return place.canonical;
	return place.part === undefined ? place.reason : `${place.reason}: ${place.part}`;
}

describe("a pasted place", () => {
	it.each(vectors<[string, string]>("places"))("%s", (text, outcome) => {
		expect(told(text)).toBe(outcome);
	});

	it("is offered the other way round, and never swapped silently", () => {
		expect(readPlace("136.8219, -1.2921")).toEqual({
			kind: "refused",
			reason: "swapped",
			exchanged: { lat: -1.2921, lng: 136.8219 },
		});
	});

	it("may be empty", () => {
		expect(readPlace(" \n")).toEqual({ kind: "refused", reason: "empty" });
	});
});
