import { AppError } from "../errors.ts";
import { inProgress } from "../settings/limits.ts";
import { SECOND } from "../time/time.ts";

/*
 * Heavy calls: batches of new addresses, exports and long lists. None blocks the isolate for long at a time, but each keeps it busy for 25
 * to 50 ms (`npx node test/bench/busy.ts`), and its database longer. In an isolate, each account or network has one in progress at a time,
 * and its next ones wait. So somebody who sends many at once keeps only themselves waiting. A call stops counting after a time limit,
 * because nothing tells when a client has hung up.
 */

const { quota, waitingMax, longestWait, silenceMax } = inProgress["heavy-calls"];
/** How often a waiting call checks whether it is its turn, in milliseconds. */
const CHECK_MILLISECONDS = 50;

/** A heavy call, and until when it counts (milliseconds since the epoch). */
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

/** The heavy calls of an account or network that count now. */
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
 * @param holder The account or network. Without one, as on a developer's machine, nothing waits.
 * @param behind How many may wait already.
 * @returns Functions that note that the call goes on, and that end it.
 * @throws AppError RATE_LIMITED if as many wait already, or after six seconds.
 */
export async function startHeavyCall(
	holder: string | undefined,
	behind: number = waitingMax,
): Promise<{ goOn(): void; end(): void }> {
	if (holder === undefined) return { goOn() {}, end() {} };
	const call: HeavyCall = { isInProgress: false, until: Date.now() + longestWait };
	const own = callsOf(holder, Date.now());
	if (own.size > behind) throw tooMany();
	own.add(call);
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

/**
 * Does the work of a heavy call once no other call of the account or network is in progress.
 * @throws AppError RATE_LIMITED if as many wait already, or after six seconds.
 */
export async function asHeavyCall<Result>(
	holder: string | undefined,
	work: () => Promise<Result>,
	behind?: number,
): Promise<Result> {
	const call = await startHeavyCall(holder, behind);
	try {
		return await work();
	} finally {
		call.end();
	}
}
