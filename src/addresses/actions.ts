/**
 * The main entrance to this folder, for the API, the console and the command line: what people and their systems do with addresses. It
 * applies limits, purges caches and logs events.
 */
import { shareCountOf } from "../accounts/share-maker-actions.ts";
import { type AddressCode, normalizeCode, partsOf } from "../codes/code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import type { Caller } from "../db/caller.ts";
import type { Database } from "../db/open.ts";
import { retryOnConflict } from "../db/refusal.ts";
import { inEach, latestBy, merged } from "../db/several.ts";
import type { ResultOf, Statement, Statements } from "../db/statement.ts";
import { inOneTrip, spending } from "../db/statement.ts";
import { AppError, invalidField } from "../errors.ts";
import { FOREIGN_CURSOR, readOpaque, writeOpaque } from "../http/cursor.ts";
import { spendingWrite } from "../limits/daily-limits.ts";
import { asHeavyCall } from "../limits/heavy-calls.ts";
import { withinCalls } from "../limits/rate-limits.ts";
import type { Registry } from "../registry.ts";
import { DAY, SECOND } from "../time/time.ts";
import { localityOf, namePoint } from "../zones/find.ts";
import type { NamedPoint } from "../zones/locate.ts";
import { announceChange, announceMinted, answerAddress, resolveAddress } from "./address-cache.ts";
import type { Own } from "./address-columns-store.ts";
import { qrUrl } from "./address-record.ts";
import { type BatchRequest, type ItemOutcome, mintItems } from "./batch.ts";
import { CONTENT_FIELDS, type ContentField, textsOf, type Wishes } from "./content.ts";
import { inOwnersDatabases, issuedUnder } from "./databases-of-owner.ts";
import { type IfMatch, preconditionFailed, unlessDone } from "./entity-tag.ts";
import { assertEntrance } from "./entrance.ts";
import { withinLookups } from "./enumeration.ts";
import { type HistoryEvent, historyEvents } from "./history.ts";
import { lookUpAddress, lookUpAddresses, lookUpForAnyone } from "./look-up.ts";
import { homeOf, type MintRequest, mintInZone, provingHome } from "./mint.ts";
import { liveAddress, mayBePrivate, ownershipOf } from "./retired-or-withheld.ts";
import { HISTORY_EVENTS_MAX } from "./schemas.ts";
import { writeShare } from "./share-link.ts";
import type { Address, AddressChange, AreaNames, Issued, ListPosition, WholeAddress } from "./store.ts";
import * as addressStore from "./store.ts";

export { announceChange, answerAddress, lookUpAddress, lookUpAddresses, lookUpForAnyone, resolveAddress };

/**
 * Mints an address, and deletes what this data centre has cached under its code.
 * @throws AppError OUTSIDE_ZONES, INVALID_REQUEST for a locality that the point does not offer, TOO_FAR for the entrance, ZONE_FULL,
 * IDEMPOTENCY_CONFLICT, ADDRESS_RETIRED, QUOTA_EXCEEDED; ZoneIndexError when the index cannot be read.
 */
export async function mintAddress(registry: Registry, caller: Caller, request: MintRequest): Promise<Address> {
	assertVisibility(registry, request);
	const minted = await mintInZone(registry, caller, request);
	await announceMinted(registry, [minted.canonical]);
	return minted;
}

/**
 * Mints an address for each item of a batch, under the external id that the item names. Deletes what this data centre has cached under
 * their codes.
 * @throws AppError RATE_LIMITED, also for a dry run; QUOTA_EXCEEDED, where all items lie in one database.
 */
export async function mintBatch(registry: Registry, caller: Caller, request: BatchRequest): Promise<ItemOutcome[]> {
	await withinCalls(registry, caller, "BATCHES", "You sent too many batches. Wait a minute.", () => caller.prove());
	const items = request.items.map((item) => {
		if (item instanceof AppError) return item;
		return refusedVisibility(registry, item) ?? item;
	});
	const outcomes = await asHeavyCall(caller.userId, () => mintItems(registry, caller, { ...request, items }));
	const created = outcomes.flatMap((outcome) => (outcome.status === "created" ? [outcome.address] : []));
	const codes = created.map(({ canonical }) => canonical);
	if (codes.length > 0) registry.afterAnswer(announceMinted(registry, codes));
	return outcomes;
}

/**
 * The caller's live address with a given external id, as a list of one or none. A test key finds it in the sandbox, any other credential
 * outside it.
 */
export async function ownByExternalId(registry: Registry, caller: Caller, externalId: string): Promise<Address[]> {
	const found = await inOwnersDatabases(registry, caller, (ownerId, isSandbox) =>
		addressStore.byExternalIds({ ownerId, isSandbox, externalIds: [externalId] }),
	);
	return found.flat().filter(({ retiredAt }) => retiredAt === null);
}

/**
 * Refuses a test key at a real address, and any other credential that would write a sandbox address.
 * @throws AppError FORBIDDEN.
 */
export async function assertSandbox(caller: Caller, { canonical }: AddressCode, isReading = false): Promise<void> {
	const isSandbox = await caller.isSandbox();
	if (isSandbox === isSandboxCode(canonical) || (isReading && !isSandbox)) return;
	throw new AppError(
		"FORBIDDEN",
		isSandbox
			? "With a test key, owners read and write sandbox addresses only, whose codes begin with ZZ. Use a live key."
			: "Only a test key writes sandbox addresses, whose codes begin with ZZ.",
	);
}

/**
 * Runs statements on an address that the caller owns, within the caller's limits for look-ups. They must be safe to run twice. A test key
 * reaches sandbox addresses alone, and no other credential writes them.
 * @param make Makes the statements for the owner. If they change what others see, they include those that spend quota.
 * @param mayBeRetired Whether the address may be retired beforehand, or by these statements.
 * @returns The results of the statements, and the address as they leave it.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner or has the wrong kind of key,
 * QUOTA_EXCEEDED, RATE_LIMITED.
 */
export async function runOnOwn<const Work extends Statements>(
	registry: Registry,
	caller: Caller,
	code: AddressCode,
	make: (own: Own) => Work,
	mayBeRetired = false,
): Promise<{ address: Address; results: ResultOf<Work> }> {
	const { canonical } = code;
	return withinLookups(registry, caller, code, async () => {
		const work = make({ canonical, ownerId: await caller.user() });
		await assertSandbox(
			caller,
			code,
			Object.values(work).every(({ isRead }) => isRead),
		);
		const results = await caller.run(registry.databaseOf(code), {
			...work,
			issued: addressStore.byOneCode(canonical),
		});
		const issued = results.issued as Issued | undefined;
		const own = issued?.address?.ownerId === caller.userId ? issued.address : undefined;
		const address = own && mayBeRetired ? own : liveAddress(issued);
		if (!own) {
			throw new AppError("FORBIDDEN", "This address belongs to another account. Only its owner can do this.");
		}
		return { address, results: results as ResultOf<Work> };
	});
}

/**
 * The live address with a given code, for its owner alone: not even an agent reads another's address through this.
 * @param isWriting Whether the caller is about to write something that belongs to it.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, RATE_LIMITED; FORBIDDEN when the caller is not the owner or has the wrong kind of
 * key.
 */
export async function ownAddress(
	registry: Registry,
	caller: Caller,
	code: AddressCode,
	isWriting = false,
): Promise<Address> {
	if (isWriting) await assertSandbox(caller, code);
	return (await runOnOwn(registry, caller, code, () => ({}))).address;
}

/**
 * The statement that holds a write to If-Match, to run first. It refuses with PRECONDITION_FAILED in the same transaction, so nothing can
 * change in between. `*` needs none, because the write itself wants a live address.
 */
export function heldTo(ifMatch: IfMatch | undefined, own: Own) {
	return ifMatch === undefined || ifMatch === "*"
		? {}
		: { isOfVersion: addressStore.assertVersion({ ...own, versions: ifMatch }) };
}

/** Whether an address is already as a change would make it. */
function isAlready(address: Address, { locality, ...content }: AddressChange & Wishes): boolean {
	const isSame = (field: ContentField) => JSON.stringify(content[field]) === JSON.stringify(address[field]);
	return (
		(locality === undefined || (address.isLocalityChosen && address.locality === locality)) &&
		CONTENT_FIELDS.every((field) => content[field] === undefined || isSame(field))
	);
}

/** The refusal of a private address in a registry that does not allow any; undefined where the visibility is allowed. */
function refusedVisibility(registry: Registry, { visibility }: AddressChange): AppError | undefined {
	if (visibility !== "private" || mayBePrivate(registry)) return undefined;
	return invalidField("visibility", "This registry has no private addresses.");
}

/** @throws AppError INVALID_REQUEST for a private address in a registry that does not allow any. */
function assertVisibility(registry: Registry, change: AddressChange): void {
	const refused = refusedVisibility(registry, change);
	if (refused) throw refused;
}

/**
 * The region and locality to store for a new point, or for a new choice of locality. An earlier choice stays if the point still offers it.
 */
function placedAgain({ region, localities }: NamedPoint, locality: string | undefined, stored?: Address): AreaNames {
	const isOffered = stored?.isLocalityChosen && localities.some(({ name }) => name === stored.locality);
	const chosen = locality ?? (isOffered ? stored.locality : undefined);
	return { region, locality: localityOf(localities, chosen), isLocalityChosen: chosen !== undefined };
}

/** A change that an owner asks for, and the versions of the address that it is meant for; undefined for any. */
interface ChangeRequest {
	code: AddressCode;
	change: AddressChange & Wishes;
	ifMatch?: IfMatch | undefined;
}

/**
 * Changes what the owner has filled in about an address, and purges what caches hold of it. A new text, entrance or point sets the
 * verification level to 0.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, PRECONDITION_FAILED, OUTSIDE_ZONES,
 * INVALID_REQUEST for a locality that the point does not offer, OUTSIDE_ITS_ZONE, TOO_FAR, QUOTA_EXCEEDED.
 */
export async function changeAddress(registry: Registry, caller: Caller, request: ChangeRequest): Promise<Address> {
	const { code, change } = request;
	assertVisibility(registry, change);
	return unlessDone(
		async () => {
			const address = await retryOnConflict(() => changeOwn(registry, caller, request));
			await announceChange(registry, [code.canonical], address);
			return address;
		},
		async () => {
			const address = await ownAddress(registry, caller, code);
			return isAlready(address, change) ? address : undefined;
		},
	);
}

async function changeOwn(
	registry: Registry,
	caller: Caller,
	{ code, change, ifMatch }: ChangeRequest,
): Promise<Address> {
	const { canonical, country, zone } = code;
	const { lat, lng, locality } = change;
	const assertions: Record<string, Statement> = {};
	let isMoved = true;
	let own: Address | undefined;
	if (lat !== undefined || change.entrance || locality !== undefined) {
		const stored = (await caller.run(registry.databaseOf(code), addressStore.byOneCode(canonical)))?.address;
		const isOwn = await ownershipOf(caller);
		// Nothing of an address is compared for a credential that may not change it, which would learn from the error where it is.
		if (stored && isOwn(stored)) {
			own = stored;
			// A point or an entrance that was meant for another version is not judged by this one.
			if (Array.isArray(ifMatch) && !ifMatch.includes(stored.version)) throw preconditionFailed();
			// A pin may stay where it is, even if a later edition has put that point into another zone.
			isMoved = lat !== stored.lat || lng !== stored.lng;
			const { entrance = stored.entrance } = change;
			await assertEntrance(registry, { lat: lat ?? stored.lat, lng: lng ?? stored.lng }, entrance);
			// Point and entrance must not change in the meantime, or they could end up too far apart.
			assertions.isSeen = addressStore.assertContent(stored);
		}
	}
	const hasNewPoint = isMoved && lat !== undefined && lng !== undefined;
	const point = hasNewPoint ? { lat, lng } : locality === undefined ? undefined : own;
	let placing: AreaNames | undefined;
	if (point) {
		const found = await namePoint(registry.zones, point.lat, point.lng).catch(async (error: unknown) => {
			// A caller who is no longer signed in is told so first.
			await caller.prove();
			throw error;
		});
		if (hasNewPoint) {
			// A point in another country matches no area here.
			const area = found.zone.country === country || isSandboxCode(canonical) ? found.zone.zone : -1;
			const isOfArea = addressStore.assertArea({ country, zone: Number(zone), area });
			const home = homeOf(registry, country);
			// Once opened, a number never changes, so reading it beforehand from another database is safe.
			if (home === registry.databaseOf(code)) assertions.isOfArea = isOfArea;
			else await inOneTrip(home, { ...provingHome(home, `${country}0000`), isOfArea });
		}
		placing = placedAgain(found, locality, own);
	}
	// An owner may always make their home private, but this exception covers no other change.
	const takesAway =
		change.visibility === "private" && Object.values(change).filter((value) => value !== undefined).length === 1;
	const { address } = await runOnOwn(registry, caller, code, ({ ownerId }) => {
		const changing = addressStore.change(canonical, ownerId, change, registry.now, placing);
		const spends = spendingWrite(registry, "changes", ownerId, { texts: textsOf(change), takesAway });
		return {
			...heldTo(ifMatch, { canonical, ownerId }),
			...assertions,
			...changing,
			changed: spending(changing.changed, spends),
		};
	});
	return address;
}

/**
 * Retires an address of the caller for good, so that its code is never issued again, and purges what caches hold of it. Retiring it again
 * changes nothing, whatever version is named.
 * @param request The code, and that of the successor, which must be another live address of the caller.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED when it was erased, FORBIDDEN when the caller is not the owner, PRECONDITION_FAILED,
 * INVALID_REQUEST for an unsuitable successor.
 */
export async function retireAddress(
	registry: Registry,
	caller: Caller,
	{
		code,
		successor,
		ifMatch,
	}: { code: AddressCode; successor: AddressCode | undefined; ifMatch?: IfMatch | undefined },
): Promise<void> {
	if (successor) await assertSandbox(caller, successor);
	const retirement = { now: registry.now, successor: successor?.canonical ?? null };
	const there = successor && registry.databaseOf(successor);
	const isElsewhere = there !== undefined && there !== registry.databaseOf(code);
	// No transaction spans two databases. The successor may itself be retired before this one is, just as it may be at any later time.
	if (successor && isElsewhere) {
		await caller.run(there, (ownerId) => ({
			...provingHome(there, successor.country + successor.zone),
			isSuccessor: addressStore.assertSuccessor({ ownerId, canonical: successor.canonical }),
		}));
	}
	const retiring = (own: Own) => ({
		...heldTo(ifMatch, own),
		retired: addressStore.retire({ ...own, ...retirement }),
		// After the retirement and in the same transaction, so that no address leads to itself, nor do two that are retired at once lead to
		// each other.
		...(successor && !isElsewhere
			? { isSuccessor: addressStore.assertSuccessor({ ...own, canonical: successor.canonical }) }
			: {}),
	});
	const { address } = await runOnOwn(registry, caller, code, retiring, true);
	await announceChange(registry, [code.canonical], address);
}

/**
 * Makes a link that shows an address of the caller for some days, whether or not it is private, and records the link in its history. The
 * version stays, because readers see no change.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, PRECONDITION_FAILED, QUOTA_EXCEEDED.
 */
export async function shareAddress(
	registry: Registry,
	caller: Caller,
	{ code, days, ifMatch }: { code: AddressCode; days: number; ifMatch?: IfMatch | undefined },
): Promise<{ url: string; expiresAt: number; address: Address }> {
	const { canonical } = code;
	const { now: madeAt } = registry;
	const expiresAt = Math.ceil((madeAt + days * DAY) / SECOND) * SECOND;
	const { address, results } = await runOnOwn(registry, caller, code, (own) => ({
		...heldTo(ifMatch, own),
		recorded: spending(
			addressStore.recordLink({ ...own, madeAt, expiresAt: String(expiresAt) }),
			spendingWrite(registry, "changes", own.ownerId),
		),
		counts: shareCountOf({ userId: own.ownerId }),
	}));
	const [{ count: accountCount } = { count: 0 }] = results.counts;
	const share = { count: address.shareCount, accountCount, expiresAt, keyId: caller.keyId };
	const token = writeShare(registry.settings.shareSecrets, canonical, share);
	return { url: `${qrUrl(canonical, registry.webUrl)}?share=${token}`, expiresAt, address };
}

/**
 * Ends every link to an address of the caller. Nobody can tell whether an earlier attempt has ended them, so it never counts as done.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, PRECONDITION_FAILED, QUOTA_EXCEEDED.
 */
export async function endShares(
	registry: Registry,
	caller: Caller,
	{ code, ifMatch }: { code: AddressCode; ifMatch?: IfMatch | undefined },
): Promise<Address> {
	const { address } = await runOnOwn(registry, caller, code, (own) => ({
		...heldTo(ifMatch, own),
		ended: spending(
			addressStore.endSharesOfAddress(own),
			spendingWrite(registry, "changes", own.ownerId, { takesAway: true }),
		),
	}));
	await announceChange(registry, [code.canonical]);
	return address;
}

/**
 * The latest HISTORY_EVENTS_MAX events of an address, oldest first, for its owner alone. A retired address has its history until it is
 * erased.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner.
 */
export async function addressHistory(registry: Registry, caller: Caller, code: AddressCode): Promise<HistoryEvent[]> {
	const { canonical } = code;
	const statements = {
		pastValues: addressStore.pastValues({ canonical, limit: HISTORY_EVENTS_MAX }),
		attestations: addressStore.attestationsOf({ canonical }),
		reads: addressStore.readsOf({ canonical }),
	};
	const { address, results } = await runOnOwn(registry, caller, code, () => statements, true);
	const pastValues = results.pastValues.toReversed();
	return historyEvents({ address, ...results, pastValues }).slice(-HISTORY_EVENTS_MAX);
}

/** A position in an owner's list, as an opaque text. */
function writeCursor({ createdAt, canonical }: ListPosition): string {
	return writeOpaque(createdAt, canonical);
}

/** @throws AppError INVALID_REQUEST for a text that writeCursor did not produce. */
function parseCursor(cursor: string): ListPosition {
	const [createdAt, canonical] = readOpaque(cursor, /^(\d{1,15})\.([A-Z]{2}\d{9})$/);
	if (!createdAt || !canonical) throw invalidField("cursor", FOREIGN_CURSOR);
	return { createdAt: Number(createdAt), canonical };
}

/** The order of an owner's list. */
export const newestFirst = latestBy<ListPosition>(
	({ createdAt }) => createdAt,
	({ canonical }) => canonical,
);

/** A request for one page of a caller's addresses. */
interface ListRequest {
	/** The most addresses that the page may hold. */
	limit: number;
	/** The `nextCursor` of the previous page. */
	cursor?: string | undefined;
	/** Part of the label, or of the code in any spelling; letter case is ignored. Empty for all addresses. */
	search?: string;
}

/**
 * The caller's live addresses, newest first: those of the sandbox for a test key, otherwise all others. The last page has no `nextCursor`.
 * @throws AppError INVALID_REQUEST for an invalid cursor.
 */
export async function listAddresses(
	registry: Registry,
	caller: Caller,
	{ limit, cursor, search = "" }: ListRequest,
): Promise<{ addresses: Address[]; nextCursor: string | undefined }> {
	const after = cursor === undefined ? undefined : parseCursor(cursor);
	const searched = { words: search.normalize("NFC"), code: normalizeCode(search) };
	// One more than asked for tells whether there is a next page.
	const lists = await inOwnersDatabases(registry, caller, (ownerId, isSandbox) =>
		addressStore.ownedBy({ ownerId, isSandbox }, limit + 1, after, searched),
	);
	const found = merged(lists, newestFirst, limit + 1);
	const addresses = found.slice(0, limit);
	const last = addresses.at(-1);
	return { addresses, nextCursor: last && found.length > limit ? writeCursor(last) : undefined };
}

/** The most retired addresses that an owner is shown. */
const RETIRED_SHOWN_MAX = 100;

/** The caller's retired addresses that are not erased yet, latest first. */
export async function listRetired(registry: Registry, caller: Caller): Promise<Address[]> {
	const lists = await inOwnersDatabases(registry, caller, (ownerId, isSandbox) =>
		addressStore.retiredOf({ ownerId, isSandbox, limit: RETIRED_SHOWN_MAX }),
	);
	const latestFirst = latestBy<Address>(
		({ retiredAt }) => retiredAt ?? 0,
		({ canonical }) => canonical,
	);
	return merged(lists, latestFirst, RETIRED_SHOWN_MAX);
}

/** The caller's live addresses among some codes, in the order of the codes. */
export async function ownAmong(registry: Registry, caller: Caller, inputs: string[]): Promise<Address[]> {
	const codes = inputs.map(normalizeCode);
	const issued = await issuedUnder(registry, caller, codes);
	return codes.flatMap((code) => {
		const address = issued(code)?.address;
		return address?.retiredAt === null && address.ownerId === caller.userId ? [address] : [];
	});
}

/**
 * Every address of a user, live and retired, with its history and units, newest first within each database. Each yielded list holds
 * addresses with `size` versions in all at most, or a single address that has more.
 */
export async function* allAddressesOf(
	registry: Registry,
	userId: string,
	size: number,
): AsyncGenerator<WholeAddress[]> {
	for (const db of registry.databases) yield* allAddressesIn(registry, db, userId, size);
}

async function* allAddressesIn(
	registry: Registry,
	db: Database,
	userId: string,
	size: number,
): AsyncGenerator<WholeAddress[]> {
	const read = async (codes: string[]) =>
		addressStore.wholeAddresses(await inOneTrip(db, addressStore.readingWhole({ ownerId: userId, codes })));
	let codes: string[] = [];
	let versions = 0;
	for (const { canonical, version } of await inOneTrip(db, addressStore.codesOf({ ownerId: userId }))) {
		// An address that has moved to another database is read there.
		if (registry.databaseOf(partsOf(canonical)) !== db) continue;
		if (codes.length > 0 && versions + version > size) {
			yield await read(codes);
			[codes, versions] = [[], 0];
		}
		codes.push(canonical);
		versions += version;
	}
	if (codes.length > 0) yield await read(codes);
}

/** The number of live addresses of an account, in all databases. */
export async function countAddresses(registry: Registry, ownerId: string): Promise<number> {
	const counts = await inEach(registry.databases, addressStore.countOf({ ownerId }));
	return counts.reduce((sum, [row]) => sum + (row?.count ?? 0), 0);
}

/** The names of those zones, such as `NG0421`, that have any addresses. */
export async function namesOfZones(registry: Registry, zones: string[]): Promise<Map<string, string>> {
	const found = await inEach(registry.databases, addressStore.zoneNames({ zones }));
	const named = found.flat().filter(({ name }) => name);
	return new Map(named.map(({ zone, name }) => [zone, name ?? ""]));
}
