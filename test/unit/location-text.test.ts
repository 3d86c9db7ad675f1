import { describe, expect, it } from "vitest";
import { readPastedLocation } from "../../src/points/location-text.ts";
import { toldLocation } from "../support/told-location.ts";
import { vectors } from "../support/vectors.ts";

describe("a pasted place", () => {
	it.each(vectors<[string, string]>("locations"))("%s", (text, outcome) => {
		expect(toldLocation(text)).toBe(outcome);
	});

	it("is offered the other way round, and never swapped silently", () => {
		expect(readPastedLocation("136.8219, -1.2921")).toEqual({
			kind: "refused",
			reason: "swapped",
			exchanged: { lat: -1.2921, lng: 136.8219 },
		});
	});

	it("may be empty", () => {
		expect(readPastedLocation(" \n")).toEqual({ kind: "refused", reason: "empty" });
	});
});
