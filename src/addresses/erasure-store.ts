import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { insertRow } from "../db/insert.ts";
import { type Database, perDatabase } from "../db/open.ts";
import { addressChanges, addresses, attestations, burntCodes } from "../db/schema.ts";

/** The SQL that erases addresses and leaves their codes burnt. */
export const erasureStoreOf = perDatabase((db: Database) => {
	const ownedByAny = (ownerIds: string[]) =>
		sql`${addresses.ownerId} in (select value from json_each(${JSON.stringify(ownerIds)}))`;

	/** Erases up to `count` addresses that meet a condition and leaves their burnt codes, in one transaction; how many went. */
	const erase = async (condition: SQL | undefined, count: number): Promise<number> => {
		const rows = await db
			.select({ canonical: addresses.canonical })
			.from(addresses)
			.where(condition)
			.limit(count)
			.all();
		if (rows.length === 0) return 0;
		const codes = JSON.stringify(rows.map(({ canonical }) => canonical));
		const erased = (column: SQLiteColumn) => sql`${column} in (select value from json_each(${codes}))`;
		const { canonical, retiredAt, successor } = addresses;
		const burnt = { canonical: sql`${canonical}`, retiredAt: sql`${retiredAt}`, successor: sql`${successor}` };
		await db.batch([
			insertRow(db, burntCodes, burnt, sql`from ${addresses} where ${erased(canonical)}`).onConflictDoNothing(),
			db.delete(addressChanges).where(erased(addressChanges.canonical)),
			db.delete(attestations).where(erased(attestations.canonical)),
			db.delete(addresses).where(erased(canonical)),
		]);
		return rows.length;
	};

	return {
		/**
		 * Erases up to `count` addresses that were retired before a time, except those that may come back with their owner's account: point, label, owner, history and attestations go, and the burnt code
		 * stays with the time and the successor. In one transaction; how many went.
		 */
		eraseRetiredBefore(time: number, count: number): Promise<number> {
			return erase(and(lt(addresses.retiredAt, time), eq(addresses.closedWithAccount, false)), count);
		},

		/** Erases up to `count` addresses of some owners in the same way, live and retired; how many went. */
		eraseOf(ownerIds: string[], count: number): Promise<number> {
			return erase(ownedByAny(ownerIds), count);
		},

		/** Which of some users own an address. */
		async ownersAmong(userIds: string[]): Promise<string[]> {
			const rows = await db.selectDistinct({ id: addresses.ownerId }).from(addresses).where(ownedByAny(userIds));
			return rows.map(({ id }) => id);
		},
	};
});
