import type { Context } from "hono";
import type { Caller } from "../db/caller.ts";
import { openAddressesDatabase, openAllAddressesDatabases } from "../db/open.ts";
import type { Bindings } from "../env.ts";
import type { AppEnv } from "../http/app-env.ts";
import { cachedAddress } from "./address-cache.ts";
import type { AddressCode } from "./code.ts";
import { type AskingAccount, askGuarded, isMiss } from "./enumeration.ts";
import type { PublicAddress } from "./record.ts";
import { findAddress, type StoreOf } from "./resolve.ts";
import { type Address, type AddressStore, addressStoreOf } from "./store.ts";

/** The store of each country's addresses. Countries of one database share one store. */
export function addressStores(env: Bindings): StoreOf {
	return (country) => addressStoreOf(openAddressesDatabase(env, country));
}

/** The stores of every database that holds addresses. */
export function allAddressStores(env: Bindings): AddressStore[] {
	return openAllAddressesDatabases(env).map(addressStoreOf);
}

/**
 * Asks the database about a code, within the look-ups that the caller has, because each of them tells whether the code exists.
 * @param account What the caller's credential is counted by; undefined for a stranger.
 * @param isOwn Whether a result is about what is the caller's own; where every result is, it may be left out.
 */
export function withinLookups<Result>(
	c: Context<AppEnv>,
	account: AskingAccount,
	{ canonical }: AddressCode,
	ask: () => Promise<Result>,
	isOwn: (result: Result) => boolean = () => true,
): Promise<Result> {
	return askGuarded(c, account, {
		codes: [canonical],
		limit: "LOOKUPS",
		ask,
		missesOf: (outcome) => (outcome.status === "rejected" && isMiss(outcome.reason) ? 1 : 0),
		isOwn: (outcome) => account !== undefined && outcome.status === "fulfilled" && isOwn(outcome.value),
	});
}

/** The live address of a code, as the database has it now, for anyone or for a caller. */
export function lookUpAddress(c: Context<AppEnv>, code: AddressCode, caller?: Caller): Promise<Address> {
	const ask = () => findAddress(addressStores(c.env), code, caller);
	return withinLookups(c, caller?.countedBy, code, ask, ({ ownerId }) => ownerId === caller?.userId);
}

/** What anyone may know of the live address of a code, from the cache where it is fresh. */
export function lookUpPublicAddress(c: Context<AppEnv>, code: AddressCode): Promise<PublicAddress> {
	return cachedAddress(c, code.canonical, () => lookUpAddress(c, code));
}
