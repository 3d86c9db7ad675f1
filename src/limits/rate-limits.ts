/** Limits that the platform counts per minute, without the database. */

import type { Caller } from "../db/caller.ts";
import { messagesOf } from "../db/retry.ts";
import { AppError } from "../errors.ts";
import { log } from "../logs/log.ts";
import { wideNetworkOf } from "../platform/client-network.ts";
import type { Registry } from "../registry.ts";
import { perMinute, type RateLimitName, rateLimitBindingOf } from "../settings/limits.ts";
import { MINUTE, SECOND } from "../time/time.ts";
import { noteLimit, refusalHeaders } from "./rate-limit-headers.ts";

/** The end of the minute that a time lies in. Both are milliseconds since the epoch. */
function endOfMinute(now: number): number {
	return (Math.floor(now / MINUTE) + 1) * MINUTE;
}

function policyOf(name: RateLimitName) {
	return {
		name: name.toLowerCase().replaceAll("_", "-"),
		quota: perMinute[name].quota,
		windowSeconds: MINUTE / SECOND,
	};
}

/** The error for a call past a rate limit, which opens again with the next minute. */
export function rateLimited(registry: Registry, name: RateLimitName, detail: string): AppError {
	const state = { ...policyOf(name), remaining: 0, resetsAt: endOfMinute(registry.now) };
	return new AppError("RATE_LIMITED", detail, { headers: refusalHeaders(state, registry.now) });
}

/**
 * Counts one call, and returns whether it is within the limit. If the limiter fails, calls pass, because it must not take down what it
 * protects.
 * @param key Whom the call counts for. Without one, as on a developer's machine, nothing is counted.
 */
export async function countCall(registry: Registry, name: RateLimitName, key: string | undefined): Promise<boolean> {
	if (key === undefined) return true;
	noteLimit(registry, policyOf(name));
	try {
		return (await registry.bindings[rateLimitBindingOf(name)].limit({ key: `${name} ${key}` })).success;
	} catch (error) {
		log("error", "rate_limit_unavailable", { request_id: registry.requestId, limit: name, causes: messagesOf(error) });
		return true;
	}
}

/** What this isolate refuses in the current minute, and when that minute ends, in milliseconds since the epoch. */
let [refusals, refusedUntil] = [new Set<string>(), 0];

/** Whether this isolate remembers a refusal in this minute. */
export function isRefused({ now }: Registry, refusal: string): boolean {
	return now < refusedUntil && refusals.has(refusal);
}

/**
 * Remembers a refusal in this isolate until the end of the minute.
 * @returns Whether it is new in this minute.
 */
export function rememberRefusal({ now }: Registry, refusal: string): boolean {
	if (now >= refusedUntil) [refusals, refusedUntil] = [new Set(), endOfMinute(now)];
	const isNew = !refusals.has(refusal);
	refusals.add(refusal);
	return isNew;
}

/**
 * Refuses a call if this isolate remembers that its caller passed the limit in this minute.
 * @param keys Whom it may have been counted for: an account and its credential, or a network.
 * @throws AppError RATE_LIMITED with `detail`.
 */
export function assertNotPast(registry: Registry, name: RateLimitName, keys: readonly string[], detail: string): void {
	if (keys.some((key) => isRefused(registry, `${name} ${key}`))) throw rateLimited(registry, name, detail);
}

/**
 * Counts one call for the first of some keys. If that is past the limit, remembers so for all of them.
 * @throws AppError RATE_LIMITED with `detail` past the limit.
 */
export async function countFor(registry: Registry, name: RateLimitName, keys: readonly string[], detail: string) {
	if (await countCall(registry, name, keys[0])) return;
	for (const key of keys) rememberRefusal(registry, `${name} ${key}`);
	throw rateLimited(registry, name, detail);
}

/**
 * Counts one call for a network or account. Without a key, as on a developer's machine, nothing is counted.
 * @throws AppError RATE_LIMITED with `detail` past the limit.
 */
export async function assertCall(registry: Registry, name: RateLimitName, key: string | undefined, detail: string) {
	const keys = key === undefined ? [] : [key];
	assertNotPast(registry, name, keys, detail);
	await countFor(registry, name, keys, detail);
}

/**
 * Counts a password hash for the network of a request and for the wide network (IPv4 /24 or IPv6 /48) around it. Once the wide network's
 * limit is used up, each network in it still has one a minute. So a whole /48 of guessers makes the database store little, and its
 * neighbours are not refused for long.
 * @throws AppError RATE_LIMITED past the limits.
 */
export async function assertHash(registry: Registry): Promise<void> {
	const { network } = registry;
	const detail = "Too many sign-ins from your network. Wait a minute.";
	await assertCall(registry, "PASSWORD_CALLS", network, detail);
	const wide = network && wideNetworkOf(network);
	if (await countCall(registry, "PASSWORD_CALLS_OF_WIDE_NETWORK", wide)) return;
	await assertCall(registry, "PASSWORD_CALLS_IN_FULL_NETWORK", network, detail);
}

/**
 * Does what a caller asks, within the calls that their account may make in a minute. A call counts once a database trip has proved the
 * caller, so that nobody uses up another's calls.
 * @param work Proves the caller. It must write nothing, because past the limit its result is withheld.
 * @throws AppError RATE_LIMITED with `detail` past the limit; also whatever `work` throws.
 */
export async function withinCalls<Result>(
	registry: Registry,
	caller: Caller,
	name: RateLimitName,
	detail: string,
	work: () => Promise<Result>,
): Promise<Result> {
	assertNotPast(registry, name, [caller.countedBy], detail);
	const result = await work();
	await countFor(registry, name, [caller.userId, caller.countedBy], detail);
	return result;
}

/** Counts one call after the answer. Returns false if this isolate remembers that the limit was passed in this minute. */
export function countAfterAnswer(registry: Registry, name: RateLimitName, key: string | undefined): boolean {
	if (key === undefined) return true;
	if (isRefused(registry, `${name} ${key}`)) return false;
	registry.afterAnswer(countFor(registry, name, [key], "").catch(() => undefined));
	return true;
}

/**
 * Whether a drawing that no cache holds may be made. It is counted after the answer.
 * @param account The account of a signed-in visitor. Without one, the drawing counts for the network.
 */
export function mayDraw(registry: Registry, account?: string): boolean {
	return account
		? countAfterAnswer(registry, "DRAWINGS_OF_ACCOUNT", account)
		: countAfterAnswer(registry, "DRAWINGS", registry.network);
}

/**
 * Refuses a picture that no cache holds if too many were drawn for the network in this minute.
 * @throws AppError RATE_LIMITED.
 */
export function assertMayDraw(registry: Registry): void {
	if (mayDraw(registry)) return;
	throw rateLimited(registry, "DRAWINGS", "Too many pictures were drawn for your network. Wait a minute.");
}
