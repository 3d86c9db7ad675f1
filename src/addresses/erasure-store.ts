import { and, eq, inArray, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import { type Database, perDatabase } from "../db/open.ts";
import { insertRow, updateRows } from "../db/rows.ts";
import { addressChanges, addresses, attestations, burntCodes, privateReads, units } from "../db/schema.ts";

/** What must have been done before addresses are erased, given their codes. When it fails, nothing is erased. */
type Beforehand = (canonicals: string[]) => Promise<void>;

/** The SQL that erases addresses and leaves their codes burnt. */
export const erasureStoreOf = perDatabase((db: Database) => {
	const ownedByAny = (ownerIds: string[]) =>
		sql`${addresses.ownerId} in (select value from json_each(${JSON.stringify(ownerIds)}))`;

	/**
	 * Erases up to `count` addresses that meet a condition and leaves their burnt codes, in one transaction. Returns the number of
	 * addresses erased.
	 * @param isLinked Whether successors stay, of the erased addresses and of others that lead to them.
	 */
	const erase = async (
		condition: SQL | undefined,
		count: number,
		isLinked: boolean,
		beforehand: Beforehand,
	): Promise<number> => {
		const rows = await db.select({ canonical: addresses.canonical }).from(addresses).where(condition).limit(count);
		if (rows.length === 0) return 0;
		const canonicals = rows.map(({ canonical }) => canonical);
		await beforehand(canonicals);
		const codes = JSON.stringify(canonicals);
		const erased = (column: SQLiteColumn) => sql`${column} in (select value from json_each(${codes}))`;
		const { canonical, retiredAt, successor } = addresses;
		const burnt = {
			canonical: sql`${canonical}`,
			retiredAt: sql`${retiredAt}`,
			successor: isLinked ? sql`${successor}` : sql`null`,
		};
		const unlink = [
			updateRows(db, burntCodes, { successor: null }, erased(burntCodes.successor)),
			updateRows(db, addresses, { successor: null }, erased(successor)),
		];
		await db.batch([
			insertRow(db, burntCodes, burnt, sql`from ${addresses} where ${erased(canonical)}`).onConflictDoNothing(),
			db.delete(addressChanges).where(erased(addressChanges.canonical)),
			db.delete(privateReads).where(erased(privateReads.canonical)),
			db.delete(attestations).where(erased(attestations.canonical)),
			db.delete(units).where(erased(units.canonical)),
			db.delete(addresses).where(erased(canonical)),
			...(isLinked ? [] : unlink),
		]);
		return rows.length;
	};

	return {
		/**
		 * Erases up to `count` addresses that were retired before a time, except those that may come back with their owner's account:
		 * point, label, owner, history and attestations go, and the burnt code stays with the time and the successor. In one
		 * transaction. Returns the number of addresses erased.
		 */
		eraseRetiredBefore: (time: number, count: number, beforehand: Beforehand) =>
			erase(and(lt(addresses.retiredAt, time), eq(addresses.closedWithAccount, false)), count, true, beforehand),

		/**
		 * Erases up to `count` sandbox addresses that were created before a time, of which the journal knows nothing. Returns the number of
		 * addresses erased.
		 */
		eraseSandboxBefore(time: number, count: number, beforehand: Beforehand): Promise<number> {
			// `[` follows `Z` in ASCII. Zone 0000 holds the fixed ones, which stay.
			const isOfSandbox = sql`${addresses.canonical} between ${`${SANDBOX_COUNTRY}0001`} and ${`${SANDBOX_COUNTRY}[`}`;
			return erase(and(isOfSandbox, lt(addresses.createdAt, time)), count, false, beforehand);
		},

		/**
		 * Erases up to `count` addresses of some owners in the same way, live and retired, and nothing leads from or to them any more.
		 * Returns the number of addresses erased.
		 */
		eraseOf: (ownerIds: string[], count: number, beforehand: Beforehand) =>
			erase(ownedByAny(ownerIds), count, false, beforehand),

		/** Forgets up to `count` Idempotency-Keys of addresses created before a time. Returns the number of keys. */
		async forgetKeysBefore(time: number, count: number): Promise<number> {
			const old = db
				.select({ canonical: addresses.canonical })
				.from(addresses)
				.where(and(lt(addresses.createdAt, time), isNotNull(addresses.idempotencyKey)))
				.limit(count);
			const forgotten = { idempotencyKey: null, requestHash: null };
			const { meta } = await updateRows(db, addresses, forgotten, inArray(addresses.canonical, old));
			return meta.changes;
		},

		/** Which of some users own an address. */
		async ownersAmong(userIds: string[]): Promise<string[]> {
			const rows = await db.selectDistinct({ id: addresses.ownerId }).from(addresses).where(ownedByAny(userIds));
			return rows.map(({ id }) => id);
		},
	};
});
