#!/usr/bin/env node
/** Creates the addresses of a CSV file through the API: `npx address-registry mint meters.csv`. src/docs/guides/meters.md. */
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createClient } from "../client/client.ts";
import { RegistryError } from "../client/error.ts";
import { type PointLine, PointsFileError, readPoints } from "../client/points-file.ts";

const USAGE = `Create the addresses of a CSV file with the columns external_id, lat, lng and, if you like, label:

  address-registry mint FILE --registry https://addr.example [--dry-run]

Set REGISTRY_KEY to an API key with the scope addresses:write. The codes are written line by line to FILE.codes.csv. Run the command again
to go on where it ended: an external_id is never minted twice.`;

const ITEMS_AT_ONCE = 100;
const HEADER = "external_id,code,status\n";

/** A value as a cell of a CSV file (RFC 4180). */
function cell(value: string): string {
	return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** The external ids that a file of codes has an address for. A line that was cut off when the program ended is taken away. */
function finished(file: string): Set<string> {
	if (!existsSync(file)) {
		writeFileSync(file, HEADER);
		return new Set();
	}
	const bytes = readFileSync(file);
	const whole = bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
	truncateSync(file, whole.length);
	const lines = whole.toString("utf8").split("\n").slice(1);
	return new Set(lines.flatMap((line) => /^([^",]+),[A-Z]{2}-\d{4}-\d{5},/.exec(line)?.[1] ?? []));
}

function* chunksOf<Item>(items: Item[], size: number): Generator<Item[]> {
	for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Creates what a file asks for, and counts what became of its lines by status. */
async function mint(file: string, registry: string, key: string, dryRun: boolean): Promise<Record<string, number>> {
	const lines: PointLine[] = readPoints(readFileSync(file, "utf8"));
	const output = `${file}.codes.csv`;
	const done = dryRun ? new Set<string>() : finished(output);
	const counts: Record<string, number> = {};
	const countries: Record<string, number> = {};
	const keep = (id: string, code: string, status: string) => {
		counts[status] = (counts[status] ?? 0) + 1;
		return `${[id, code, status].map(cell).join(",")}\n`;
	};
	const faults = lines.flatMap((line) => ("fault" in line ? [line] : []));
	for (const { line, id, fault } of faults) {
		console.error(`Line ${line} ${fault}.`);
		const written = keep(id, "", `failed: line ${line} ${fault}`);
		if (!dryRun) appendFileSync(output, written);
	}
	const items = lines.flatMap((line) => ("item" in line && !done.has(line.item.external_id) ? [line.item] : []));
	if (done.size > 0) console.log(`${done.size} of ${lines.length} lines have an address already.`);
	const client = createClient({ registry, key });
	for (const chunk of chunksOf(items, ITEMS_AT_ONCE)) {
		const { data, summary } = await client.createMany(chunk, { dryRun });
		for (const [country, count] of Object.entries(summary.countries))
			countries[country] = (countries[country] ?? 0) + count;
		const written = data.map((item, index) => {
			const code = "address" in item ? item.address.display : "";
			if ("problem" in item) console.error(`${chunk[index]?.external_id}: ${item.problem.detail}`);
			return keep(chunk[index]?.external_id ?? "", item.status === "conflict" ? "" : code, item.status);
		});
		if (!dryRun) appendFileSync(output, written.join(""));
	}
	console.log(`By country: ${JSON.stringify(countries)}`);
	return counts;
}

try {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			registry: { type: "string" },
			"dry-run": { type: "boolean", default: false },
			help: { type: "boolean" },
		},
	});
	const [command, file] = positionals;
	const key = process.env.REGISTRY_KEY;
	if (values.help || command !== "mint" || !file || !values.registry || !key) {
		console.error(USAGE);
		process.exitCode = values.help ? 0 : 2;
	} else {
		const counts = await mint(file, values.registry, key, values["dry-run"]);
		console.log(`By status: ${JSON.stringify(counts)}`);
		if (Object.keys(counts).some((status) => /^(failed|conflict)/.test(status))) process.exitCode = 1;
	}
} catch (error) {
	if (!(error instanceof RegistryError || error instanceof PointsFileError)) throw error;
	console.error(
		error instanceof RegistryError
			? `${error.code}: ${error.detail} Run the command again later to go on.`
			: error.message,
	);
	process.exitCode = 1;
}
