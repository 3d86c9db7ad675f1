#!/usr/bin/env node
/** Creates the addresses of a CSV file through the API: `npx address-registry mint meters.csv`. src/docs/guides/meters.md. */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Papa from "papaparse";
import type { NewBatchAddress } from "#api-types";
import { createClient } from "../client/client.ts";
import { RegistryError } from "../client/error.ts";
import {
	batchesOf,
	CODES_HEADER,
	codesLine,
	faultsOfTheirOwn,
	isRelabelled,
	type PointLine,
	readPoints,
	Totals,
} from "../client/points-file.ts";
import { pointsFileTexts } from "../languages/points-file-texts.ts";
import { fill } from "../languages/template.ts";
import { runCommand, UsageError } from "./command.ts";

const texts = pointsFileTexts.en;

const USAGE = `Create the addresses of a CSV file with the columns external_id, lat, lng and, if you like, label:

  address-registry mint FILE --registry https://addr.example [--dry-run]

Set REGISTRY_KEY to an API key with the scope addresses:write. The codes are written line by line to FILE.codes.csv. Run the command again
to go on where it ended: no external_id gets a second address.`;

/** How often a terminal is told how far the file has come. */
const PROGRESS_MILLISECONDS = 5_000;

/**
 * What earlier runs have left in a file of codes, which is made where there is none. A line that was cut off when the program ended is
 * taken away. So are faults, which this run finds again if they are left: who looks for an external_id must not find them before its code.
 */
function linesKept(file: string): string {
	const before = existsSync(file) ? readFileSync(file, "utf8") : CODES_HEADER;
	const kept = before.replace(/[^\n]+$|.*,,(conflict|"?failed: .*)\n/g, "");
	writeFileSync(`${file}.part`, kept);
	renameSync(`${file}.part`, file);
	return kept;
}

/**
 * Whether the codes that earlier runs have written are those of this account, live or test as the key is. After a trial in the sandbox or
 * on another registry they are not, and would be printed among the others. It asks for a batch of them.
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

/** Creates what a file asks for, and counts what became of its lines by status. */
async function mint(file: string, registry: string, key: string, dryRun: boolean): Promise<Record<string, number>> {
	const lines: PointLine[] = readPoints(readFileSync(file, "utf8"), texts);
	const output = `${file}.codes.csv`;
	const before = dryRun ? "" : linesKept(output);
	/** The codes that earlier runs have written, by external_id. */
	const minted = new Map(
		Papa.parse<string[]>(before, { delimiter: "," }).data.flatMap(([id, code]) => (id && code ? [[id, code]] : [])),
	);
	const items = lines.flatMap((line) => ("item" in line ? [line.item] : []));
	const client = createClient({ registry, key });
	if (!(await areOwn(client, items, minted)))
		throw new Error(
			`${output} has codes of another account or registry, or of a test key. Move it away, and run again.`,
		);
	const counts: Record<string, number> = {};
	const keep = (id: string, code: string, status: string) => {
		const [kind = ""] = status.split(":");
		counts[kind] = (counts[kind] ?? 0) + 1;
		return codesLine(id, code, status);
	};
	const own = new Set<PointLine>(faultsOfTheirOwn(lines));
	const lineOf = new Map(lines.flatMap((line) => ("item" in line ? [[line.item, line.line]] : [])));
	/** Told at the end, where nothing buries them. */
	const faults: string[] = [];
	for (const line of lines) {
		if (!("fault" in line)) continue;
		faults.push(line.fault);
		const written = keep(line.id, "", `failed: ${line.fault}`);
		if (!dryRun && own.has(line)) appendFileSync(output, written);
	}
	const totals = new Totals(items);
	let done = 0;
	let toldAt = Date.now();
	for (const chunk of batchesOf(items)) {
		const answer = await client.createMany(chunk, { dryRun });
		totals.add(answer);
		const written = answer.data.map((item, index) => {
			const sent = chunk[index]!;
			const { external_id: id } = sent;
			const code = "address" in item ? item.address.display : "";
			const problem =
				"problem" in item ? item.problem.detail : isRelabelled(sent, item) ? `${texts.relabelled}.` : undefined;
			if (problem) faults.push(fill(texts.fault, { line: `${lineOf.get(sent)}`, id, problem }));
			const status = item.status === "failed" ? `failed: ${item.problem.detail}` : item.status;
			const line = keep(id, item.status === "conflict" ? "" : code, status);
			return minted.has(id) ? "" : line;
		});
		if (!dryRun) appendFileSync(output, written.join(""));
		done += chunk.length;
		if (!process.stderr.isTTY || Date.now() - toldAt < PROGRESS_MILLISECONDS) continue;
		toldAt = Date.now();
		console.error(`${done.toLocaleString("en")} of ${items.length.toLocaleString("en")} lines are done.`);
	}
	console.log(`By country: ${JSON.stringify(totals.countries)}`);
	if (dryRun) {
		for (const [id, { metres, other }] of totals.near) console.log(`${id} is ${metres.toFixed(1)} m from ${other}.`);
		for (const [zone, { zone_name, items, left }] of totals.zones) {
			console.log(`${zone} ${zone_name}: ${items} new, ${left} codes left.`);
		}
	}
	for (const fault of faults) console.error(fault);
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

/** What stopped a file in the middle, and whether to run the command again. */
function reasonOf(error: unknown, registry: string): unknown {
	if (!(error instanceof RegistryError)) return error;
	const { code, message, status } = error;
	const said = code === "NO_ANSWER" ? `Nothing answers at ${registry}.` : message;
	const mayPass = status === 0 || status >= 429;
	return new Error(`${said}${mayPass ? " Run the command again to go on." : ""}`, { cause: error });
}

const OPTIONS = { registry: { type: "string" }, "dry-run": { type: "boolean", default: false } } as const;

await runCommand({ usage: USAGE, options: OPTIONS, positionalsMax: 2 }, async ({ values, positionals }) => {
	const [command, file] = positionals;
	const key = process.env.REGISTRY_KEY;
	const registry = /^https?:\/\/./.exec(values.registry ?? "")?.input;
	if (command !== "mint" || !file) throw new UsageError("Name a file, as in `address-registry mint FILE`.");
	if (!key) throw new UsageError("Set REGISTRY_KEY to an API key with the scope addresses:write.");
	if (!registry) throw new UsageError("Name the registry with --registry, such as https://addr.example.");
	const counts = await mint(file, registry, key, values["dry-run"]).catch((error) => {
		throw reasonOf(error, registry);
	});
	if (counts.failed || counts.conflict) process.exitCode = 1;
});
