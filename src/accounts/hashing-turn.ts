import type { Limits } from "../env.ts";
import { AppError } from "../errors.ts";
import type { Registry } from "../registry.ts";

/** What one password hash usually takes, and more than one ever takes, in milliseconds. */
const HASH_MILLISECONDS = 140;
const HASH_MILLISECONDS_MAX = 3_000;
/** How often those who wait look whether the hash before theirs has ended. */
const QUIET_CHECK_MILLISECONDS = 50;

/*
 * One queue for all hashes of an isolate. Its turns are times in milliseconds since the epoch: neither promises, which must not cross
 * requests, nor counts of those who wait, which would never go down again after a client has hung up.
 */

/** When the turn starts that nobody has taken yet. */
let nextTurn = 0;
/** Until when the turns of each network end that has taken some. */
const takenUntil = new Map<string, number>();
/** Until when no hash may start, because the last one has only just ended. */
let quietUntil = 0;
/** What the last hash took, in milliseconds. */
let lastTook = HASH_MILLISECONDS;
/** The turn that each request has taken: when it starts and how long it was to be. */
const turns = new WeakMap<Registry, { turn: number; length: number }>();

/** Moves the end of the queue, and of what a network has of it. */
function extend(network: string, milliseconds: number): void {
	nextTurn += milliseconds;
	takenUntil.set(network, (takenUntil.get(network) ?? Date.now()) + milliseconds);
}

/**
 * The pause after a hash, in milliseconds. It grows with the time that the hash took, so that others get the same share of a slow machine
 * as of a fast one.
 */
function pauseAfter(took: number, { PASSWORD_HASH_PAUSE_MILLISECONDS }: Limits): number {
	return PASSWORD_HASH_PAUSE_MILLISECONDS * Math.max(1, took / HASH_MILLISECONDS);
}

function tooMany(waitMilliseconds: number): AppError {
	return new AppError("UNAVAILABLE", "Too many people are signing in right now. Try again shortly.", {
		headers: { "Retry-After": String(Math.ceil(waitMilliseconds / 1000)) },
	});
}

/**
 * Takes a turn for a request that will hash a password, before anything that it sent is read. So a rush costs little: of hundreds
 * who arrive in the same moment, those who would get no turn are refused at once. Of the part that others leave free, one
 * network has half.
 * @returns To be called when the request is done. Where that never happens, because its client has hung up, its turn passes unused.
 * @throws AppError UNAVAILABLE when a turn is too far away, or the network's half is taken.
 */
export function takeTurn(registry: Registry): () => void {
	const { network = "" } = registry;
	const { limits } = registry.settings;
	const now = Date.now();
	for (const [name, until] of takenUntil) if (until <= now) takenUntil.delete(name);
	const longest = limits.PASSWORD_HASH_WAIT_SECONDS * 1000;
	const turn = Math.max(now, nextTurn);
	const wait = turn - now;
	const ofNetwork = (takenUntil.get(network) ?? now) - now;
	const isPastHalf = network !== "" && ofNetwork > (longest - Math.max(0, wait - ofNetwork)) / 2;
	if (wait > longest || isPastHalf) throw tooMany(Math.max(wait, ofNetwork));
	// However long hashes take, one network cannot fill the queue with a single turn.
	const length = Math.min(longest / 2, Math.max(HASH_MILLISECONDS, lastTook) + pauseAfter(lastTook, limits));
	nextTurn = turn;
	extend(network, length);
	turns.set(registry, { turn, length });
	return () => {
		// What was not used goes to whoever comes next.
		if (turns.delete(registry) && nextTurn > Date.now()) extend(network, -length);
	};
}

/**
 * Hashes a password when it is this request's turn. A hash blocks everything else in the isolate, so hashes take turns with a pause in
 * between, in which others are answered.
 * @param hash Hashes one password, synchronously.
 * @throws AppError UNAVAILABLE when the turn does not come in twice the time that a request may wait.
 */
export async function hashInTurn<Result>(registry: Registry, hash: () => Result): Promise<Result> {
	const { limits } = registry.settings;
	const arrived = Date.now();
	const { turn, length } = turns.get(registry) ?? { turn: arrived, length: 0 };
	const longest = limits.PASSWORD_HASH_WAIT_SECONDS * 1000;
	for (;;) {
		const now = Date.now();
		// Where hashes take far longer than usual, a turn comes far later than it was to come.
		if (now - arrived > 2 * longest) throw tooMany(longest);
		// Never so long that the end of a hash goes unnoticed.
		const wait = Math.max(turn - now, Math.min(quietUntil - now, QUIET_CHECK_MILLISECONDS));
		if (wait <= 0) break;
		await scheduler.wait(wait);
	}
	// A turn that was used is not given back.
	turns.delete(registry);
	const started = Date.now();
	quietUntil = started + HASH_MILLISECONDS_MAX;
	const result = hash();
	// A Worker's clock stands still while it computes, and goes on with the next event.
	await scheduler.wait(0);
	lastTook = Math.min(Date.now() - started, HASH_MILLISECONDS_MAX);
	quietUntil = started + lastTook + pauseAfter(lastTook, limits);
	nextTurn = Math.max(nextTurn, started + length);
	// Where hashing takes longer than it was to, those who come later wait longer, and its network has so much more of the queue.
	extend(registry.network ?? "", Math.max(0, lastTook + pauseAfter(lastTook, limits) - length));
	return result;
}
