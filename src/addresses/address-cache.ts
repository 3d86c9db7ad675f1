import type { Context } from "hono";
import { AppError } from "../errors.ts";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { withCache } from "../http/cache.ts";
import { sha256Hex } from "../secret.ts";
import { type PublicAddress, publicPart } from "./record.ts";
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

/** The one entry of an address, whatever the spelling or format that was asked for. */
function entryUrl(c: Context<AppEnv>, canonical: string): string {
	return `${webUrl(c)}/.edge/addresses/${canonical}`;
}

function putAddress(c: Context<AppEnv>, canonical: string, address: PublicAddress | null): void {
	const seconds = address ? EDGE_SECONDS : ABSENT_SECONDS;
	const entry = Response.json(address && publicPart(address), {
		headers: { "Cache-Control": `public, max-age=${seconds}`, "Cache-Tag": canonical },
	});
	c.executionCtx.waitUntil(withCache((cache) => cache.put(entryUrl(c, canonical), entry)));
}

/**
 * The public part of an address from the cache, or from `lookUp`, whose answer is then cached.
 *
 * What is cached is the address and not a response, so that formats, spellings and hosts cannot mix, and one entry is all there is to
 * delete when it changes. The cache refuses a request with an Authorization header, which neither reads nor writes it; a
 * method other than GET and HEAD; and every error but ADDRESS_NOT_FOUND, which it keeps for a short time.
 * @param canonical Of a code whose check digit is right, so that nonsense never reaches the cache.
 * @throws What `lookUp` throws.
 */
export async function cachedAddress(
	c: Context<AppEnv>,
	canonical: string,
	lookUp: () => Promise<PublicAddress>,
): Promise<PublicAddress> {
	if (c.req.header("Authorization") !== undefined || !/^(GET|HEAD)$/.test(c.req.method)) return lookUp();
	const entry = await withCache((cache) => cache.match(entryUrl(c, canonical)));
	if (entry) {
		const address = await entry.json<PublicAddress | null>();
		if (address) return address;
		throw addressNotFound();
	}
	try {
		const address = await lookUp();
		putAddress(c, canonical, address);
		return address;
	} catch (error) {
		if (error instanceof AppError && error.code === "ADDRESS_NOT_FOUND") putAddress(c, canonical, null);
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

/** What caches need to know of a public answer on an address. Nobody may store the answer to a request with an Authorization header. */
export function publicHeaders(c: Context<AppEnv>, canonical: string): Record<string, string> {
	const isAnonymous = c.req.header("Authorization") === undefined;
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
