/** The SQL that erases addresses and leaves their codes burnt. */
import { and, eq, inArray, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import { insertRow, isAmong, updateRows } from "../db/rows.ts";
import { addressChanges, addresses, attestations, burntCodes, privateReads, units } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { retiredAt } from "./address-columns-store.ts";

/** Statements that find the codes of up to `count` addresses that meet a condition. */
const codesWhere = <Values extends object>(condition: (values: Parameters<Values>) => SQL | undefined) =>
	statement((values: Parameters<Values & { count: number }>) =>
		query
			.select({ canonical: addresses.canonical, successor: addresses.successor })
			.from(addresses)
			.where(condition(values))
			.limit(values.count),
	);

/** Addresses that were retired before a time, except those that may come back when their owner's account is opened again. */
export const retiredBefore = codesWhere(({ time }: Parameters<{ time: number }>) =>
	and(lt(addresses.retiredItselfAt, time), eq(addresses.closedWithAccount, false)),
);

/** Sandbox addresses that were created before a time. The journal has no entries for them. */
export const sandboxBefore = codesWhere(({ time }: Parameters<{ time: number }>) => {
	// `[` follows `Z` in ASCII. Zone 0000 holds the fixed sandbox addresses, which stay.
	const isOfSandbox = sql`${addresses.canonical} between ${`${SANDBOX_COUNTRY}0001`} and ${`${SANDBOX_COUNTRY}[`}`;
	return and(isOfSandbox, lt(addresses.createdAt, time));
});

/** Addresses of some owners, live and retired. */
export const ownedByAny = codesWhere(({ ownerIds }: Parameters<{ ownerIds: string[] }>) =>
	isAmong(addresses.ownerId, ownerIds),
);

/** Some addresses. */
type Some = Parameters<{ codes: string[] }>;

/** Stores a burnt code for each address, with the time of its retirement. */
const burning = (successor: SQL) =>
	statement(({ codes }: Some) => {
		const row = { canonical: sql`${addresses.canonical}`, retiredAt, successor };
		const source = sql`from ${addresses} where ${isAmong(addresses.canonical, codes)}`;
		return insertRow(burntCodes, row, source).onConflictDoNothing();
	});
const burnWithSuccessors = burning(sql`${addresses.successor}`);
const burnAlone = burning(sql`null`);

type OfAddresses = typeof addressChanges | typeof privateReads | typeof attestations | typeof units | typeof addresses;
const deletionFrom = (table: OfAddresses) =>
	statement(({ codes }: Some) => query.delete(table).where(isAmong(table.canonical, codes)));
const deleteChanges = deletionFrom(addressChanges);
const deleteReads = deletionFrom(privateReads);
const deleteAttestations = deletionFrom(attestations);
const deleteUnits = deletionFrom(units);
const deleteAddresses = deletionFrom(addresses);

const unlinkBurnt = statement(({ codes }: Some) =>
	updateRows(burntCodes, { successor: null }, isAmong(burntCodes.successor, codes)),
);
const unlinkAddresses = statement(({ codes }: Some) =>
	updateRows(addresses, { successor: null }, isAmong(addresses.successor, codes)),
);

/** Statements that remove every reference to addresses as successors, before these are erased. */
export function unlinking(codes: string[]) {
	return { unlinkedBurnt: unlinkBurnt({ codes }), unlinkedAddresses: unlinkAddresses({ codes }) };
}

/**
 * Statements that erase addresses: point, label, owner, history, units and attestations go; the burnt code stays, with the time.
 * @param isLinked Whether to leave successors in place, both of the erased addresses and of others that lead to them.
 */
export function erasing(codes: string[], isLinked: boolean) {
	const some = { codes };
	return {
		burnt: isLinked ? burnWithSuccessors(some) : burnAlone(some),
		changes: deleteChanges(some),
		reads: deleteReads(some),
		attestations: deleteAttestations(some),
		units: deleteUnits(some),
		addresses: deleteAddresses(some),
		...(isLinked ? {} : unlinking(codes)),
	};
}

/** Deletes up to `count` Idempotency-Keys of addresses created before a time. */
export const forgetKeysBefore = statement(({ time, count }: Parameters<{ time: number; count: number }>) => {
	const old = query
		.select({ canonical: addresses.canonical })
		.from(addresses)
		.where(and(lt(addresses.createdAt, time), isNotNull(addresses.idempotencyKey)))
		.limit(count);
	const forgotten = { idempotencyKey: null, requestHash: null };
	return updateRows(addresses, forgotten, inArray(addresses.canonical, old));
});

/** Which of some users own an address. */
export const ownersAmong = statement(({ userIds }: Parameters<{ userIds: string[] }>) =>
	query.selectDistinct({ id: addresses.ownerId }).from(addresses).where(isAmong(addresses.ownerId, userIds)),
);
