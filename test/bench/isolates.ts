/**
 * What one more isolate costs: the CPU until it has answered its first request, and its memory. Processes with 1 and with 33 copies of a Worker
 * take turns, and the difference is shared out. The goals are multiples of what a Hono hello costs, because machines differ. Prints the table of
 * issue 13 and exits with 1 when a goal is missed.
 * `node test/bench/isolates.ts [--rounds 5] [--port 8823]`
 */
import { rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { ASSETS_WORKER, buildWorker, workerdProcess, workerOptions } from "../support/serve.ts";
import { type Goal, MISSED, verdictOn } from "./goal.ts";
import { cpuMicroseconds, residentMegabytes, shoot } from "./load.ts";

const { values } = parseArgs({
	options: { rounds: { type: "string", default: "5" }, port: { type: "string", default: "8823" } },
});
/** So many that what each costs stands out from what a process does besides. */
const COPIES = 33;
const PORT = Number(values.port);

interface Cost {
	milliseconds: number;
	megabytes: number;
}

const NEVER: Cost = { milliseconds: Number.POSITIVE_INFINITY, megabytes: Number.POSITIVE_INFINITY };

/** The lesser of two costs, each part by itself. */
function lesser(a: Cost, b: Cost): Cost {
	return {
		milliseconds: Math.min(a.milliseconds, b.milliseconds),
		megabytes: Math.min(a.megabytes, b.megabytes),
	};
}

/** What a process costs that holds so many copies of a Worker, each of which has answered one request. */
async function costOf(folder: string, copies: number, pathname: string, status: number): Promise<Cost> {
	const ports = Array.from({ length: copies }, (_, index) => PORT + index);
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({
			cf: false,
			logRequests: false,
			handleRuntimeStdio: () => {},
			handleStructuredLogs: () => {},
			workers: [...ports.map((port) => workerOptions(folder, `copy-${port}`, port)), ASSETS_WORKER],
		}),
	);
	await miniflare.ready;
	for (const port of ports) await shoot({ url: `http://127.0.0.1:${port}${pathname}`, status });
	const workerd = workerdProcess();
	const cost = { milliseconds: cpuMicroseconds(workerd) / 1000, megabytes: residentMegabytes(workerd) };
	await miniflare.dispose();
	return cost;
}

/** A Worker, and the request that each of its isolates answers. */
interface Contestant {
	folder: string;
	pathname: string;
	status: number;
}

/**
 * What one isolate more costs of each Worker. They take turns for as many rounds as asked for, and the least that each process has cost counts,
 * because whatever else the machine does only adds to it.
 */
async function costsOfOneMore(contestants: Contestant[]): Promise<Cost[]> {
	const least = contestants.map(() => ({ one: NEVER, all: NEVER }));
	for (let round = 0; round < Number(values.rounds); round += 1) {
		for (const [index, { folder, pathname, status }] of contestants.entries()) {
			const { one, all } = least[index]!;
			least[index] = {
				one: lesser(one, await costOf(folder, 1, pathname, status)),
				all: lesser(all, await costOf(folder, COPIES, pathname, status)),
			};
		}
	}
	return least.map(({ one, all }) => ({
		milliseconds: (all.milliseconds - one.milliseconds) / (COPIES - 1),
		megabytes: (all.megabytes - one.megabytes) / (COPIES - 1),
	}));
}

const contestants = [
	{ folder: buildWorker(path.join(import.meta.dirname, "hello.ts")), pathname: "/", status: 200 },
	{ folder: buildWorker(), pathname: "/v1/public/addresses/x", status: 400 },
];
const [hello, registry] = (await costsOfOneMore(contestants)) as [Cost, Cost];
for (const { folder } of contestants) rmSync(folder, { recursive: true });

/** Issue 13 asks for 35 ms where a hello costs 12, and for 9 MB where it costs 4. */
const rows: ({ what: string; of: (cost: Cost) => number } & Goal)[] = [
	{
		what: "CPU, ms",
		of: ({ milliseconds }) => milliseconds,
		goal: 2.9,
		accepted: {
			ratio: 4,
			because:
				"half of it is compiling 520 KB, and Hono, zod, Drizzle and jose with our tables come to 2 by themselves; the ratio is 2.9 to 3.7, depending on how busy the machine is",
		},
	},
	{ what: "memory, MB", of: ({ megabytes }) => megabytes, goal: 2.3 },
];
console.log("| one isolate more | the registry | a Hono hello | ratio | goal | |\n|---|---:|---:|---:|---:|---|");
for (const row of rows) {
	const [ours, bare] = [row.of(registry), row.of(hello)];
	const verdict = verdictOn(ours / bare, row);
	if (verdict === MISSED) process.exitCode = 1;
	console.log(
		`| ${row.what} | ${ours.toFixed(1)} | ${bare.toFixed(1)} | ${(ours / bare).toFixed(2)} | ${row.goal} | ${verdict} |`,
	);
}
