/**
 * What one more isolate costs: the CPU until it has answered its first request, and its memory. Processes with 1 and with 9 copies of a Worker
 * take turns, and the difference is shared out. Prints the table of issue 13 and exits with 1 when a goal is missed.
 * `node test/bench/isolates.ts [--rounds 5] [--port 8823]`
 */
import { rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { median } from "../support/median.ts";
import { ASSETS_WORKER, buildWorker, workerdProcess, workerOptions } from "../support/serve.ts";
import { cpuMicroseconds, residentMegabytes, shoot } from "./load.ts";

const { values } = parseArgs({
	options: { rounds: { type: "string", default: "5" }, port: { type: "string", default: "8823" } },
});
const COPIES = 9;
const PORT = Number(values.port);

interface Cost {
	milliseconds: number;
	megabytes: number;
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

/** The goals are those of issue 13, in milliseconds of CPU and megabytes. */
const subjects = [
	{
		name: "a Hono hello",
		entry: path.join(import.meta.dirname, "hello.ts"),
		pathname: "/",
		status: 200,
		goal: undefined,
	},
	{
		name: "the registry",
		entry: undefined,
		pathname: "/v1/public/addresses/x",
		status: 400,
		goal: { milliseconds: 35, megabytes: 9 },
	},
];

let missed = 0;
console.log("| one isolate more of | CPU, ms | goal | memory, MB | goal | |\n|---|---:|---:|---:|---:|---|");
for (const { name, entry, pathname, status, goal } of subjects) {
	const folder = buildWorker(entry);
	const costs: Cost[] = [];
	for (let round = 0; round < Number(values.rounds); round += 1) {
		const one = await costOf(folder, 1, pathname, status);
		const all = await costOf(folder, COPIES, pathname, status);
		costs.push({
			milliseconds: (all.milliseconds - one.milliseconds) / (COPIES - 1),
			megabytes: (all.megabytes - one.megabytes) / (COPIES - 1),
		});
	}
	rmSync(folder, { recursive: true });
	const milliseconds = median(costs.map((cost) => cost.milliseconds));
	const megabytes = median(costs.map((cost) => cost.megabytes));
	const isMissed = goal !== undefined && (milliseconds > goal.milliseconds || megabytes > goal.megabytes);
	if (isMissed) missed += 1;
	console.log(
		`| ${name} | ${milliseconds.toFixed(1)} | ${goal?.milliseconds ?? ""} | ${megabytes.toFixed(1)} | ${goal?.megabytes ?? ""} | ${isMissed ? "missed" : ""} |`,
	);
}
if (missed > 0) process.exitCode = 1;
