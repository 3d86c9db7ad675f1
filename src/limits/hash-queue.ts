import { AppError } from "../errors.ts";
import type { Registry } from "../registry.ts";
import { waitMilliseconds } from "../time/wait-times.ts";

/** The usual time of one password hash, and a time that none exceeds, in milliseconds. */
const HASH_MILLISECONDS = 140;
const HASH_MILLISECONDS_MAX = 3_000;
/** How often waiting requests check whether the work before theirs has ended, in milliseconds. */
const QUIET_CHECK_MILLISECONDS = 50;

/*
 * One queue for work that blocks an isolate as long as a hash does: hashes and large prints. Its turns are times in milliseconds since the
 * epoch. They are not promises, which must not cross requests. Nor are they counts of waiting requests, which would never go down after a
 * client has hung up.
 */

/** When the next free turn starts. */
let nextTurn = 0;
/** When the turns that each network or account has taken end. */
const takenUntil = new Map<string, number>();
/** Until when no work may start, because other work runs or has only just ended. */
let quietUntil = 0;
/** How long the last hash took, in milliseconds. */
let lastTook = HASH_MILLISECONDS;

/** A turn in the queue: when it starts, its expected length in milliseconds, and whose it is. */
interface Turn {
	start: number;
	length: number;
	holder: string;
}

/** The turn that each request has taken to hash a password. */
const turns = new WeakMap<Registry, Turn>();

/** Lengthens the queue, and the holder's part of it; shortens them if negative. */
function extend(holder: string, milliseconds: number): void {
	nextTurn += milliseconds;
	takenUntil.set(holder, (takenUntil.get(holder) ?? Date.now()) + milliseconds);
}

/**
 * The pause after work, in milliseconds. It grows with the time the work took, so that other requests get the same share of a slow machine
 * as of a fast one.
 */
function pauseAfter(took: number): number {
	return waitMilliseconds.hashPause * Math.max(1, took / HASH_MILLISECONDS);
}

function tooMany(waitMilliseconds: number): AppError {
	return new AppError("UNAVAILABLE", "The registry is busy right now. Try again shortly.", {
		headers: { "Retry-After": String(Math.ceil(waitMilliseconds / 1000)) },
	});
}

/**
 * A turn at the end of the queue. One holder may take half of the part that others leave free.
 * @param holder A network or an account. Empty for an unknown network, which may take all of it.
 * @throws AppError UNAVAILABLE if the turn is too far away, or the holder's half is taken.
 */
function newTurn(holder: string): Turn {
	const now = Date.now();
	for (const [name, until] of takenUntil) if (until <= now) takenUntil.delete(name);
	const longest = waitMilliseconds.hashTurn;
	const start = Math.max(now, nextTurn);
	const wait = start - now;
	const ofHolder = (takenUntil.get(holder) ?? now) - now;
	const isPastHalf = holder !== "" && ofHolder > (longest - Math.max(0, wait - ofHolder)) / 2;
	if (wait > longest || isPastHalf) throw tooMany(Math.max(wait, ofHolder));
	// However long hashes take, a single turn of one network cannot fill the queue.
	const expected = Math.max(HASH_MILLISECONDS, lastTook) + pauseAfter(lastTook);
	const length = Math.min(longest / 2, expected);
	nextTurn = start;
	extend(holder, length);
	return { start, length, holder };
}

/**
 * Takes a turn for a request that will hash a password, before its input is read. So a rush costs little: of hundreds that arrive at once,
 * those that would get no turn are refused immediately. One network may take half of the part that others leave free.
 * @returns A function to call when the request is done. If it is never called, because the client has hung up, the turn passes unused.
 * @throws AppError UNAVAILABLE if a turn is too far away, or the network's half is taken.
 */
export function takeTurn(registry: Registry): () => void {
	const turn = newTurn(registry.network ?? "");
	turns.set(registry, turn);
	return () => {
		// An unused turn goes to whoever comes next.
		if (turns.delete(registry) && nextTurn > Date.now()) extend(turn.holder, -turn.length);
	};
}

/**
 * Waits for a turn.
 * @throws AppError UNAVAILABLE if it does not come within twice the time that a request may wait.
 */
async function waitFor({ start }: Turn): Promise<void> {
	const arrived = Date.now();
	const longest = waitMilliseconds.hashTurn;
	for (;;) {
		const now = Date.now();
		// If hashes take far longer than usual, a turn comes far later than planned.
		if (now - arrived > 2 * longest) throw tooMany(longest);
		// Waits for other work in short steps, so that its end does not go unnoticed.
		const wait = Math.max(start - now, Math.min(quietUntil - now, QUIET_CHECK_MILLISECONDS));
		if (wait <= 0) return;
		await scheduler.wait(wait);
	}
}

/** Notes how long the work of a turn took, in milliseconds, which moves later turns. */
function endTurn({ length, holder }: Turn, started: number, took: number): void {
	const pause = pauseAfter(took);
	quietUntil = started + took + pause;
	nextTurn = Math.max(nextTurn, started + length);
	// If it took longer than planned, later turns move back, and its holder is charged for the extra time.
	extend(holder, Math.max(0, took + pause - length));
}

/**
 * The time since `started`, in milliseconds, at most HASH_MILLISECONDS_MAX. A Worker's clock stands still while it computes, and goes on
 * with the next event.
 */
async function passedSince(started: number): Promise<number> {
	await scheduler.wait(0);
	return Math.min(Date.now() - started, HASH_MILLISECONDS_MAX);
}

/**
 * Hashes a password when it is this request's turn. A hash blocks everything else in the isolate. So hashes take turns, with a pause in
 * between for other requests.
 * @param hash Hashes one password, synchronously.
 * @throws AppError UNAVAILABLE if the turn does not come within twice the time that a request may wait.
 */
export async function hashInTurn<Result>(registry: Registry, hash: () => Result): Promise<Result> {
	const turn = turns.get(registry) ?? { start: Date.now(), length: 0, holder: registry.network ?? "" };
	await waitFor(turn);
	// A used turn is not given back.
	turns.delete(registry);
	const started = Date.now();
	quietUntil = started + HASH_MILLISECONDS_MAX;
	const result = hash();
	lastTook = await passedSince(started);
	endTurn(turn, started, lastTook);
	return result;
}

/**
 * Does work that blocks the isolate as long as a hash does, such as a page of prints, in a turn of an account.
 * @throws AppError UNAVAILABLE if the queue is full; also whatever the work throws.
 */
export async function workInTurn<Result>(holder: string, work: () => Promise<Result>): Promise<Result> {
	const turn = newTurn(holder);
	await waitFor(turn);
	const started = Date.now();
	quietUntil = started + HASH_MILLISECONDS_MAX;
	try {
		return await work();
	} finally {
		endTurn(turn, started, await passedSince(started));
	}
}
