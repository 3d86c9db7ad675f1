/**
 * The guard against enumeration. A zone has about 9,091 codes and anyone can compute their check digits, so codes can be found by
 * guessing: a code is not a secret. The guard slows that down and shows it to the operator. Codes that do not exist count for the
 * account of the credential that asked or, without one, for the network, in their zone and in all. Past a limit, look-ups in the
 * zone, or all of them, are refused to the end of the minute whether they find something or not, because refusing only one kind
 * would tell both apart. Owners alone go on with their own addresses, of which they learn nothing new.
 */
import type { AddressCode } from "../codes/code.ts";
import type { Caller } from "../db/caller.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError, type ProblemCode } from "../errors.ts";
import { keyedHash } from "../hash.ts";
import { withCache } from "../http/cache.ts";
import { readingAllowance } from "../limits/daily-limits.ts";
import { perMinute } from "../limits/policy.ts";
import {
	countCall,
	endOfMinute,
	isRefused,
	type RateLimitName,
	rateLimited,
	refusedTo,
	rememberRefusal,
} from "../limits/rate-limits.ts";
import { showSuspicion } from "../limits/suspicious.ts";
import type { Registry } from "../registry.ts";
import { SECOND } from "../time.ts";

/** Whether a look-up failed with one of these errors. */
function isOneOf(outcome: unknown, ...codes: ProblemCode[]): boolean {
	return outcome instanceof AppError && codes.includes(outcome.code);
}

/** What stands for all zones. */
const ALL = "all";

/** The zone of a canonical code. */
const zoneOf = (canonical: string) => canonical.slice(0, 6);

/** The key under which refusals of a caller's look-ups are remembered, each by its zone or as ALL. */
const lookUpsOf = (key: string) => `look-ups ${key}`;

/** The one entry in the cache of this location that lists what is refused to somebody in this minute. */
function refusalsUrl(registry: Registry, key: string): string {
	const hash = keyedHash(registry.settings.signingSecrets[0].secret, "refusal", key);
	return `${registry.webUrl}/.edge/refusals/${endOfMinute(registry.now)}/${hash}`;
}

function refusal(registry: Registry, caller: Caller | undefined, zone: string): AppError {
	const name = zone === ALL ? "UNKNOWN_CODES" : caller ? "UNKNOWN_IN_ZONE_OF_ACCOUNT" : "UNKNOWN_IN_ZONE";
	const who = caller ? "Your account" : "Your network";
	const otherwise = caller ? "" : " Servers use GET /v1/addresses/{code} or batches, with an API key.";
	const where = zone === ALL ? "" : ` in zone ${zone.slice(0, 2)}-${zone.slice(2)}`;
	return rateLimited(
		registry,
		name,
		`${who} asked for too many codes that do not exist${where}. Wait a minute.${otherwise}`,
	);
}

/** Guards the look-ups of one caller in one request. */
class Guard {
	/** Whom look-ups count for: the account once it is known, and what the caller was counted by before. */
	private keys: string[];
	private readonly registry: Registry;
	private readonly caller: Caller | undefined;

	constructor(registry: Registry, caller: Caller | undefined) {
		this.registry = registry;
		this.caller = caller;
		const key = caller ? caller.countedBy : registry.network;
		this.keys = key === undefined ? [] : [key];
	}

	/** Counts for the account from now on, so that making keys gains nothing. */
	nameAccount(userId: string): void {
		this.keys = [...new Set([userId, ...this.keys])];
	}

	/**
	 * Refuses what this isolate knows to be refused in this minute.
	 * @throws AppError RATE_LIMITED.
	 */
	assertOpen(zone: string): void {
		for (const where of [ALL, zone]) {
			const isShut = this.keys.some((key) => isRefused(this.registry, lookUpsOf(key), where));
			if (isShut) throw refusal(this.registry, this.caller, where);
		}
	}

	/**
	 * Counts the look-up, and asks the cache of this location what other isolates have refused.
	 * @throws AppError RATE_LIMITED.
	 */
	async askLimits(limit: "LOOKUPS" | "BATCHES"): Promise<void> {
		const { registry } = this;
		const [key] = this.keys;
		const recalling = this.keys.map(async (key) => {
			const url = refusalsUrl(registry, key);
			const found = await withCache((cache) => cache.match(url));
			const [name, ...zones] = found ? (await found.text()).split(" ") : [];
			// The entry names itself, so that a cache that answers with something else shuts nobody out.
			if (name === url) for (const zone of zones) rememberRefusal(registry, lookUpsOf(key), zone);
		});
		const [isWithin] = await Promise.all([countCall(registry, limit, key), ...recalling]);
		if (isWithin) return;
		rememberRefusal(registry, `${limit} ${key}`);
		throw rateLimited(registry, limit, "You looked up too many codes. Wait a minute.");
	}

	/** Whether this isolate has just refused the caller for a limit, so that it is asked before the database is. */
	wasRefused(limit: "LOOKUPS" | "BATCHES"): boolean {
		return isRefused(this.registry, `${limit} ${this.keys[0]}`);
	}

	/**
	 * Counts a code that does not exist, once the answer is known and the caller proved.
	 * @throws AppError RATE_LIMITED past a limit.
	 */
	async countMiss(zone: string): Promise<void> {
		const { registry, caller, keys } = this;
		const [key] = keys;
		if (key === undefined) return;
		const ofZone = caller ? "UNKNOWN_IN_ZONE_OF_ACCOUNT" : "UNKNOWN_IN_ZONE";
		let isWithin = await this.countIn(ofZone, zone, key);
		if (caller && isWithin.includes(false))
			isWithin = (await this.countAllowed(ofZone, zone, key, caller.userId)) ?? isWithin;
		const passed = [zone, ALL].filter((_, index) => !isWithin[index]);
		for (const where of passed) this.remember(where, zone);
		if (passed[0]) throw refusal(registry, caller, passed[0]);
	}

	/** Whether a code that does not exist is within the limits of its zone and of all zones. */
	private countIn(ofZone: RateLimitName, zone: string, key: string): Promise<boolean[]> {
		const { registry } = this;
		return Promise.all([countCall(registry, ofZone, `${key} ${zone}`), countCall(registry, "UNKNOWN_CODES", key)]);
	}

	/**
	 * The same for an account past the limits, which an operator may have allowed more. The platform's limits are fixed numbers, so each
	 * multiple of them that the account is allowed is a count of its own, drawn at random. Undefined where it is allowed no more.
	 */
	private async countAllowed(ofZone: RateLimitName, zone: string, key: string, userId: string) {
		const [allowance] = await inOneTrip(this.registry.database, readingAllowance(userId));
		const multiples = Math.ceil((allowance?.unknownCodesPerMinute ?? 0) / perMinute.UNKNOWN_CODES);
		if (multiples < 2) return undefined;
		return this.countIn(ofZone, zone, `${key} ${1 + Math.floor(Math.random() * (multiples - 1))}`);
	}

	/** Keeps a refusal to the end of the minute, in this isolate and in the cache of this location, and logs it once. */
	private remember(where: string, zone: string): void {
		const { registry, caller } = this;
		const keys = this.keys.filter((key) => !isRefused(registry, lookUpsOf(key), where));
		for (const key of keys) {
			rememberRefusal(registry, lookUpsOf(key), where);
			const seconds = Math.ceil((endOfMinute(registry.now) - registry.now) / SECOND);
			const url = refusalsUrl(registry, key);
			// Of two isolates that write at once one wins. What the other has found, its next unknown code there tells again.
			const entry = new Response([url, ...refusedTo(registry, lookUpsOf(key))].join(" "), {
				headers: { "Cache-Control": `public, max-age=${seconds}` },
			});
			registry.afterAnswer(withCache((cache) => cache.put(url, entry)));
		}
		if (keys.length > 0) showSuspicion(registry, "enumeration", caller ? { user: this.keys[0] } : {}, { zone });
	}
}

/**
 * Does work that reveals whether a code exists, within the caller's look-ups. Misses never keep owners from their own address.
 * @param ownerOf Whose address `work` has found. Without it `work` is what an owner alone can do, and may write: then it is done once the
 * limits have been asked, else side by side with that.
 * @throws AppError RATE_LIMITED; besides, what `work` throws.
 */
export async function withinLookups<Result>(
	registry: Registry,
	caller: Caller | undefined,
	{ canonical }: AddressCode,
	work: () => Promise<Result>,
	ownerOf?: (found: Result) => string,
): Promise<Result> {
	const guard = new Guard(registry, caller);
	const zone = zoneOf(canonical);
	if (!caller) guard.assertOpen(zone);
	const asking = guard.askLimits("LOOKUPS");
	if (!ownerOf || guard.wasRefused("LOOKUPS")) await asking;
	const [[outcome]] = await Promise.all([Promise.allSettled([work()]), asking]);
	const reason = outcome.status === "rejected" ? outcome.reason : undefined;
	// Whoever was not proved, or failed for other reasons, learns nothing about the code.
	const tells = !reason || isOneOf(reason, "ADDRESS_NOT_FOUND", "ADDRESS_RETIRED", "ADDRESS_PRIVATE", "FORBIDDEN");
	const isTold = tells && (!caller || caller.isProved);
	if (caller && isTold) guard.nameAccount(caller.userId);
	const isOwn = outcome.status === "fulfilled" && caller && (!ownerOf || ownerOf(outcome.value) === caller.userId);
	if (isTold && !isOwn) guard.assertOpen(zone);
	if (isOneOf(reason, "ADDRESS_NOT_FOUND")) await guard.countMiss(zone);
	if (outcome.status === "rejected") throw reason;
	return outcome.value;
}

/**
 * Looks up a batch of codes, each within the look-ups that the caller has: past a limit an item is refused, never the batch.
 * @param codes The canonical codes that are asked for; empty for a text that is not a code, which is never refused.
 * @param ask Answers each code in its place, with its address or its error.
 * @throws AppError RATE_LIMITED past the batches of a minute; besides, what `ask` throws.
 */
export async function eachWithinLookups<Answer extends { ownerId: string }>(
	registry: Registry,
	caller: Caller,
	codes: string[],
	ask: () => Promise<(Answer | AppError)[]>,
): Promise<(Answer | AppError)[]> {
	const guard = new Guard(registry, caller);
	const asking = guard.askLimits("BATCHES");
	if (guard.wasRefused("BATCHES")) await asking;
	const [answers] = await Promise.all([ask(), asking]);
	guard.nameAccount(caller.userId);
	// A code that stands in the batch twice is one look-up.
	const judged = new Map<string, Answer | AppError>();
	for (const [index, answer] of answers.entries()) {
		const code = codes[index] ?? "";
		if (code === "" || judged.has(code)) continue;
		judged.set(code, answer);
		if (!(answer instanceof AppError) && answer.ownerId === caller.userId) continue;
		try {
			guard.assertOpen(zoneOf(code));
			if (isOneOf(answer, "ADDRESS_NOT_FOUND")) await guard.countMiss(zoneOf(code));
		} catch (error) {
			if (!(error instanceof AppError)) throw error;
			judged.set(code, error);
		}
	}
	return answers.map((answer, index) => judged.get(codes[index] ?? "") ?? answer);
}
