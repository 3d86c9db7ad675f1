/**
 * What one more isolate costs: the CPU until it has answered its first request, the CPU of its first look-up of a zone, and its memory. Processes with 1 and with 33 copies of a Worker
 * take turns, and the difference is shared out. The goals are multiples of what a Hono hello costs, because machines differ. Prints a table
 * and exits with 1 when a goal is missed.
 * `node test/bench/isolates.ts [--rounds 5] [--port 8823]`
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { ZONE_INDEX_KEY } from "../../src/zones/r2-source.ts";
import { ASSETS_WORKER, buildWorker, workerdProcess, workerOptions } from "../support/serve.ts";
import { cpuMicroseconds, residentMegabytes, shoot } from "./load.ts";

const { values } = parseArgs({
	options: { rounds: { type: "string", default: "5" }, port: { type: "string", default: "8823" } },
});
/** So many that what each costs stands out from what a process does besides. */
const COPIES = 33;
const PORT = Number(values.port);
const zoneIndex = readFileSync(path.join(import.meta.dirname, "../../zones/world.zones"));

/** A request, and the status of its answer. */
interface Asked {
	pathname: string;
	status: number;
}

/** A Worker, the request that each of its isolates answers first, and one that it answers after it. */
interface Contestant {
	folder: string;
	first: Asked;
	next?: Asked;
}

interface Cost {
	/** CPU until the first answer, in milliseconds. */
	first: number;
	/** Resident memory at the first answer, in megabytes. */
	megabytes: number;
	/** CPU from the first answer to the next, in milliseconds: of the same process, so no start is taken from another. */
	next: number;
}

const NEVER: Cost = { first: Infinity, megabytes: Infinity, next: Infinity };

/** What is made of two costs, each part by itself. */
function combined(a: Cost, b: Cost, combine: (a: number, b: number) => number): Cost {
	return {
		first: combine(a.first, b.first),
		megabytes: combine(a.megabytes, b.megabytes),
		next: combine(a.next, b.next),
	};
}

/** What a process costs that holds so many copies of a Worker, each of which answers the contestant's requests. */
async function costOf({ folder, first, next }: Contestant, copies: number): Promise<Cost> {
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
	await (await miniflare.getR2Bucket("ZONES")).put(ZONE_INDEX_KEY, zoneIndex);
	const workerd = workerdProcess();
	const cpu = () => cpuMicroseconds(workerd) / 1000;
	const askEach = async ({ pathname, status }: Asked) => {
		for (const port of ports) await shoot({ url: `http://127.0.0.1:${port}${pathname}`, status });
	};
	await askEach(first);
	const atFirst = cpu();
	const megabytes = residentMegabytes(workerd);
	if (next) await askEach(next);
	const cost = { first: atFirst, megabytes, next: cpu() - atFirst };
	await miniflare.dispose();
	return cost;
}

/**
 * What one isolate more costs of each Worker. They take turns for as many rounds as asked for, and the least that each process has cost counts,
 * because whatever else the machine does only adds to it.
 */
async function costsOfOneMore(contestants: Contestant[]): Promise<Cost[]> {
	const least = contestants.map(() => ({ one: NEVER, all: NEVER }));
	for (let round = 0; round < Number(values.rounds); round += 1) {
		for (const [index, contestant] of contestants.entries()) {
			const { one, all } = least[index]!;
			least[index] = {
				one: combined(one, await costOf(contestant, 1), Math.min),
				all: combined(all, await costOf(contestant, COPIES), Math.min),
			};
		}
	}
	return least.map(({ one, all }) => combined(all, one, (a, b) => (a - b) / (COPIES - 1)));
}

const [hello, registry] = (await costsOfOneMore([
	{ folder: await buildWorker(path.join(import.meta.dirname, "hello.ts")), first: { pathname: "/", status: 200 } },
	{
		folder: await buildWorker(),
		first: { pathname: "/v1/public/addresses/x", status: 400 },
		next: { pathname: "/v1/public/zones?lat=6.4541&lng=3.3947", status: 200 },
	},
])) as [Cost, Cost];

/**
 * Half of the CPU is compiling. Hono, zod, Drizzle and jose with our tables come to twice a hello by themselves. We want 3.3 of the CPU, and
 * runs come to 3.7 to 4.2. The first zone comes to 1.2 to 1.4 of a hello, most of which is loading node:zlib. The lines are drawn where a
 * run by chance does not cross them, also on a machine that others slow down.
 */
const rows: { what: string; ours: number; bare: number; goal: number }[] = [
	{ what: "CPU, ms", ours: registry.first, bare: hello.first, goal: 4.6 },
	{ what: "CPU of the first zone, ms", ours: registry.next, bare: hello.first, goal: 1.6 },
	{ what: "memory, MB", ours: registry.megabytes, bare: hello.megabytes, goal: 2.3 },
];
console.log("| one isolate more | the registry | a Hono hello | ratio | goal | |\n|---|---:|---:|---:|---:|---|");
for (const { what, ours, bare, goal } of rows) {
	const isMissed = ours / bare > goal;
	if (isMissed) process.exitCode = 1;
	console.log(
		`| ${what} | ${ours.toFixed(1)} | ${bare.toFixed(1)} | ${(ours / bare).toFixed(2)} | ${goal} | ${isMissed ? "MISSED" : ""} |`,
	);
}
