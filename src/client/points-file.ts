/** Reads a CSV file of points that are to become addresses, as spreadsheets write it, and sums up what becomes of them. */
import Papa from "papaparse";
import type { NewBatchAddress, NewBatchAnswer, NewBatchItem, ZoneItems } from "#api-types";
import { asciiDigits } from "../codes/digits.ts";
import type { PointsFileTexts } from "../languages/points-file-texts.ts";
import { fill } from "../languages/template.ts";
import { duplicatesAmong } from "../points/near.ts";

const NEEDED = ["external_id", "lat", "lng"];
const KNOWN = [...NEEDED, "label"];

/** A line of the file: its item, or its error. The header is line 1. */
export type PointLine = { line: number; item: NewBatchAddress } | { line: number; id: string; fault: string };

/** A file that cannot be read as a whole; its message says where and why. */
export class PointsFileError extends Error {}

/** A cell without the marks that nobody sees, such as those of direction that spreadsheets in Arabic leave beside numbers. */
const visibleOf = (cell = "") => cell.replace(/\p{Cf}/gu, "").trim();

/** How many lines of the file a row takes: a cell in quotes may have several. */
const linesOf = (row: string[]) => row.join("").split("\n").length;

/** Degrees as a spreadsheet writes them, in the digits of any script and with a decimal comma or point; NaN past `max` either way. */
function degrees(text: string, max: number): number {
	const written = asciiDigits(text)
		.replace(/[,\u066b]/, ".")
		.replace("\u2212", "-");
	return /^[+-]?\d+(\.\d+)?$/.test(written) && Math.abs(Number(written)) <= max ? Number(written) : Number.NaN;
}

/** What the registry takes for an external_id and for a label: src/addresses/schemas.ts. A test holds them together. */
const isId = (text: string) => /^[\x21-\x7e]{1,64}$/.test(text);
const isLabel = (text: string) =>
	/^[^\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029]{0,200}$/u.test(text.normalize("NFC"));

/**
 * The lines of a CSV file (RFC 4180) with a header, in UTF-8 with or without a byte order mark, with commas, semicolons or tabs, and any
 * line ends.
 * @throws PointsFileError for a header that lacks a column or has one that is not known or stands twice, for nothing below it, for quotes
 * that do not end, and for bytes that are not UTF-8.
 */
export function readPoints(text: string, texts: PointsFileTexts): PointLine[] {
	// What a decoder puts instead of bytes that are not UTF-8.
	const undecoded = text.indexOf("\ufffd");
	const number = (line: number) => String(line);
	if (undecoded >= 0) {
		throw new PointsFileError(
			fill(texts.encoding, { line: number(text.slice(0, undecoded).split(/\r\n?|\n/).length) }),
		);
	}
	// Papa takes the line end that it meets first for all of them.
	const lines = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
	const { data, errors } = Papa.parse<string[]>(lines, { skipEmptyLines: false });
	const broken = errors.find(({ type }) => type === "Quotes");
	if (broken) {
		const line = data.slice(0, broken.row).reduce((sum, row) => sum + linesOf(row), 1);
		throw new PointsFileError(fill(texts.quote, { line: number(line) }));
	}
	const [header = [], ...rows] = data;
	// Spreadsheets also write the columns beside a table, as separators alone.
	while (header.at(-1)?.trim() === "") header.pop();
	const names = header.map((name) => visibleOf(name).toLowerCase());
	const unknown = names.filter((name) => !KNOWN.includes(name));
	if (unknown.length > 0) {
		throw new PointsFileError(fill(texts.unknown, { names: unknown.join(", "), known: KNOWN.join(", ") }));
	}
	const missing = NEEDED.filter((name) => !names.includes(name));
	if (missing.length > 0) throw new PointsFileError(fill(texts.missing, { names: missing.join(", ") }));
	const doubled = names.filter((name, index) => names.indexOf(name) !== index);
	if (doubled.length > 0) throw new PointsFileError(fill(texts.doubled, { names: doubled.join(", ") }));
	const seen = new Map<string, number>();
	let next = 2;
	const read = rows.flatMap((row): PointLine[] => {
		const place = next;
		const line = number(place);
		next += linesOf(row);
		// Spreadsheets also write the rows below a table, as separators alone.
		if (row.every((cell) => cell.trim() === "")) return [];
		while (row.length > names.length && row.at(-1)?.trim() === "") row.pop();
		const cell = (name: string) => row[names.indexOf(name)];
		const id = visibleOf(cell("external_id"));
		const [lat, lng] = [degrees(visibleOf(cell("lat")), 90), degrees(visibleOf(cell("lng")), 180)];
		const label = cell("label")?.trim() ?? "";
		const earlier = seen.get(id);
		const fault =
			row.length !== names.length
				? fill(texts.columns, { line, found: number(row.length), wanted: number(names.length) })
				: id === ""
					? fill(texts.anonymous, { line })
					: earlier !== undefined
						? fill(texts.repeated, { line, earlier: number(earlier) })
						: !isId(id)
							? fill(texts.misnamed, { line })
							: Number.isNaN(lat) || Number.isNaN(lng)
								? fill(texts.unplaced, { line })
								: !isLabel(label)
									? fill(texts.mislabelled, { line })
									: undefined;
		if (fault) return [{ line: place, id, fault }];
		seen.set(id, place);
		return [{ line: place, item: { external_id: id, lat, lng, ...(label ? { label } : {}) } }];
	});
	if (read.length === 0) throw new PointsFileError(texts.empty);
	return read;
}

const ITEMS_AT_ONCE = 100;

/** Items in as many as a request may have. */
export function* batchesOf(items: NewBatchAddress[]): Generator<NewBatchAddress[]> {
	for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) yield items.slice(start, start + ITEMS_AT_ONCE);
}

/** A line of the file of codes (RFC 4180). */
export function codesLine(...cells: [id: string, code: string, status: string]): string {
	return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\n`;
}

/**
 * The lines with a fault that belong into the file of codes. One whose external_id a good line has too does not: whoever reads the file by
 * external_id would lose that one's code.
 */
export function faultsOfTheirOwn(lines: PointLine[]): (PointLine & { fault: string })[] {
	const good = new Set(lines.flatMap((line) => ("item" in line ? [line.item.external_id] : [])));
	return lines.filter((line): line is PointLine & { fault: string } => "fault" in line && !good.has(line.id));
}

/** Whether there is an address with the external_id of an item already that keeps another label than the item names. */
export function isRelabelled({ label }: NewBatchAddress, outcome: NewBatchItem | undefined): boolean {
	return label !== undefined && outcome?.status === "existing" && outcome.differs.includes("label");
}

/** The first line of the file of codes. */
export const CODES_HEADER = codesLine("external_id", "code", "status");

/** What the answers to the batches of a file come to. */
export class Totals {
	readonly countries: Record<string, number> = {};
	/** By country and number. */
	readonly zones = new Map<string, ZoneItems>();
	/** What an item is within 5 m of, by its external id: another one's id, or the code of an address that is there already. */
	readonly near = new Map<string, { metres: number; other: string }>();
	/** How many addresses the account may still create today, where a dry run has told it. */
	leftToday: number | undefined;

	/** @param items All of the file: two of them may be near each other and in different batches. */
	constructor(items: NewBatchAddress[]) {
		for (const { index, of, metres } of duplicatesAmong(items)) {
			this.near.set(items[index]!.external_id, { metres, other: items[of]!.external_id });
		}
	}

	/** Adds the answer to a batch. */
	add({ summary }: NewBatchAnswer): void {
		this.leftToday = summary.left_today ?? this.leftToday;
		for (const [country, count] of Object.entries(summary.countries)) {
			this.countries[country] = (this.countries[country] ?? 0) + count;
		}
		for (const zone of summary.zones) {
			const items = (this.zones.get(zone.country + zone.zone)?.items ?? 0) + zone.items;
			this.zones.set(zone.country + zone.zone, { ...zone, items });
		}
		for (const { external_id, metres, canonical } of summary.duplicates ?? []) {
			if (canonical) this.near.set(external_id, { metres, other: canonical });
		}
	}
}
