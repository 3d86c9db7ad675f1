import type { Context } from "hono";
import { DATABASE_UNAVAILABLE, messagesOf } from "../db/retry.ts";
import { AppError } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { withCache } from "../http/cache.ts";
import { log } from "../log.ts";
import { addressOfRecord, PUBLIC_FIELDS, type PublicAddress, publicRecord } from "./record.ts";
import { addressNotFound, addressRetired } from "./resolve.ts";

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

/** Until when an entry is fresh, in milliseconds since the epoch. */
const FRESH_UNTIL = "X-Fresh-Until";

/** The successor of a retired address. */
const SUCCESSOR = "X-Successor";

/** The format that an address itself is cached in: the JSON that resolving answers. All other formats are drawn from it. */
export const RECORD_FORMAT = "json";

/** A public answer on an address, in one format. */
export interface PublicAnswer {
	body: string | Uint8Array<ArrayBuffer>;
	/** The Content-Type, and what else belongs to the body. */
	headers: Record<string, string>;
	/** Whether a part of it could not be read, so that nobody may keep it. */
	isPartial?: boolean;
}

/** The JSON of an address, as resolving answers it. */
function recordAnswer(address: PublicAddress): PublicAnswer {
	return {
		body: JSON.stringify(publicRecord(address)),
		headers: { "Content-Type": "application/json", Vary: "Accept" },
	};
}

/** The path of the entry of an address in a format, whatever the spelling of its code that was asked for. */
export function entryPath(canonical: string, format = RECORD_FORMAT): string {
	return `/.edge/addresses/${SHAPE}/${canonical}/${format}`;
}

/** Every format that answers are kept in, so that a change can purge them. */
const formats = new Set([RECORD_FORMAT]);

/** Names a format that answers are kept in. */
export function defineFormat(name: string): string {
	formats.add(name);
	return name;
}

/** The entries of one request's origin. A cache that fails finds nothing. */
function entries(c: Context<AppEnv>, canonical: string) {
	const urlOf = (format: string) => webUrl(c) + entryPath(canonical, format);
	return {
		match: (format: string) => withCache((cache) => cache.match(urlOf(format))),
		put: (format: string, entry: Response) => withCache((cache) => cache.put(urlOf(format), entry)),
		delete: (format: string) => withCache((cache) => cache.delete(urlOf(format))),
	};
}

/** An ETag that changes with the address, the format and the body: links in it change with WEB_URL, and fields with a deployment. */
function tagOf({ version }: PublicAddress, format: string, { body }: PublicAnswer): string {
	return `"${version}-${format}-${sha256Hex(body).slice(0, 12)}"`;
}

/** An answer as it is kept: with its ETag, for so many seconds, and fresh until a time in milliseconds since the epoch. */
function entryOf(canonical: string, { body, headers }: PublicAnswer, tag: string, seconds: number, freshUntil: number) {
	return new Response(body, {
		headers: {
			...headers,
			ETag: tag,
			"Cache-Control": `public, max-age=${seconds}`,
			"Cache-Tag": canonical,
			[FRESH_UNTIL]: String(freshUntil),
		},
	});
}

/** What is kept of a code for some seconds that has no address (404) or a retired one (410). */
function refusalEntry(canonical: string, status: 404 | 410, seconds: number, successor?: string | null): Response {
	const headers = {
		"Cache-Control": `public, max-age=${seconds}`,
		"Cache-Tag": canonical,
		[FRESH_UNTIL]: String(Date.now() + seconds * 1000),
		...(successor ? { [SUCCESSOR]: successor } : {}),
	};
	return new Response(null, { status, headers });
}

/** What to keep of an address that has just changed, so that who changed it sees that even where replicas are behind. */
export function changedEntry(address: PublicAddress): Response {
	const answer = recordAnswer(address);
	const tag = tagOf(address, RECORD_FORMAT, answer);
	return entryOf(address.canonical, answer, tag, EDGE_SECONDS, Date.now() + EDGE_SECONDS * 1000);
}

/** What to keep of an address that has just been retired. */
export function retiredEntry(canonical: string, successor: string | null): Response {
	return refusalEntry(canonical, 410, EDGE_SECONDS, successor);
}

function freshUntilOf(entry: Response): number {
	return Number(entry.headers.get(FRESH_UNTIL) ?? 0);
}

/** The answer that an entry holds, as a client gets it. */
function answerOf(canonical: string, entry: Response): Response {
	const answer = new Response(entry.body, entry);
	for (const name of [FRESH_UNTIL, "Age", "CF-Cache-Status"]) answer.headers.delete(name);
	answer.headers.set("Cache-Control", PUBLIC_CACHE_CONTROL);
	answer.headers.set("Cache-Tag", canonical);
	return answer;
}

/** The address that an entry of RECORD_FORMAT holds; undefined where there is no entry, or something else in its place. */
async function readAddress(entry: Response | undefined): Promise<PublicAddress | undefined> {
	if (entry?.status !== 200) return undefined;
	const [, version] = /^"(\d+)-/.exec(entry.headers.get("ETag") ?? "") ?? [];
	return addressOfRecord(await entry.json().catch(() => undefined), Number(version));
}

/** Whether an error says that the database did not answer. */
function isDatabaseAway(error: unknown): boolean {
	return messagesOf(error).some((message) => DATABASE_UNAVAILABLE.test(message));
}

/** Whether a request may be answered from the cache, and its answer kept: anonymous ones that only read. */
function isCacheable(c: Context<AppEnv>): boolean {
	return c.req.header("Authorization") === undefined && /^(GET|HEAD)$/.test(c.req.method);
}

/** An address, and what came of keeping it. */
interface Found {
	address: PublicAddress;
	/** The answer in RECORD_FORMAT and its ETag, where the address was looked up. */
	record?: { answer: PublicAnswer; tag: string };
	freshUntil: number;
}

/**
 * The address of a code by its entry, or else by `lookUp`, whose result is then kept. While the database is away, an address that is no longer
 * fresh is served for up to an hour, and marked so (publicHeaders). Of errors, ADDRESS_NOT_FOUND alone is kept, for a short time.
 * @throws What `lookUp` throws.
 */
async function freshAddress(
	c: Context<AppEnv>,
	canonical: string,
	entry: Response | undefined,
	lookUp: () => Promise<PublicAddress>,
): Promise<Found> {
	const cache = entries(c, canonical);
	const freshUntil = entry ? freshUntilOf(entry) : 0;
	if (entry && freshUntil > Date.now()) {
		if (entry.status === 404) throw addressNotFound();
		if (entry.status === 410) throw addressRetired(entry.headers.get(SUCCESSOR));
		const address = await readAddress(entry);
		if (address) return { address, freshUntil };
	}
	try {
		const address = await lookUp();
		const answer = recordAnswer(address);
		const record = { answer, tag: tagOf(address, RECORD_FORMAT, answer) };
		const freshUntil = Date.now() + EDGE_SECONDS * 1000;
		const entry = entryOf(canonical, answer, record.tag, STALE_SECONDS, freshUntil);
		c.executionCtx.waitUntil(cache.put(RECORD_FORMAT, entry));
		return { address, record, freshUntil };
	} catch (error) {
		const stale = isDatabaseAway(error) ? await readAddress(entry) : undefined;
		if (stale) {
			c.set("staleSeconds", Math.ceil((Date.now() - freshUntil) / 1000));
			log("warn", "stale_address_served", { request_id: c.var.requestId, causes: messagesOf(error) });
			return { address: stale, freshUntil };
		}
		if (error instanceof AppError) {
			if (error.code === "ADDRESS_NOT_FOUND") {
				const absent = refusalEntry(canonical, 404, ABSENT_SECONDS);
				c.executionCtx.waitUntil(cache.put(RECORD_FORMAT, absent));
			}
			// Or it would be served again, the next time the database is away.
			else if (entry) c.executionCtx.waitUntil(cache.delete(RECORD_FORMAT));
		}
		throw error;
	}
}

/**
 * The public part of an address from the cache, or from `lookUp`, whose result is then kept. A request with a credential neither reads nor
 * writes the cache.
 * @param canonical Of a code whose check digit is right, so that nonsense never reaches the cache.
 * @throws What `lookUp` throws.
 */
export async function cachedAddress(
	c: Context<AppEnv>,
	canonical: string,
	lookUp: () => Promise<PublicAddress>,
): Promise<PublicAddress> {
	if (!isCacheable(c)) return lookUp();
	const entry = await entries(c, canonical).match(RECORD_FORMAT);
	return (await freshAddress(c, canonical, entry, lookUp)).address;
}

/**
 * Answers an address in a format: with the answer that is cached, or with one that is drawn from the address and kept as long as it.
 * @param format Of `defineFormat`.
 * @param lookUp As `cachedAddress` takes it.
 * @param draw Makes the answer; for RECORD_FORMAT it is not needed.
 * @throws What `lookUp` and `draw` throw.
 */
export async function cachedAnswer(
	c: Context<AppEnv>,
	canonical: string,
	format: string,
	lookUp: () => Promise<PublicAddress>,
	draw: (address: PublicAddress) => PublicAnswer | Promise<PublicAnswer> = recordAnswer,
): Promise<Response> {
	const answer = (address: PublicAddress, drawn: PublicAnswer, tag = tagOf(address, format, drawn)) =>
		c.body(drawn.body, 200, {
			...drawn.headers,
			...publicHeaders(c, canonical),
			...(drawn.isPartial ? { "Cache-Control": "no-store" } : {}),
			ETag: tag,
		});
	if (!isCacheable(c)) {
		const address = await lookUp();
		return answer(address, await draw(address));
	}
	const cache = entries(c, canonical);
	const kept = await cache.match(format);
	if (kept?.ok && freshUntilOf(kept) > Date.now()) return answerOf(canonical, kept);

	const known = format === RECORD_FORMAT ? kept : await cache.match(RECORD_FORMAT);
	const { address, record, freshUntil } = await freshAddress(c, canonical, known, lookUp);
	if (format === RECORD_FORMAT && record) return answer(address, record.answer, record.tag);
	const drawn = await draw(address);
	const tag = tagOf(address, format, drawn);
	const seconds = Math.ceil((freshUntil - Date.now()) / 1000);
	if (format !== RECORD_FORMAT && !drawn.isPartial && seconds > 0) {
		c.executionCtx.waitUntil(cache.put(format, entryOf(canonical, drawn, tag, seconds, freshUntil)));
	}
	return answer(address, drawn, tag);
}

/**
 * Purges from caches what they hold of an address that has changed: this data centre's entries at once, and, where the runtime has Workers
 * Cache, everything it holds anywhere under the address's tag. Other data centres' entries expire within EDGE_SECONDS.
 * @param instead What to keep until the second purge in the place of the record; nothing when unset.
 * @param purged The formats to purge; a code that had no address until now has only its record, which says so.
 */
export async function purgeAddress(
	c: Context<AppEnv>,
	canonical: string,
	instead?: Response,
	purged: Iterable<string> = formats,
): Promise<void> {
	const cache = entries(c, canonical);
	const deleteEntries = () => Promise.all(Array.from(purged, cache.delete));
	await deleteEntries();
	if (instead) await cache.put(RECORD_FORMAT, instead);
	c.executionCtx.waitUntil(scheduler.wait(SECOND_DELETE_MILLISECONDS).then(deleteEntries));
	const { cache: workersCache } = c.executionCtx as { cache?: CacheContext };
	if (workersCache) c.executionCtx.waitUntil(workersCache.purge({ tags: [canonical] }));
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
