/** Limits that the platform counts, each in a minute, without the database. */

import type { Caller } from "../db/caller.ts";
import { messagesOf } from "../db/retry.ts";
import { AppError } from "../errors.ts";
import { log } from "../logs/log.ts";
import { wideNetworkOf } from "../platform/client-network.ts";
import type { Registry } from "../registry.ts";
import { MINUTE, SECOND } from "../time/time.ts";
import { perMinute } from "./policy.ts";
import { noteLimit, refusalHeaders } from "./rate-limit-headers.ts";

export type RateLimitName = keyof typeof perMinute;

/** When the minute ends that a time lies in, in milliseconds since the epoch. */
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

/** What is refused to somebody in a minute, and when that minute ends, in milliseconds since the epoch. */
let [refusals, refusedUntil] = [new Set<string>(), 0];

/** Whether this isolate knows that something is refused to somebody in this minute. */
export function isRefused({ now }: Registry, refusal: string): boolean {
	return now < refusedUntil && refusals.has(refusal);
}

/**
 * Remembers in this isolate, to the end of the minute, that something is refused to somebody.
 * @returns Whether it was not known.
 */
export function rememberRefusal({ now }: Registry, refusal: string): boolean {
	if (now >= refusedUntil) [refusals, refusedUntil] = [new Set(), endOfMinute(now)];
	const isNew = !refusals.has(refusal);
	refusals.add(refusal);
	return isNew;
}

/**
 * Refuses a call of somebody for whom this isolate remembers that a limit was passed in this minute.
 * @param keys Any of whom it counts for: an account and its credential, or a network.
 * @throws AppError RATE_LIMITED with `detail`.
 */
export function assertNotPast(registry: Registry, name: RateLimitName, keys: readonly string[], detail: string): void {
	if (keys.some((key) => isRefused(registry, `${name} ${key}`))) throw rateLimited(registry, name, detail);
}

/**
 * Counts one call for the first of some keys, and remembers for all of them when that was past the limit.
 * @throws AppError RATE_LIMITED with `detail` past the limit.
 */
export async function countFor(registry: Registry, name: RateLimitName, keys: readonly string[], detail: string) {
	if (await countCall(registry, name, keys[0])) return;
	for (const key of keys) rememberRefusal(registry, `${name} ${key}`);
	throw rateLimited(registry, name, detail);
}

/**
 * Counts one call for a network or account. Nobody is counted without a key, as on a developer's machine.
 * @throws AppError RATE_LIMITED with `detail` past the limit.
 */
export async function assertCall(registry: Registry, name: RateLimitName, key: string | undefined, detail: string) {
	const keys = key === undefined ? [] : [key];
	assertNotPast(registry, name, keys, detail);
	await countFor(registry, name, keys, detail);
}

/**
 * Counts a password hash for the network of a request and for the /24 or /48 around it, in which one a minute is left to each network once
 * its own are used up, so that a whole /48 that guesses stores little and refuses no neighbour for long.
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
 * Does what a caller asks, within the calls that their account has in a minute. They count once a trip to the database has proved the
 * caller, so that nobody uses up another's.
 * @param work Proves the caller. It writes nothing, since its result is not told past the limit.
 * @throws AppError RATE_LIMITED with `detail` past the limit; besides, what `work` throws.
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

/** Counts one call after the answer; false where this isolate knows that the limit has been passed in this minute. */
export function countAfterAnswer(registry: Registry, name: RateLimitName, key: string | undefined): boolean {
	if (key === undefined) return true;
	if (isRefused(registry, `${name} ${key}`)) return false;
	registry.afterAnswer(countFor(registry, name, [key], "").catch(() => undefined));
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
 * Credentials that nobody has proved yet ask the database like any other. Those that prove wrong count for their network as look-ups do, so
 * that few of them refuse nobody; and whoever was proved here lately is not stopped by what neighbours send.
 */

/** Credentials that the database has proved, by their hashes or ids, in the last two minutes or so. */
let [proved, provedBefore, turnsAt] = [new Set<string>(), new Set<string>(), 0];

/** The requests whose caller the database has proved. */
const provedRequests = new WeakSet<Registry>();

/** Whether the database has proved a credential here lately. */
export function wasProved(credential: string): boolean {
	return proved.has(credential) || provedBefore.has(credential);
}

/** Whether a request is of somebody whom the database has not proved. */
export function isOfStranger(registry: Registry): boolean {
	return !provedRequests.has(registry);
}

/** Who counts for the wrong credentials of a network; nobody without one. */
const senderOf = ({ network }: Registry) => network && `unproved ${network}`;

/**
 * Refuses to ask the database about a credential from a network whose credentials have proved wrong too often in this minute.
 * @param credential Its hash or id.
 * @throws AppError RATE_LIMITED.
 */
export function assertMayProve(registry: Registry, credential: string): void {
	const sender = senderOf(registry);
	if (sender === undefined || wasProved(credential)) return;
	const detail = "Too many wrong credentials were sent from your network. Wait a minute.";
	assertNotPast(registry, "LOOKUPS", [sender], detail);
}

/** Notes that the database has proved a credential. */
export function noteProved(registry: Registry, credential: string): void {
	if (registry.now > turnsAt) [provedBefore, proved, turnsAt] = [proved, new Set(), registry.now + MINUTE];
	proved.add(credential);
	provedRequests.add(registry);
}

/** Counts a credential that proved wrong, after the answer. */
export function noteUnproved(registry: Registry): void {
	countAfterAnswer(registry, "LOOKUPS", senderOf(registry));
}
