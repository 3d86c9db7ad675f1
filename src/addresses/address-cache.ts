import type { Context } from "hono";
import { DATABASE_UNAVAILABLE, messagesOf } from "../db/retry.ts";
import { AppError } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { withCache } from "../http/cache.ts";
import { log } from "../log.ts";
import { PUBLIC_FIELDS, type PublicAddress, publicPart } from "./record.ts";
import { addressNotFound } from "./resolve.ts";

/**
 * How long an address may be cached, in seconds. The three ages add up, so that after a change nobody sees the old address for longer
 * than a minute: this Worker's cache in one data centre, a shared cache in front of it, a browser in front of that.
 */
export const EDGE_SECONDS = 30;
export const SHARED_SECONDS = 20;
export const BROWSER_SECONDS = 10;

/** How long it is cached that a code has no address, in seconds. */
export const ABSENT_SECONDS = 10;

/** The Cache-Control of a public answer on an address, for shared caches and browsers. */
export const PUBLIC_CACHE_CONTROL = `public, max-age=${BROWSER_SECONDS}, s-maxage=${SHARED_SECONDS}`;

/** How long after a change an entry is deleted once more, in milliseconds: by then a look-up that read the old row has stored it. */
const SECOND_DELETE_MILLISECONDS = 1000;

/** How long an address that is no longer fresh is kept in case the database is away, in seconds. */
export const STALE_SECONDS = 3600;

/** Names the shape of entries, so that a deployment with other fields does not read those of the one before. */
const SHAPE = sha256Hex(PUBLIC_FIELDS.join()).slice(0, 8);

/** What is cached of a code: its address or, where it has none, null. */
interface Entry {
	address: PublicAddress | null;
	/** Milliseconds since the epoch. */
	freshUntil: number;
}

/** The path of the one entry of an address, whatever the spelling or format that was asked for. */
export function entryPath(canonical: string): string {
	return `/.edge/addresses/${SHAPE}/${canonical}`;
}

function entryUrl(c: Context<AppEnv>, canonical: string): string {
	return webUrl(c) + entryPath(canonical);
}

function isEntry(value: unknown): value is Entry {
	if (typeof value !== "object" || value === null || !("address" in value) || !("freshUntil" in value)) return false;
	const { address, freshUntil } = value;
	if (typeof freshUntil !== "number" || typeof address !== "object") return false;
	return address === null || PUBLIC_FIELDS.every((field) => field in address);
}

/** The cache entry of a code, or undefined where the cache has nothing, or something else, under its path. */
function matchEntry(c: Context<AppEnv>, canonical: string): Promise<Entry | undefined> {
	return withCache(async (cache) => {
		const value: unknown = await (await cache.match(entryUrl(c, canonical)))?.json();
		return isEntry(value) ? value : undefined;
	});
}

function putAddress(c: Context<AppEnv>, canonical: string, address: PublicAddress | null): void {
	const freshSeconds = address ? EDGE_SECONDS : ABSENT_SECONDS;
	const entry: Entry = { address: address && publicPart(address), freshUntil: Date.now() + freshSeconds * 1000 };
	const keptSeconds = address ? STALE_SECONDS : ABSENT_SECONDS;
	const headers = { "Cache-Control": `public, max-age=${keptSeconds}`, "Cache-Tag": canonical };
	c.executionCtx.waitUntil(withCache((cache) => cache.put(entryUrl(c, canonical), Response.json(entry, { headers }))));
}

/** Whether an error says that the database did not answer. */
function isDatabaseAway(error: unknown): boolean {
	return messagesOf(error).some((message) => DATABASE_UNAVAILABLE.test(message));
}

/**
 * The public part of an address from the cache, or from `lookUp`, whose answer is then cached.
 *
 * What is cached is the address and not a response, so that formats, spellings and hosts cannot mix, and one entry is all there is to
 * delete when it changes. The cache refuses a request with an Authorization header, which neither reads nor writes it; a
 * method other than GET and HEAD; and every error but ADDRESS_NOT_FOUND, which it keeps for a short time. While the database is away, an
 * address that is no longer fresh is served for up to an hour, and marked so (publicHeaders).
 * @param canonical Of a code whose check digit is right, so that nonsense never reaches the cache.
 * @throws What `lookUp` throws.
 */
export async function cachedAddress(
	c: Context<AppEnv>,
	canonical: string,
	lookUp: () => Promise<PublicAddress>,
): Promise<PublicAddress> {
	if (c.req.header("Authorization") !== undefined || !/^(GET|HEAD)$/.test(c.req.method)) return lookUp();
	const entry = await matchEntry(c, canonical);
	const age = entry ? Date.now() - entry.freshUntil : 0;
	if (entry && age < 0) {
		if (entry.address) return entry.address;
		throw addressNotFound();
	}
	try {
		const address = await lookUp();
		putAddress(c, canonical, address);
		return address;
	} catch (error) {
		if (entry?.address && isDatabaseAway(error)) {
			c.set("staleSeconds", Math.ceil(age / 1000));
			log("warn", "stale_address_served", { request_id: c.var.requestId, causes: messagesOf(error) });
			return entry.address;
		}
		if (error instanceof AppError) {
			if (error.code === "ADDRESS_NOT_FOUND") putAddress(c, canonical, null);
			// Or it would be served again, the next time the database is away.
			else if (entry) c.executionCtx.waitUntil(withCache((cache) => cache.delete(entryUrl(c, canonical))));
		}
		throw error;
	}
}

/**
 * Purges from caches what they hold of an address that has changed: this data centre's entry at once, and, where the runtime has Workers
 * Cache, everything it holds anywhere under the address's tag. Other data centres' entries expire within EDGE_SECONDS.
 */
export async function purgeAddress(c: Context<AppEnv>, canonical: string): Promise<void> {
	const deleteEntry = () => withCache((cache) => cache.delete(entryUrl(c, canonical)));
	await deleteEntry();
	c.executionCtx.waitUntil(scheduler.wait(SECOND_DELETE_MILLISECONDS).then(deleteEntry));
	const { cache } = c.executionCtx as { cache?: CacheContext };
	if (cache) c.executionCtx.waitUntil(cache.purge({ tags: [canonical] }));
}

/**
 * What caches need to know of a public answer on an address. Nobody may store the answer to a request with an Authorization header, nor one
 * that is no longer fresh, which Cache-Status tells (RFC 9211 section 2.4: a negative ttl).
 */
export function publicHeaders(c: Context<AppEnv>, canonical: string): Record<string, string> {
	const isAnonymous = c.req.header("Authorization") === undefined;
	const stale = c.get("staleSeconds");
	if (stale !== undefined) {
		return { "Cache-Control": "no-store", "Cache-Tag": canonical, "Cache-Status": `registry; hit; ttl=-${stale}` };
	}
	return { "Cache-Control": isAnonymous ? PUBLIC_CACHE_CONTROL : "no-store", "Cache-Tag": canonical };
}

/** A public representation of an address. */
export interface PublicAnswer {
	body: string | Uint8Array<ArrayBuffer>;
	contentType: string;
	/** Names the representation beside others of the same address, such as `geojson`. */
	format: string;
	headers?: Record<string, string>;
}

/** Answers a public representation of an address, with an ETag that changes with the address, the format and the deployment. */
export function answerPublicly(c: Context<AppEnv>, address: PublicAddress, answer: PublicAnswer): Response {
	return c.body(answer.body, 200, {
		...publicHeaders(c, address.canonical),
		"Content-Type": answer.contentType,
		// The body's hash beside the version, because links in it change with WEB_URL and fields with a deployment.
		ETag: `"${address.version}-${answer.format}-${sha256Hex(answer.body).slice(0, 12)}"`,
		...answer.headers,
	});
}
