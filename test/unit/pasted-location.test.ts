import { describe, expect, it } from "vitest";
import type { LocationReader } from "../../src/points/location-result.ts";
import { readPastedLocation } from "../../src/points/pasted-location.ts";
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

	it("is read only by readers that say which parts of the text they read", () => {
		// @ts-expect-error It says what it found, and not where.
		const silent: LocationReader = (text) => ({ text, found: [{ value: undefined, said: "all" }] });
		expect(silent("1").text).toBe("1");
	});

	it("may be empty", () => {
		expect(readPastedLocation(" \n")).toEqual({ kind: "refused", reason: "empty" });
	});
});
