/**
 * What the database counts in a day (UTC), so that nobody fills it. Each write is counted in the batch that writes. A write that comes to
 * nothing or is refused is not counted.
 */

import { isSandboxCode } from "../codes/sandbox.ts";
import { keyedHash } from "../crypto/hash.ts";
import type { Caller } from "../db/caller.ts";
import { ofAccounts, type Statement, spending, withResult } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { wideNetworkOf } from "../platform/client-network.ts";
import type { Registry } from "../registry.ts";
import {
	BYTES_OF_WRITE,
	type Limit,
	perDay,
	SHARE_OF_ACCOUNT,
	SHARE_OF_OLDER_ACCOUNT,
	YOUNG_FOR,
} from "../settings/limits.ts";
import { DAY, MINUTE, SECOND } from "../time/time.ts";
import { noteLimit, type RateLimitState, refusalHeaders } from "./rate-limit-headers.ts";
import type { Spent } from "./store.ts";
import * as limitStore from "./store.ts";
import { showSuspicion } from "./suspicious.ts";

export { allowanceOfAccount, setAllowance } from "./store.ts";

/** Whom a daily limit counts, and how. It counts one, by the limit's quota and the same for all, unless told otherwise. */
interface DailyCounting extends Partial<Pick<limitStore.DailySpending, "quota" | "amount">> {
	/** Who is counted; undefined for nobody. An account's id comes first, so that all counts of an account can be found. */
	subject: string | undefined;
	rule?: limitStore.Rule | undefined;
}

type DailyLimitName = keyof typeof perDay;

/** The day (UTC) of a time, both since 1970-01-01: the time in milliseconds. */
const dayOf = (now: number) => Math.floor(now / DAY);

/** The quota of a limit: the operator's setting if there is one. */
function quotaOf({ settings }: Registry, name: DailyLimitName): number {
	const limit = perDay[name];
	return "setting" in limit ? settings.numbers[limit.setting] : limit.quota;
}

/**
 * A quota for one day, as statements for the database that is written to.
 * @param usage Reads how much of the quota is used when a batch wanted several and nothing was spent. Without it, none counts as left.
 */
export function dailyLimit(
	registry: Registry,
	name: DailyLimitName,
	counting: DailyCounting,
	usage?: () => Promise<Spent[]>,
) {
	const { now } = registry;
	const { detail = "", trickle }: Limit = perDay[name];
	const day = dayOf(now);
	const subject = counting.subject === undefined ? null : `${counting.subject}:${name}`;
	const { quota = quotaOf(registry, name), amount = 1, rule = { kind: "the same for all" } } = counting;
	const window = trickle ? Math.floor((now % DAY) / trickle.every) : 0;
	// A quota of 0 leaves nothing to anybody.
	const left = quota > 0 && trickle ? trickle.count : 0;
	const from = quota + window * left;
	const daily = { name, subject, day, quota, amount, rule, from, to: from + left };
	const state = ({ spent, quota }: Spent): RateLimitState => ({
		name,
		quota,
		windowSeconds: DAY / SECOND,
		remaining: Math.max(0, quota - spent),
		resetsAt: day * DAY + (left && trickle ? (window + 1) * trickle.every : DAY),
	});
	const exceeded = async (quota: number) => {
		const [{ spent } = { spent: quota }] = (await usage?.()) ?? [];
		const current = state({ spent, quota });
		const some = current.remaining > 0 ? ` It has ${current.remaining} left, but this call needs more.` : "";
		const at = new Date(current.resetsAt).toISOString();
		const until = left ? ` ${left} more may follow at ${at}.` : ` The count restarts at ${at}.`;
		const text = detail.replace("{}", String(current.quota)) + some + until;
		const code = left && trickle?.every === MINUTE ? "RATE_LIMITED" : "QUOTA_EXCEEDED";
		return new AppError(code, text, { headers: refusalHeaders(current, now) });
	};
	const spend = limitStore.spend(daily, exceeded);
	return {
		/**
		 * Spends if the statement before it in the batch has written a row. If too few are left, it refuses with QUOTA_EXCEEDED, or with
		 * RATE_LIMITED if a few are left in each minute. The error says when to come back.
		 */
		spend,
		/** Does the same, and makes the answer's headers show the state of the quota after it. */
		spendAndNote: withResult(spend, ([row]) => row && noteLimit(registry, state(row))),
		/** Reads the state of the quota. */
		usage: limitStore.dailyUsage(daily),
	};
}

type DailyLimit = ReturnType<typeof dailyLimit>;

/**
 * The subject by which the network of a request is counted for one purpose: a keyed hash, so that no IP address is stored. Undefined
 * without a network.
 */
export function networkSubject(
	{ network, settings }: Pick<Registry, "network" | "settings">,
	purpose: string,
): string | undefined {
	return network && keyedHash(settings.signingSecrets[0].secret, purpose, network);
}

/** The subject by which the IPv4 /24 or IPv6 /48 of a request is counted, like its network. */
export function wideNetworkSubject({ network, settings }: Registry, purpose: string): string | undefined {
	return networkSubject({ network: network && wideNetworkOf(network), settings }, purpose);
}

/** How many writes one write counts as, by the length of its texts. */
export function weightOf(texts: readonly (string | null | undefined)[]): number {
	const bytes = new TextEncoder().encode(texts.join("")).length;
	return 1 + Math.floor(bytes / BYTES_OF_WRITE);
}

/** How a write is counted. */
interface Writing {
	/** The texts that a caller may choose. */
	texts?: readonly (string | null | undefined)[];
	/** Whether it only takes away what others may read or do. The limits of networks do not count such writes. */
	takesAway?: boolean;
	/** As in `dailyLimit`, for the account's own quota. */
	usage?: () => Promise<Spent[]>;
}

/** The limits on what an account writes today: its own, that of its network, and that of the IPv4 /24 or IPv6 /48 around it. */
function writeLimits(
	registry: Registry,
	kind: WriteKind,
	userId: string,
	{ texts = [], takesAway = false, usage }: Writing,
): Record<"ofAccount" | "ofNetwork" | "ofWide", DailyLimit> {
	const amount = weightOf(texts);
	const share = { userId, account: `${userId}:${kind}` };
	const network = takesAway ? undefined : networkSubject(registry, "writes");
	const wide = takesAway ? undefined : wideNetworkSubject(registry, "writes");
	return {
		ofAccount: dailyLimit(
			registry,
			kind,
			{
				subject: userId,
				// An account that has used up its changes may still take away as much again.
				quota: quotaOf(registry, kind) * (takesAway ? 2 : 1),
				rule: kind === "new-addresses" ? { kind: "allowance", userId } : undefined,
			},
			usage,
		),
		ofNetwork: dailyLimit(registry, "writes-of-network", {
			subject: network,
			amount,
			rule: { kind: "share", ...share, share: SHARE_OF_ACCOUNT },
		}),
		ofWide: dailyLimit(registry, "writes-of-wide-network", {
			subject: wide,
			amount,
			rule: {
				kind: "age",
				...share,
				share: SHARE_OF_OLDER_ACCOUNT,
				older: `${wide}:writes-of-wide-network-by-older-accounts`,
				youngSince: registry.now - YOUNG_FOR,
			},
		}),
	};
}

/** Kinds of writes, each with an account limit of its own. */
type WriteKind = "new-addresses" | "sandbox-addresses" | "changes" | "new-keys" | "private-reads" | "attestations";

/**
 * What a write spends (`spending`) of what its account, its network and its wide network may write today, in the database that it writes
 * to. The answer tells what is left. The order matters: what a network still allows depends on what the account has spent by then.
 */
export function spendingWrite(registry: Registry, kind: WriteKind, userId: string, writing: Writing = {}): Statement[] {
	const { ofAccount, ofNetwork, ofWide } = writeLimits(registry, kind, userId, writing);
	return [ofAccount.spendAndNote, ofNetwork.spend, ofWide.spend];
}

/** The kind of write that minting a code with a prefix such as `NG0421` counts as. */
const kindOfMint = (prefix: string) => (isSandboxCode(prefix) ? "sandbox-addresses" : "new-addresses");

/** What minting an address in a zone, such as `NG0421`, spends. It also counts the zone's new addresses, for operators. */
export function spendingMint(registry: Registry, zone: string, userId: string, writing: Writing): Statement[] {
	return [countingInZone(registry, zone), ...spendingWrite(registry, kindOfMint(zone), userId, writing)];
}

/** Reads how many addresses an account has minted today in a database, under codes with a prefix, and how many it may. */
export function usageOfMints(registry: Registry, prefix: string, userId: string): Statement<Spent[]> {
	return writeLimits(registry, kindOfMint(prefix), userId, {}).ofAccount.usage;
}

/**
 * Spends one of the private addresses that an agent may read today, once for each address. It protects people and not a database, so it
 * counts in the database of accounts, before the reading is recorded.
 * @param note Gets how many the agent has read today, if this one is new.
 */
export function countingPrivateRead(
	registry: Registry,
	agentId: string,
	canonical: string,
	note: (read: number) => void,
): Statement {
	const kind = "private-reads";
	const { ofAccount, ofNetwork, ofWide } = writeLimits(registry, kind, agentId, {});
	const noted = withResult(ofAccount.spendAndNote, ([row]) => row && note(row.spent));
	const counted = limitStore.countOnce({ subject: `${agentId}:${kind} of ${canonical}`, day: dayOf(registry.now) });
	return ofAccounts(spending(counted, [noted, ofNetwork.spend, ofWide.spend]));
}

/** Counts a try of an account today, whatever comes of it. The answer tells what is left. */
export function spendingTry(registry: Registry, name: "exports" | "attestations", userId: string): Statement {
	const opened = limitStore.open({ subject: `${userId}:${name}`, day: dayOf(registry.now) });
	return spending(opened, [dailyLimit(registry, name, { subject: userId }).spendAndNote]);
}

/**
 * Counts an export of an account today. The answer tells what is left.
 * @param caller Whose account it is.
 * @throws AppError QUOTA_EXCEEDED; also whatever the caller's trip throws.
 */
export async function countExport(registry: Registry, caller: Caller): Promise<void> {
	await caller.run(registry.database, (userId) => spendingTry(registry, "exports", userId));
}

/** What closing an account spends of what it may today (`spending`). The answer tells what is left. */
export function spendingClosing(registry: Registry, userId: string): Statement[] {
	return [dailyLimit(registry, "closings", { subject: userId }).spendAndNote];
}

/** Counts the new addresses of a zone, such as `NG0421`, today, and shows operators when there are many. */
function countingInZone(registry: Registry, zone: string): Statement {
	const name = "new-addresses-of-zone";
	const counting = limitStore.countWritten({ subject: `${zone}:${name}`, day: dayOf(registry.now) });
	return withResult(counting, ([row]) => {
		if (row?.count === perDay[name].quota + 1 && !isSandboxCode(zone))
			showSuspicion(registry, "many_new_addresses", {}, { zone });
	});
}

/**
 * What storing a new account spends (`spending`) of what a network, and the IPv4 /24 or IPv6 /48 around it, may register today. Past the
 * quota, a few a minute may still be opened, so that nobody closes registration to the others there. The error is RATE_LIMITED.
 */
export function spendingRegistration(registry: Registry): Statement[] {
	const subject = networkSubject(registry, "registrations");
	const ofNetwork = dailyLimit(registry, "registrations-of-network", { subject });
	const wide = wideNetworkSubject(registry, "registrations");
	const ofWide = dailyLimit(registry, "registrations-of-wide-network", { subject: wide });
	return [ofNetwork.spend, ofWide.spend];
}
