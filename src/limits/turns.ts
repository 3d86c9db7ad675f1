import { AppError } from "../errors.ts";
import type { Registry } from "../registry.ts";
import type { NumberSettings } from "../settings/number-settings.ts";

/** What one password hash usually takes, and more than one ever takes, in milliseconds. */
const HASH_MILLISECONDS = 140;
const HASH_MILLISECONDS_MAX = 3_000;
/** How often those who wait look whether the work before theirs has ended. */
const QUIET_CHECK_MILLISECONDS = 50;

/*
 * One queue for what holds an isolate up without a pause for as long as a hash does: hashes and large prints. Its turns are times in
 * milliseconds since the epoch: neither promises, which must not cross requests, nor counts of those who wait, which would never go down
 * again after a client has hung up.
 */

/** When the turn starts that nobody has taken yet. */
let nextTurn = 0;
/** Until when the turns of each network or account end that has taken some. */
const takenUntil = new Map<string, number>();
/** Until when no work may start, because the last has only just ended. */
let quietUntil = 0;
/** What the last hash took, in milliseconds. */
let lastTook = HASH_MILLISECONDS;

/** A turn in the queue: when it starts, how long it was to be, in milliseconds, and whose it is. */
interface Turn {
	start: number;
	length: number;
	holder: string;
}

/** The turn that each request has taken to hash a password. */
const turns = new WeakMap<Registry, Turn>();

/** Moves the end of the queue, and of what somebody has of it. */
function extend(holder: string, milliseconds: number): void {
	nextTurn += milliseconds;
	takenUntil.set(holder, (takenUntil.get(holder) ?? Date.now()) + milliseconds);
}

/**
 * The pause after work, in milliseconds. It grows with the time that the work took, so that others get the same share of a slow machine
 * as of a fast one.
 */
function pauseAfter(took: number, { PASSWORD_HASH_PAUSE_MILLISECONDS }: NumberSettings): number {
	return PASSWORD_HASH_PAUSE_MILLISECONDS * Math.max(1, took / HASH_MILLISECONDS);
}

function tooMany(waitMilliseconds: number): AppError {
	return new AppError("UNAVAILABLE", "The registry is busy right now. Try again shortly.", {
		headers: { "Retry-After": String(Math.ceil(waitMilliseconds / 1000)) },
	});
}

/** The longest wait in the queue, in milliseconds. */
const longestWait = ({ settings }: Registry) => settings.limits.PASSWORD_HASH_WAIT_SECONDS * 1000;

/**
 * A turn at the end of the queue. Of the part that others leave free, one holder has half.
 * @param holder A network or an account; empty for a network that is not known, which has all of it.
 * @throws AppError UNAVAILABLE when the turn is too far away, or the holder's half is taken.
 */
function newTurn(registry: Registry, holder: string): Turn {
	const now = Date.now();
	for (const [name, until] of takenUntil) if (until <= now) takenUntil.delete(name);
	const longest = longestWait(registry);
	const start = Math.max(now, nextTurn);
	const wait = start - now;
	const ofHolder = (takenUntil.get(holder) ?? now) - now;
	const isPastHalf = holder !== "" && ofHolder > (longest - Math.max(0, wait - ofHolder)) / 2;
	if (wait > longest || isPastHalf) throw tooMany(Math.max(wait, ofHolder));
	// However long hashes take, one network cannot fill the queue with a single turn.
	const expected = Math.max(HASH_MILLISECONDS, lastTook) + pauseAfter(lastTook, registry.settings.limits);
	const length = Math.min(longest / 2, expected);
	nextTurn = start;
	extend(holder, length);
	return { start, length, holder };
}

/**
 * Takes a turn for a request that will hash a password, before anything that it sent is read. So a rush costs little: of hundreds
 * who arrive in the same moment, those who would get no turn are refused at once. Of the part that others leave free, one
 * network has half.
 * @returns To be called when the request is done. Where that never happens, because its client has hung up, its turn passes unused.
 * @throws AppError UNAVAILABLE when a turn is too far away, or the network's half is taken.
 */
export function takeTurn(registry: Registry): () => void {
	const turn = newTurn(registry, registry.network ?? "");
	turns.set(registry, turn);
	return () => {
		// What was not used goes to whoever comes next.
		if (turns.delete(registry) && nextTurn > Date.now()) extend(turn.holder, -turn.length);
	};
}

/**
 * Waits for a turn.
 * @throws AppError UNAVAILABLE when it does not come in twice the time that a request may wait.
 */
async function waitFor(registry: Registry, { start }: Turn): Promise<void> {
	const arrived = Date.now();
	const longest = longestWait(registry);
	for (;;) {
		const now = Date.now();
		// Where hashes take far longer than usual, a turn comes far later than it was to come.
		if (now - arrived > 2 * longest) throw tooMany(longest);
		// Never so long that the end of other work goes unnoticed.
		const wait = Math.max(start - now, Math.min(quietUntil - now, QUIET_CHECK_MILLISECONDS));
		if (wait <= 0) return;
		await scheduler.wait(wait);
	}
}

/** Notes what the work of a turn took, in milliseconds, which moves the turns of those who come later. */
function endTurn({ settings }: Registry, { length, holder }: Turn, started: number, took: number): void {
	const pause = pauseAfter(took, settings.limits);
	quietUntil = started + took + pause;
	nextTurn = Math.max(nextTurn, started + length);
	// Where it takes longer than it was to, those who come later wait longer, and its holder has so much more of the queue.
	extend(holder, Math.max(0, took + pause - length));
}

/** What has passed since a time, in milliseconds. A Worker's clock stands still while it computes, and goes on with the next event. */
async function passedSince(started: number): Promise<number> {
	await scheduler.wait(0);
	return Math.min(Date.now() - started, HASH_MILLISECONDS_MAX);
}

/**
 * Hashes a password when it is this request's turn. A hash blocks everything else in the isolate, so hashes take turns with a pause in
 * between, in which others are answered.
 * @param hash Hashes one password, synchronously.
 * @throws AppError UNAVAILABLE when the turn does not come in twice the time that a request may wait.
 */
export async function hashInTurn<Result>(registry: Registry, hash: () => Result): Promise<Result> {
	const turn = turns.get(registry) ?? { start: Date.now(), length: 0, holder: registry.network ?? "" };
	await waitFor(registry, turn);
	// A turn that was used is not given back.
	turns.delete(registry);
	const started = Date.now();
	quietUntil = started + HASH_MILLISECONDS_MAX;
	const result = hash();
	lastTook = await passedSince(started);
	endTurn(registry, turn, started, lastTook);
	return result;
}

/**
 * Does work that holds the isolate up as long as a hash does, such as a page of prints, in a turn of an account.
 * @throws AppError UNAVAILABLE when the queue is full; besides, what the work throws.
 */
export async function workInTurn<Result>(
	registry: Registry,
	holder: string,
	work: () => Promise<Result>,
): Promise<Result> {
	const turn = newTurn(registry, holder);
	await waitFor(registry, turn);
	const started = Date.now();
	quietUntil = started + HASH_MILLISECONDS_MAX;
	try {
		return await work();
	} finally {
		endTurn(registry, turn, started, await passedSince(started));
	}
}
