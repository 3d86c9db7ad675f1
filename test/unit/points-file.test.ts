import { describe, expect, it } from "vitest";
import { batchItemSchema } from "../../src/addresses/schemas.ts";
import {
	batchesOf,
	codesLine,
	faultsOfTheirOwn,
	PointsFileError,
	readPoints as readIn,
	Totals,
} from "../../src/client/points-file.ts";
import { pointsFileTexts } from "../../src/languages/points-file-texts.ts";
import { vectors } from "../support/vectors.ts";

const readPoints = (text: string) => readIn(text, pointsFileTexts.en);

const item = { external_id: "m1", lat: 6.5, lng: 3.4 };

describe("a CSV file of points", () => {
	it("keeps a label as it is quoted", () => {
		const [line] = readPoints('external_id,lat,lng,label\nm1,6.5,3.4,"Blue gate, ""old"" side"\n');
		expect(line).toMatchObject({ line: 2, item: { label: 'Blue gate, "old" side' } });
	});

	it.each(vectors<[string, string, string]>("points-files"))("with %s: %j", (_, text, outcome) => {
		if (outcome === "read") return expect(readPoints(text).map((line) => "item" in line && line.item)).toEqual([item]);
		expect(() => readPoints(text)).toThrow(PointsFileError);
		expect(() => readPoints(text)).toThrow(new RegExp(outcome));
	});

	it("loses no line: each is an item or has a fault, with its number", () => {
		const text =
			'external_id,lat,lng,label\nm1,6.5,3.4,"two\nlines"\nm2,north,3.4,\n,6.5,3.4,\nm1,6.5,3.4,\nm3,6.5\nm4,6.5,3.4,x\nm4,6.5,3.4,x\n';
		expect(readPoints(text).map((line) => [line.line, "fault" in line ? line.fault : line.item.external_id])).toEqual([
			[2, "Line 2: a label is one line of at most 200 characters."],
			[4, expect.stringContaining("degrees")],
			[5, expect.stringContaining("no external_id")],
			[6, "m1"],
			[7, expect.stringContaining("columns")],
			[8, "m4"],
			[9, "Line 9 has the external_id of line 8."],
		]);
	});

	it.each([
		{ external_id: "m".repeat(64) },
		{ external_id: "m".repeat(65) },
		{ external_id: "m 1" },
		{ external_id: "mé" },
		{ lat: 90 },
		{ lat: 90.1 },
		{ lng: -180 },
		{ lng: -180.1 },
		{ label: "é".normalize("NFD").repeat(200) },
		{ label: "x".repeat(201) },
		{ label: "a\u0007b" },
	])("takes an item as the registry does: %o", (change) => {
		const sent = { ...item, ...change };
		const [line] = readPoints(
			`external_id,lat,lng,label\n${sent.external_id},${sent.lat},${sent.lng},${"label" in sent ? sent.label : ""}\n`,
		);
		expect("item" in line!).toBe(batchItemSchema().safeParse(sent).success);
	});
});

describe("what becomes of a file", () => {
	it("keeps no fault under an external_id that a good line has, whose code a reader would lose", () => {
		const lines = readPoints("external_id,lat,lng\nm1,6.5,3.4\nm1,6.6,3.4\nm2,north,3.4\n");
		expect(lines.filter((line) => "fault" in line)).toHaveLength(2);
		expect(faultsOfTheirOwn(lines)).toMatchObject([{ id: "m2", line: 4 }]);
	});

	it("is written as CSV that spreadsheets read back", () => {
		expect(codesLine("m,1", "NG-1377-48215", 'failed: "x"')).toBe('"m,1",NG-1377-48215,"failed: ""x"""\n');
	});

	it("counts over batches, and finds what is within 5 m in different ones", () => {
		const items = Array.from({ length: 101 }, (_, index) => ({
			external_id: `m${index}`,
			lat: 6.5 + index / 1000,
			lng: 3.4,
		}));
		items[100] = { external_id: "m100", lat: 6.50002, lng: 3.4 };
		expect([...batchesOf(items)].map(({ length }) => length)).toEqual([100, 1]);
		const totals = new Totals(items);
		const zone = { country: "NG", zone: "1377", zone_name: "Somolu", left: 9_000 };
		for (const count of [100, 1]) {
			const duplicates = count === 1 ? [] : [{ external_id: "m7", metres: 0, item: null, canonical: "NG137748215" }];
			totals.add({
				data: [],
				summary: { countries: { NG: count }, zones: [{ ...zone, items: count }], left_today: 50, duplicates },
			});
		}
		expect(totals.countries).toEqual({ NG: 101 });
		expect([...totals.zones.values()]).toEqual([{ ...zone, items: 101 }]);
		expect(totals.near.get("m100")).toEqual({ metres: expect.closeTo(2.22, 1), other: "m0" });
		expect(totals.near.get("m7")).toMatchObject({ other: "NG137748215" });
		expect(totals.near.size).toBe(2);
		expect(totals.leftToday).toBe(50);
	});
});
