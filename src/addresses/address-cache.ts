import { makerStands } from "../accounts/share-maker-actions.ts";
import type { AddressCode } from "../codes/code.ts";
import { DATABASE_UNAVAILABLE, messagesOf } from "../db/retry.ts";
import { AppError } from "../errors.ts";
import { withCache } from "../http/cache.ts";
import type { Language } from "../languages/languages.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import { addressOfRecord, PUBLIC_FIELDS, type PublicAddress, publicRecord } from "./address-record.ts";
import { entityTag, versionsOf } from "./entity-tag.ts";
import { writeToJournal } from "./journal.ts";
import { lookUpForAnyone } from "./look-up.ts";
import { addressNotFound, addressPrivate, addressRetired, isWithheld } from "./retired-or-withheld.ts";
import type { Share } from "./share-link.ts";
import type { Address } from "./store.ts";

/**
 * How long an address may be cached, in seconds: in this Worker's cache in one data centre, in a shared cache in front of it, and in a
 * browser in front of that. The three add up, so that nobody sees the old address for longer than a minute after a change.
 */
export const EDGE_SECONDS = 30;
export const SHARED_SECONDS = 20;
export const BROWSER_SECONDS = 10;

/** How long the absence of an address is cached, in seconds. */
const ABSENT_SECONDS = 10;

/** The Cache-Control of a public answer on an address, for shared caches and browsers. */
export const PUBLIC_CACHE_CONTROL = `public, max-age=${BROWSER_SECONDS}, s-maxage=${SHARED_SECONDS}`;

/** How long after a change its entry is deleted again, in milliseconds. By then, any look-up that read the old row has stored it. */
const SECOND_DELETE_MILLISECONDS = 1000;

/** How long a stale address stays cached in case the database does not answer, in seconds. */
export const STALE_SECONDS = 600;

/**
 * The shape of entries, and as a number that of refusals. It is part of each path, so that no deployment reads entries of another shape.
 */
const SHAPE = ["3", ...PUBLIC_FIELDS].join();

/** The header that says until when an entry is fresh, in milliseconds since the epoch. */
const FRESH_UNTIL = "X-Fresh-Until";

/** The format in which an address itself is cached: the JSON that resolving answers. All drawings are made from it. */
export const RECORD_FORMAT = "json";

/** A public answer on an address, in one format. */
export interface PublicAnswer {
	body: string | Uint8Array<ArrayBuffer>;
	/** The Content-Type, and any other header that belongs to the body. */
	headers: Record<string, string>;
	/** Whether part of the body could not be read, so that nobody may cache it. */
	isPartial?: boolean;
}

/** The path of the cache entry of an address, whatever the spelling of the requested code. */
export function entryPath(canonical: string): string {
	return `/.edge/addresses/${SHAPE}/${canonical}`;
}

/**
 * The path of a drawing of one version of an address. Every change that a reader can see raises the version, so older drawings are never
 * found again and need no deletion.
 */
export function drawingPath(canonical: string, version: number, format: Format): string {
	return `${entryPath(canonical)}/${version}/${format}`;
}

/** The format of an address's page in a language. If the URL itself names the language (`isAsked`), the page has different links. */
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

/** The cache under the registry's origin. If the cache fails, it finds nothing. */
function entries({ webUrl }: Registry) {
	return {
		match: (path: string) => withCache((cache) => cache.match(webUrl + path)),
		put: (path: string, entry: Response) => withCache((cache) => cache.put(webUrl + path, entry)),
		delete: (path: string) => withCache((cache) => cache.delete(webUrl + path)),
	};
}

/** Adds the ETag. */
async function withEtag({ version }: PublicAddress, format: Format, answer: PublicAnswer): Promise<PublicAnswer> {
	const ETag = await entityTag(version, format, answer.body);
	return { ...answer, headers: { ...answer.headers, ETag } };
}

/** The JSON of an address, as resolving answers it. */
function drawRecord(address: PublicAddress): PublicAnswer {
	const headers = { "Content-Type": "application/json", Vary: "Accept" };
	return { body: JSON.stringify(publicRecord(address)), headers };
}

/** A cache entry for an answer, to be stored for `seconds` and fresh until a time in milliseconds since the epoch. */
function entryOf(canonical: string, { body, headers }: PublicAnswer, seconds: number, freshUntil: number) {
	return new Response(body, {
		headers: {
			...headers,
			"Cache-Control": `public, max-age=${seconds}`,
			"Cache-Tag": canonical,
			[FRESH_UNTIL]: String(freshUntil),
		},
	});
}

/** The details of a cached refusal: the successor, or the zone of a withheld address. */
type Reason = Pick<Address, "successor" | "zoneName" | "zoneRegion" | "hiddenAt">;

/** A cache entry for a code that has no address (404), or whose address is retired (410) or withheld (403). */
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

/** The cache entry for an address that has just changed. */
async function changedEntry(address: Address): Promise<Response> {
	const { canonical, retiredAt, successor } = address;
	if (retiredAt !== null) return refusalEntry(canonical, 410, EDGE_SECONDS, { successor });
	if (isWithheld(address)) return refusalEntry(canonical, 403, EDGE_SECONDS, address);
	const record = await withEtag(address, RECORD_FORMAT, drawRecord(address));
	return entryOf(canonical, record, EDGE_SECONDS, Date.now() + EDGE_SECONDS * 1000);
}

function freshUntilOf(entry: Response): number {
	return Number(entry.headers.get(FRESH_UNTIL) ?? 0);
}

/** The answer for a client, made from a cache entry. */
function answerOf(request: PublicRequest, entry: Response): Response {
	const answer = new Response(entry.body, entry);
	for (const name of [FRESH_UNTIL, "Age", "CF-Cache-Status"]) answer.headers.delete(name);
	for (const [name, value] of Object.entries(publicHeaders(request))) answer.headers.set(name, value);
	return answer;
}

/** The address in an entry of RECORD_FORMAT; undefined where there is no entry, or it holds anything else. */
async function readAddress(entry: Response | undefined): Promise<PublicAddress | undefined> {
	if (entry?.status !== 200) return undefined;
	const [version = Number.NaN] = versionsOf(entry.headers.get("ETag") ?? "");
	return addressOfRecord(await entry.json().catch(() => undefined), version);
}

/** Whether an error says that the database did not answer, or could not tell whether the code has an address. */
function isDatabaseAway(error: unknown): boolean {
	if (error instanceof AppError) return error.code === "UNAVAILABLE";
	return messagesOf(error).some((message) => DATABASE_UNAVAILABLE.test(message));
}

/** A public request for an address. */
export interface PublicRequest {
	/** A code whose check digit is right, so that nonsense never reaches the cache. */
	code: AddressCode;
	/** Whether the request has no Authorization header. The answer to a request with one may not be stored, but is otherwise the same. */
	isAnonymous: boolean;
	/** The content of the request's share link, if it is genuine. */
	share?: Share | undefined;
}

/** An address, and how it was found. */
interface Found {
	address: PublicAddress;
	/** Its record, if it was just made to be cached. */
	record?: PublicAnswer;
	freshUntil: number;
	/** For how many seconds it has been stale; set where it is served because the database does not answer. */
	staleSeconds?: number;
}

/**
 * The address with a given code, from its cache entry if that is fresh, or else by a look-up, whose result is then cached. While the
 * database does not answer, a stale address is served for up to ten minutes and marked so (publicHeaders). Of errors, only
 * ADDRESS_NOT_FOUND and, for withheld addresses, ADDRESS_PRIVATE are cached, for a short time.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, ADDRESS_PRIVATE, RATE_LIMITED; UNAVAILABLE if the database cannot tell.
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
		const record = await withEtag(address, RECORD_FORMAT, drawRecord(address));
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
			// Otherwise the old entry would be served the next time the database does not answer.
			else if (entry && error.code !== "ADDRESS_PRIVATE") registry.afterAnswer(cache.delete(entryPath(canonical)));
		}
		throw error;
	}
}

/** The headers of an answer to a share link: nobody may store it, and pages that it links to do not see the URL. */
const sharedHeaders = ({ code }: PublicRequest) => ({
	"Cache-Control": "no-store",
	"Cache-Tag": code.canonical,
	"Referrer-Policy": "no-referrer",
});

/** The private address that a share link shows, if the link still works; undefined if it does not, or the request has none. */
async function sharedAddress(registry: Registry, { code, share }: PublicRequest): Promise<PublicAddress | undefined> {
	if (!share) return undefined;
	const address = await lookUpForAnyone(registry, code, true);
	const { ownerId, hiddenAt, visibility, shareCount } = address;
	if (hiddenAt !== null || visibility !== "private" || shareCount !== share.count) return undefined;
	const { accountCount, keyId = null } = share;
	return (await makerStands(registry, { userId: ownerId, accountCount, keyId })) ? address : undefined;
}

/**
 * The public view of the live address with a given code, from the cache if that is fresh, and the headers for an answer made of it.
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
 * Answers the public view of the live address with a given code in a format, from a cached drawing or from a new one, which is then cached
 * for as long as the address is fresh.
 * @param draw Makes the answer in that format.
 * @throws As resolveAddress and `draw` do.
 */
export async function answerAddress(
	registry: Registry,
	request: PublicRequest,
	format: Format,
	draw: (address: PublicAddress) => PublicAnswer | Promise<PublicAnswer> = drawRecord,
): Promise<Response> {
	const { canonical } = request.code;
	const shared = await sharedAddress(registry, request);
	if (shared) {
		const { body, headers } = await draw(shared);
		return new Response(body, { headers: { ...headers, ...sharedHeaders(request) } });
	}
	const cache = entries(registry);
	const isRecord = format === RECORD_FORMAT;
	const entry = await cache.match(entryPath(canonical));
	if (isRecord && entry?.ok && freshUntilOf(entry) > Date.now()) return answerOf(request, entry);

	const { address, record, freshUntil, staleSeconds } = await freshAddress(registry, request.code, entry);
	const path = drawingPath(canonical, address.version, format);
	const cached = isRecord || staleSeconds !== undefined ? undefined : await cache.match(path);
	if (cached) return answerOf(request, cached);
	const drawn = isRecord && record ? record : await withEtag(address, format, await draw(address));
	const seconds = Math.ceil((freshUntil - Date.now()) / 1000);
	if (!isRecord && !drawn.isPartial && seconds > 0) {
		registry.afterAnswer(cache.put(path, entryOf(canonical, drawn, seconds, freshUntil)));
	}
	const caching = drawn.isPartial ? { "Cache-Control": "no-store" } : {};
	const headers = { ...drawn.headers, ...publicHeaders(request, staleSeconds), ...caching };
	return new Response(drawn.body, { headers });
}

/** Deletes the cache entry of an address, and again a second later in case a look-up that read the old row has stored it meanwhile. */
async function deleteEntry(registry: Registry, canonical: string, instead?: Response): Promise<void> {
	const cache = entries(registry);
	const path = entryPath(canonical);
	await cache.delete(path);
	if (instead) await cache.put(path, instead);
	registry.afterAnswer(scheduler.wait(SECOND_DELETE_MILLISECONDS).then(() => cache.delete(path)));
}

/**
 * The headers by which caches treat a public answer. Nobody may store the answer to a request with an Authorization header, nor a stale
 * one, which Cache-Status marks with a negative ttl (RFC 9211 section 2.4).
 */
function publicHeaders({ code, isAnonymous }: PublicRequest, staleSeconds?: number): Record<string, string> {
	const tag = { "Cache-Tag": code.canonical };
	if (staleSeconds !== undefined) {
		return { ...tag, "Cache-Control": "no-store", "Cache-Status": `registry; hit; ttl=-${staleSeconds}` };
	}
	return { ...tag, "Cache-Control": isAnonymous ? PUBLIC_CACHE_CONTROL : "no-store" };
}

/**
 * Follows up every change of addresses: writes their newest versions to the journal, and purges what caches hold of them. This data
 * centre's entry goes at once and, where the runtime has Workers Cache, so does everything that it holds anywhere under the address's tag.
 * Other data centres' entries expire within EDGE_SECONDS.
 * @param changed The changed address as it is now, if it is one. It is cached in place of the deleted entry, until that is deleted again,
 * so that whoever changed it sees the change even while replicas are behind.
 */
export async function announceChange(registry: Registry, canonicals: string[], changed?: Address): Promise<void> {
	const instead = changed && (await changedEntry(changed));
	const purging = canonicals.map(async (canonical) => {
		await deleteEntry(registry, canonical, instead);
		registry.purgeTags([canonical]);
	});
	await Promise.all(purging);
	writeToJournal(registry, canonicals);
}

/**
 * Follows up minting: writes to the journal, and deletes this data centre's cached absence of the codes, in case somebody asked a moment
 * ago. Nothing else is cached under a new code, and Workers Cache stores no answer about an absent one.
 */
export async function announceMinted(registry: Registry, canonicals: string[]): Promise<void> {
	await Promise.all(canonicals.map((canonical) => deleteEntry(registry, canonical)));
	writeToJournal(registry, canonicals);
}
