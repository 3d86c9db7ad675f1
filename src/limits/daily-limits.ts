/**
 * What the database counts in a day (UTC), so that nobody fills it. Each write spends in the batch that writes: one that comes to nothing
 * spends nothing, and one that is refused is not counted.
 */

import { isSandboxCode } from "../codes/sandbox.ts";
import { keyedHash } from "../crypto/hash.ts";
import type { Caller } from "../db/caller.ts";
import { type Statement, type Statements, showing } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { wideNetworkOf } from "../platform/client-network.ts";
import type { Registry } from "../registry.ts";
import { DAY, MINUTE, SECOND } from "../time/time.ts";
import { BYTES_OF_WRITE, type Limit, perDay, SHARE_OF_ACCOUNT, YOUNG_FOR } from "./policy.ts";
import { noteLimit, type RateLimitState, refusalHeaders } from "./rate-limit-headers.ts";
import * as limitStore from "./store.ts";
import { showSuspicion } from "./suspicious.ts";

export type Allowance = limitStore.Allowance;

export type Spent = limitStore.Spent;

/** Whom a daily limit counts, and how. What is left out spares, and allows more to, nobody. */
interface DailyCounting extends Partial<Omit<limitStore.DailySpending, "subject">> {
	/** For whom; nobody is counted where it is undefined. An account's id stands in front, so that all counts of an account can be found. */
	subject: string | undefined;
}

const NOBODY_SPARED = { allowed: "", account: "", share: 0, spared: "", youngSince: 0, amount: 1 };

type DailyLimitName = keyof typeof perDay;

/** The quota of a limit, as the operator has set it. */
function quotaOf({ settings }: Registry, name: DailyLimitName): number {
	const limit = perDay[name];
	return "setting" in limit ? settings.limits[limit.setting] : limit.quota;
}

/**
 * A quota for one day, as statements of the database that holds what it is spent for.
 * @param usage Reads how much of the quota is used, for a batch that wanted several and spends nothing then. Without it, none is left.
 */
export function dailyLimit(
	registry: Registry,
	name: DailyLimitName,
	counting: DailyCounting,
	usage?: () => Promise<Spent[]>,
) {
	const { now } = registry;
	const { detail = "", trickle }: Limit = perDay[name];
	const day = Math.floor(now / DAY);
	const subject = counting.subject === undefined ? null : `${counting.subject}:${name}`;
	const quota = counting.quota ?? quotaOf(registry, name);
	const window = trickle ? Math.floor((now % DAY) / trickle.every) : 0;
	// A quota that is set to 0 leaves nothing to anybody.
	const left = quota > 0 && trickle ? trickle.count : 0;
	const from = quota + window * left;
	const daily = { ...NOBODY_SPARED, ...counting, name, quota, subject, day, from, to: from + left };
	const state = ({ spent, quota }: Spent): RateLimitState => ({
		name,
		quota,
		windowSeconds: DAY / SECOND,
		remaining: Math.max(0, quota - spent),
		resetsAt: day * DAY + (left && trickle ? (window + 1) * trickle.every : DAY),
	});
	const exceeded = async (quota: number) => {
		const [used = { spent: quota, quota }] = (await usage?.()) ?? [];
		const current = state(used);
		const some = current.remaining > 0 ? ` It has ${current.remaining} left, but this call needs more.` : "";
		const at = new Date(current.resetsAt).toISOString();
		const until = left ? ` ${left} more may follow at ${at}.` : ` The count restarts at ${at}.`;
		const text = detail.replace("{}", String(current.quota)) + some + until;
		const code = left && trickle?.every === MINUTE ? "RATE_LIMITED" : "QUOTA_EXCEEDED";
		return new AppError(code, text, { headers: refusalHeaders(current, now) });
	};
	return {
		name,
		/**
		 * Spends where the statement before it in the batch has written a row. When too few are left, it refuses with QUOTA_EXCEEDED, or with
		 * RATE_LIMITED where a few are left in each minute, and the time to come back.
		 */
		spend: limitStore.spend(daily, exceeded),
		/** Reads the state of the quota. */
		usage: limitStore.usage(daily),
		/** Has the answer tell the state of the quota after spending. */
		note: ([row]: Spent[]) => row && noteLimit(registry, state(row)),
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
interface Writing {
	/** The texts that a caller may choose. */
	texts?: readonly (string | null | undefined)[];
	/** Whether it only takes away what others may read or do: no limit of a network concerns it. */
	takesAway?: boolean;
	/** As `dailyLimit` takes it, for the account's own quota. */
	usage?: () => Promise<Spent[]>;
}

/** The limits on what an account writes today: its own, then that of its network, then that of the /24 or /48 around it. */
function writeLimits(
	registry: Registry,
	kind: WriteKind,
	userId: string,
	{ texts = [], takesAway = false, usage }: Writing,
): Record<"ofAccount" | "ofNetwork" | "ofWide", DailyLimit> {
	// Whoever has used up what they may change may still take as much away.
	const quota = quotaOf(registry, kind) * (takesAway ? 2 : 1);
	const ofAccount = { subject: userId, quota, allowed: kind === "new-addresses" ? userId : "" };
	const counted = { amount: weightOf(texts), spared: userId };
	const ofNetwork = {
		...counted,
		subject: takesAway ? undefined : networkSubject(registry, "writes"),
		account: `${userId}:${kind}`,
		share: SHARE_OF_ACCOUNT,
	};
	const ofWide = {
		...counted,
		subject: takesAway ? undefined : wideNetworkSubject(registry, "writes"),
		youngSince: registry.now - YOUNG_FOR,
	};
	return {
		ofAccount: dailyLimit(registry, kind, ofAccount, usage),
		ofNetwork: dailyLimit(registry, "writes-of-network", ofNetwork),
		ofWide: dailyLimit(registry, "writes-of-wide-network", ofWide),
	};
}

/** What an account writes. */
type WriteKind = "new-addresses" | "sandbox-addresses" | "changes" | "new-keys" | "private-reads" | "attestations";

/**
 * The statements that spend of what an account may write today, whose answer tells what is left. They run right behind the statement that
 * writes, in this order, with nothing behind them that asks whether a row was written.
 */
export function spendingWrite(registry: Registry, kind: WriteKind, userId: string, writing: Writing = {}) {
	const { ofAccount, ofNetwork, ofWide } = writeLimits(registry, kind, userId, writing);
	const ofAccounts = (spend: Statement<Spent[]>): Statement<Spent[]> => ({ ...spend, isOfAccounts: true });
	return {
		spent: ofAccounts(showing(ofAccount.spend, ofAccount.note)),
		ofNetwork: ofAccounts(ofNetwork.spend),
		ofWide: ofAccounts(ofWide.spend),
	};
}

/** Reads how many an account has written of what it may write today. */
export function usageOfWrites(registry: Registry, kind: WriteKind, userId: string): Statement<Spent[]> {
	return writeLimits(registry, kind, userId, {}).ofAccount.usage;
}

/**
 * Counts an export of an account today, and has the answer say what is left.
 * @param caller Whose account it is.
 * @throws AppError QUOTA_EXCEEDED; where the caller is refused, what says so.
 */
export async function countExport(registry: Registry, caller: Caller): Promise<void> {
	const { database, now } = registry;
	await caller.run(database, (subject) => {
		const { spend, note } = dailyLimit(registry, "exports", { subject });
		const opened = limitStore.open({ subject: `${subject}:exports`, day: Math.floor(now / DAY) });
		return { opened, spent: showing(spend, note) };
	});
}

/**
 * Counts the new addresses of a zone, such as `NG0421`, today, and shows the operator when there are many. It runs behind what the account
 * spends.
 */
export function countingInZone(registry: Registry, zone: string): Statement<Spent[]> {
	// Counted without an end: nobody is refused.
	const { spend } = dailyLimit(registry, "new-addresses-of-zone", { subject: zone, quota: 1e9 });
	return showing(spend, ([row]) => {
		if (row?.spent === perDay["new-addresses-of-zone"].quota + 1 && !isSandboxCode(zone))
			showSuspicion(registry, "many_new_addresses", {}, { zone });
	});
}

/**
 * Opens an account within those that a network and the /24 or /48 around it may open today. Past that, a few a minute are opened all the
 * same, so that nobody closes registration to the others there.
 * @param open Opens it in a batch that spends right behind the statement that stores it.
 * @throws AppError RATE_LIMITED; besides, what `open` throws.
 */
export async function withinRegistrations<Result>(
	registry: Registry,
	open: (spend: Statements) => Promise<Result>,
): Promise<Result> {
	const ofNetwork = dailyLimit(registry, "registrations-of-network", {
		subject: networkSubject(registry, "registrations"),
	});
	const ofWide = dailyLimit(registry, "registrations-of-wide-network", {
		subject: wideNetworkSubject(registry, "registrations"),
	});
	return open({ ofNetwork: ofNetwork.spend, ofWide: ofWide.spend });
}

/** The allowance of an account, where it has one. */
export function readingAllowance(userId: string) {
	return limitStore.allowanceOf({ userId });
}

/** Gives an account an allowance, which replaces the previous one. */
export function allowing(allowance: Allowance): Statements {
	return { allowed: limitStore.setAllowance(allowance) };
}
