import { AppError } from "../errors.ts";
import { SECOND } from "../time/time.ts";
import { inProgress } from "./policy.ts";

/*
 * Heavy calls: batches of new addresses, exports and long lists. None holds the isolate up for long at a time, but each keeps it busy
 * for 25 to 50 ms (`npx node test/bench/busy.ts`), and its database longer. Of each account, or network, one is in progress at a time
 * in an isolate, and the next ones wait for it. So whoever sends many at once keeps only themselves waiting. Nothing counts for longer
 * than its time, because a client that has hung up ends nothing.
 */

const { quota, waitingMax, longestWait, silenceMax } = inProgress["heavy-calls"];
/** How often those who wait look whether it is their turn, in milliseconds. */
const CHECK_MILLISECONDS = 50;

/** A heavy call, and until when it counts, in milliseconds since the epoch. */
interface HeavyCall {
	isInProgress: boolean;
	until: number;
}

/** The heavy calls of each account or network. */
const calls = new Map<string, Set<HeavyCall>>();

function tooMany(): AppError {
	const detail = "Other batches, exports or long lists of yours are in progress. Send one at a time.";
	return new AppError("RATE_LIMITED", detail, { headers: { "Retry-After": String(longestWait / SECOND) } });
}

/** The heavy calls of somebody that count now. */
function callsOf(holder: string, now: number): Set<HeavyCall> {
	for (const [name, some] of calls) {
		for (const call of some) if (call.until <= now) some.delete(call);
		if (some.size === 0) calls.delete(name);
	}
	const own = calls.get(holder) ?? new Set();
	calls.set(holder, own);
	return own;
}

/**
 * Waits until no other heavy call of an account or network is in progress.
 * @param holder Nobody waits without one, as on a developer's machine.
 * @returns What notes that the call goes on, and what ends it.
 * @throws AppError RATE_LIMITED where ten wait already, or after six seconds.
 */
export async function startHeavyCall(holder: string | undefined): Promise<{ goOn(): void; end(): void }> {
	if (holder === undefined) return { goOn() {}, end() {} };
	const call: HeavyCall = { isInProgress: false, until: Date.now() + longestWait };
	if (callsOf(holder, Date.now()).size > waitingMax) throw tooMany();
	callsOf(holder, Date.now()).add(call);
	for (;;) {
		const now = Date.now();
		const others = callsOf(holder, now);
		if (!others.has(call)) throw tooMany();
		if ([...others].filter(({ isInProgress }) => isInProgress).length < quota) break;
		await scheduler.wait(CHECK_MILLISECONDS);
	}
	call.isInProgress = true;
	const goOn = () => {
		call.until = Date.now() + silenceMax;
	};
	goOn();
	return { goOn, end: () => void callsOf(holder, Date.now()).delete(call) };
}

/** Makes a heavy call of an account or network once no other one of theirs is in progress. @throws AppError As startHeavyCall does. */
export async function asHeavyCall<Result>(holder: string | undefined, work: () => Promise<Result>): Promise<Result> {
	const call = await startHeavyCall(holder);
	try {
		return await work();
	} finally {
		call.end();
	}
}
