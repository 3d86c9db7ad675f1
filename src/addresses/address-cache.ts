import { makerStands } from "../accounts/share-maker-actions.ts";
import type { AddressCode } from "../codes/code.ts";
import { digestHex } from "../crypto/hash.ts";
import { DATABASE_UNAVAILABLE, messagesOf } from "../db/retry.ts";
import { AppError } from "../errors.ts";
import { withCache } from "../http/cache.ts";
import type { Language } from "../languages/languages.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import { addressOfRecord, PUBLIC_FIELDS, type PublicAddress, publicRecord } from "./address-record.ts";
import { addressNotFound, addressPrivate, addressRetired, isPrivate, isWithheld } from "./issued.ts";
import { writeToJournal } from "./journal.ts";
import { lookUpForAnyone } from "./look-up.ts";
import type { Share } from "./share-link.ts";
import type { Address } from "./store.ts";

/**
 * How long an address may be cached, in seconds. The three ages add up, so that after a change nobody sees the old address for longer
 * than a minute: this Worker's cache in one data centre, a shared cache in front of it, a browser in front of that.
 */
export const EDGE_SECONDS = 30;
export const SHARED_SECONDS = 20;
export const BROWSER_SECONDS = 10;

/** How long the absence of an address is cached, in seconds. */
const ABSENT_SECONDS = 10;

/** The Cache-Control of a public answer on an address, for shared caches and browsers. */
export const PUBLIC_CACHE_CONTROL = `public, max-age=${BROWSER_SECONDS}, s-maxage=${SHARED_SECONDS}`;

/** How long after a change an entry is deleted once more, in milliseconds: by then a look-up that read the old row has stored it. */
const SECOND_DELETE_MILLISECONDS = 1000;

/** How long an address that is no longer fresh is cached in case the database is away, in seconds. */
export const STALE_SECONDS = 600;

/** Names the shape of entries, and by a number that of refusals, so that a deployment reads no entries of another shape. */
const SHAPE = ["3", ...PUBLIC_FIELDS].join();

/** Until when an entry is fresh, in milliseconds since the epoch. */
const FRESH_UNTIL = "X-Fresh-Until";

/** The format that an address itself is cached in: the JSON that resolving answers. All other formats are drawn from it. */
export const RECORD_FORMAT = "json";

/** A public answer on an address, in one format. */
export interface PublicAnswer {
	body: string | Uint8Array<ArrayBuffer>;
	/** The Content-Type, and what else belongs to the body. */
	headers: Record<string, string>;
	/** Whether a part of it could not be read, so that nobody may cache it. */
	isPartial?: boolean;
}

/** The path of the entry of an address, whatever the spelling of its code that was asked for. */
export function entryPath(canonical: string): string {
	return `/.edge/addresses/${SHAPE}/${canonical}`;
}

/**
 * The path of what is drawn of a version of an address. Every change that a reader can see raises the version, so that nobody finds what
 * was drawn before it, and nobody need delete it.
 */
export function drawingPath(canonical: string, version: number, format: Format): string {
	return `${entryPath(canonical)}/${version}/${format}`;
}

/** The format of an address's page in a language. Where the URL names the language, the page has other links. */
export function pageFormat(language: Language, isAsked: boolean) {
	return `page-${language}${isAsked ? "-asked" : ""}` as const;
}

/** The formats of public answers on an address. */
type Format =
	| typeof RECORD_FORMAT
	| "geojson"
	| "units"
	| "qr-svg"
	| "qr-png"
	| "label-svg"
	| "label-png"
	| "contact"
	| "og"
	| ReturnType<typeof pageFormat>;

/** What is cached under the registry's origin. A cache that fails finds nothing. */
function entries({ webUrl }: Registry) {
	return {
		match: (path: string) => withCache((cache) => cache.match(webUrl + path)),
		put: (path: string, entry: Response) => withCache((cache) => cache.put(webUrl + path, entry)),
		delete: (path: string) => withCache((cache) => cache.delete(webUrl + path)),
	};
}

/** An answer with its ETag. */
interface TaggedAnswer extends PublicAnswer {
	tag: string;
}

/** The tag changes with the address, the format and the body: links in it change with WEB_URL, and fields with a deployment. */
async function tagged({ version }: PublicAddress, format: Format, answer: PublicAnswer): Promise<TaggedAnswer> {
	return { ...answer, tag: `"${version}-${format}-${(await digestHex(answer.body)).slice(0, 12)}"` };
}

/** The JSON of an address, as resolving answers it. */
function recordAnswer(address: PublicAddress): Promise<TaggedAnswer> {
	const body = JSON.stringify(publicRecord(address));
	return tagged(address, RECORD_FORMAT, { body, headers: { "Content-Type": "application/json", Vary: "Accept" } });
}

/** An answer as it is cached: for so many seconds, and fresh until a time in milliseconds since the epoch. */
function entryOf(canonical: string, { body, headers, tag }: TaggedAnswer, seconds: number, freshUntil: number) {
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

/** What a refusal of a code says: the successor, or the zone of a withheld address. */
type Reason = Pick<Address, "successor" | "zoneName" | "zoneRegion" | "hiddenAt">;

/** What is cached for some seconds of a code that has no address (404), a retired one (410) or a private one (403). */
function refusalEntry(
	canonical: string,
	status: 403 | 404 | 410,
	seconds: number,
	{ successor, zoneName, zoneRegion, hiddenAt }: Partial<Reason> = {},
): Response {
	const headers = {
		"Cache-Control": `public, max-age=${seconds}`,
		"Cache-Tag": canonical,
		[FRESH_UNTIL]: String(Date.now() + seconds * 1000),
	};
	return Response.json({ successor, zoneName, zoneRegion, hiddenAt }, { status, headers });
}

/** What to cache of an address that has just changed, so that whoever changed it sees that even while replicas are behind. */
export async function changedEntry(address: PublicAddress & Pick<Address, "hiddenAt">): Promise<Response> {
	if (isWithheld(address)) return refusalEntry(address.canonical, 403, EDGE_SECONDS, address);
	return entryOf(address.canonical, await recordAnswer(address), EDGE_SECONDS, Date.now() + EDGE_SECONDS * 1000);
}

/** What to cache of an address that has just been retired. */
export function retiredEntry(canonical: string, successor: string | null): Response {
	return refusalEntry(canonical, 410, EDGE_SECONDS, { successor });
}

function freshUntilOf(entry: Response): number {
	return Number(entry.headers.get(FRESH_UNTIL) ?? 0);
}

/** The answer that an entry holds, as a client gets it. */
function answerOf(request: PublicRequest, entry: Response): Response {
	const answer = new Response(entry.body, entry);
	for (const name of [FRESH_UNTIL, "Age", "CF-Cache-Status"]) answer.headers.delete(name);
	for (const [name, value] of Object.entries(publicHeaders(request))) answer.headers.set(name, value);
	return answer;
}

/** The address that an entry of RECORD_FORMAT holds; undefined where there is no entry, or something else instead. */
async function readAddress(entry: Response | undefined): Promise<PublicAddress | undefined> {
	if (entry?.status !== 200) return undefined;
	const [, version] = /^"(\d+)-/.exec(entry.headers.get("ETag") ?? "") ?? [];
	return addressOfRecord(await entry.json().catch(() => undefined), Number(version));
}

/** Whether an error says that the database did not answer, or could not tell. */
function isDatabaseAway(error: unknown): boolean {
	if (error instanceof AppError) return error.code === "UNAVAILABLE";
	return messagesOf(error).some((message) => DATABASE_UNAVAILABLE.test(message));
}

/** Who asks for an address in public, and for which. */
export interface PublicRequest {
	/** A code whose check digit is right, so that nonsense never reaches the cache. */
	code: AddressCode;
	/**
	 * Whether the request has no Authorization header. Nobody may store the answer to one that has, which is otherwise answered as
	 * any other.
	 */
	isAnonymous: boolean;
	/** What the share link of the request says, where it is genuine. */
	share?: Share | undefined;
}

/** An address, and how it was found. */
interface Found {
	address: PublicAddress;
	/** Its record, where it was just drawn to be cached. */
	record?: TaggedAnswer;
	freshUntil: number;
	/** For how many seconds it has been stale; set where it is served because the database is away. */
	staleSeconds?: number;
}

/**
 * The address of a code by its entry, or else by a look-up, whose result is then cached. While the database is away, an address that
 * is no longer fresh is served for up to ten minutes, and marked so (publicHeaders). Of errors, ADDRESS_NOT_FOUND alone is cached, for
 * a short time.
 * @throws As lookUpForAnyone does.
 */
async function freshAddress(registry: Registry, code: AddressCode, entry: Response | undefined): Promise<Found> {
	const { canonical } = code;
	const cache = entries(registry);
	const freshUntil = entry ? freshUntilOf(entry) : 0;
	if (entry && freshUntil > Date.now()) {
		if (entry.status === 404) throw addressNotFound();
		if (entry.status === 403) throw addressPrivate({ canonical, ...(await entry.json<Reason>()) });
		if (entry.status === 410) throw addressRetired((await entry.json<Reason>()).successor);
		const address = await readAddress(entry);
		if (address) return { address, freshUntil };
	}
	try {
		const address = await lookUpForAnyone(registry, code);
		if (isWithheld(address)) {
			registry.afterAnswer(cache.put(entryPath(canonical), refusalEntry(canonical, 403, EDGE_SECONDS, address)));
			throw addressPrivate(address);
		}
		const record = await recordAnswer(address);
		const freshUntil = Date.now() + EDGE_SECONDS * 1000;
		registry.afterAnswer(cache.put(entryPath(canonical), entryOf(canonical, record, STALE_SECONDS, freshUntil)));
		return { address, record, freshUntil };
	} catch (error) {
		const stale = isDatabaseAway(error) ? await readAddress(entry) : undefined;
		if (stale) {
			log("warn", "stale_address_served", { request_id: registry.requestId, causes: messagesOf(error) });
			return { address: stale, freshUntil, staleSeconds: Math.ceil((Date.now() - freshUntil) / 1000) };
		}
		if (error instanceof AppError) {
			if (error.code === "ADDRESS_NOT_FOUND") {
				const absent = refusalEntry(canonical, 404, ABSENT_SECONDS);
				registry.afterAnswer(cache.put(entryPath(canonical), absent));
			}
			// Or it would be served again, the next time the database is away.
			else if (entry && error.code !== "ADDRESS_PRIVATE") registry.afterAnswer(cache.delete(entryPath(canonical)));
		}
		throw error;
	}
}

/** The headers of an answer to a share link: nobody may store it, and no page that it leads to learns of the link. */
const sharedHeaders = ({ code }: PublicRequest) => ({
	"Cache-Control": "no-store",
	"Cache-Tag": code.canonical,
	"Referrer-Policy": "no-referrer",
});

/** The private address that a link leads to, where the link still works as of now; undefined for a request without one. */
async function sharedAddress(registry: Registry, { code, share }: PublicRequest): Promise<PublicAddress | undefined> {
	if (!share) return undefined;
	const address = await lookUpForAnyone(registry, code, true);
	const { ownerId, hiddenAt, shareCount } = address;
	if (hiddenAt !== null || !isPrivate(address) || shareCount !== share.count) return undefined;
	const { accountCount, keyId = null } = share;
	return (await makerStands(registry, { userId: ownerId, accountCount, keyId })) ? address : undefined;
}

/**
 * What anyone may know of the live address of a code, from the cache where it is fresh, and the headers of an answer made of it.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, ADDRESS_PRIVATE, RATE_LIMITED.
 */
export async function resolveAddress(
	registry: Registry,
	request: PublicRequest,
): Promise<{ address: PublicAddress; headers: Record<string, string> }> {
	const shared = await sharedAddress(registry, request);
	if (shared) return { address: shared, headers: sharedHeaders(request) };
	const entry = await entries(registry).match(entryPath(request.code.canonical));
	const { address, staleSeconds } = await freshAddress(registry, request.code, entry);
	return { address, headers: publicHeaders(request, staleSeconds) };
}

/**
 * Answers what anyone may know of the live address of a code in a format: with the answer that is cached, or with one that is drawn from
 * the address and cached as long as it.
 * @param draw Makes the answer; for RECORD_FORMAT it is not needed.
 * @throws As resolveAddress and `draw` do.
 */
export async function answerAddress(
	registry: Registry,
	request: PublicRequest,
	format: Format,
	draw?: (address: PublicAddress) => PublicAnswer | Promise<PublicAnswer>,
): Promise<Response> {
	const { canonical } = request.code;
	const shared = await sharedAddress(registry, request);
	if (shared) {
		const { body, headers } = await (draw ?? recordAnswer)(shared);
		return new Response(body, { headers: { ...headers, ...sharedHeaders(request) } });
	}
	const cache = entries(registry);
	const entry = await cache.match(entryPath(canonical));
	if (format === RECORD_FORMAT && entry?.ok && freshUntilOf(entry) > Date.now()) return answerOf(request, entry);

	const { address, record, freshUntil, staleSeconds } = await freshAddress(registry, request.code, entry);
	const path = drawingPath(canonical, address.version, format);
	const cached = format === RECORD_FORMAT || staleSeconds !== undefined ? undefined : await cache.match(path);
	if (cached) return answerOf(request, cached);
	const drawn = draw ? await tagged(address, format, await draw(address)) : (record ?? (await recordAnswer(address)));
	const seconds = Math.ceil((freshUntil - Date.now()) / 1000);
	if (format !== RECORD_FORMAT && !drawn.isPartial && seconds > 0) {
		registry.afterAnswer(cache.put(path, entryOf(canonical, drawn, seconds, freshUntil)));
	}
	const caching = drawn.isPartial ? { "Cache-Control": "no-store" } : {};
	const headers = { ...drawn.headers, ...publicHeaders(request, staleSeconds), ...caching, ETag: drawn.tag };
	return new Response(drawn.body, { headers });
}

/** Deletes the entry of an address, and once more when a look-up that read the old row has stored it. */
async function deleteEntry(registry: Registry, canonical: string, instead?: Response): Promise<void> {
	const cache = entries(registry);
	const path = entryPath(canonical);
	await cache.delete(path);
	if (instead) await cache.put(path, instead);
	registry.afterAnswer(scheduler.wait(SECOND_DELETE_MILLISECONDS).then(() => cache.delete(path)));
}

/**
 * What caches need to know of a public answer on an address. Nobody may store the answer to a request with an Authorization header, nor one
 * that is no longer fresh, which Cache-Status tells (RFC 9211 section 2.4: a negative ttl).
 */
function publicHeaders({ code, isAnonymous }: PublicRequest, staleSeconds?: number): Record<string, string> {
	const tag = { "Cache-Tag": code.canonical };
	if (staleSeconds !== undefined) {
		return { ...tag, "Cache-Control": "no-store", "Cache-Status": `registry; hit; ttl=-${staleSeconds}` };
	}
	return { ...tag, "Cache-Control": isAnonymous ? PUBLIC_CACHE_CONTROL : "no-store" };
}

/**
 * What follows every change of addresses, whoever made it: writes their newest versions to the journal, and drops what caches hold of them.
 * This data centre's entry goes at once and, where the runtime has Workers Cache, everything it holds anywhere under the address's tag.
 * Other data centres' entries expire within EDGE_SECONDS.
 * @param instead What to cache until the second purge instead of the record.
 */
export async function announceChange(registry: Registry, canonicals: string[], instead?: Response): Promise<void> {
	const purging = canonicals.map(async (canonical) => {
		await deleteEntry(registry, canonical, instead);
		registry.purgeTags([canonical]);
	});
	await Promise.all(purging);
	writeToJournal(registry, canonicals);
}

/**
 * What follows minting: the journal, and that this data centre forgets that the codes had no address, in case somebody asked a moment ago.
 * Nothing else is cached of such a code, and no answer to it is one that Workers Cache stores.
 */
export async function announceMinted(registry: Registry, canonicals: string[]): Promise<void> {
	await Promise.all(canonicals.map((canonical) => deleteEntry(registry, canonical)));
	writeToJournal(registry, canonicals);
}
