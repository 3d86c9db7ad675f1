import { inOneTrip } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { type AddressCode, displayCode, parseCode } from "./code.ts";
import type { Address, AddressStore, Holder } from "./store.ts";

export type { Address };

/** The store of the database that holds a country's addresses; one object for all countries of one database. */
export type StoreOf = (country: string) => AddressStore;

/** The error of a well-formed code under which nothing has been issued. */
export function addressNotFound(): AppError {
	return new AppError("ADDRESS_NOT_FOUND", "The code is well formed, but no address has been created with it.");
}

/** The error of a code whose address was retired. It names the successor, where the owner left one. */
export function addressRetired(successor: string | null): AppError {
	return successor === null
		? new AppError("ADDRESS_RETIRED", "The owner has retired this address. Its code is never used again.")
		: new AppError(
				"ADDRESS_RETIRED",
				`The owner has retired this address and names ${displayCode(successor)} as its successor. Its code is never used again.`,
				{ successor },
			);
}

/**
 * The live address among what stands under a code.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED.
 */
export function assertLive(holder: Holder | undefined): Address {
	if (!holder) throw addressNotFound();
	if (holder.burnt) throw addressRetired(holder.burnt.successor);
	if (holder.address.retiredAt !== null) throw addressRetired(holder.address.successor);
	return holder.address;
}

/** The result, or the AppError it threw. */
function attempt<Result>(work: () => Result): Result | AppError {
	try {
		return work();
	} catch (error) {
		if (error instanceof AppError) return error;
		throw error;
	}
}

/** What stands under codes, by code; a statement that is still to be run. */
type Holders = ReturnType<AddressStore["byCodes"]>;

/**
 * Resolves codes in any spelling, each to its live address or its own error, in the order given. Asks each database that holds any of them once,
 * so today once in all.
 * @param find Runs the statement of one database.
 */
export async function resolveAddresses(
	storeOf: StoreOf,
	inputs: string[],
	find = async (holders: Holders) => (await inOneTrip(holders))[0],
): Promise<(Address | AppError)[]> {
	const codes = inputs.map((input) => attempt(() => parseCode(input)));
	const wellFormed = codes.filter((code): code is AddressCode => !(code instanceof AppError));
	const byStore = Map.groupBy(wellFormed, ({ country }) => storeOf(country));
	const found = await Promise.all(
		Array.from(byStore, ([store, group]) => find(store.byCodes(group.map(({ canonical }) => canonical)))),
	);
	const holders = new Map(found.flatMap((ofStore) => [...ofStore]));
	return codes.map((code) =>
		code instanceof AppError ? code : attempt(() => assertLive(holders.get(code.canonical))),
	);
}
