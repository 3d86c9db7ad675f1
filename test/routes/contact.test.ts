/** The contact of an address, as the address books of phones read it: vCard 3.0 (RFC 2426). */
import { describe, expect, it } from "vitest";
import { readPastedLocation } from "../../src/points/pasted-location.ts";
import { call } from "../support/client.ts";
import { LAGOS, newOwner } from "../support/people.ts";

/** The properties of a vCard by name, unfolded (RFC 2425, 5.8.1). */
function propertiesOf(card: string): Map<string, string> {
	const lines = card.replace(/\r\n[ \t]/g, "").split("\r\n");
	expect(lines.at(-1)).toBe("");
	return new Map(
		lines.slice(0, -1).map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]),
	);
}

describe("/a/{code}/contact.vcf", () => {
	it("is a vCard 3.0 with the names that it needs, and its place is read by this registry too", async () => {
		const { canonical } = await newOwner({
			...LAGOS,
			label: 'Blue gate, "old" side; ring twice, ask for Mama Tunde — 门口 — and wait at the well',
		});
		const answer = await call(`/a/${canonical}/contact.vcf`);
		expect(answer.headers.get("Content-Type")).toBe("text/vcard; charset=utf-8");
		const text = await answer.text();
		const card = propertiesOf(text);
		expect([...card.keys()]).toEqual(["BEGIN", "VERSION", "N", "FN", "ADR", "LABEL", "GEO", "URL", "NOTE", "END"]);
		expect(card.get("VERSION")).toBe("3.0");
		expect(card.get("N")).toBe(`${card.get("FN")};;;;`);
		expect(card.get("FN")).toContain("Blue gate\\, ");
		// Five parts of a name and seven of an address, however many semicolons their texts have.
		const partsOf = (value = "") => value.replace(/\\./g, "").split(";").length;
		expect([partsOf(card.get("N")), partsOf(card.get("ADR"))]).toEqual([5, 7]);
		expect(readPastedLocation(`GEO:${card.get("GEO")}`)).toEqual({
			kind: "point",
			point: { lat: LAGOS.lat, lng: LAGOS.lng },
		});
		for (const line of text.split("\r\n")) expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75);
	});
});
