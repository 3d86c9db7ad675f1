import type { Caller } from "../db/caller.ts";
import { refusalOf } from "../db/refusal.ts";
import { retryIdempotent } from "../db/retry.ts";
import type { Statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import type { WriteLimits } from "../limits/write-limits.ts";
import { findZone } from "../zones/find.ts";
import type { ZoneLocator } from "../zones/locate.ts";
import { type AddressCode, normalizeCode } from "./code.ts";
import { OTHER_AREA } from "./code-store.ts";
import { assertLive, type StoreOf } from "./resolve.ts";
import { HISTORY_EVENTS_MAX } from "./schemas.ts";
import {
	type Address,
	type AddressChange,
	type AddressStore,
	type AddressWithHistory,
	type Holder,
	type ListPosition,
	NO_SUCCESSOR,
} from "./store.ts";

export type { AddressWithHistory };

/** A page of an owner's addresses. */
export interface AddressPage {
	addresses: Address[];
	/** Where the next page starts; undefined on the last one. */
	next: ListPosition | undefined;
}

function newestFirst(a: ListPosition, b: ListPosition): number {
	return b.createdAt - a.createdAt || (a.canonical < b.canonical ? 1 : -1);
}

/**
 * The caller's live addresses, newest first, `limit` of them from just after `after`, out of every database that may hold some.
 * @param search A part of the label or of the code in any spelling, in either case; all addresses when it is empty.
 */
export async function listAddresses(
	stores: AddressStore[],
	caller: Caller,
	limit: number,
	after: ListPosition | undefined,
	search = "",
): Promise<AddressPage> {
	const searched = search ? { words: search.normalize("NFC"), code: normalizeCode(search) } : undefined;
	// One more than asked for tells whether there is a next page.
	const pages = await Promise.all(
		stores.map((store) => caller.runAs((ownerId) => [store.ownedBy(ownerId, limit + 1, after, searched)])),
	);
	const found = pages.flat(2);
	const addresses = found.sort(newestFirst).slice(0, limit);
	return { addresses, next: found.length > limit ? addresses.at(-1) : undefined };
}

function notTheOwner(): AppError {
	return new AppError("FORBIDDEN", "This address belongs to another account. Only its owner can do this.");
}

/** The error for somebody who may not do what only the owner of a live address may: it follows from what stands under the code. */
function refusal(holder: Holder | undefined): AppError {
	assertLive(holder);
	return notTheOwner();
}

/**
 * Changes the label of an address, its point, or both. A new label or point sets its verification level to 0.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, OUTSIDE_ZONES, OUTSIDE_ITS_ZONE, QUOTA_EXCEEDED.
 */
export async function changeAddress(
	storeOf: StoreOf,
	locator: ZoneLocator,
	caller: Caller,
	limits: WriteLimits,
	{ canonical, country, zone }: AddressCode,
	change: AddressChange,
): Promise<Address> {
	const store = storeOf(country);
	const { lat, lng } = change;
	const outside = () =>
		new AppError(
			"OUTSIDE_ITS_ZONE",
			"The zone is part of the code, so a pin can move only within its zone. Create a new address for this point, then retire this one and name the new code as its successor.",
		);
	const assertions: Statement[] = [];
	if (lat !== undefined && lng !== undefined) {
		const found = await findZone(locator, lat, lng).catch(async (error: unknown) => {
			// Whoever is not signed in any more learns that first.
			await caller.run();
			throw error;
		});
		// No area has the number of another country's.
		const area = found.country === country ? found.zone : -1;
		assertions.push(store.assertArea({ country, zone: Number(zone), area }));
	}
	try {
		const [[changed], , , holders] = await retryIdempotent(() =>
			caller.runAs((ownerId) => [
				store.change(canonical, ownerId, change),
				...limits.spend,
				store.byCodes([canonical]),
				...assertions,
			]),
		);
		if (changed) return changed;
		throw refusal(holders.get(canonical));
	} catch (error) {
		throw refusalOf(error) === OTHER_AREA ? outside() : limits.explain(error);
	}
}

/** Refuses a successor that is not another live address of the caller. */
async function assertSuccessor(
	storeOf: StoreOf,
	caller: Caller,
	successor: AddressCode,
	{ canonical }: AddressCode,
): Promise<void> {
	const message = "Name another address of yours that is not retired.";
	const unusable = () =>
		new AppError("INVALID_REQUEST", `successor: ${message}`, { errors: [{ path: "successor", message }] });
	try {
		const store = storeOf(successor.country);
		await caller.runAs((ownerId) => [store.assertSuccessor({ canonical: successor.canonical, ownerId })]);
	} catch (error) {
		throw refusalOf(error) === NO_SUCCESSOR ? unusable() : error;
	}
	if (successor.canonical === canonical) throw unusable();
}

/**
 * Retires an address of the caller for good, so that its code is never issued again. Doing so again changes nothing.
 * @param successor The code of the address to go to instead; it must be another live address of the caller.
 * @param now Milliseconds since the epoch.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED when it was erased, FORBIDDEN when the caller is not the owner, INVALID_REQUEST for
 * a successor that cannot be one.
 */
export async function retireAddress(
	storeOf: StoreOf,
	caller: Caller,
	code: AddressCode,
	successor: AddressCode | undefined,
	now: number,
): Promise<void> {
	const { canonical, country } = code;
	const store = storeOf(country);
	if (successor) await assertSuccessor(storeOf, caller, successor, code);
	const retirement = { canonical, now, successor: successor?.canonical ?? null };
	const [[retired], holders] = await retryIdempotent(() =>
		caller.runAs((ownerId) => [store.retire({ ...retirement, ownerId }), store.byCodes([canonical])]),
	);
	const holder = holders.get(canonical);
	if (retired || holder?.address?.ownerId === caller.userId) return;
	throw refusal(holder);
}

/** What happened to an address at one time. A field is there when the change has such a value. */
export interface HistoryEvent {
	/** Milliseconds since the epoch. */
	at: number;
	change: "created" | "label" | "point" | "attested" | "retired";
	previousLabel?: string | null;
	/** Degrees, WGS 84. */
	previousLat?: number | null;
	previousLng?: number | null;
	/** The attested level, 1 to 3. */
	level?: number;
	/** The canonical code of the address to go to instead; null where the owner named none. */
	successor?: string | null;
}

/**
 * The latest HISTORY_EVENTS_MAX events of an address, oldest first, for its owner alone. It also answers for a retired address until that is erased.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner.
 */
export async function addressHistory(
	storeOf: StoreOf,
	caller: Caller,
	{ canonical, country }: AddressCode,
): Promise<HistoryEvent[]> {
	const store = storeOf(country);
	const [[address], pastValues, attestations, holders] = await caller.runAs((ownerId) => [
		store.ownAddress({ canonical, ownerId }),
		store.pastValues({ canonical }),
		store.attestationsOf({ canonical }),
		store.byCodes([canonical]),
	]);
	if (!address) throw refusal(holders.get(canonical));
	return historyEvents({ address, pastValues, attestations }).slice(-HISTORY_EVENTS_MAX);
}

/** What happened to an address, oldest first. */
export function historyEvents({ address, pastValues, attestations }: AddressWithHistory): HistoryEvent[] {
	const events: HistoryEvent[] = [
		{ at: address.createdAt, change: "created" },
		...pastValues.map(({ changedAt: at, change, label, lat, lng }) =>
			change === "label" ? { at, change, previousLabel: label } : { at, change, previousLat: lat, previousLng: lng },
		),
		...attestations.map(({ createdAt: at, level }) => ({ at, change: "attested" as const, level })),
		...(address.retiredAt === null
			? []
			: [{ at: address.retiredAt, change: "retired" as const, successor: address.successor }]),
	];
	return events.sort((a, b) => a.at - b.at);
}
