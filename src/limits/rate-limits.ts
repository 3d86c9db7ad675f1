/** Limits that the platform counts, each in a minute, without the database. */
import { messagesOf } from "../db/retry.ts";
import { AppError } from "../errors.ts";
import { log } from "../log.ts";
import type { Registry } from "../registry.ts";
import { MINUTE, SECOND } from "../time.ts";
import { perMinute } from "./policy.ts";
import { noteLimit, refusalHeaders } from "./rate-limit-headers.ts";

export type RateLimitName = keyof typeof perMinute;

/** When the minute ends that a time lies in, in milliseconds since the epoch. */
export function endOfMinute(now: number): number {
	return (Math.floor(now / MINUTE) + 1) * MINUTE;
}

function policyOf(name: RateLimitName) {
	return { name: name.toLowerCase().replaceAll("_", "-"), quota: perMinute[name], windowSeconds: MINUTE / SECOND };
}

/** The refusal of a call past a rate limit, which opens again with the next minute. */
export function rateLimited(registry: Registry, name: RateLimitName, detail: string): AppError {
	const state = { ...policyOf(name), remaining: 0, resetsAt: endOfMinute(registry.now) };
	return new AppError("RATE_LIMITED", detail, { headers: refusalHeaders(state, registry.now) });
}

/**
 * Counts one call, and returns whether it is within the limit. A limiter that fails lets calls pass, because it must not take down what
 * it protects.
 * @param key Whom it counts for; nobody is counted without one, as on a developer's machine.
 */
export async function countCall(registry: Registry, name: RateLimitName, key: string | undefined): Promise<boolean> {
	if (key === undefined) return true;
	noteLimit(registry, policyOf(name));
	try {
		return (await registry.bindings[name].limit({ key })).success;
	} catch (error) {
		log("error", "rate_limit_unavailable", { request_id: registry.requestId, limit: name, causes: messagesOf(error) });
		return true;
	}
}

/** Counts one call. @throws AppError RATE_LIMITED past the limit, with `detail`. */
export async function assertCall(registry: Registry, name: RateLimitName, key: string | undefined, detail: string) {
	if (!(await countCall(registry, name, key))) throw rateLimited(registry, name, detail);
}

/** What is refused in a minute, by whom it is refused to, and when that minute ends, in milliseconds since the epoch. */
let [refusals, refusedUntil] = [new Map<string, Set<string>>(), 0];

/** What this isolate knows to be refused to somebody in this minute. */
export function refusedTo({ now }: Registry, who: string): ReadonlySet<string> {
	if (now >= refusedUntil) [refusals, refusedUntil] = [new Map(), endOfMinute(now)];
	return refusals.get(who) ?? new Set();
}

/** Keeps in this isolate, to the end of the minute, that something is refused to somebody. */
export function rememberRefusal(registry: Registry, who: string, what = ""): void {
	const known = refusedTo(registry, who);
	refusals.set(who, new Set([...known, what]));
}

/** Whether this isolate knows that something is refused to somebody in this minute. */
export function isRefused(registry: Registry, who: string, what = ""): boolean {
	return refusedTo(registry, who).has(what);
}

/** Counts one call after the answer; false where this isolate knows that the limit has been passed in this minute. */
function countAfterAnswer(registry: Registry, name: RateLimitName, key: string | undefined): boolean {
	const who = `${name} ${key}`;
	if (isRefused(registry, who)) return false;
	registry.afterAnswer(countCall(registry, name, key).then((isWithin) => isWithin || rememberRefusal(registry, who)));
	return true;
}

/**
 * Whether something may be drawn that no cache holds; it counts after the answer.
 * @param account Whom it counts for who is signed in; anybody else counts for their network.
 */
export function mayDraw(registry: Registry, account?: string): boolean {
	return account
		? countAfterAnswer(registry, "DRAWINGS_OF_ACCOUNT", account)
		: countAfterAnswer(registry, "DRAWINGS", registry.network);
}

/**
 * Refuses a picture that no cache holds to a network for which too many were drawn in this minute.
 * @throws AppError RATE_LIMITED.
 */
export function assertMayDraw(registry: Registry): void {
	if (mayDraw(registry)) return;
	throw rateLimited(registry, "DRAWINGS", "Too many pictures were drawn for your network. Wait a minute.");
}

/*
 * Credentials that nobody has proved yet ask the database like any other, so those that prove wrong count for their network. Whoever was
 * proved here lately is not stopped by what neighbours send.
 */

/** Credentials that the database has proved, by their hashes, in the last two minutes or so. */
let [proved, provedBefore, turnsAt] = [new Set<string>(), new Set<string>(), 0];

/**
 * Refuses to ask the database about a credential from a network whose credentials have proved wrong too often in this minute.
 * @param hash Of the credential.
 * @throws AppError RATE_LIMITED.
 */
export function assertMayProve(registry: Registry, hash: string): void {
	if (proved.has(hash) || provedBefore.has(hash)) return;
	if (!isRefused(registry, `AUTH_CALLS unproved ${registry.network}`)) return;
	throw rateLimited(registry, "AUTH_CALLS", "Too many wrong credentials were sent from your network. Wait a minute.");
}

/** Notes that the database has proved a credential. */
export function noteProved(registry: Registry, hash: string): void {
	if (registry.now > turnsAt) [provedBefore, proved, turnsAt] = [proved, new Set(), registry.now + MINUTE];
	proved.add(hash);
}

/** Counts a credential that proved wrong, after the answer. */
export function noteUnproved(registry: Registry): void {
	countAfterAnswer(registry, "AUTH_CALLS", registry.network && `unproved ${registry.network}`);
}
