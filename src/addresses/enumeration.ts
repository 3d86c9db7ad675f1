/**
 * The guard against enumeration. A zone has about 9,091 codes and anyone can compute their check digits, so codes can be found by
 * guessing: a code is not a secret. The guard slows guessing down and shows it to the operator.
 *
 * Requests for codes that do not exist are counted within their zone and in all zones: for the account of the credential, or for the
 * network if there is none. Past a limit, look-ups in the zone, or all of them, are refused until the end of the minute. They are refused
 * whether or not they would find something, because refusing only one kind would tell the two apart. Only owners can still read their own
 * addresses, of which they learn nothing new.
 */
import type { AddressCode } from "../codes/code.ts";
import type { Caller } from "../db/caller.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError, type ProblemCode } from "../errors.ts";
import { allowanceOfAccount } from "../limits/daily-limits.ts";
import {
	assertNotPast,
	countCall,
	countFor,
	isRefused,
	rateLimited,
	rememberRefusal,
	withinCalls,
} from "../limits/rate-limits.ts";
import { showSuspicion } from "../limits/suspicious.ts";
import type { Registry } from "../registry.ts";
import { perMinute, type RateLimitName } from "../settings/limits.ts";

/** Whether a look-up failed with one of these errors. */
function isOneOf(outcome: unknown, ...codes: ProblemCode[]): boolean {
	return outcome instanceof AppError && codes.includes(outcome.code);
}

/** The name for all zones together. */
const ALL = "all";

/** The zone of a canonical code. */
const zoneOf = (canonical: string) => canonical.slice(0, 6);

/** The name under which the refusal of a caller's look-ups in a zone, or in ALL, is remembered. */
const lookUpsOf = (key: string, where: string) => `look-ups ${key} ${where}`;

const TOO_MANY = "You looked up too many codes. Wait a minute.";

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
	/** The subjects that look-ups count against: the network, or the account once it is proved. Until then only its credential is known. */
	private keys: string[];
	private readonly registry: Registry;
	private readonly caller: Caller | undefined;

	constructor(registry: Registry, caller: Caller | undefined) {
		this.registry = registry;
		this.caller = caller;
		const key = caller ? caller.countedBy : registry.network;
		this.keys = key === undefined ? [] : [key];
	}

	/** Counts against the account from now on, so that making more keys or sessions gains nothing. */
	nameAccount({ userId, countedBy }: Caller): void {
		this.keys = [userId, countedBy];
	}

	/**
	 * Refuses a look-up that this isolate knows to be refused for the rest of the minute.
	 * @throws AppError RATE_LIMITED.
	 */
	assertOpen(zone: string): void {
		for (const where of [ALL, zone]) {
			const isShut = this.keys.some((key) => isRefused(this.registry, lookUpsOf(key, where)));
			if (isShut) throw refusal(this.registry, this.caller, where);
		}
	}

	/** Refuses the look-up if the limit is known to be exceeded. @throws AppError RATE_LIMITED. */
	assertNotPast(): void {
		assertNotPast(this.registry, "LOOKUPS", this.keys, TOO_MANY);
	}

	/** Counts the look-up. @throws AppError RATE_LIMITED past the limit. */
	count(): Promise<void> {
		return countFor(this.registry, "LOOKUPS", this.keys, TOO_MANY);
	}

	/**
	 * Counts a code that does not exist, once the answer is known and the caller proved. An account with a larger allowance is not refused.
	 * @throws AppError RATE_LIMITED past a limit.
	 */
	async countMiss(zone: string): Promise<void> {
		const { registry, caller, keys } = this;
		const [key] = keys;
		if (key === undefined) return;
		const ofZone: RateLimitName = caller ? "UNKNOWN_IN_ZONE_OF_ACCOUNT" : "UNKNOWN_IN_ZONE";
		const isWithin = await Promise.all([
			countCall(registry, ofZone, `${key} ${zone}`),
			countCall(registry, "UNKNOWN_CODES", key),
		]);
		const passed = [zone, ALL].filter((_, index) => !isWithin[index]);
		if (!passed[0] || (caller && (await isAllowed(registry, caller)))) return;
		for (const where of passed) this.remember(where, zone);
		throw refusal(registry, caller, passed[0]);
	}

	/** Remembers a refusal in this isolate until the end of the minute, and shows it to operators once. */
	private remember(where: string, zone: string): void {
		const { registry, caller, keys } = this;
		const isNew = keys.map((key) => rememberRefusal(registry, lookUpsOf(key, where)));
		if (isNew.includes(true)) showSuspicion(registry, "enumeration", caller ? { user: keys[0] } : {}, { zone });
	}
}

/** Whether an operator lets an account ask for more codes that do not exist. The platform can count only towards its own fixed limit. */
async function isAllowed(registry: Registry, { userId }: Caller): Promise<boolean> {
	const [allowance] = await inOneTrip(registry.database, allowanceOfAccount({ userId }));
	return (allowance?.unknownCodesPerMinute ?? 0) > perMinute.UNKNOWN_CODES.quota;
}

/**
 * Does work that reveals whether a code exists, within the caller's limits for look-ups. Misses never keep owners from their own address.
 * @param ownerOf The owner of the address that `work` has found. If left out, `work` is something that only an owner can do, and it may
 * write; what it has written stands.
 * @throws AppError RATE_LIMITED; otherwise what `work` throws.
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
	guard.assertNotPast();
	if (!caller) guard.assertOpen(zone);
	const [[outcome]] = await Promise.all([Promise.allSettled([work()]), caller ? undefined : guard.count()]);
	const isDone = outcome.status === "fulfilled";
	const reason = isDone ? undefined : outcome.reason;
	if (caller?.isProved) {
		guard.nameAccount(caller);
		const counting = guard.count();
		await (isDone && !ownerOf ? counting.catch(() => undefined) : counting);
	}
	// A caller who was not proved, or who failed for other reasons, learns nothing about the code.
	const tells = isDone || isOneOf(reason, "ADDRESS_NOT_FOUND", "ADDRESS_RETIRED", "ADDRESS_PRIVATE", "FORBIDDEN");
	const isTold = tells && (!caller || caller.isProved);
	const isOwn = isDone && caller && (!ownerOf || ownerOf(outcome.value) === caller.userId);
	if (isTold && !isOwn) guard.assertOpen(zone);
	if (isOneOf(reason, "ADDRESS_NOT_FOUND")) await guard.countMiss(zone);
	if (!isDone) throw reason;
	return outcome.value;
}

/**
 * Looks up a batch of codes within the caller's limits. Past a limit for unknown codes, single items are refused, never the whole batch.
 * @param codes The requested canonical codes; an empty one stands for a text that is not a code, and is never refused.
 * @param ask Answers each code in its place, with its address or its error.
 * @throws AppError RATE_LIMITED past the limit for batches in a minute; otherwise what `ask` throws.
 */
export async function eachWithinLookups<Answer extends { ownerId: string }>(
	registry: Registry,
	caller: Caller,
	codes: string[],
	ask: () => Promise<(Answer | AppError)[]>,
): Promise<(Answer | AppError)[]> {
	const answers = await withinCalls(registry, caller, "BATCHES", TOO_MANY, ask);
	const guard = new Guard(registry, caller);
	guard.nameAccount(caller);
	// A code that occurs twice in the batch is one look-up.
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
