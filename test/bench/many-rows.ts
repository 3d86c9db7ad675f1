/**
 * What millions of addresses cost a batch, a look-up, a creation and a list: the same requests, in turn, to a registry with 1,000 addresses and to one
 * with many, in wall time and in CPU of the registry's process. `npx node test/bench/many-rows.ts 5000000`. Exits with 1 when a batch of 100 takes
 * more than 1.4 times the CPU. A folder as second argument keeps both registries, so that a later run on an idle machine only measures.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { codeOfUnit, UNITS_PER_ZONE } from "../../src/codes/code.ts";
import { median } from "../support/median.ts";
import { makeKey, signUp } from "../support/remote.ts";
import { type Served, serveRegistry } from "../support/serve.ts";
import { cpuMicroseconds } from "./load.ts";

const FEW = 1_000;
const many = Number(process.argv[2] ?? 5_000_000);
const ROUNDS = 300;
const BATCH_GOAL = 1.4;
/** Addresses inserted in one statement, of zones that are nearly half full. */
const AT_ONCE = 4_000;

/** What a request takes, in milliseconds. */
interface Cost {
	wall: number;
	cpu: number;
}

interface Filled {
	served: Served;
	headers: Record<string, string>;
	codes: string[];
}

function shuffled<Value>(values: Value[]): Value[] {
	for (let last = values.length - 1; last > 0; last -= 1) {
		const other = Math.floor(Math.random() * (last + 1));
		[values[last], values[other]] = [values[other]!, values[last]!];
	}
	return values;
}

/** Codes in a random order, so that pages fill as they do with years of creations. */
function manyCodes(count: number): string[] {
	const zones = Math.ceil(count / AT_ONCE);
	const codes: string[] = [];
	for (let zone = 0; zone < zones; zone += 1) {
		let left = Math.min(AT_ONCE, count - zone * AT_ONCE);
		for (let unit = 0; unit < UNITS_PER_ZONE && left > 0; unit += 2) {
			const code = codeOfUnit("NG", String(zone).padStart(4, "0"), unit);
			if (code) left -= codes.push(code) ? 1 : 0;
		}
	}
	return shuffled(codes);
}

/** Triggers would make a change of each row. */
async function insert({ database }: Served, codes: string[]): Promise<void> {
	const { results: triggers } = await database
		.prepare("select name, sql from sqlite_master where type = 'trigger'")
		.all<{ name: string; sql: string }>();
	for (const { name } of triggers) await database.prepare(`drop trigger "${name}"`).run();
	for (let from = 0; from < codes.length; from += AT_ONCE) {
		await database
			.prepare(
				`insert into addresses (canonical, zone_name, edition, lat, lng, label, owner_id, created_at)
				select value, 'Surulere north', '2-387a6ea5', 6.5244, 3.3792, 'Blue gate, behind the mosque', 'usr_' || hex(randomblob(11)), ? + key
				from json_each(?) where true on conflict do nothing`,
			)
			.bind(1_790_000_000_000 + from, JSON.stringify(codes.slice(from, from + AT_ONCE)))
			.run();
	}
	for (const { sql } of triggers) await database.prepare(sql).run();
}

async function fill(port: number, count: number, state: string): Promise<Filled> {
	const isFilled = existsSync(state);
	const served = await serveRegistry(port, { state });
	const codes = manyCodes(count);
	if (!isFilled) await insert(served, codes);
	const { token } = await makeKey(served.url, (await signUp(served.url)).token);
	return { served, headers: { Authorization: token, "Content-Type": "application/json" }, codes };
}

const pick = (codes: string[]) => codes[Math.floor(Math.random() * codes.length)]!;

const REQUESTS: Record<string, (filled: Filled) => [route: string, init: RequestInit]> = {
	"batch of 100": ({ headers, codes }) => [
		"/v1/public/addresses/batch",
		{ method: "POST", headers, body: JSON.stringify({ codes: Array.from({ length: 100 }, () => pick(codes)) }) },
	],
	"look-up": ({ headers, codes }) => [`/v1/addresses/${pick(codes)}`, { headers }],
	creation: ({ headers }) => [
		"/v1/addresses",
		{ method: "POST", headers, body: JSON.stringify({ lat: 6.5244, lng: 3.3792 }) },
	],
	"own list": ({ headers }) => ["/v1/addresses?limit=20", { headers }],
};

async function millisecondsOf(filled: Filled, request: (filled: Filled) => [string, RequestInit]): Promise<number> {
	const [route, init] = request(filled);
	const started = performance.now();
	const answer = await fetch(filled.served.url + route, init);
	await answer.arrayBuffer();
	if (!answer.ok) throw new Error(`${route} answered ${answer.status}`);
	return performance.now() - started;
}

const kept = process.argv[3];
const folder = kept ?? mkdtempSync(path.join(tmpdir(), "many-rows-"));
const registries: Filled[] = [];
try {
	for (const [index, count] of [FEW, many].entries()) {
		const started = Date.now();
		registries.push(await fill(9_370 + index, count, path.join(folder, String(index))));
		console.log(`${count.toLocaleString("en")} addresses there after ${((Date.now() - started) / 1000).toFixed(0)} s`);
	}
	for (const [name, request] of Object.entries(REQUESTS)) {
		const times = registries.map(() => ({ wall: [] as number[], cpu: 0 }));
		for (let round = 0; round < ROUNDS; round += 1) {
			for (const [index, filled] of registries.entries()) {
				const { wall } = times[index]!;
				const before = cpuMicroseconds(filled.served.workerd);
				wall.push(await millisecondsOf(filled, request));
				times[index]!.cpu += (cpuMicroseconds(filled.served.workerd) - before) / 1000 / ROUNDS;
			}
		}
		const [few, filled] = times.map(({ wall, cpu }) => ({ wall: median(wall), cpu })) as [Cost, Cost];
		const compared = (kind: keyof Cost) =>
			`${few[kind].toFixed(2)} ms, with many rows ${filled[kind].toFixed(2)} ms, ${(filled[kind] / few[kind]).toFixed(2)} times`;
		console.log(`${name}: ${compared("wall")}; CPU ${compared("cpu")}`);
		if (name === "batch of 100" && filled.cpu > BATCH_GOAL * few.cpu) process.exitCode = 1;
	}
} finally {
	for (const { served } of registries) await served.stop();
	if (!kept) rmSync(folder, { recursive: true });
}
