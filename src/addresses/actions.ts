/**
 * All that can be done with addresses: the only way into this folder, for the API, the console and the command line. It applies
 * limits, caches and the log.
 */
import { readingShareCount } from "../accounts/share-maker-actions.ts";
import { type AddressCode, normalizeCode, partsOf } from "../codes/code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import type { Caller } from "../db/caller.ts";
import type { Database } from "../db/open.ts";
import { madeAnew } from "../db/refusal.ts";
import { inEach, latestBy, merged } from "../db/several.ts";
import type { ResultOf, Statement, Statements } from "../db/statement.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError, invalidField } from "../errors.ts";
import { FOREIGN_CURSOR, readOpaque, writeOpaque } from "../http/cursor.ts";
import { spendingWrite } from "../limits/daily-limits.ts";
import { asHeavyCall } from "../limits/heavy-calls.ts";
import { withinCalls } from "../limits/rate-limits.ts";
import type { Registry } from "../registry.ts";
import { DAY, SECOND } from "../time/time.ts";
import { localityOf, namePoint } from "../zones/find.ts";
import type { NamedPoint } from "../zones/locate.ts";
import {
	announceChange,
	announceMinted,
	answerAddress,
	changedEntry,
	resolveAddress,
	retiredEntry,
} from "./address-cache.ts";
import { qrUrl } from "./address-record.ts";
import { type BatchRequest, type ItemOutcome, mintItems, surveyItems } from "./batch.ts";
import { textsOf, type Wishes } from "./content.ts";
import { assertEntrance } from "./entrance.ts";
import { withinLookups } from "./enumeration.ts";
import { type HistoryEvent, historyEvents } from "./history.ts";
import { assertLive, mayBePrivate, notTheOwner } from "./issued.ts";
import type { Own } from "./live-store.ts";
import { lookUpAddress, lookUpAddresses, lookUpForAnyone } from "./look-up.ts";
import { homeOf, type MintRequest, mintInZone, provingHome } from "./mint.ts";
import { inEachPlace, issuedUnder } from "./places.ts";
import { HISTORY_EVENTS_MAX } from "./schemas.ts";
import { writeShare } from "./share-link.ts";
import { shareStore } from "./share-store.ts";
import type { Address, AddressChange, Issued, ListPosition, Placing, WholeAddress } from "./store.ts";
import * as addressStore from "./store.ts";

export type { Address };
export {
	announceChange,
	answerAddress,
	lookUpAddress,
	lookUpAddresses,
	lookUpForAnyone,
	resolveAddress,
	surveyItems as surveyBatch,
};

/**
 * Mints an address, and drops what caches hold of its code.
 * @throws AppError As mintInZone does.
 */
export async function mintAddress(registry: Registry, caller: Caller, request: MintRequest): Promise<Address> {
	assertVisibility(registry, request);
	const minted = await mintInZone(registry, caller, request);
	await announceMinted(registry, [minted.canonical]);
	return minted;
}

/**
 * Mints addresses for items of a batch, each under the external id that it names, and drops what caches hold of their codes.
 * @throws AppError RATE_LIMITED, also for a dry run; besides, as mintItems does.
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

/** The caller's address that has an external id and is live: of the sandbox for a test key, else any other. */
export async function ownByExternalId(registry: Registry, caller: Caller, externalId: string): Promise<Address[]> {
	const externalIds = JSON.stringify([externalId]);
	const found = await inEachPlace(registry, caller, (ownerId, isSandbox) =>
		addressStore.byExternalIds({ ownerId, isSandbox, externalIds }),
	);
	return found.flat().filter(({ retiredAt }) => retiredAt === null);
}

/**
 * Lets test keys write only sandbox addresses, and other credentials only real ones.
 * @throws AppError FORBIDDEN.
 */
export async function assertSandbox(caller: Caller, { canonical }: AddressCode): Promise<void> {
	const isSandbox = await caller.isSandbox();
	if (isSandbox === isSandboxCode(canonical)) return;
	throw new AppError(
		"FORBIDDEN",
		isSandbox
			? "A test key writes sandbox addresses only, whose codes begin with ZZ. Use a live key."
			: "Only a test key writes sandbox addresses, whose codes begin with ZZ.",
	);
}

/**
 * Runs statements on an address of the caller's own, which must be safe to run twice. Callers wrap it in `withinLookups`.
 * @param make Makes them for its owner. Where they change what others see, it includes those that spend.
 * @param mayBeRetired Whether the address may be retired before them, or by them.
 * @returns Their results, and the address after them.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, QUOTA_EXCEEDED.
 */
export async function runOnOwn<const Work extends Statements>(
	registry: Registry,
	caller: Caller,
	code: AddressCode,
	make: (own: Own) => Work,
	mayBeRetired = false,
): Promise<{ address: Address; results: ResultOf<Work> }> {
	const { canonical } = code;
	const results = await caller.run(registry.databaseOf(code), (ownerId) => ({
		...make({ canonical, ownerId }),
		issued: addressStore.byCodes([canonical]),
	}));
	const issued = (results.issued as Map<string, Issued>).get(canonical);
	const address = mayBeRetired && issued?.address ? issued.address : assertLive(issued);
	if (address.ownerId !== caller.userId) throw notTheOwner(issued);
	return { address, results: results as ResultOf<Work> };
}

/**
 * The live address of a code, for its owner alone: nobody else reads it by this, not even an agent.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner.
 */
export async function ownAddress(registry: Registry, caller: Caller, code: AddressCode): Promise<Address> {
	const reading = async () => (await runOnOwn(registry, caller, code, () => ({}))).address;
	return withinLookups(registry, caller, code, reading, ({ ownerId }) => ownerId);
}

/** The refusal of a private address in a registry that has none. */
function refusedVisibility(registry: Registry, { visibility }: AddressChange): AppError | undefined {
	if (visibility !== "private" || mayBePrivate(registry)) return undefined;
	return invalidField("visibility", "This registry has no private addresses.");
}

/** @throws AppError INVALID_REQUEST for a private address in a registry that has none. */
function assertVisibility(registry: Registry, change: AddressChange): void {
	const refused = refusedVisibility(registry, change);
	if (refused) throw refused;
}

/** What an address stores of another point, or of another choice there: what was chosen stays while the point offers it. */
function placedAgain({ region, localities }: NamedPoint, locality: string | undefined, stored?: Address): Placing {
	const isOffered = stored?.isLocalityChosen && localities.some(({ name }) => name === stored.locality);
	const chosen = locality ?? (isOffered ? stored.locality : undefined);
	return { region, locality: localityOf(localities, chosen), isLocalityChosen: chosen !== undefined };
}

/**
 * Changes what the caller has filled in of an address, and drops what caches hold of it. A new value sets its verification level to 0.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, OUTSIDE_ZONES, INVALID_REQUEST for a
 * locality that the point does not offer, OUTSIDE_ITS_ZONE, TOO_FAR, QUOTA_EXCEEDED.
 */
export async function changeAddress(
	registry: Registry,
	caller: Caller,
	{ code, change }: { code: AddressCode; change: AddressChange & Wishes },
): Promise<Address> {
	await assertSandbox(caller, code);
	assertVisibility(registry, change);
	const address = await withinLookups(registry, caller, code, () =>
		madeAnew(() => changeOwn(registry, caller, code, change)),
	);
	await announceChange(registry, [code.canonical], await changedEntry(address));
	return address;
}

async function changeOwn(
	registry: Registry,
	caller: Caller,
	code: AddressCode,
	change: AddressChange & Wishes,
): Promise<Address> {
	const { canonical, country, zone } = code;
	const { lat, lng, locality } = change;
	const assertions: Record<string, Statement> = {};
	let isMoved = true;
	let own: Address | undefined;
	if (lat !== undefined || change.entrance || locality !== undefined) {
		const stored = (await caller.run(registry.databaseOf(code), addressStore.byCodes([canonical]))).get(
			canonical,
		)?.address;
		if (stored?.ownerId === caller.userId) {
			own = stored;
			// A pin may stay where it is, whatever a later edition has made of its zone.
			isMoved = lat !== stored.lat || lng !== stored.lng;
			const { entrance = stored.entrance } = change;
			await assertEntrance(registry, { lat: lat ?? stored.lat, lng: lng ?? stored.lng }, entrance);
			// Neither of the two may change meanwhile, or they could end up far from each other.
			assertions.isSeen = addressStore.assertContent(stored);
		}
	}
	const hasNewPoint = isMoved && lat !== undefined && lng !== undefined;
	const point = hasNewPoint ? { lat, lng } : locality === undefined ? undefined : own;
	let placing: Placing | undefined;
	if (point) {
		const found = await namePoint(registry.zones, point.lat, point.lng).catch(async (error: unknown) => {
			// Whoever is no longer signed in is told that first.
			await caller.prove();
			throw error;
		});
		if (hasNewPoint) {
			// No area has the number of another country's.
			const area = found.zone.country === country || isSandboxCode(canonical) ? found.zone.zone : -1;
			const isOfArea = addressStore.assertArea({ country, zone: Number(zone), area });
			const home = homeOf(registry, country);
			// Opened numbers never change, so that what says so elsewhere may be read first.
			if (home === registry.databaseOf(code)) assertions.isOfArea = isOfArea;
			else await inOneTrip(home, { ...provingHome(home, `${country}0000`), isOfArea });
		}
		placing = placedAgain(found, locality, own);
	}
	// Nobody keeps an owner from making their home private, and from that alone.
	const takesAway =
		change.visibility === "private" && Object.values(change).filter((value) => value !== undefined).length === 1;
	const { address } = await runOnOwn(registry, caller, code, ({ ownerId }) => ({
		...assertions,
		...addressStore.change(canonical, ownerId, change, registry.now, placing),
		...spendingWrite(registry, "changes", ownerId, { texts: textsOf(change), takesAway }),
	}));
	return address;
}

/**
 * Retires an address of the caller for good, so that its code is never issued again, and drops what caches hold of it. Doing so
 * again changes nothing.
 * @param request The code, and that of the address to go to instead; it must be another live address of the caller.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED when it was erased, FORBIDDEN when the caller is not the owner, INVALID_REQUEST for
 * a successor that cannot be one.
 */
export async function retireAddress(
	registry: Registry,
	caller: Caller,
	{ code, successor }: { code: AddressCode; successor: AddressCode | undefined },
): Promise<void> {
	await assertSandbox(caller, code);
	if (successor) await assertSandbox(caller, successor);
	const retired = await withinLookups(registry, caller, code, () => retireOwn(registry, caller, code, successor));
	// As it stands: one that was retired before stays with the successor that it had.
	await announceChange(registry, [code.canonical], retiredEntry(code.canonical, retired.successor));
}

async function retireOwn(
	registry: Registry,
	caller: Caller,
	code: AddressCode,
	successor: AddressCode | undefined,
): Promise<Address> {
	const retirement = { now: registry.now, successor: successor?.canonical ?? null };
	const there = successor && registry.databaseOf(successor);
	const isElsewhere = there !== undefined && there !== registry.databaseOf(code);
	// Nothing spans two databases: by the time that it is retired, the other one may be too, as it may be any time later.
	if (successor && isElsewhere) {
		await caller.run(there, (ownerId) => ({
			...provingHome(there, successor.country + successor.zone),
			isSuccessor: addressStore.assertSuccessor({ ownerId, canonical: successor.canonical }),
		}));
	}
	const retiring = (own: Own) => ({
		retired: addressStore.retire({ ...own, ...retirement }),
		// After it and in one transaction, so that no address leads to itself, nor two that are retired at once to each other.
		...(successor && !isElsewhere
			? { isSuccessor: addressStore.assertSuccessor({ ...own, canonical: successor.canonical }) }
			: {}),
	});
	return (await runOnOwn(registry, caller, code, retiring, true)).address;
}

/**
 * Makes a link that shows an address of the caller for some days, whether it is private now or later, and records in its history that it
 * did.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, QUOTA_EXCEEDED.
 */
export async function shareAddress(
	registry: Registry,
	caller: Caller,
	{ code, days }: { code: AddressCode; days: number },
): Promise<{ url: string; expiresAt: number }> {
	await assertSandbox(caller, code);
	const { canonical } = code;
	const { now: madeAt } = registry;
	const expiresAt = Math.ceil((madeAt + days * DAY) / SECOND) * SECOND;
	const making = () =>
		runOnOwn(registry, caller, code, (own) => ({
			noted: shareStore.noteMade({ ...own, madeAt, expiresAt: String(expiresAt) }),
			...spendingWrite(registry, "changes", own.ownerId),
			counts: readingShareCount(own.ownerId),
		}));
	const { address, results } = await withinLookups(registry, caller, code, making);
	const [{ count: accountCount } = { count: 0 }] = results.counts;
	const share = { count: address.shareCount, accountCount, expiresAt, keyId: caller.keyId };
	const token = writeShare(registry.settings.shareSecrets, canonical, share);
	return { url: `${qrUrl(canonical, registry.webUrl)}?share=${token}`, expiresAt };
}

/**
 * Ends every link to an address of the caller.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, QUOTA_EXCEEDED.
 */
export async function endShares(registry: Registry, caller: Caller, code: AddressCode): Promise<void> {
	await assertSandbox(caller, code);
	const ending = () =>
		runOnOwn(registry, caller, code, (own) => ({
			ended: addressStore.endShares(own),
			...spendingWrite(registry, "changes", own.ownerId, { takesAway: true }),
		}));
	await withinLookups(registry, caller, code, ending);
	await announceChange(registry, [code.canonical]);
}

/**
 * The latest HISTORY_EVENTS_MAX events of an address, oldest first, for its owner alone. It also answers for a retired address
 * until that is erased.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner.
 */
export async function addressHistory(registry: Registry, caller: Caller, code: AddressCode): Promise<HistoryEvent[]> {
	const { canonical } = code;
	const statements = {
		pastValues: addressStore.pastValues({ canonical, limit: HISTORY_EVENTS_MAX }),
		attestations: addressStore.attestationsOf({ canonical }),
		reads: addressStore.readsOf({ canonical }),
	};
	const reading = () => runOnOwn(registry, caller, code, () => statements, true);
	const { address, results } = await withinLookups(registry, caller, code, reading);
	const pastValues = results.pastValues.toReversed();
	return historyEvents({ address, ...results, pastValues }).slice(-HISTORY_EVENTS_MAX);
}

/** The opaque text of a position in an owner's list. */
function writeCursor({ createdAt, canonical }: ListPosition): string {
	return writeOpaque(createdAt, canonical);
}

/** @throws AppError INVALID_REQUEST for what writeCursor has not written. */
function parseCursor(cursor: string): ListPosition {
	const [createdAt, canonical] = readOpaque(cursor, /^(\d{1,15})\.([A-Z]{2}\d{9})$/);
	if (!createdAt || !canonical) throw invalidField("cursor", FOREIGN_CURSOR);
	return { createdAt: Number(createdAt), canonical };
}

/** The order of an owner's list. */
const newestFirst = latestBy<ListPosition>(
	({ createdAt }) => createdAt,
	({ canonical }) => canonical,
);

/** Which page of a caller's addresses is wanted. */
interface ListRequest {
	/** How many addresses it holds at most. */
	limit: number;
	/** The `nextCursor` of the previous page. */
	cursor?: string | undefined;
	/** A part of the label or of the code in any spelling, in either case; all addresses when it is empty. */
	search?: string;
}

/**
 * The caller's live addresses, newest first, of the sandbox for a test key, else all others; the last page has no `nextCursor`.
 * @throws AppError INVALID_REQUEST for an invalid cursor.
 */
export async function listAddresses(
	registry: Registry,
	caller: Caller,
	{ limit, cursor, search = "" }: ListRequest,
): Promise<{ addresses: Address[]; nextCursor: string | undefined }> {
	const after = cursor === undefined ? undefined : parseCursor(cursor);
	const searched = search ? { words: search.normalize("NFC"), code: normalizeCode(search) } : undefined;
	// One more than asked for tells whether there is a next page.
	const lists = await inEachPlace(registry, caller, (ownerId, isSandbox) =>
		addressStore.ownedBy({ ownerId, isSandbox }, limit + 1, after, searched),
	);
	const found = merged(lists, newestFirst, limit + 1);
	const addresses = found.slice(0, limit);
	const last = addresses.at(-1);
	return { addresses, nextCursor: last && found.length > limit ? writeCursor(last) : undefined };
}

/** Retired addresses that an owner is shown at most. */
const RETIRED_SHOWN_MAX = 100;

/** The caller's addresses that are retired and not erased yet, the latest first. */
export async function listRetired(registry: Registry, caller: Caller): Promise<Address[]> {
	const lists = await inEachPlace(registry, caller, (ownerId, isSandbox) =>
		addressStore.retiredOf({ ownerId, isSandbox, limit: RETIRED_SHOWN_MAX }),
	);
	const latestFirst = latestBy<Address>(
		({ retiredAt }) => retiredAt ?? 0,
		({ canonical }) => canonical,
	);
	return merged(lists, latestFirst, RETIRED_SHOWN_MAX);
}

/** The live addresses of the caller's own among some codes, in their order; others are left out. */
export async function ownAmong(registry: Registry, caller: Caller, inputs: string[]): Promise<Address[]> {
	const codes = inputs.map(normalizeCode);
	const issued = await issuedUnder(registry, caller, codes);
	return codes.flatMap((code) => {
		const address = issued(code)?.address;
		return address?.retiredAt === null && address.ownerId === caller.userId ? [address] : [];
	});
}

/**
 * Every address of a user, live and retired, newest first in each database, with its history and units. At a time come as many as have
 * `size` versions in all, or one that has more.
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
		addressStore.wholeAddresses(await inOneTrip(db, addressStore.readingWhole(userId, codes)));
	let codes: string[] = [];
	let versions = 0;
	for (const { canonical, version } of await inOneTrip(db, addressStore.codesOf({ ownerId: userId }))) {
		// What has moved comes from where it is at home.
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

/** How many live addresses an account has, in all databases. */
export async function countAddresses(registry: Registry, ownerId: string): Promise<number> {
	const counts = await inEach(registry.databases, addressStore.countOf({ ownerId }));
	return counts.reduce((sum, [row]) => sum + (row?.count ?? 0), 0);
}

/** The names of zones, such as `NG0421`, in which there are addresses. */
export async function namesOfZones(registry: Registry, zones: string[]): Promise<Map<string, string>> {
	const found = await inEach(registry.databases, addressStore.zoneNames({ zones: JSON.stringify(zones) }));
	const named = found.flat().filter(({ name }) => name);
	return new Map(named.map(({ zone, name }) => [zone, name ?? ""]));
}
