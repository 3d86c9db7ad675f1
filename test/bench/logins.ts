/**
 * What signing in costs: the time of one, the memory of twelve at once above an idle Worker, and an unknown phone against a wrong
 * password. An isolate may have 128 MB; what is printed is the growth of the whole workerd process, which holds D1 too.
 * `npx node test/bench/logins.ts`
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { median } from "../support/median.ts";
import { serveRegistry } from "../support/serve.ts";

const PORT = 8801;
const CONCURRENT = 12;
const ROUNDS = 5;
const PAIRS = 40;
const PASSWORD = "seven blue goats";

const { url, stop } = await serveRegistry(PORT);

function login(phone: string, password: string): Promise<Response> {
	return fetch(`${url}/v1/auth/login`, {
		method: "POST",
		// A network of its own, so that the throttle is no part of what is measured.
		headers: {
			"Content-Type": "application/json",
			"CF-Connecting-IP": `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}::1`,
		},
		body: JSON.stringify({ phone, password }),
	});
}

async function timed(phone: string, password: string, status: number): Promise<number> {
	const started = performance.now();
	const answer = await login(phone, password);
	await answer.text();
	if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}`);
	return performance.now() - started;
}

/** The workerd process that this one started. */
function workerdProcess(): string {
	const found = readdirSync("/proc").find((name) => {
		if (!/^\d+$/.test(name)) return false;
		try {
			const stat = readFileSync(`/proc/${name}/stat`, "utf8");
			return stat.includes("(workerd)") && stat.split(") ")[1]?.split(" ")[1] === String(process.pid);
		} catch {
			return false;
		}
	});
	if (!found) throw new Error("workerd is not a child of this process");
	return found;
}

const workerd = workerdProcess();

/** Megabytes of workerd: what it has now (VmRSS), or the most it had since the last reset (VmHWM). */
function megabytes(field: "VmRSS" | "VmHWM"): number {
	const [, kilobytes] =
		new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${workerd}/status`, "utf8")) ?? [];
	return Number(kilobytes) / 1024;
}

const phone = "+2348031234567";
await fetch(`${url}/v1/auth/register`, {
	method: "POST",
	headers: { "Content-Type": "application/json" },
	body: JSON.stringify({ phone, password: PASSWORD }),
});
for (let warmUp = 0; warmUp < 3; warmUp += 1) await timed(phone, PASSWORD, 200);

const single: number[] = [];
for (let round = 0; round < ROUNDS * 3; round += 1) single.push(await timed(phone, PASSWORD, 200));
console.log(`one sign-in: ${median(single).toFixed(0)} ms`);

for (let round = 1; round <= ROUNDS; round += 1) {
	// proc(5), clear_refs: 5 resets the peak.
	writeFileSync(`/proc/${workerd}/clear_refs`, "5");
	const before = megabytes("VmRSS");
	const started = performance.now();
	await Promise.all(Array.from({ length: CONCURRENT }, () => timed(phone, PASSWORD, 200)));
	const growth = megabytes("VmHWM") - before;
	console.log(
		`${CONCURRENT} sign-ins at once, round ${round}: ${growth.toFixed(0)} MB more than the ${before.toFixed(0)} MB before, ${(performance.now() - started).toFixed(0)} ms`,
	);
}

const differences: number[] = [];
const wrongs: number[] = [];
for (let pair = 0; pair < PAIRS; pair += 1) {
	const unknownPhone = `+23480${40_000_000 + pair}`;
	const unknownFirst = pair % 2 === 0 ? await timed(unknownPhone, PASSWORD, 401) : undefined;
	const wrong = await timed(phone, "not my password", 401);
	wrongs.push(wrong);
	differences.push((unknownFirst ?? (await timed(unknownPhone, PASSWORD, 401))) - wrong);
}
const spread = differences.toSorted((a, b) => a - b);
console.log(
	`wrong password: ${median(wrongs).toFixed(1)} ms; an unknown phone takes ${median(differences).toFixed(1)} ms more (middle half of ${PAIRS} pairs: ${spread[PAIRS / 4]?.toFixed(1)} to ${spread[(PAIRS * 3) / 4]?.toFixed(1)} ms)`,
);

await stop();
