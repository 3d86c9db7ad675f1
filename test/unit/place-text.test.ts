import { describe, expect, it } from "vitest";
import { readPlace } from "../../src/points/place-text.ts";
import { toldPlace } from "../support/told-place.ts";
import { vectors } from "../support/vectors.ts";

describe("a pasted place", () => {
	it.each(vectors<[string, string]>("places"))("%s", (text, outcome) => {
		expect(toldPlace(text)).toBe(outcome);
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
