import type { Context } from "hono";
import { type PublicAddress, publicPart } from "../addresses/record.ts";
import { addressNotFound } from "../addresses/resolve.ts";
import { AppError } from "../errors.ts";
import { sha256Hex } from "../secret.ts";
import { type AppEnv, webUrl } from "./app-env.ts";
import { withCache } from "./cache.ts";

/**
 * How long an address may be remembered, in seconds. The three ages add up, so that after a change nobody sees the old address
 * for longer than a minute: this Worker's memory in one data centre, a shared cache in front of it, a browser in front of that.
 */
export const EDGE_SECONDS = 30;
export const SHARED_SECONDS = 20;
export const BROWSER_SECONDS = 10;

/** How long it is remembered that a code has no address, in seconds. */
export const ABSENT_SECONDS = 10;

/** How long after a change an entry is dropped once more, in milliseconds: by then a look-up that read the old row has stored it. */
const SECOND_DROP_MILLISECONDS = 1000;

/** The one entry of an address, whatever the spelling or format that was asked for. */
function entryUrl(c: Context<AppEnv>, canonical: string): string {
	return `${webUrl(c)}/.edge/addresses/${canonical}`;
}

function remember(c: Context<AppEnv>, canonical: string, address: PublicAddress | null): void {
	const seconds = address ? EDGE_SECONDS : ABSENT_SECONDS;
	const entry = Response.json(address && publicPart(address), {
		headers: { "Cache-Control": `public, max-age=${seconds}`, "Cache-Tag": canonical },
	});
	c.executionCtx.waitUntil(withCache((cache) => cache.put(entryUrl(c, canonical), entry)));
}

/**
 * The public part of an address from the edge's memory, or from `lookUp`, whose answer is then remembered.
 *
 * What is remembered is the address and not a response, so that formats, spellings and hosts cannot mix, and one entry is
 * all there is to drop when it changes. Refused are: a request with an Authorization header, which neither reads nor writes
 * the memory; a method other than GET and HEAD; and every error but ADDRESS_NOT_FOUND, which is remembered for a short time.
 * @param canonical of a code whose check digit is right, so that nonsense never reaches the cache
 * @throws what `lookUp` throws
 */
export async function rememberedAddress(
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
		remember(c, canonical, address);
		return address;
	} catch (error) {
		if (error instanceof AppError && error.code === "ADDRESS_NOT_FOUND") remember(c, canonical, null);
		throw error;
	}
}

/**
 * Drops what caches hold of an address that has changed: this data centre's entry at once, and, where the runtime has Workers
 * Cache, everything it holds anywhere under the address's tag. Other data centres' entries run out within EDGE_SECONDS.
 */
export async function forgetAddress(c: Context<AppEnv>, canonical: string): Promise<void> {
	const drop = () => withCache((cache) => cache.delete(entryUrl(c, canonical)));
	await drop();
	c.executionCtx.waitUntil(scheduler.wait(SECOND_DROP_MILLISECONDS).then(drop));
	const { cache } = c.executionCtx as { cache?: CacheContext };
	if (cache) c.executionCtx.waitUntil(cache.purge({ tags: [canonical] }));
}

/** What caches need to know of a public answer on an address. To a request with an Authorization header goes one that nobody may store. */
export function publicHeaders(c: Context<AppEnv>, canonical: string): Record<string, string> {
	const isAnonymous = c.req.header("Authorization") === undefined;
	return {
		"Cache-Control": isAnonymous ? `public, max-age=${BROWSER_SECONDS}, s-maxage=${SHARED_SECONDS}` : "no-store",
		"Cache-Tag": canonical,
	};
}

/** A public representation of an address. */
export interface PublicAnswer {
	body: string;
	contentType: string;
	/** Names the representation beside others of the same address, such as `geojson`. */
	format: string;
	headers?: Record<string, string>;
}

/**
 * Answers a public representation of an address. The routes that use it stand behind `conditional`, which makes it a 304 where
 * the caller has it.
 */
export function answerPublicly(c: Context<AppEnv>, address: PublicAddress, answer: PublicAnswer): Response {
	return c.body(answer.body, 200, {
		...publicHeaders(c, address.canonical),
		"Content-Type": answer.contentType,
		// The body's hash beside the version, because links in it change with WEB_URL and fields with a deployment.
		ETag: `"${address.version}-${answer.format}-${sha256Hex(answer.body).slice(0, 12)}"`,
		"Cross-Origin-Resource-Policy": "cross-origin",
		...answer.headers,
	});
}
