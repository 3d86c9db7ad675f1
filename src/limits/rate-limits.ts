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

/**
 * Counts one call as `countCall` does.
 * @param detail What a caller is told past the limit.
 * @throws AppError RATE_LIMITED past it.
 */
export async function assertCall(
	registry: Registry,
	name: RateLimitName,
	key: string | undefined,
	detail: string,
): Promise<void> {
	if (!(await countCall(registry, name, key))) throw rateLimited(registry, name, detail);
}

/** To whom something is refused, what it is, and until when, in milliseconds since the epoch. */
const refusals = new Map<string, { what: Set<string>; until: number }>();
const REFUSALS_MAX = 10_000;
const NOTHING: ReadonlySet<string> = new Set();

/** What this isolate knows to be refused to somebody in this minute. */
export function refusedTo(registry: Registry, who: string): ReadonlySet<string> {
	const known = refusals.get(who);
	return known && known.until > registry.now ? known.what : NOTHING;
}

/** Keeps in this isolate, to the end of the minute, that something is refused to somebody. */
export function rememberRefusal(registry: Registry, who: string, what = ""): void {
	if (refusals.size === REFUSALS_MAX) refusals.clear();
	refusals.set(who, { what: new Set([...refusedTo(registry, who), what]), until: endOfMinute(registry.now) });
}

/** Whether this isolate knows that something is refused to somebody in this minute. */
export function isRefused(registry: Registry, who: string, what = ""): boolean {
	return refusedTo(registry, who).has(what);
}

/** Counts one call after the answer. Past the limit, this isolate remembers the limit and the key as refused. */
function countAfterAnswer(registry: Registry, limit: RateLimitName, key: string): void {
	const counting = countCall(registry, limit, key);
	registry.afterAnswer(counting.then((isWithin) => isWithin || rememberRefusal(registry, `${limit} ${key}`)));
}

/**
 * Whether something may be drawn that no cache holds; it counts after the answer.
 * @param account Whom it counts for who is signed in; anybody else counts for their network.
 */
export function mayDraw(registry: Registry, account?: string): boolean {
	const [limit, key] = account
		? (["DRAWINGS_OF_ACCOUNT", account] as const)
		: (["DRAWINGS", registry.network] as const);
	if (key === undefined) return true;
	if (isRefused(registry, `${limit} ${key}`)) return false;
	countAfterAnswer(registry, limit, key);
	return true;
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
	if (registry.network !== undefined) countAfterAnswer(registry, "AUTH_CALLS", `unproved ${registry.network}`);
}
