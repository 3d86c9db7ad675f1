import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { NewBatchItem } from "#api-types";
import { batchItemSchema } from "../../src/addresses/schemas.ts";
import { TEXT_FIELDS } from "../../src/addresses/texts.ts";
import {
	batchesOf,
	COLUMN_NAMES,
	CodesFile,
	ColumnsError,
	decodePoints,
	differencesOf,
	EncodingError,
	guessPoints,
	PointsFileError,
	readPoints as readIn,
	Totals,
} from "../../src/client/points-file.ts";
import { en } from "../../src/languages/messages-en.ts";
import { vectors } from "../support/vectors.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const texts = en.console.file.work;
const readPoints = (text: string) => readIn(decodePoints(bytesOf(text), texts), texts).lines;

const item = { external_id: "m1", lat: 6.5, lng: 3.4 };

describe("a CSV file of points", () => {
	it("keeps a label as it is quoted", () => {
		const [line] = readPoints('external_id,lat,lng,label\nm1,6.5,3.4,"Blue gate, ""old"" side"\n');
		expect(line).toMatchObject({ line: 2, item: { label: 'Blue gate, "old" side' } });
	});

	it.each(vectors<[string, string, string]>("points-files"))("with %s: %j", (_, text, outcome) => {
		if (outcome === "read") return expect(readPoints(text).map((line) => "item" in line && line.item)).toEqual([item]);
		const [, ids] = /^read as (.*)/.exec(outcome) ?? [];
		if (ids) {
			const read = readPoints(text).map((line) => "item" in line && line.item.external_id);
			return expect(read.join(" ")).toBe(ids);
		}
		expect(() => readPoints(text)).toThrow(PointsFileError);
		expect(() => readPoints(text)).toThrow(new RegExp(outcome));
	});

	it("takes every column that an item of a batch may have, and no other", () => {
		const fields = Object.keys(batchItemSchema().def.shape);
		expect([...COLUMN_NAMES].sort()).toEqual(fields.sort());
		const texts = Object.fromEntries(TEXT_FIELDS.map((field) => [field, `A ${field}`]));
		const said = { ...texts, locality: "Somolu" };
		const header = [...Object.keys(said), "Entrance", "Visibility", "external_id", "lat", "lng"].join(";");
		const [line] = readPoints(`${header}\n${Object.values(said).join(";")};6,5246 3,3791;PRIVATE;m1;6,5;3,4\n`);
		expect(line).toMatchObject({
			item: { ...item, ...said, entrance: { lat: 6.5246, lng: 3.3791 }, visibility: "private" },
		});
		expect(batchItemSchema().safeParse("item" in line! && line.item).success).toBe(true);
	});

	it.each([
		["directions", "x".repeat(301), "Line 2: directions must be one line of at most 300 characters."],
		["entrance", "north", "Line 2: entrance must be a latitude and a longitude in degrees, such as 6.5246, 3.3791."],
		["entrance", "91 3", "Line 2: entrance must be a latitude"],
		["visibility", "hidden", "Line 2: visibility must be public or private."],
	])("names the fault of %s: %s", (column, cell, fault) => {
		expect(readPoints(`external_id,lat,lng,${column}\nm1,6.5,3.4,${cell}\n`)).toMatchObject([
			{ line: 2, fault: expect.stringContaining(fault) },
		]);
	});

	it.each([
		["(1.2921)", "36.8219"],
		["1.2921", "(36.8219)"],
		["1.2921-", "36.8219"],
		["~1.2921", "36.8219"],
		["〜1.2921", "36.8219"],
		["\u00ad1.2921", "36.8219"],
		["minus: 1.2921", "36.8219"],
		["&sdot;1.2921", "36.8219"],
		["1.2921²", "36.8219"],
		["1", "17 36 49"],
		["1.2921 ; 36.8219", ""],
	])("has a fault that names both cells where one could mean another number: %s and %s", (lat, lng) => {
		expect(readPoints(`external_id,lat,lng\nm1,${lat},${lng}\n`)).toMatchObject([
			{ line: 2, fault: expect.stringContaining(`“\u2068${lat}\u2069” and “\u2068${lng}\u2069”`) },
		]);
	});

	it("loses no line: each is an item or has a fault, with its number", () => {
		const text =
			'external_id,lat,lng,label\nm1,6.5,3.4,"two\nlines"\nm2,north,3.4,\n,6.5,3.4,\nm1,6.5,3.4,\nm3,6.5,3.4,x,y\nm4,6.5,3.4,x\nm4,6.5,3.4,x\n';
		expect(readPoints(text).map((line) => [line.line, "fault" in line ? line.fault : line.item.external_id])).toEqual([
			[2, "Line 2: label must be one line of at most 200 characters."],
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
	const dirty = readFileSync(path.join(import.meta.dirname, "../vectors/meters-dirty.csv"));
	const named = { external_id: "Compteur" };

	it("is a file as a utility has it, in Windows-1252, whose encoding is named where it is not UTF-8", () => {
		expect(() => decodePoints(dirty, texts)).toThrow("Line 2 is not in UTF-8");
		const file = readIn(decodePoints(dirty, texts, "windows-1252"), texts, named);
		expect(file.taken).toEqual({ external_id: "Compteur", lat: "Latitude", lng: "Lon", label: "Label" });
		expect(file.others).toEqual(["Départ", "Note"]);
		expect(file.lines.map((line) => [line.line, "item" in line ? Object.values(line.item) : line.fault])).toEqual([
			[3, ["M-001", 6.5244, 3.3792, "Blue gate, left"]],
			[4, ["M-002", -0.5, 0.25, "Café"]],
			[5, ["M-003", expect.closeTo(6.524389, 5), expect.closeTo(3.379194, 5)]],
			[6, expect.stringMatching(/^Line 6 has no lat \(±90\) and lng .*“\u2068north\u2069” and “\u20683,4\u2069”\.$/)],
			[7, "Line 7 has the external_id of line 3."],
			[9, ["=1+1", 6.6, 3.4, "x"]],
		]);
	});

	it("is read in Windows-1252 where it is not in UTF-8, with a word to check, and never where it is something else", () => {
		const { text, sample } = guessPoints(dirty, texts);
		expect(text).toBe(decodePoints(dirty, texts, "windows-1252"));
		expect(text).toContain(sample);
		expect(sample).toMatch(/[^\p{ASCII}]/u);
		expect(guessPoints(bytesOf("external_id,lat,lng,label\nm1,6.5,3.4,Café\n"), texts)).not.toHaveProperty("sample");
		const wide = Uint8Array.from([...bytesOf("a"), 0, 0xe9, 0]);
		expect(() => guessPoints(wide, texts)).toThrow(EncodingError);
	});

	it.each([
		["xlsx", "PK\u0003\u0004\u0014\u0000\u0006\u0000[Content_Types].xml"],
		["ods", "PK\u0003\u0004mimetypeapplication/vnd.oasis.opendocument.spreadsheet"],
		["xls", "\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1"],
	])("is named where it is a workbook, with how to save it: %s", (kind, start) => {
		const bytes = Uint8Array.from(start, (character) => character.charCodeAt(0));
		const named = new RegExp(`^This is a workbook \\(${kind}\\), .* CSV in UTF-8`);
		expect(() => decodePoints(bytes, texts)).toThrow(named);
		expect(() => decodePoints(bytes, texts, "windows-1252")).toThrow(named);
		expect(() => guessPoints(bytes, texts)).toThrow(named);
		expect(() => guessPoints(bytes, texts)).not.toThrow(EncodingError);
	});

	it("says its columns where they do not say which is which", () => {
		for (const header of ["Compteur,Lat,Lon", "external_id,lat,lat,lng"]) {
			const read = () => readIn(`${header}\nm1,6.5,3.4,x\n`, texts);
			expect(read).toThrow(ColumnsError);
			try {
				read();
			} catch (error) {
				expect((error as ColumnsError).header).toEqual(header.split(","));
			}
		}
	});

	it("has the same kind for lines that are at fault in the same way", () => {
		const text =
			"external_id,lat,lng,entrance,label\nm1,north,3,,\nm2,south,3,,\n#REF!,6,3,,\n1.23457E+11,6,3,,\n,6,3,,\nm3,6,3,x,\nm4,6,3,y,\nm4,6,3,,a,b\n";
		const kinds = readIn(text, texts).lines.map((line) => "kind" in line && line.kind);
		expect(kinds).toEqual([
			...["unplaced", "unplaced", "destroyed", "destroyed", "anonymous", "entrance", "entrance", "columns"],
		]);
	});

	it("is read in Windows-1252 alike by a runtime that takes it for ISO 8859-1, as Node 20 does", () => {
		const bytes = Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index);
		const right = new TextDecoder("windows-1252").decode(bytes);
		expect(right).toContain("’");
		const { decode } = TextDecoder.prototype;
		TextDecoder.prototype.decode = function (this: TextDecoder, input?: Parameters<typeof decode>[0]) {
			return this.encoding === "windows-1252"
				? String.fromCharCode(...(input as unknown as Uint8Array))
				: decode.call(this, input);
		};
		try {
			expect(decodePoints(bytes, texts, "windows-1252")).toBe(`\ufeff${right}`);
		} finally {
			TextDecoder.prototype.decode = decode;
		}
	});

	it.each(["utf-8", "utf-16le"])("is read in %s with a byte order mark", (encoding) => {
		const text = "\ufeffexternal_id\tlat\tlng\nm1\t6.5\t3.4\n";
		const bytes =
			encoding === "utf-8" ? bytesOf(text) : new Uint8Array(Uint16Array.from([...text], (c) => c.charCodeAt(0)).buffer);
		expect(readPoints(decodePoints(bytes, texts))).toMatchObject([{ item }]);
	});

	it("is given back as it was written, so that it can be sent again, and no cell is a formula", () => {
		const file = readIn(decodePoints(dirty, texts, "windows-1252"), texts, named);
		const codes = new CodesFile(file);
		// Excel takes what is given back in UTF-8 for Windows-1252 again, unless it begins with the mark.
		expect(codes.header).toBe("\ufeffline;external_id;code;status;locality;region;Départ;Note\n");
		const somolu = { display: "NG-1377-48215", locality: "Somolu; west", region: "Lagos" };
		const line = codes.line(file.lines[5]!, "=1+1", somolu, "created");
		expect(line).toBe(`9;'=1+1;NG-1377-48215;created;"Somolu; west";Lagos;'@cmd;-6,5\n`);
		expect(codes.read(codes.header + line)).toEqual(new Map([["=1+1", "NG-1377-48215"]]));
		const faults = file.lines.flatMap((line) => ("fault" in line ? [{ line, fault: line.fault }] : []));
		const written = codes.faults(faults);
		const again = readIn(written, texts, named);
		expect(again.lines.map(({ row }) => row.slice(0, 6))).toEqual(faults.map(({ line: { row } }) => row));
		expect(again.others).toEqual(["Départ", "Note"]);
		expect(new CodesFile(again).faults([{ line: again.lines[0]!, fault: "y" }]).split("\n")[0]).toBe(
			written.split("\n")[0],
		);
		const plain = readIn("external_id;lat;lng\nm1;6,5;3,4\n", texts);
		expect(new CodesFile(plain).read(codes.header)).toBeUndefined();
		expect(codes.faults([])).toBe("");
	});

	it("says what an item names otherwise than the address that is there, and nothing else", () => {
		const existing = { external_id: "m1", status: "existing", differs: ["label", "directions"] } as NewBatchItem;
		expect(differencesOf({ ...item, directions: "Up" }, existing)).toEqual(["directions"]);
		expect(differencesOf({ ...item, label: "Blue" }, { ...existing, status: "created" } as NewBatchItem)).toEqual([]);
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
