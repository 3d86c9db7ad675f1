/**
 * The guard against enumeration. A zone has 10,000 codes and anyone can compute their check digits, so codes could be read out by guessing.
 * Limits on look-ups, and a stricter one on look-ups that find nothing, make that slow and visible.
 */
import type { Context } from "hono";
import { AppError } from "../errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { withCache } from "../http/cache.ts";
import { clientNetwork, countCall, PERIOD_SECONDS, rateLimited } from "../http/rate-limit.ts";
import { log } from "../log.ts";
import { keyedHash, sha256Hex } from "../secret.ts";

/** One place for every host and scheme that the Worker answers under, or enumeration would go on under another. */
const ENUMERATION_URL = "https://enumeration.invalid";

/** The cache entry that says, for a minute, that a network enumerates. The hash keeps the network out of the URL. */
function enumerationEntry(c: Context<AppEnv>): Request {
	return new Request(`${ENUMERATION_URL}/${sha256Hex(clientNetwork(c) ?? "")}`);
}

function tooManyMisses(): AppError {
	return rateLimited("Your network asked for too many codes that do not exist. Wait a minute.");
}

/** Whether a look-up found nothing. */
export function isMiss(outcome: unknown): boolean {
	return outcome instanceof AppError && outcome.code === "ADDRESS_NOT_FOUND";
}

/**
 * Spends a look-up in the database. Called before the database is asked, and not for what a cache answers.
 * @param limit Counts look-ups of one code, or batches of them.
 * @throws AppError RATE_LIMITED when the network has none left, or has asked for too many codes that do not exist.
 */
export async function spendLookup(c: Context<AppEnv>, limit: "LOOKUPS" | "BATCHES" = "LOOKUPS"): Promise<void> {
	if (!(await countCall(c, limit))) throw rateLimited("Your network looked up too many codes. Wait a minute.");
	if (await withCache((cache) => cache.match(enumerationEntry(c)))) throw tooManyMisses();
}

/**
 * Counts look-ups that found nothing. Past the limit the network gets no answer about any code for a minute, because answering only for
 * codes that exist would tell them apart just as well.
 * @param code One of the codes; its zone goes to the log.
 * @throws AppError RATE_LIMITED when the network has asked for too many.
 */
export async function countMisses(c: Context<AppEnv>, code: string, count = 1): Promise<void> {
	const counted = await Promise.all(Array.from({ length: count }, () => countCall(c, "MISSES")));
	if (!counted.includes(false)) return;
	log("warn", "enumeration", {
		request_id: c.var.requestId,
		network: keyedHash(c.var.config.signingSecrets[0].secret, "enumeration", clientNetwork(c) ?? "").slice(0, 12),
		zone: code.slice(0, 6),
	});
	const entry = new Response(null, { headers: { "Cache-Control": `public, max-age=${PERIOD_SECONDS}` } });
	await withCache((cache) => cache.put(enumerationEntry(c), entry));
	throw tooManyMisses();
}
