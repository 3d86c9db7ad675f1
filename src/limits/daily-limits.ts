/**
 * What the database counts in a day (UTC), so that nobody fills it. Each write spends in the batch that writes: one that comes to nothing
 * spends nothing, and one that is refused is not counted.
 */

import { wideNetworkOf } from "../client-network.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import type { Caller } from "../db/caller.ts";
import type { Database } from "../db/open.ts";
import { refusalOf } from "../db/refusal.ts";
import { retryIdempotent } from "../db/retry.ts";
import type { ResultOf, Statements } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { keyedHash } from "../hash.ts";
import type { Registry } from "../registry.ts";
import { DAY, MINUTE, SECOND } from "../time.ts";
import {
	BYTES_OF_WRITE,
	lastRegistrations,
	NEW_IN_ZONE_SHOWN,
	ofWideNetwork,
	perDay,
	type Trickle,
	writesOfNetwork,
} from "./policy.ts";
import { noteLimit, type RateLimitState, refusalHeaders } from "./rate-limit-headers.ts";
import { type Allowance, type DailySpending, limitStoreOf } from "./store.ts";
import { showSuspicion } from "./suspicious.ts";

export type { Allowance };

/** How many of a daily quota are spent, after one was spent, and how many there are. */
export type Spent = { spent: number; quota: number };

/** What a daily limit counts. What is left out spares, and allows more to, nobody. */
export interface DailyCounting
	extends Partial<Omit<DailySpending, "name" | "subject" | "quota" | "day" | "from" | "to">> {
	/** Public. */
	name: string;
	/** For whom; nobody is counted where it is undefined. An account's id stands in front, so that all counts of an account can be found. */
	subject: string | undefined;
	quota: number;
	/** What is left to everybody past the quota. */
	trickle?: Trickle;
	/** What a caller is told when it is used up, with {} for the quota; nothing where nobody is told. */
	detail?: string;
}

/** A quota for one day, which the database that holds what it is spent for keeps exactly. */
export function dailyLimit(registry: Registry, db: Database, counting: DailyCounting) {
	const { now } = registry;
	const { name, detail = "", trickle } = counting;
	const store = limitStoreOf(db);
	const day = Math.floor(now / DAY);
	const subject = counting.subject === undefined ? null : `${counting.subject}:${name}`;
	const window = trickle ? Math.floor((now % DAY) / trickle.every) : 0;
	// A quota that is set to 0 leaves nothing to anybody.
	const left = counting.quota > 0 && trickle ? trickle.count : 0;
	const from = counting.quota + window * left;
	const spares = { allowed: "", account: "", share: 0, spared: "", youngSince: 0, amount: 1 };
	const daily = { ...spares, ...counting, subject, day, from, to: from + left };
	const state = ({ spent, quota }: Spent): RateLimitState => ({
		name,
		quota,
		windowSeconds: DAY / SECOND,
		remaining: Math.max(0, quota - spent),
		resetsAt: day * DAY + (left && trickle ? (window + 1) * trickle.every : DAY),
	});
	return {
		/** The reason for which spending refuses. */
		name,
		/** Spends one where the statement before it in the batch has written a row; when none is left, nothing of the batch is written. */
		spend: store.spend(daily),
		/** Reads the state of the quota. */
		stands: store.stands(daily),
		/** Gives back one that was spent for nothing, where the statement before it in the batch has written a row. */
		refund: store.refund(daily),
		/** Has the answer tell the state of the quota after spending. */
		note: ([row]: Spent[]) => row && noteLimit(registry, state(row)),
		/**
		 * QUOTA_EXCEEDED for the error of a batch that this quota has refused, with the time to come back; any other error as it is. Where the
		 * batch may have wanted several, `stood` is how the quota stands without them; otherwise none is left.
		 */
		explain(error: unknown, [stood]: Spent[] = []): unknown {
			const [, reason, past] = /^(.+) past (\d+)$/.exec(refusalOf(error) ?? "") ?? [];
			if (reason !== name) return error;
			const current = state(stood ?? { spent: Number(past), quota: Number(past) });
			const some = current.remaining > 0 ? ` It has ${current.remaining} left, and this call wants more.` : "";
			const at = new Date(current.resetsAt).toISOString();
			const until = left ? ` ${left} more may follow at ${at}.` : ` The count begins anew at ${at}.`;
			const text = detail.replace("{}", String(current.quota)) + some + until;
			const code = left && trickle?.every === MINUTE ? "RATE_LIMITED" : "QUOTA_EXCEEDED";
			return new AppError(code, text, { headers: refusalHeaders(current, now) });
		},
	};
}

export type DailyLimit = ReturnType<typeof dailyLimit>;

/** What the network of a request is counted by for one purpose: a keyed hash, so that no address is stored. Undefined without a network. */
export function networkSubject({ network, settings }: Registry, purpose: string): string | undefined {
	return network && keyedHash(settings.signingSecrets[0].secret, purpose, network);
}

/** What the /24 or /48 of a request is counted by, as its network is. */
export function wideNetworkSubject({ network, ...registry }: Registry, purpose: string): string | undefined {
	return networkSubject({ ...registry, network: network && wideNetworkOf(network) }, purpose);
}

/** How many writes one counts as, by its texts. */
export function weightOf(texts: readonly (string | null | undefined)[]): number {
	const bytes = new TextEncoder().encode(texts.join("")).length;
	return 1 + Math.floor(bytes / BYTES_OF_WRITE);
}

/** What is written of a kind. */
export interface Writing {
	/** The texts that a caller may choose. */
	texts?: readonly (string | null | undefined)[];
	/** Whether it only takes away what others may read or do: no limit of a network concerns it. */
	takesAway?: boolean;
}

/**
 * The limits on what an account writes today: its own, then that of its network, then that of the /24 or /48 around it.
 * @param db The database that is written to.
 */
export function writeLimits(
	registry: Registry,
	db: Database,
	kind: keyof typeof perDay,
	userId: string,
	{ texts = [], takesAway = false }: Writing = {},
) {
	const { limits } = registry.settings;
	const { quota, detail } = perDay[kind];
	const ofAccount = dailyLimit(registry, db, {
		name: kind,
		subject: userId,
		// Whoever has used up what they may change may still take as much away.
		quota: (typeof quota === "number" ? quota : limits[quota]) * (takesAway ? 2 : 1),
		detail,
		allowed: kind === "new-addresses" ? userId : "",
	});
	const { share } = writesOfNetwork;
	const amount = weightOf(texts);
	const ofNetwork = dailyLimit(registry, db, {
		name: "writes-of-network",
		subject: takesAway ? undefined : networkSubject(registry, "writes"),
		amount,
		quota: limits[writesOfNetwork.quota],
		detail: `Too much was written from your network today (UTC). Until tomorrow, each account may write ${share} times from there.`,
		account: `${userId}:${kind}`,
		share,
		spared: userId,
	});
	const ofWide = dailyLimit(registry, db, {
		...ofWideNetwork,
		name: "writes-of-wide-network",
		subject: takesAway ? undefined : wideNetworkSubject(registry, "writes"),
		amount,
		detail: "Too much was written by new accounts around your network today (UTC).",
		spared: userId,
		youngSince: registry.now - ofWideNetwork.youngFor,
	});
	return {
		/** To be run right behind the statement that writes, in this order, with nothing behind that asks whether a row was written. */
		spend: { spent: ofAccount.spend, ofNetwork: ofNetwork.spend, ofWide: ofWide.spend },
		note: ofAccount.note,
		stands: ofAccount.stands,
		explain: (error: unknown, stood?: Spent[]) => ofWide.explain(ofNetwork.explain(ofAccount.explain(error, stood))),
	};
}

/** The statements that spend, as `writeLimits` makes them. */
export type Spending = ReturnType<typeof writeLimits>["spend"];

/**
 * Runs what a caller writes within the limits on that, and has the answer say what is left.
 * @param make Makes the statements for the user, those of `spend` among them.
 * @param options What is written; `run` makes the trip: again where D1 did not answer, unless the statements must not run twice.
 * @throws AppError QUOTA_EXCEEDED; besides, what the statements throw.
 */
export async function withinWrites<const Work extends Statements>(
	registry: Registry,
	caller: Caller,
	kind: keyof typeof perDay,
	db: Database,
	make: (userId: string, spend: Spending) => Work,
	{ run = retryIdempotent, ...writing }: Writing & { run?: typeof retryIdempotent } = {},
): Promise<ResultOf<Work>> {
	const userId = await caller.user();
	const limits = writeLimits(registry, db, kind, userId, writing);
	try {
		const result = await run(() => caller.run(make(userId, limits.spend)));
		if ("spent" in result) limits.note(result.spent as Spent[]);
		return result;
	} catch (error) {
		throw limits.explain(error);
	}
}

/**
 * Counts an export of an account today, and has the answer say what is left.
 * @param caller Whose account it is.
 * @throws AppError QUOTA_EXCEEDED; where the caller is refused, what says so.
 */
export async function countExport(registry: Registry, caller: Caller): Promise<void> {
	const { database, now } = registry;
	const subject = await caller.user();
	const limit = dailyLimit(registry, database, { name: "exports", subject, ...perDay.exports });
	const opened = limitStoreOf(database).open({ subject: `${subject}:exports`, day: Math.floor(now / DAY) });
	try {
		const { spent } = await caller.run({ opened, spent: limit.spend });
		limit.note(spent);
	} catch (error) {
		throw limit.explain(error);
	}
}

/**
 * Counts the new addresses of a zone, such as `NG0421`, today, and shows the operator when there are many.
 * @param db The database that holds the addresses of the zone.
 * @returns `spend`, to be run behind what the account spends, and `show`, to be called with what it returned.
 */
export function newAddressesOfZone(registry: Registry, db: Database, zone: string) {
	const { spend } = dailyLimit(registry, db, { name: "new-addresses-of-zone", subject: zone, quota: 1e9 });
	const show = ([row]: Spent[]) => {
		if (row?.spent === NEW_IN_ZONE_SHOWN + 1 && !isSandboxCode(zone))
			showSuspicion(registry, "many_new_addresses", {}, { zone });
	};
	return { spend, show };
}

/**
 * Opens an account within those that a network and the /24 or /48 around it may open today. Past that, a few a minute are opened all the
 * same, so that nobody closes registration to the others there.
 * @param db The database that holds accounts.
 * @param open Opens it in a batch that spends right behind the statement that stores it.
 * @throws AppError RATE_LIMITED; besides, what `open` throws.
 */
export async function withinRegistrations<Result>(
	registry: Registry,
	db: Database,
	open: (spend: Statements) => Promise<Result>,
): Promise<Result> {
	const detail = "Many accounts were opened from your network today (UTC). Try again in a minute.";
	const ofNetwork = dailyLimit(registry, db, {
		name: "registrations-of-network",
		subject: networkSubject(registry, "registrations"),
		quota: registry.settings.limits.REGISTRATIONS_PER_NETWORK_AND_DAY,
		trickle: lastRegistrations,
		detail,
	});
	const ofWide = dailyLimit(registry, db, {
		...ofWideNetwork,
		name: "registrations-of-wide-network",
		subject: wideNetworkSubject(registry, "registrations"),
		detail,
	});
	try {
		return await open({ ofNetwork: ofNetwork.spend, ofWide: ofWide.spend });
	} catch (error) {
		throw ofWide.explain(ofNetwork.explain(error));
	}
}

/** The allowance of an account, where it has one. */
export function readingAllowance(registry: Registry, userId: string) {
	return limitStoreOf(registry.database).allowanceOf({ userId });
}

/** Gives an account an allowance, which replaces the previous one. */
export function allowing(registry: Registry, allowance: Allowance): Statements {
	return { allowed: limitStoreOf(registry.database).setAllowance(allowance) };
}
