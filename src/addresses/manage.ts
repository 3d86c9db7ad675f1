import { AppError } from "../errors.ts";
import { findZone } from "../zones/find.ts";
import type { ZoneLocator } from "../zones/locate.ts";
import { type AddressCode, normalizeCode } from "./code.ts";
import { findAddress, type StoreOf } from "./resolve.ts";
import { HISTORY_EVENTS_MAX } from "./schemas.ts";
import type { Address, AddressChange, AddressStore, AddressWithHistory, ListPosition } from "./store.ts";

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
 * An owner's live addresses, newest first, `limit` of them from just after `after`, out of every database that may hold some.
 * @param search A part of the label or of the code in any spelling, in either case; all addresses when it is empty.
 */
export async function listAddresses(
	stores: AddressStore[],
	ownerId: string,
	limit: number,
	after: ListPosition | undefined,
	search = "",
): Promise<AddressPage> {
	const searched = search ? { words: search.normalize("NFC"), code: normalizeCode(search) } : undefined;
	// One more than asked for tells whether there is a next page.
	const found = (await Promise.all(stores.map((store) => store.ownedBy(ownerId, limit + 1, after, searched)))).flat();
	const addresses = found.sort(newestFirst).slice(0, limit);
	return { addresses, next: found.length > limit ? addresses.at(-1) : undefined };
}

function notTheOwner(): AppError {
	return new AppError("FORBIDDEN", "This address belongs to another account. Only its owner can do this.");
}

/** Refuses a point that is outside the zone of an address, whose number is part of the code. */
async function assertInItsZone(
	store: AddressStore,
	locator: ZoneLocator,
	{ country, zone }: AddressCode,
	lat: number,
	lng: number,
): Promise<void> {
	const found = await findZone(locator, lat, lng);
	if (found.country === country && found.zone === (await store.areaOf(country, Number(zone)))) return;
	throw new AppError(
		"OUTSIDE_ITS_ZONE",
		"The zone is part of the code, so a pin can move only within its zone. Create a new address for this point, then retire this one with the new code as its successor.",
	);
}

/**
 * Changes the label of an address, its point, or both. A new label or point sets its verification level to 0.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, OUTSIDE_ZONES, OUTSIDE_ITS_ZONE.
 */
export async function changeAddress(
	storeOf: StoreOf,
	locator: ZoneLocator,
	code: AddressCode,
	ownerId: string,
	change: AddressChange,
): Promise<Address> {
	const store = storeOf(code.country);
	const { lat, lng } = change;
	if (lat !== undefined && lng !== undefined) await assertInItsZone(store, locator, code, lat, lng);
	const changed = await store.change(code.canonical, ownerId, change);
	if (changed) return changed;
	await findAddress(storeOf, code);
	throw notTheOwner();
}

/** Refuses a successor that is not a live address of the same owner. */
async function assertSuccessor(
	storeOf: StoreOf,
	successor: AddressCode,
	{ canonical }: AddressCode,
	ownerId: string,
): Promise<void> {
	const holder = (await storeOf(successor.country).byCodes([successor.canonical])).get(successor.canonical);
	const isUsable =
		holder?.address?.ownerId === ownerId && holder.address.retiredAt === null && successor.canonical !== canonical;
	if (isUsable) return;
	const message = "Name another address of yours that is not retired.";
	throw new AppError("INVALID_REQUEST", `successor: ${message}`, { errors: [{ path: "successor", message }] });
}

/**
 * Retires an address for good, so that its code is never issued again. Doing so again changes nothing.
 * @param successor The code of the address to go to instead; it must be a live address of the same owner.
 * @param now Milliseconds since the epoch.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED when it was erased, FORBIDDEN when the caller is not the owner, INVALID_REQUEST for
 * a successor that cannot be one.
 */
export async function retireAddress(
	storeOf: StoreOf,
	code: AddressCode,
	ownerId: string,
	successor: AddressCode | undefined,
	now: number,
): Promise<void> {
	const { canonical, country } = code;
	const store = storeOf(country);
	if (successor) await assertSuccessor(storeOf, successor, code, ownerId);
	if (await store.retire(canonical, ownerId, { retiredAt: now, successor: successor?.canonical ?? null })) return;
	const holder = (await store.byCodes([canonical])).get(canonical);
	if (holder?.address?.ownerId === ownerId) return;
	await findAddress(storeOf, code);
	throw notTheOwner();
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
export async function addressHistory(storeOf: StoreOf, code: AddressCode, ownerId: string): Promise<HistoryEvent[]> {
	const found = await storeOf(code.country).history(code.canonical, ownerId);
	if (!found) {
		await findAddress(storeOf, code);
		throw notTheOwner();
	}
	return historyEvents(found).slice(-HISTORY_EVENTS_MAX);
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
