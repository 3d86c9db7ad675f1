import { describe, expect, it } from "vitest";
import { PointsFileError, readPoints } from "../../src/client/points-file.ts";

const item = { external_id: "m1", lat: 6.5, lng: 3.4 };

describe("a CSV file of points", () => {
	it.each([
		["commas", "external_id,lat,lng\nm1,6.5,3.4\n"],
		["semicolons and decimal commas", "external_id;lat;lng\nm1;6,5;3,4\n"],
		["tabs", "external_id\tlat\tlng\nm1\t6.5\t3.4\n"],
		["a byte order mark", "\ufeffexternal_id,lat,lng\nm1,6.5,3.4"],
		["CRLF", "external_id,lat,lng\r\nm1,6.5,3.4\r\n"],
		["other names of cases and an order of their own", "LNG, Lat ,External_ID\n3.4,6.5,m1\n"],
		["empty lines", "external_id,lat,lng\n\nm1,6.5,3.4\n\n"],
	])("is read with %s", (_, text) => {
		expect(readPoints(text).map((line) => "item" in line && line.item)).toEqual([item]);
	});

	it("keeps a label as it is quoted", () => {
		const [line] = readPoints('external_id,lat,lng,label\nm1,6.5,3.4,"Blue gate, ""old"" side"\n');
		expect(line).toMatchObject({ line: 2, item: { label: 'Blue gate, "old" side' } });
	});

	it.each([
		["an unknown column", "external_id,lat,lng,colour\nm1,6.5,3.4,blue\n", /^Line 1: .*colour/],
		["a missing column", "external_id,lat\nm1,6.5\n", /^Line 1: .*lng/],
		["a quote that does not end", 'external_id,lat,lng,label\nm1,6.5,3.4,"Blue\n', /^Line \d/],
		["nothing", "", /^Line 1/],
	])("is refused by line number with %s", (_, text, message) => {
		expect(() => readPoints(text)).toThrow(PointsFileError);
		expect(() => readPoints(text)).toThrow(message);
	});

	it("loses no line: each is an item or has a fault, with its number", () => {
		const text =
			'external_id,lat,lng,label\nm1,6.5,3.4,"two\nlines"\nm2,north,3.4,\n,6.5,3.4,\nm1,6.5,3.4,\nm3,6.5\nm4,6.5,3.4,x\n';
		expect(readPoints(text).map((line) => [line.line, "fault" in line ? line.fault : line.item.external_id])).toEqual([
			[2, "m1"],
			[4, expect.stringContaining("degrees")],
			[5, expect.stringContaining("no external_id")],
			[6, "has the external_id of line 2"],
			[7, expect.stringContaining("columns")],
			[8, "m4"],
		]);
	});
});
