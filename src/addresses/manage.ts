import { AppError } from "../errors.ts";
import type { AddressCode } from "./code.ts";
import { findAddress, type StoreOf } from "./resolve.ts";
import type { Address, AddressStore, ListPosition } from "./store.ts";

/** A page of an owner's addresses. */
export interface AddressPage {
	addresses: Address[];
	/** Where the next page starts; undefined on the last one. */
	next: ListPosition | undefined;
}

function newestFirst(a: ListPosition, b: ListPosition): number {
	return b.createdAt - a.createdAt || (a.canonical < b.canonical ? 1 : -1);
}

/** An owner's live addresses, newest first, `limit` of them from just after `after`, out of every database that may hold some. */
export async function listAddresses(
	stores: AddressStore[],
	ownerId: string,
	limit: number,
	after: ListPosition | undefined,
): Promise<AddressPage> {
	// One more than asked for tells whether there is a next page.
	const found = (await Promise.all(stores.map((store) => store.ownedBy(ownerId, limit + 1, after)))).flat();
	const addresses = found.sort(newestFirst).slice(0, limit);
	return { addresses, next: found.length > limit ? addresses.at(-1) : undefined };
}

async function changeOwned(
	storeOf: StoreOf,
	code: AddressCode,
	ownerId: string,
	change: Parameters<AddressStore["change"]>[2],
): Promise<Address> {
	const changed = await storeOf(code.country).change(code.canonical, ownerId, change);
	if (changed) return changed;
	await findAddress(storeOf, code);
	throw new AppError("FORBIDDEN", "This address belongs to another account. Only its owner can change it.");
}

/**
 * Gives an address another label.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner.
 */
export function relabelAddress(storeOf: StoreOf, code: AddressCode, ownerId: string, label: string): Promise<Address> {
	return changeOwned(storeOf, code, ownerId, { label });
}

/**
 * Retires an address for good: its row stays, so that its code is never issued again.
 * @param now milliseconds since the epoch
 * @throws AppError as relabelAddress; ADDRESS_RETIRED also for a second time.
 */
export function retireAddress(storeOf: StoreOf, code: AddressCode, ownerId: string, now: number): Promise<Address> {
	return changeOwned(storeOf, code, ownerId, { retiredAt: now });
}
