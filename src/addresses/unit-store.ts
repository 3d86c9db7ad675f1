import { and, eq, sql } from "drizzle-orm";
import { type Database, perDatabase } from "../db/open.ts";
import { assertThat } from "../db/refusal.ts";
import { hasRow, insertRow, updateRows } from "../db/rows.ts";
import { addresses, units } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";
import { changedAt, isOwnLive } from "./live-store.ts";

/** A part of an address with a door of its own. */
export type Unit = typeof units.$inferSelect;

/** A unit of a live address of an owner. */
interface OwnUnit extends Pick<Unit, "canonical" | "unit"> {
	ownerId: string;
}

/** Why a statement on units refuses. */
export const TOO_MANY_UNITS = "too many units";

/** All SQL on the units of addresses. */
export const unitStoreOf = perDatabase((db: Database) => {
	const isThis = ({ canonical, unit }: Parameters<Pick<Unit, "canonical" | "unit">>) =>
		and(eq(units.canonical, canonical), eq(units.unit, unit));

	return {
		/** The units of an address, in the order in which they were named. */
		unitsOf: prepare(db, ({ canonical }: Parameters<{ canonical: string }>) =>
			db.select().from(units).where(eq(units.canonical, canonical)).orderBy(units.createdAt, units.unit),
		),

		/** Refuses for TOO_MANY_UNITS where an address would come to have more than `max`. */
		assertRoom: prepare(db, (own: Parameters<OwnUnit & { max: number }>) =>
			assertThat(
				db,
				sql`not ${hasRow(addresses, isOwnLive(own))} or ${hasRow(units, isThis(own))}
					or (select count(*) from ${units} where ${eq(units.canonical, own.canonical)}) < ${own.max}`,
				TOO_MANY_UNITS,
			),
		),

		/** Adds a unit to a live address of an owner, or gives it another label. */
		put: prepare(db, (own: Parameters<OwnUnit & Pick<Unit, "label" | "createdAt">>) => {
			const { canonical, unit, label, createdAt } = own;
			const source = sql`from ${addresses} where ${isOwnLive(own)}`;
			return insertRow(db, units, { canonical, unit, label, createdAt }, source).onConflictDoUpdate({
				target: [units.canonical, units.unit],
				set: { label: sql`excluded.label` },
			});
		}),

		/** Takes a unit away from a live address of an owner. */
		remove: prepare(db, (own: Parameters<OwnUnit>) =>
			db.delete(units).where(and(isThis(own), hasRow(addresses, isOwnLive(own)))),
		),

		/** Raises the version of a live address of an owner that has a unit, because a reader sees its units change. */
		raiseVersion: prepare(db, (own: Parameters<OwnUnit & { now: number }>) =>
			updateRows(db, addresses, changedAt(own.now), and(isOwnLive(own), hasRow(units, isThis(own)))).returning(),
		),
	};
});
