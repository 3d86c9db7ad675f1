/** Reads a CSV file of points that are to become addresses, as spreadsheets write it, and sums up what becomes of them. */
import Papa from "papaparse";
import type { NewBatchAddress, NewBatchAnswer, NewBatchItem, PublicAddress, ZoneItems } from "#api-types";
import { FURTHER_FIELDS, perText, TEXTS } from "../addresses/texts.ts";
import { asciiDigits } from "../codes/digits.ts";
import { isLine } from "../codes/line-characters.ts";
import { withoutUnseen } from "../codes/normal-text.ts";
import type { Messages } from "../languages/messages-en.ts";
import { fill } from "../languages/template.ts";
import {
	parseCells,
	parseCoordinates,
	withHyphens,
	withoutExponents,
	withSoftHyphens,
} from "../points/coordinate-text.ts";
import { duplicatesAmong } from "../points/near.ts";
import { isInWorld, type Point } from "../points/point.ts";

/** The texts shown while a file is worked on. */
export type PointsFileTexts = Messages["console"]["file"]["work"];

/** The columns that a file must have, each with the other names that utilities use for it. */
const NEEDED = {
	external_id: ["id", "meter no", "meter number", "meter id"],
	lat: ["latitude"],
	lng: ["longitude", "lon", "long"],
} as const;

/** The optional columns. */
type Further = Exclude<keyof NewBatchAddress, keyof typeof NEEDED>;

export type Column = keyof typeof NEEDED | Further;

/** Reads a cell that is not empty: returns its value, or what is wrong with it. */
type Reader<Value> = (cell: string, texts: PointsFileTexts, line: string) => { value: Value } | { fault: string };

const VISIBILITIES = ["public", "private"] as const;

/**
 * The readers of all optional fields of a batch item; one that is missing does not compile. The registry itself checks whether a locality
 * is one of the point's.
 */
const FURTHER: { readonly [Name in Further]-?: Reader<NewBatchAddress[Name]> } = {
	...perText(
		(column): Reader<string> =>
			(cell, texts, line) => {
				const { charactersMax } = TEXTS[column];
				const fault = () => fill(texts.notALine, { line, column, characters: String(charactersMax) });
				return isLine(cell, charactersMax) ? { value: cell } : { fault: fault() };
			},
	),
	entrance: (cell, texts, line) => {
		const value = parseCoordinates(visibleOf(cell));
		return value && isInWorld(value) ? { value } : { fault: fill(texts.noEntrance, { line }) };
	},
	visibility: (cell, texts, line) => {
		const value = VISIBILITIES.find((name) => name === visibleOf(cell).toLowerCase());
		return value ? { value } : { fault: fill(texts.noVisibility, { line }) };
	},
	locality: (cell) => ({ value: cell }),
};

export const COLUMN_NAMES: readonly Column[] = [...(Object.keys(NEEDED) as (keyof typeof NEEDED)[]), ...FURTHER_FIELDS];

/** The other names of a column; undefined for an optional column. */
const otherNamesOf = (column: Column): readonly string[] | undefined =>
	(NEEDED as Partial<Record<Column, readonly string[]>>)[column];

/** The column of a file of faults that says what is wrong. It is ignored when the file is sent again. */
const FAULT = "fault";

/** A line of the file, counted from 1: its item, or its fault, with all its cells. */
export type PointLine = { line: number; row: string[] } & (
	| { item: NewBatchAddress }
	| {
			id: string;
			fault: string;
			/** What lines at fault in the same way have in common. */
			kind: string;
	  }
);

/** A file of points, as it was read. */
export interface PointsFile {
	lines: PointLine[];
	/** The names of all columns, as they are written. */
	header: string[];
	/** The file's name of each column that was recognized, by what it was recognized as. */
	taken: Partial<Record<Column, string>>;
	/** The columns that were not recognized. They are returned with the codes. */
	others: string[];
	/** How the file is written, so that what is returned is written the same way. */
	style: Style;
}

/** How a CSV file separates its cells, and whether it begins with a byte order mark. */
interface Style {
	separator: string;
	mark: "" | "\ufeff";
}

/** A file that cannot be read as a whole; its message says where and why. */
export class PointsFileError extends Error {}

/** A file that is not in UTF-8, and does not say in what it is. */
export class EncodingError extends PointsFileError {}

/** A file whose columns do not say which is which. */
export class ColumnsError extends PointsFileError {
	/** The names of its columns, as they are written. */
	readonly header: string[];

	constructor(message: string, header: string[]) {
		super(message);
		this.header = header.map((name) => name.trim());
	}
}

/** A cell without invisible characters, such as the direction marks that spreadsheets in Arabic leave beside numbers. */
const visibleOf = (cell = "") => withoutUnseen(withSoftHyphens(cell)).trim();

/** The form in which names of columns are compared: `Meter_No.` becomes `meter no`. */
const nameOf = (name: string) =>
	visibleOf(name)
		.toLowerCase()
		.replace(/[\s_.-]+/g, " ")
		.trim();

/** How many lines of the file a row takes: a cell in quotes may have several. */
const linesOf = (row: string[]) => row.join("").split("\n").length;

/** A cell without the apostrophe that keeps a spreadsheet from taking it for a formula. */
const plainOf = (cell: string) => cell.replace(/^'(?=[=+@-])/, "");

/** Degrees as a spreadsheet writes them, in the digits of any script and with a decimal comma or point; NaN for anything else. */
function degrees(text: string): number {
	const written = withoutExponents(withHyphens(asciiDigits(text)).replace(/[,\u066b]/, "."));
	return /^[+-]?(\d+(\.\d+)?|\.\d+)$/.test(written) ? Number(written) : Number.NaN;
}

/** The point in two cells: in decimal degrees, or with minutes, seconds and hemispheres as the place box of the console reads them. */
function pointOf(lat: string, lng: string): Point | undefined {
	const decimal = { lat: degrees(lat), lng: degrees(lng) };
	const point = Number.isNaN(decimal.lat + decimal.lng) ? parseCells(lat, lng) : decimal;
	return point && isInWorld(point) ? { lat: point.lat, lng: point.lng } : undefined;
}

/** Whether the registry accepts a text as an external_id (src/addresses/schemas.ts). A test makes sure that the two agree. */
const isId = (text: string) => /^[\x21-\x7e]{1,64}$/.test(text);

/**
 * What a spreadsheet leaves of an id: a number in scientific notation, whose other digits are gone, the signs of a column that was too
 * narrow, or the name of an error.
 */
const DESTROYED_ID = /^[+-]?\d+(?:[.,]\d+)?e[+-]\d{2,3}$|^#+$|^#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!)$/i;

/** The characters of windows-1252 from 0x80 to 0x9f (WHATWG Encoding), which Node 20 takes for control characters. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** What a spreadsheet's own file is, by its first bytes: a ZIP archive, whose first entry says so in OpenDocument, or a compound file. */
function workbookOf(bytes: Uint8Array): string | undefined {
	const start = String.fromCharCode(...bytes.subarray(0, 80));
	if (start.startsWith("PK\u0003\u0004")) return start.includes("opendocument") ? "ods" : "xlsx";
	return start.startsWith("\u00d0\u00cf\u0011\u00e0") ? "xls" : undefined;
}

/**
 * Decodes a file: from the encoding that is named, such as `windows-1252`, in which Excel writes plain CSV; otherwise from UTF-16 if a
 * byte order mark says so, else from UTF-8. A text that was not in UTF-8 gets a byte order mark, because Excel recognizes the UTF-8 that
 * is returned only with one.
 * @throws EncodingError that names the first line that is not in UTF-8; PointsFileError for a workbook, with how to save it as CSV.
 */
export function decodePoints(bytes: Uint8Array, texts: PointsFileTexts, encoding?: string): string {
	const kind = workbookOf(bytes);
	if (kind) throw new PointsFileError(fill(texts.workbook, { kind }));
	const [first, second] = bytes;
	const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
	const found = isWide ? (first === 0xff ? "utf-16le" : "utf-16be") : "utf-8";
	const decoder = new TextDecoder(encoding ?? found, { ignoreBOM: true, fatal: false });
	const decoded = decoder.decode(bytes);
	const text =
		decoder.encoding === "windows-1252"
			? decoded.replace(/[\u0080-\u009f]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80]!)
			: decoded;
	// A decoder puts this in place of bytes that it cannot read.
	const undecoded = text.indexOf("\ufffd");
	if (undecoded < 0) return decoder.encoding === "utf-8" || text.startsWith("\ufeff") ? text : `\ufeff${text}`;
	throw new EncodingError(fill(texts.encoding, { line: String(text.slice(0, undecoded).split(/\r\n?|\n/).length) }));
}

/**
 * Decodes a file as `decodePoints` does, and in Windows-1252 where it is not in UTF-8.
 * @returns The text and, where that was a guess, its first word with a letter beyond ASCII, for somebody to check.
 * @throws PointsFileError as `decodePoints` does for a workbook; EncodingError where the file is text in no such encoding.
 */
export function guessPoints(bytes: Uint8Array, texts: PointsFileTexts): { text: string; sample?: string } {
	try {
		return { text: decodePoints(bytes, texts) };
	} catch (error) {
		if (!(error instanceof EncodingError) || bytes.includes(0)) throw error;
		const text = decodePoints(bytes, texts, "windows-1252");
		const [sample = ""] = /[\p{L}\p{Nd}'’-]*[^\p{ASCII}\ufeff][\p{L}\p{Nd}'’-]*/u.exec(text) ?? [];
		return { text, sample };
	}
}

/** Removes spaces between a separator and a quotation mark, which would make the mark part of the cell. */
function withoutSpacesBeforeQuotes(text: string, separator: string): string {
	let isQuoted = false;
	let isAtStart = true;
	let [read, from] = ["", 0];
	for (let index = 0; index < text.length; index += 1) {
		const character = text[index];
		if (isQuoted) {
			if (character === '"') isQuoted = false;
		} else if (character === '"') {
			isQuoted = true;
		} else if (character === " " && isAtStart) {
			const [spaces = ""] = /^ +(?=")/.exec(text.slice(index, index + 20)) ?? [];
			read += text.slice(from, index);
			from = index + spaces.length;
			index = Math.max(index, from - 1);
			continue;
		}
		isAtStart = !isQuoted && (character === separator || character === "\n");
	}
	return read + text.slice(from);
}

/** The index of each recognized column in the file. @throws ColumnsError as `readPoints` does. */
function placesOf(
	header: string[],
	texts: PointsFileTexts,
	named: Partial<Record<Column, string>>,
	line: string,
): Partial<Record<Column, number>> {
	const names = header.map(nameOf);
	const places: Partial<Record<Column, number>> = {};
	for (const column of COLUMN_NAMES) {
		const asked = named[column];
		const own = nameOf(asked ?? column);
		const candidates = asked || names.includes(own) ? [own] : (otherNamesOf(column) ?? []);
		const found = names.flatMap((name, index) => (candidates.includes(name) ? [index] : []));
		if (found.length > 1) {
			const doubled = found.map((index) => header[index]!.trim());
			throw new ColumnsError(fill(texts.doubled, { line, names: doubled.join(", "), column }), header);
		}
		if (found[0] !== undefined) places[column] = found[0];
		else if (asked || otherNamesOf(column)) {
			const known = header.map((name) => name.trim()).join(", ");
			throw new ColumnsError(fill(texts.missing, { line, names: asked ?? column, known }), header);
		}
	}
	return places;
}

/**
 * Reads a CSV file (RFC 4180) with a header, commas, semicolons or tabs and any line ends, as spreadsheets write it: with a first line
 * `sep=;`, spaces before quotation marks, no separators at the end of a line, or an apostrophe before what would be a formula.
 * @param named The file's own names of columns, where they differ from the usual ones.
 * @throws PointsFileError if the header lacks a column or has two for the same thing, nothing follows it, or a quotation is not closed.
 */
export function readPoints(
	text: string,
	texts: PointsFileTexts,
	named: Partial<Record<Column, string>> = {},
): PointsFile {
	// Papa takes the first line end that it meets as that of all lines.
	const whole = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
	const [told = "", separatorTold] = /^"?sep=(.)"?\n/i.exec(whole) ?? [];
	const lines = whole.slice(told.length);
	const first = told ? 2 : 1;
	const [headerLine = ""] = lines.split("\n", 1);
	const separator = separatorTold ?? Papa.parse(headerLine).meta.delimiter;
	const { data, errors } = Papa.parse<string[]>(withoutSpacesBeforeQuotes(lines, separator), {
		skipEmptyLines: false,
		delimiter: separator,
	});
	const broken = errors.find(({ type }) => type === "Quotes");
	if (broken) {
		const line = data.slice(0, broken.row).reduce((sum, row) => sum + linesOf(row), first);
		throw new PointsFileError(fill(texts.quote, { line: String(line) }));
	}
	const [header = [], ...rows] = data;
	// Spreadsheets also write the columns beside a table, as separators alone.
	while (header.at(-1)?.trim() === "") header.pop();
	const places = placesOf(header, texts, named, String(first));
	const width = header.length;
	const seen = new Map<string, number>();
	let next = first + 1;
	const read = rows.flatMap((written): PointLine[] => {
		const place = next;
		const line = String(place);
		next += linesOf(written);
		const row = written.map(plainOf);
		// Spreadsheets also write the rows below a table, as separators alone.
		if (row.every((cell) => cell.trim() === "")) return [];
		while (row.length > width && row.at(-1)?.trim() === "") row.pop();
		const found = String(row.length);
		const isTooLong = row.length > width;
		// They also leave out separators at the end of a line.
		while (row.length < width) row.push("");
		const cell = (column: Column) => row[places[column] ?? -1] ?? "";
		const id = visibleOf(cell("external_id"));
		const point = pointOf(visibleOf(cell("lat")), visibleOf(cell("lng")));
		const further = FURTHER_FIELDS.flatMap((column) => {
			const text = cell(column).trim();
			return text ? [{ column, ...FURTHER[column](text, texts, line) }] : [];
		});
		const earlier = seen.get(id);
		const broken = further.find((found) => "fault" in found);
		// The first that is wrong, under the name of its text.
		const wrong = {
			columns: isTooLong && fill(texts.columns, { line, found, wanted: String(width) }),
			anonymous: id === "" && fill(texts.anonymous, { line }),
			destroyed: DESTROYED_ID.test(id) && fill(texts.destroyed, { line, id }),
			repeated: earlier !== undefined && fill(texts.repeated, { line, earlier: String(earlier) }),
			misnamed: !isId(id) && fill(texts.misnamed, { line }),
			unplaced: !point && fill(texts.unplaced, { line, lat: cell("lat"), lng: cell("lng") }),
			[broken?.column ?? ""]: broken && "fault" in broken && broken.fault,
		};
		const [kind, fault] = Object.entries(wrong).find(([, text]) => text) ?? [];
		if (kind !== undefined || !point) return [{ line: place, row, id, kind: `${kind}`, fault: `${fault}` }];
		seen.set(id, place);
		const said = Object.fromEntries(
			further.flatMap((found) => ("value" in found ? [[found.column, found.value]] : [])),
		);
		return [{ line: place, row, item: { external_id: id, ...point, ...said } }];
	});
	if (read.length === 0) throw new PointsFileError(texts.empty);
	const taken = Object.entries(places).map(([column, index]) => [column, header[index]!.trim()]);
	return {
		lines: read,
		header: header.map((name) => name.trim()),
		taken: Object.fromEntries(taken),
		others: header
			.filter((name, index) => !Object.values(places).includes(index) && name !== FAULT)
			.map((name) => name.trim()),
		style: { separator, mark: text.startsWith("\ufeff") ? "\ufeff" : "" },
	};
}

/** A cell as a spreadsheet is to read it: what it would take for a formula gets an apostrophe in front, which `plainOf` removes again. */
function cellOf(text: string, separator: string): string {
	const safe = /^[=+@-]/.test(text) && !/^[+-]?[\d.,]+$/.test(text) ? `'${text}` : text;
	return safe.includes(separator) || /["\r\n]|^ | $/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const lineIn = ({ separator }: Style, cells: string[]) =>
	`${cells.map((cell) => cellOf(cell, separator)).join(separator)}\n`;

/** What the file of codes says of an address. */
type CodeOfLine = Pick<PublicAddress, "display" | "locality" | "region">;

/**
 * The file of codes: each line's number, its id, its code, what became of it, its locality and region, and the cells of columns that were
 * not recognized.
 */
export class CodesFile {
	private readonly file: PointsFile;
	private readonly otherDatabases: number[];

	constructor(file: PointsFile) {
		this.file = file;
		this.otherDatabases = file.header.flatMap((name, index) => (file.others.includes(name) ? [index] : []));
	}

	/** Its first line. */
	get header(): string {
		const { style, others } = this.file;
		return style.mark + lineIn(style, ["line", "external_id", "code", "status", "locality", "region", ...others]);
	}

	/** The line of an item. */
	line({ line, row }: PointLine, externalId: string, address: CodeOfLine, status: "created" | "existing"): string {
		const { display, locality, region } = address;
		const others = this.otherDatabases.map((index) => row[index] ?? "");
		return lineIn(this.file.style, [String(line), externalId, display, status, locality, region, ...others]);
	}

	/** The codes of a file of codes, by external_id; undefined if its header is not this file's. */
	read(written: string): Map<string, string> | undefined {
		if (!written.startsWith(this.header)) return undefined;
		const { data } = Papa.parse<string[]>(written.slice(this.header.length), { delimiter: this.file.style.separator });
		return new Map(data.flatMap(([, id, code]) => (id && code ? [[plainOf(id), code] as const] : [])));
	}

	/** A file of the lines at fault with all their cells and what is wrong, to be mended and sent again; empty if there are none. */
	faults(faults: { line: PointLine; fault: string }[]): string {
		if (faults.length === 0) return "";
		const { style, header } = this.file;
		const columns = header.flatMap((name, index) => (name === FAULT ? [] : [index]));
		const names = columns.map((index) => header[index] ?? "");
		const lines = faults.map(({ line: { row }, fault }) =>
			lineIn(style, [...columns.map((at) => row[at] ?? ""), fault]),
		);
		return style.mark + lineIn(style, [...names, FAULT]) + lines.join("");
	}
}

const ITEMS_AT_ONCE = 100;

/** Splits items into batches as large as a request may be. */
export function* batchesOf(items: NewBatchAddress[]): Generator<NewBatchAddress[]> {
	for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) yield items.slice(start, start + ITEMS_AT_ONCE);
}

/** The fields in which an item differs from the address that has its external_id already. That address stays as it is. */
export function differencesOf(item: NewBatchAddress, outcome: NewBatchItem | undefined): string[] {
	return outcome?.status === "existing" ? outcome.differs.filter((field) => item[field] !== undefined) : [];
}

/** The totals of the answers to the batches of a file. */
export class Totals {
	readonly countries: Record<string, number> = {};
	/** By country and number. */
	readonly zones = new Map<string, ZoneItems>();
	/** By an item's external id, what lies within 5 m of it: another item, by its id, or an existing address, by its code. */
	readonly near = new Map<string, { metres: number; other: string }>();
	/** How many addresses the account may still create today, if a dry run has told. */
	leftToday: number | undefined;

	/** @param items All items of the file: two that are near each other may be in different batches. */
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
