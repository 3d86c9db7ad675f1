import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { openAccountsDatabase } from "../db/open.ts";
import { AppError } from "../errors.ts";
import { type DailyQuota, type DailyQuotaOptions, dailyQuota } from "../limits/daily-quota.ts";
import { type LoginThrottle, loginThrottle } from "../limits/failed-logins.ts";
import { createLimitStore } from "../limits/store.ts";
import { keyedHash, sha256Hex } from "../secret.ts";
import type { AppEnv } from "./app-env.ts";
import { withCache } from "./cache.ts";
import { networkOf } from "./client-network.ts";
import { log } from "./log.ts";

/** The period of every `ratelimits` binding in wrangler.toml, in seconds. */
const PERIOD_SECONDS = 60;

/** The network that a request is counted by. */
export function clientNetwork(c: Context<AppEnv>): string {
	return networkOf(c.req.header("CF-Connecting-IP"));
}

function rateLimited(detail: string): AppError {
	return new AppError("RATE_LIMITED", detail, { headers: { "Retry-After": String(PERIOD_SECONDS) } });
}

async function isWithin(limit: RateLimit, key: string): Promise<boolean> {
	return (await limit.limit({ key })).success;
}

/** The outer ring around accounts: so many calls a minute and network. */
export const limitAuthCalls = createMiddleware<AppEnv>(async (c, next) => {
	if (!(await isWithin(c.env.AUTH_CALLS, clientNetwork(c)))) {
		throw rateLimited("Too many calls from your network. Wait a minute.");
	}
	await next();
});

/** The throttle on guessing passwords, for a phone and the network of this request. */
export function loginThrottleOf(c: Context<AppEnv>): (phone: string) => LoginThrottle {
	const { limits, signingSecrets } = c.var.config;
	const store = createLimitStore(openAccountsDatabase(c.env));
	return (phone) =>
		loginThrottle(store, limits, signingSecrets[0].secret, { phone, network: clientNetwork(c) }, Date.now());
}

/** One place for every host and scheme that the Worker answers under, or a sweep would go on under another. */
const SWEEPS_URL = "https://sweeps.invalid";

/** Where the edge remembers for a minute that a network sweeps. The hash keeps the network out of the URL. */
function sweepMark(c: Context<AppEnv>): Request {
	return new Request(`${SWEEPS_URL}/${sha256Hex(clientNetwork(c))}`);
}

function sweeping(): AppError {
	return rateLimited("Too many codes that do not exist were asked from your network. Wait a minute.");
}

/**
 * Spends a look-up in the database. Called before the database is asked, and not for what a cache answers.
 * @param ring Counts look-ups of one code, or batches of them.
 * @throws AppError RATE_LIMITED when the network has none left, or has asked for too many codes that do not exist.
 */
export async function spendLookup(c: Context<AppEnv>, ring: "LOOKUPS" | "BATCHES" = "LOOKUPS"): Promise<void> {
	if (!(await isWithin(c.env[ring], clientNetwork(c))))
		throw rateLimited("Too many codes were looked up from your network. Wait a minute.");
	if (await withCache((cache) => cache.match(sweepMark(c)))) throw sweeping();
}

/**
 * Counts look-ups that found nothing. A zone has 10,000 codes and anyone can compute their check digits, so this is what makes reading a
 * zone out slow and seen: past the limit the network gets no answer about any code for a minute, because answering only for
 * those that exist would tell them apart just as well.
 * @param code One of the codes; its zone goes to the log.
 * @throws AppError RATE_LIMITED when the network has asked for too many.
 */
export async function countMisses(c: Context<AppEnv>, code: string, count = 1): Promise<void> {
	const network = clientNetwork(c);
	const counted = await Promise.all(Array.from({ length: count }, () => isWithin(c.env.MISSES, network)));
	if (!counted.includes(false)) return;
	log("warn", "sweep", {
		request_id: c.var.requestId,
		network: keyedHash(c.var.config.signingSecrets[0].secret, "sweep", network).slice(0, 12),
		zone: code.slice(0, 6),
	});
	const mark = new Response(null, { headers: { "Cache-Control": `public, max-age=${PERIOD_SECONDS}` } });
	await withCache((cache) => cache.put(sweepMark(c), mark));
	throw sweeping();
}

/** A daily quota in the accounts' database. */
export function dailyQuotaOf(c: Context<AppEnv>, options: DailyQuotaOptions, now: number): DailyQuota {
	return dailyQuota(createLimitStore(openAccountsDatabase(c.env)), options, now);
}

/** The caller's quota of new addresses a day. */
export function newAddressQuota(c: Context<AppEnv>, now: number): DailyQuota {
	const quota = c.var.config.limits.NEW_ADDRESSES_PER_ACCOUNT_AND_DAY;
	return dailyQuotaOf(
		c,
		{
			name: "new-addresses",
			subject: `new-addresses:${c.var.caller.userId}`,
			quota,
			detail: `An account may create ${quota} addresses a day (UTC).`,
		},
		now,
	);
}
