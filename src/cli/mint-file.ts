/** Creates the addresses of a CSV file through the API: `npx address-registry mint meters.csv`. src/docs/guides/meters.md. */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Papa from "papaparse";
import type { NewBatchAddress, ZoneItems } from "#api-types";
import { createClient } from "../client/client.ts";
import { RegistryError } from "../client/error.ts";
import {
	batchesOf,
	COLUMN_NAMES,
	CodesFile,
	type Column,
	decodePoints,
	differencesOf,
	EncodingError,
	type PointLine,
	type PointsFile,
	PointsFileError,
	readPoints,
	Totals,
} from "../client/points-file.ts";
import { en } from "../languages/messages-en.ts";
import { fill } from "../languages/template.ts";
import { UsageError } from "./command.ts";

const texts = en.console.file.work;

/** How often progress is reported, in milliseconds: to a terminal, and to a file that the output goes to. */
const PROGRESS_MILLISECONDS = { terminal: 5_000, file: 30_000 };

/** How many zones a dry run names: first those without enough codes for the file, then those with the most new addresses. */
const ZONES_TOLD = 20;

/** What a run is asked to do with the file. */
interface Wishes {
	isDryRun: boolean;
	/** The only country in which addresses may be created. */
	country: string | undefined;
}

/**
 * The codes that earlier runs have written, by external_id. Removes a line that was cut off when the program ended.
 * @throws Error if the file has other columns than this run would write.
 */
function codesSoFar(output: string, codes: CodesFile): Map<string, string> {
	const before = existsSync(output) ? readFileSync(output, "utf8") : "";
	const whole = before.replace(/[^\n]+$/, "") || codes.header;
	const soFar = codes.read(whole);
	if (!soFar)
		throw new Error(`${output} has different columns than the codes of this file. Move it away, and run again.`);
	writeFileSync(`${output}.part`, whole);
	renameSync(`${output}.part`, output);
	return soFar;
}

/**
 * Whether the codes that earlier runs have written belong to this account, and are live or test codes as the key is. After a trial in the
 * sandbox or on another registry they do not, and would be printed among the others. It asks about one batch of them.
 */
async function areOwn(
	client: ReturnType<typeof createClient>,
	items: NewBatchAddress[],
	minted: ReadonlyMap<string, string>,
): Promise<boolean> {
	const [known] = batchesOf(items.filter(({ external_id: id }) => minted.has(id)));
	if (!known) return true;
	const { data } = await client.createMany(known, { dryRun: true });
	return data.every(
		(item, index) =>
			item.status === "failed" || ("address" in item && item.address.display === minted.get(known[index]!.external_id)),
	);
}

/** The items of a batch that may be created, and the faults of those in another country than the one asked for. */
async function withinCountry(
	client: ReturnType<typeof createClient>,
	items: NewBatchAddress[],
	country: string | undefined,
): Promise<{ within: NewBatchAddress[]; elsewhere: Map<string, string> }> {
	if (!country) return { within: items, elsewhere: new Map() };
	const { data } = await client.createMany(items, { dryRun: true });
	const elsewhere = new Map(
		data.flatMap((item, index) =>
			item.status === "would_create" && item.country !== country
				? [
						[
							items[index]!.external_id,
							`The point is in ${item.country}, not in ${country}. Are lat and lng swapped?`,
						] as const,
					]
				: [],
		),
	);
	return { within: items.filter(({ external_id: id }) => !elsewhere.has(id)), elsewhere };
}

/** Creates the addresses of a file, and counts its lines by what became of them. */
async function mint(
	file: string,
	points: PointsFile,
	client: ReturnType<typeof createClient>,
	{ isDryRun, country }: Wishes,
): Promise<Record<string, number>> {
	const { lines, taken, others } = points;
	for (const [column, name] of Object.entries(taken))
		if (name !== column) console.log(`Reading ${column} from the column ${name}.`);
	console.log(`${fill(texts.read, { columns: Object.keys(taken).join(", ") })}.`);
	if (others.length > 0) console.log(`Copied to the file of codes: ${others.join(", ")}.`);
	const codes = new CodesFile(points);
	const output = `${file}.codes.csv`;
	const minted = isDryRun ? new Map<string, string>() : codesSoFar(output, codes);
	const items = lines.flatMap((line) => ("item" in line ? [line.item] : []));
	if (!(await areOwn(client, items, minted)))
		throw new Error(
			`${output} has codes of another account or registry, or of a test key. Move it away, and run again.`,
		);
	const lineOf = new Map(lines.flatMap((line) => ("item" in line ? [[line.item.external_id, line]] : [])));
	/** Printed at the end, where nothing buries them. */
	const faults: { line: PointLine; fault: string }[] = [];
	/** Printed too, though nothing is wrong with these lines. */
	const remarks: string[] = [];
	const counts: Record<string, number> = {};
	const count = (status: string) => {
		counts[status] = (counts[status] ?? 0) + 1;
	};
	const refuse = (line: PointLine, fault: string, status = "failed") => {
		count(status);
		faults.push({ line, fault });
	};
	for (const line of lines) if ("fault" in line) refuse(line, line.fault);
	const said = (line: PointLine, id: string, problem: string) =>
		fill(texts.fault, { line: `${line.line}`, id, problem });
	const totals = new Totals(items);
	let done = 0;
	let toldAt = Date.now();
	const every = PROGRESS_MILLISECONDS[process.stderr.isTTY ? "terminal" : "file"];
	for (const chunk of batchesOf(items)) {
		const { within, elsewhere } = await withinCountry(client, chunk, country);
		for (const [id, problem] of elsewhere) refuse(lineOf.get(id)!, said(lineOf.get(id)!, id, problem));
		const answer = within.length > 0 ? await client.createMany(within, { dryRun: isDryRun }) : undefined;
		if (answer) totals.add(answer);
		const written = (answer?.data ?? []).map((item, index) => {
			const sent = within[index]!;
			const { external_id: id } = sent;
			const line = lineOf.get(id)!;
			if ("problem" in item) {
				refuse(line, said(line, id, item.problem.detail), item.status);
				return "";
			}
			count(item.status);
			const differences = differencesOf(sent, item);
			if (differences.length > 0) remarks.push(said(line, id, `${texts.differs}: ${differences.join(", ")}.`));
			return item.status === "would_create" || minted.has(id) ? "" : codes.line(line, id, item.address, item.status);
		});
		if (!isDryRun) appendFileSync(output, written.join(""));
		done += chunk.length;
		if (Date.now() - toldAt < every) continue;
		toldAt = Date.now();
		console.error(`${done.toLocaleString("en")} of ${items.length.toLocaleString("en")} lines are done.`);
	}
	faults.sort((one, other) => one.line.line - other.line.line);
	if (faults.length > 0 || existsSync(`${file}.faults.csv`)) writeFileSync(`${file}.faults.csv`, codes.faults(faults));
	console.log(`By country: ${JSON.stringify(totals.countries)}`);
	if (isDryRun) {
		for (const [id, { metres, other }] of totals.near) console.log(`${id} is ${metres.toFixed(1)} m from ${other}.`);
		const lacks = ({ items, left = items }: ZoneItems) => Number(left < items);
		const zones = [...totals.zones].sort(([, one], [, other]) => lacks(other) - lacks(one) || other.items - one.items);
		for (const [zone, { zone_name, items, left }] of zones.slice(0, ZONES_TOLD))
			console.log(`${zone} ${zone_name}: ${items} new${left === undefined ? "" : `, ${left} codes left`}.`);
		if (zones.length > ZONES_TOLD) console.log(`And ${zones.length - ZONES_TOLD} more zones.`);
	}
	for (const fault of [...remarks, ...faults.map(({ fault }) => fault)]) console.error(fault);
	console.log(`By status: ${JSON.stringify(counts)}`);
	const { would_create: planned = 0 } = counts;
	const { leftToday = planned } = totals;
	if (planned > leftToday) {
		console.error(
			`Your account may create ${leftToday} of these ${planned} today (UTC). Run the command again each day, or ask the operator for a higher limit.`,
		);
	}
	return counts;
}

/** Which column of the file is which, as `--columns` says. @throws UsageError */
function columnsOf(text: string): Partial<Record<Column, string>> {
	const pairs = Papa.parse<string[]>(text).data[0] ?? [];
	return Object.fromEntries(
		pairs.map((pair) => {
			const [column = "", name = ""] = pair.split(/=(.*)/s).map((part) => part.trim().replace(/^"(.*)"$/, "$1"));
			if (!COLUMN_NAMES.includes(column as Column) || !name)
				throw new UsageError(
					`--columns: write ${COLUMN_NAMES.map((known) => `${known}=...`).join(",")} with the names of the file.`,
				);
			return [column, name];
		}),
	);
}

/** Reads the file. @throws PointsFileError; UsageError for an encoding that nobody knows. */
function readFile(file: string, encoding: string | undefined, columns: Partial<Record<Column, string>>): PointsFile {
	try {
		if (encoding) new TextDecoder(encoding);
	} catch {
		throw new UsageError(`--encoding: ${encoding} is unknown. Use one such as windows-1252 or utf-16le.`);
	}
	try {
		return readPoints(decodePoints(readFileSync(file), texts, encoding), texts, columns);
	} catch (error) {
		if (!(error instanceof EncodingError)) throw error;
		throw new PointsFileError(
			`${error.message} If Excel saved it as plain CSV, run again with --encoding windows-1252.`,
		);
	}
}

/** The error that stopped a file in the middle, with whether to run the command again. */
function reasonOf(error: unknown, registry: string): unknown {
	if (!(error instanceof RegistryError)) return error;
	const { code, message, status } = error;
	const said = code === "NO_ANSWER" ? `Cannot reach ${registry}.` : message;
	const mayPass = status === 0 || status >= 429;
	return new Error(`${said}${mayPass ? " Run the command again to continue." : ""}`, { cause: error });
}

/** The options of the command line for a file. */
interface MintFileOptions {
	/** The origin of the registry. */
	registry: string;
	/** An API key with the scope addresses:write. */
	key: string;
	isDryRun: boolean;
	columns: string;
	encoding: string | undefined;
	country: string | undefined;
}

/** Creates the addresses of a file. Returns whether every line has become one, or would. @throws UsageError, PointsFileError, Error. */
export async function mintFile(file: string, options: MintFileOptions): Promise<boolean> {
	const { registry, key, isDryRun, columns, encoding } = options;
	const country = options.country?.toUpperCase();
	if (country && !/^[A-Z]{2}$/.test(country)) throw new UsageError("--country must be two letters, such as NG.");
	const points = readFile(file, encoding, columns ? columnsOf(columns) : {});
	const counts = await mint(file, points, createClient({ registry, key }), { isDryRun, country }).catch((error) => {
		throw reasonOf(error, registry);
	});
	return !counts.failed && !counts.conflict;
}
