/**
 * What resolving takes behind 300 sign-ins at once, which share one thread with it, and how many of them are let in. Idle rounds and rushes take
 * turns. Exits with 1 when a goal is missed. `npx node test/bench/sign-in-rush.ts [rounds] [port]`
 */

import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { mint, PASSWORD, send, signUp } from "../support/remote.ts";
import { serveRegistry } from "../support/serve.ts";

const ROUNDS = Number(process.argv[2] ?? 3);
const PORT = Number(process.argv[3] ?? 8803);
const SIGN_INS = 300;
const ADDRESSES = 300;
/** Look-ups start this often, whether or not those before them were answered, as strangers' do. */
const INTERVAL_MILLISECONDS = 20;
const IDLE_LOOKUPS = 300;

/** Milliseconds of a look-up behind the rush. */
const GOALS = { p50: 20, p99: 1_000 };

/** Signs in with a phone of its own from a network of its own, so that no throttle but the turns of hashing is in the way; the status. */
async function signIn(url: string, number: number): Promise<number> {
	const headers = { "CF-Connecting-IP": `2001:db8:${number.toString(16)}::1` };
	const body = { phone: `+23480${40_000_000 + number}`, password: PASSWORD };
	return (await send(url, { path: "/v1/auth/login", body, headers })).status;
}

/**
 * Sends the sign-ins of a round at once. It runs in a thread of its own, so that the clock of the look-ups does not stand still meanwhile, over
 * connections that stand, because in production they end at the edge and not at the isolate.
 */
async function rush({ url, round }: { url: string; round: number }): Promise<void> {
	const numbers = Array.from({ length: SIGN_INS }, (_, index) => round * SIGN_INS + index);
	await Promise.all(numbers.map(async () => (await fetch(`${url}/robots.txt`)).text()));
	parentPort?.postMessage("ready");
	parentPort?.postMessage(await Promise.all(numbers.map((number) => signIn(url, number))));
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The value that a share of all values does not exceed. */
function percentile(values: number[], share: number): number {
	return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN;
}

async function measure(): Promise<void> {
	const { url, stop } = await serveRegistry(PORT, { bindings: { WEB_URL: `http://127.0.0.1:${PORT}` } });
	const { token } = await signUp(url);
	const codes: string[] = [];
	for (let index = 0; index < ADDRESSES; index += 1) {
		codes.push(await mint(url, token, { lat: 6.5, lng: 3.3 + index / 10_000 }));
	}

	let looked = 0;

	/** Resolves the next address, and returns how long that took, in milliseconds. */
	const lookUp = async () => {
		const code = codes[looked++ % codes.length];
		const started = performance.now();
		const answer = await fetch(`${url}/v1/public/addresses/${code}`);
		await answer.text();
		if (answer.status !== 200) throw new Error(`Resolving answered ${answer.status}`);
		return performance.now() - started;
	};

	/** Starts look-ups in a steady rhythm while `goesOn`, and returns how long each took. */
	const lookUpSteadily = async (goesOn: () => boolean) => {
		const running: Promise<number>[] = [];
		while (goesOn()) {
			running.push(lookUp());
			await pause(INTERVAL_MILLISECONDS);
		}
		return Promise.all(running);
	};

	const idle: number[] = [];
	const behind: number[] = [];
	for (let round = 1; round <= ROUNDS; round += 1) {
		const until = looked + IDLE_LOOKUPS;
		idle.push(...(await lookUpSteadily(() => looked < until)));

		let isRushing = true;
		const thread = new Worker(import.meta.filename, { workerData: { url, round } });
		await once(thread, "message");
		const started = performance.now();
		const answered = once(thread, "message").finally(() => {
			isRushing = false;
		});
		const [[statuses], took] = (await Promise.all([answered, lookUpSteadily(() => isRushing)])) as [
			[number[]],
			number[],
		];
		behind.push(...took);
		const seconds = (performance.now() - started) / 1000;
		const judged = statuses.filter((status) => status === 401).length;
		const turnedAway = statuses.filter((status) => status === 503).length;
		if (judged + turnedAway !== SIGN_INS) throw new Error(`Sign-ins answered ${[...new Set(statuses)]}`);
		console.log(
			`round ${round}: of ${SIGN_INS} sign-ins at once ${judged} were judged and ${turnedAway} asked to come back, in ${seconds.toFixed(1)} s: ${(judged / seconds).toFixed(1)} a second`,
		);
	}
	await stop();

	for (const [name, values] of [
		["idle", idle],
		["behind the rush", behind],
	] as const) {
		const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(values, share).toFixed(0));
		console.log(`resolving, ${name}: p50 ${p50} ms, p99 ${p99} ms, max ${most} ms (${values.length} look-ups)`);
	}
	const missed = percentile(behind, 0.5) > GOALS.p50 || percentile(behind, 0.99) > GOALS.p99;
	console.log(`goals: p50 ${GOALS.p50} ms, p99 ${GOALS.p99} ms: ${missed ? "missed" : "met"}`);
	process.exitCode = missed ? 1 : 0;
}

await (isMainThread ? measure() : rush(workerData as { url: string; round: number }));
