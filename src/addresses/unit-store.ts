/** All SQL on the units of addresses. */
import { and, eq, sql } from "drizzle-orm";
import { assertion } from "../db/refusal.ts";
import { hasRow, insertRow, updateRows } from "../db/rows.ts";
import { addresses, units } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { changedAt, isOwnLive, type Own } from "./address-columns-store.ts";
import { preconditionFailed } from "./entity-tag.ts";

/** A part of an address with a door of its own. */
export type Unit = typeof units.$inferSelect;

/** A unit of a live address of an owner. */
type OwnUnit = Own & Pick<Unit, "unit">;

const isThis = ({ canonical, unit }: Parameters<Pick<Unit, "canonical" | "unit">>) =>
	and(eq(units.canonical, canonical), eq(units.unit, unit));

/** The units of an address, in the order in which they were named. */
export const unitsOf = statement(({ canonical }: Parameters<{ canonical: string }>) =>
	query.select().from(units).where(eq(units.canonical, canonical)).orderBy(units.createdAt, units.unit),
);

/** The most units that an address may have. */
export const UNITS_MAX = 500;

/** Refuses if one more unit would take an address past UNITS_MAX. */
export const assertRoom = assertion(
	(own: Parameters<OwnUnit>) =>
		sql`not ${hasRow(addresses, isOwnLive(own))} or ${hasRow(units, isThis(own))}
			or (select count(*) from ${units} where ${eq(units.canonical, own.canonical)}) < ${UNITS_MAX}`,
	"too many units",
	() => new AppError("QUOTA_EXCEEDED", `An address may have ${UNITS_MAX} units. Remove one that it no longer has.`),
);

/** Refuses where an owner's live address does not have the unit. */
export const assertNamed = assertion(
	(own: Parameters<OwnUnit>) => sql`not ${hasRow(addresses, isOwnLive(own))} or ${hasRow(units, isThis(own))}`,
	"no such unit",
	preconditionFailed,
);

/** Adds a unit to an owner's live address, or replaces its label, and its name if one is given. */
export const putUnit = statement((own: Parameters<OwnUnit & Pick<Unit, "label" | "createdAt" | "name">>) => {
	const { canonical, unit, label, createdAt, name } = own;
	const source = sql`from ${addresses} where ${isOwnLive(own)}`;
	return insertRow(units, { canonical, unit, label, createdAt, name }, source)
		.onConflictDoUpdate({
			target: [units.canonical, units.unit],
			set: { label: sql`excluded.label`, name: sql`iif(excluded.name = '', ${units.name}, excluded.name)` },
		})
		.returning();
});

/** Removes a unit from an owner's live address. */
export const removeUnit = statement((own: Parameters<OwnUnit>) =>
	query.delete(units).where(and(isThis(own), hasRow(addresses, isOwnLive(own)))),
);

/** Raises the version of an owner's live address if it has the unit, because readers see its units change. */
export const raiseVersionOfUnits = statement((own: Parameters<OwnUnit & { now: number }>) =>
	updateRows(addresses, changedAt(own.now), and(isOwnLive(own), hasRow(units, isThis(own)))).returning(),
);
