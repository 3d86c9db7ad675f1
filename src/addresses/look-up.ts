import type { Context } from "hono";
import type { Caller } from "../db/caller.ts";
import {
	type Database,
	openAddressesDatabase,
	openAllAddressesDatabases,
	openNearestAddressesDatabase,
} from "../db/open.ts";
import { inOneTrip, tellingPrimary } from "../db/statement.ts";
import type { Bindings } from "../env.ts";
import type { AppEnv } from "../http/app-env.ts";
import { cachedAddress, cachedAnswer, type PublicAnswer } from "./address-cache.ts";
import type { AddressCode } from "./code.ts";
import { askGuarded, isMiss } from "./enumeration.ts";
import type { PublicAddress } from "./record.ts";
import { assertLive, type StoreOf } from "./resolve.ts";
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
 * Does what tells whether a code exists, within the look-ups that the caller has.
 * @param work Asks the database, and may change it.
 * @param isOwn Whether its result is about what is the caller's own.
 */
export async function withinLookups<Result>(
	c: Context<AppEnv>,
	caller: Caller,
	{ canonical, country }: AddressCode,
	work: () => Promise<Result>,
	isOwn = true,
): Promise<Result> {
	const outcome = await askGuarded(c, caller, {
		codes: [canonical],
		limit: "LOOKUPS",
		changes: true,
		async ask(counts) {
			const known = inOneTrip(counts(openAddressesDatabase(c.env, country)));
			const [[counted], [outcome]] = await Promise.all([known, Promise.allSettled([work()])]);
			return [outcome, counted];
		},
		missesOf: (outcome) => (outcome.status === "rejected" && isMiss(outcome.reason) ? 1 : 0),
		isOwn: (outcome) => isOwn && outcome.status === "fulfilled",
	});
	if (outcome.status === "rejected") throw outcome.reason;
	return outcome.value;
}

/**
 * The live address of a code. A caller, whom the same trip proves, gets it as it is now; anyone else gets it from the nearest replica, which may be
 * behind by a moment.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED; INVALID_TOKEN where the caller is refused.
 */
export async function lookUpAddress(
	c: Context<AppEnv>,
	{ canonical, country }: AddressCode,
	caller?: Caller,
): Promise<Address> {
	const statementIn = (db: Database) => addressStoreOf(db).byCodes([canonical]);
	const current = openAddressesDatabase(c.env, country);
	const holders = await askGuarded(c, caller, {
		codes: [canonical],
		limit: "LOOKUPS",
		async ask(counts) {
			if (caller) return caller.run(statementIn(current), counts(current));
			const nearest = openNearestAddressesDatabase(c.env, country);
			const [found, counted] = await inOneTrip(tellingPrimary(statementIn(nearest)), counts(nearest));
			if (found.isFromPrimary || found.result.has(canonical)) return [found.result, counted];
			// A replica may not know yet what has just been created.
			return [(await inOneTrip(statementIn(current)))[0], counted];
		},
		missesOf: (holders) => (holders.has(canonical) ? 0 : 1),
		isOwn: (holders) => caller !== undefined && holders.get(canonical)?.address?.ownerId === caller.userId,
	});
	return assertLive(holders.get(canonical));
}

/** What anyone may know of the live address of a code, from the cache where it is fresh. */
export function lookUpPublicAddress(c: Context<AppEnv>, code: AddressCode): Promise<PublicAddress> {
	return cachedAddress(c, code.canonical, () => lookUpAddress(c, code));
}

/**
 * Answers what anyone may know of the live address of a code in a format of `defineFormat`, from the cache where it is fresh.
 * @param draw As `cachedAnswer` takes it.
 */
export function answerPublicly(
	c: Context<AppEnv>,
	code: AddressCode,
	format: string,
	draw?: (address: PublicAddress) => PublicAnswer | Promise<PublicAnswer>,
): Promise<Response> {
	return cachedAnswer(c, code.canonical, format, () => lookUpAddress(c, code), draw);
}
