import type { Limits } from "../env.ts";
import { AppError } from "../errors.ts";

/** What one password hash usually takes, and more than one ever takes, in milliseconds. */
const HASH_MILLISECONDS = 140;
const HASH_MILLISECONDS_MAX = 3_000;
/** How often those who wait look whether the hash before theirs has ended. */
const QUIET_CHECK_MILLISECONDS = 50;

/** A turn further away than this is none that anybody waits for: the clock was set back. The most that a request may wait is a minute (env.ts). */
const CLOCK_SET_BACK_MILLISECONDS = 120_000;

/*
 * All are times in milliseconds since the epoch. They are numbers and neither promises, which must not cross requests, nor counts of those
 * who wait, which would never go down again after a client has hung up.
 */

/** When the turn starts that nobody has taken yet. */
let nextTurn = 0;
/** Until when no hash may start, because the last one has only just ended. */
let quietUntil = 0;
/** When all would have had a turn who have been let in and are not done: EVERYBODY, and those of each network. */
const takenUntil = new Map<string, number>();
const EVERYBODY = "";

/** What part of the places one network may take, so that it keeps nobody else out by requests that it never finishes. */
const SHARE_OF_ONE_NETWORK = 0.5;

/**
 * The pause after a hash, in milliseconds. It grows with the time that the hash took, so that others get the same share of a slow machine as of a
 * fast one.
 */
function pauseAfter(took: number, { PASSWORD_HASH_PAUSE_MILLISECONDS }: Limits): number {
	return PASSWORD_HASH_PAUSE_MILLISECONDS * Math.max(1, took / HASH_MILLISECONDS);
}

/** Milliseconds until a turn may start, as far as can be told now, and never so long that the end of a hash goes unnoticed. */
function untilStart(turn: number): number {
	const now = Date.now();
	return Math.max(turn - now, Math.min(quietUntil - now, QUIET_CHECK_MILLISECONDS));
}

function tooMany(waitMilliseconds: number): AppError {
	return new AppError("UNAVAILABLE", "Too many people are signing in right now. Try again shortly.", {
		headers: { "Retry-After": String(Math.ceil(waitMilliseconds / 1000)) },
	});
}

/**
 * Lets a request in that will hash a password, before anything that it sent is read. A rush costs little so: of hundreds who arrive in the same
 * moment, those are turned away at once who would find no turn in the end.
 * @param network The widest network of the client; undefined where it is not known, as locally.
 * @returns To be called when the request is done. Where that never happens, because its client has hung up, its place is free after a turn's time.
 * @throws AppError UNAVAILABLE when as many are in, of all or of its network, as have their turn within a few seconds.
 */
export function enterHashing(limits: Limits, network: string | undefined): () => void {
	const now = Date.now();
	for (const [group, until] of takenUntil) {
		if (until <= now || until - now > CLOCK_SET_BACK_MILLISECONDS) takenUntil.delete(group);
	}
	const longest = limits.PASSWORD_HASH_WAIT_SECONDS * 1000;
	const turn = nextTurn - now > CLOCK_SET_BACK_MILLISECONDS ? now : nextTurn;
	const place = HASH_MILLISECONDS + pauseAfter(HASH_MILLISECONDS, limits);
	const ends = new Map<string, number>();
	for (const [group, share, from] of [
		[EVERYBODY, 1, turn],
		[network, SHARE_OF_ONE_NETWORK, now],
	] as const) {
		if (group === undefined) continue;
		const taken = Math.max(now, takenUntil.get(group) ?? now);
		const wait = Math.max(taken, from) - now;
		if (wait > longest * share) throw tooMany(wait);
		ends.set(group, taken + place);
	}
	for (const [group, end] of ends) takenUntil.set(group, end);
	return () => {
		for (const [group, end] of ends) {
			if (Date.now() < end) takenUntil.set(group, (takenUntil.get(group) ?? 0) - place);
		}
	};
}

/**
 * Hashes a password when it is this request's turn. A hash blocks everything else in the isolate, so hashes take turns with a pause in between, in
 * which others are answered.
 * @param hash Hashes one password, synchronously.
 * @throws AppError UNAVAILABLE when so many wait that the turn is more than a few seconds away, or does not come in twice that time.
 */
export async function hashInTurn<Result>(limits: Limits, hash: () => Result): Promise<Result> {
	const usual = HASH_MILLISECONDS + pauseAfter(HASH_MILLISECONDS, limits);
	const arrived = Date.now();
	if (nextTurn - arrived > CLOCK_SET_BACK_MILLISECONDS) [nextTurn, quietUntil] = [0, 0];
	const turn = Math.max(arrived, nextTurn);
	const longest = limits.PASSWORD_HASH_WAIT_SECONDS * 1000;
	if (turn - arrived > longest) throw tooMany(turn - arrived);
	nextTurn = turn + usual;
	for (let wait = untilStart(turn); wait > 0; wait = untilStart(turn)) {
		// Where hashes take far longer than usual, a turn comes far later than it was to come.
		if (Date.now() - arrived > 2 * longest) throw tooMany(longest);
		await scheduler.wait(wait);
	}
	const started = Date.now();
	quietUntil = started + HASH_MILLISECONDS_MAX;
	const result = hash();
	// A Worker's clock stands still while it computes, and goes on with the next event.
	await scheduler.wait(0);
	const ended = Date.now();
	const took = ended - started;
	quietUntil = ended + pauseAfter(took, limits);
	// Where hashing takes longer than usual, those who come later wait longer.
	nextTurn += Math.max(0, took + pauseAfter(took, limits) - usual);
	return result;
}
