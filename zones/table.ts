/** Reads tables that people maintain as CSV (RFC 4180), and reports by line what it cannot use. */
import Papa from "papaparse";
import { BoundaryError } from "./faults.ts";

/** A line of a table. */
interface TableRow<Column extends string> {
	/** how messages name it: the file and the line */
	where: string;
	/** texts without white space around them; "" where a column is empty or missing */
	cells: Record<Column, string>;
}

/**
 * The rows of a table with a header. Lines that begin with # are remarks.
 * @param needed The columns that it must have.
 * @param optional The columns that it may have.
 * @throws BoundaryError if the header lacks a column or has an unknown one, or a line has another length.
 */
export function readTable<Column extends string>(
	text: string,
	file: string,
	needed: readonly Column[],
	optional: readonly Column[] = [],
): Array<TableRow<Column>> {
	const { data } = Papa.parse<string[]>(text.replace(/^\ufeff/u, ""), { delimitersToGuess: [",", ";", "\t"] });
	const rows = data
		.map((cells, at) => ({ line: at + 1, cells: cells.map((cell) => cell.normalize("NFC").trim()) }))
		.filter(({ cells }) => cells.some((cell) => cell !== "") && !cells[0]!.startsWith("#"));
	const header = rows.shift()?.cells.map((name) => name.toLowerCase()) ?? [];
	const known: readonly string[] = [...needed, ...optional];
	const missing = needed.filter((column) => !header.includes(column));
	const unknown = header.filter((column) => !known.includes(column));
	if (missing.length > 0 || unknown.length > 0) {
		const faults = [
			...(missing.length > 0 ? [`it lacks ${missing.join(", ")}`] : []),
			...(unknown.length > 0 ? [`${unknown.join(", ")} is not known`] : []),
		];
		throw new BoundaryError(
			`${file}: its first line must name the columns ${known.join(", ")}: ${faults.join(", and ")}`,
		);
	}
	const long = rows.filter(({ cells }) => cells.length > header.length);
	if (long.length > 0) {
		const faults = long.map(
			({ line, cells }) => `${file}, line ${line}: it has ${cells.length} columns, the first line ${header.length}`,
		);
		throw new BoundaryError(faults);
	}
	return rows.map(({ line, cells }) => ({
		where: `${file}, line ${line}`,
		cells: Object.fromEntries(known.map((column) => [column, cells[header.indexOf(column)] ?? ""])) as Record<
			Column,
			string
		>,
	}));
}

/** The degrees in a cell; NaN if it holds none. */
function degreesOf(text: string): number {
	return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

/**
 * The point of a row, in degrees of WGS 84.
 * @throws BoundaryError that says what is wrong: no numbers, or swapped degrees.
 */
export function pointOfRow({ where, cells }: TableRow<"lat" | "lng">): { lat: number; lng: number } {
	const [lat, lng] = [degreesOf(cells.lat), degreesOf(cells.lng)];
	if (Math.abs(lat) <= 90 && Math.abs(lng) <= 180) return { lat, lng };
	const isSwapped = Math.abs(lng) <= 90 && Math.abs(lat) <= 180;
	throw new BoundaryError(
		isSwapped
			? `${where}: latitude ${cells.lat} is beyond 90 degrees: lat and lng are swapped`
			: `${where}: its point is ${cells.lat || "missing"}, ${cells.lng || "missing"}: give lat and lng in degrees of WGS 84, such as 6.5244 and 3.3792`,
	);
}
