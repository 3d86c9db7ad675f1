/** Reads a CSV file of points that are to become addresses, as spreadsheets write it. */
import Papa from "papaparse";
import type { NewBatchAddress } from "#api-types";

const NEEDED = ["external_id", "lat", "lng"];
const KNOWN = [...NEEDED, "label"];

/** A line of the file: the item that it is, or why it is none. The header is line 1. */
export type PointLine = { line: number; item: NewBatchAddress } | { line: number; id: string; fault: string };

/** A file that cannot be read as a whole; its message says where and why. */
export class PointsFileError extends Error {}

/** Degrees as a spreadsheet writes them, with a decimal comma only where semicolons part the columns. */
function degrees(text: string, delimiter: string): number {
	const written = delimiter === ";" ? text.trim().replace(",", ".") : text.trim();
	return /^-?\d+(\.\d+)?$/.test(written) ? Number(written) : Number.NaN;
}

/**
 * The lines of a CSV file (RFC 4180) with a header, in UTF-8 with or without a byte order mark, with commas, semicolons or tabs, and any
 * line ends.
 * @throws PointsFileError for a header that lacks a column or has one that is not known, and for quotes that do not end.
 */
export function readPoints(text: string): PointLine[] {
	const { data, errors, meta } = Papa.parse<string[]>(text.replace(/^\ufeff/, ""), { skipEmptyLines: false });
	const broken = errors.find(({ type }) => type === "Quotes");
	if (broken) throw new PointsFileError(`Line ${(broken.row ?? 0) + 1}: ${broken.message}.`);
	const [header = [], ...rows] = data;
	const names = header.map((name) => name.trim().toLowerCase());
	const unknown = names.filter((name) => !KNOWN.includes(name));
	if (unknown.length > 0) {
		throw new PointsFileError(`Line 1: the column ${unknown.join(", ")} is not known. Known are ${KNOWN.join(", ")}.`);
	}
	const missing = NEEDED.filter((name) => !names.includes(name));
	if (missing.length > 0) throw new PointsFileError(`Line 1: the column ${missing.join(", ")} is missing.`);
	const seen = new Map<string, number>();
	let next = 2;
	return rows.flatMap((row): PointLine[] => {
		const line = next;
		next += 1 + row.join("").split("\n").length - 1;
		if (row.length === 1 && row[0]?.trim() === "") return [];
		const cell = (name: string) => row[names.indexOf(name)]?.trim() ?? "";
		const id = cell("external_id");
		const [lat, lng] = [degrees(cell("lat"), meta.delimiter), degrees(cell("lng"), meta.delimiter)];
		const earlier = seen.get(id);
		const fault =
			row.length !== names.length
				? `has ${row.length} columns in place of ${names.length}`
				: id === ""
					? "has no external_id"
					: earlier !== undefined
						? `has the external_id of line ${earlier}`
						: Number.isNaN(lat) || Number.isNaN(lng)
							? "has no lat and lng in degrees, such as 6.5244"
							: undefined;
		if (fault) return [{ line, id, fault }];
		seen.set(id, line);
		const label = cell("label");
		return [{ line, item: { external_id: id, lat, lng, ...(label ? { label } : {}) } }];
	});
}
