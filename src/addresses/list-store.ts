/** All SQL on lists of addresses: those of an owner, and figures of whole zones. */
import { and, desc, eq, isNotNull, type Placeholder, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { isAmong, literal } from "../db/rows.ts";
import { addresses } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { CELLS_IN_ROW, CELLS_PER_DEGREE } from "../points/near.ts";
import { type Address, addressColumns, isOwnedIn, isStanding, type OwnedIn } from "./address-columns-store.ts";

/** The position of an address in its owner's list. */
export type ListPosition = Pick<Address, "createdAt" | "canonical">;

/** The position before every address of a list. */
const LIST_START: ListPosition = { createdAt: Number.MAX_SAFE_INTEGER, canonical: "" };

/** The text to find in a label or in a code. Empty `words` are in every label; an empty `code` is in no code. */
interface Search {
	words: string;
	code: string;
}

const holds = (column: SQLiteColumn, part: Placeholder) => sql`instr(lower(${column}), lower(${part})) > 0`;
const pageOfOwned = statement((page: Parameters<ListPosition & Search & OwnedIn & { limit: number }>) =>
	query
		.select(addressColumns)
		.from(addresses)
		.where(
			and(
				isOwnedIn(page),
				isStanding,
				sql`(${addresses.createdAt}, ${addresses.canonical}) < (${page.createdAt}, ${page.canonical})`,
				sql`(${holds(addresses.label, page.words)} or (${page.code} <> '' and ${holds(addresses.canonical, page.code)}))`,
			),
		)
		.orderBy(desc(addresses.createdAt), desc(addresses.canonical))
		.limit(page.limit),
);

/** The live addresses of an owner, newest first, from just after `after`; with `search`, only those whose label or code contains it. */
export const ownedBy = (of: OwnedIn, limit: number, after = LIST_START, search: Search = { words: "", code: "" }) =>
	pageOfOwned({ ...of, limit, ...after, ...search });

/** The retired addresses of an owner that are not erased yet, latest first. */
export const retiredOf = statement((page: Parameters<OwnedIn & { limit: number }>) =>
	query
		.select(addressColumns)
		.from(addresses)
		.where(and(isOwnedIn(page), isNotNull(addresses.retiredItselfAt)))
		.orderBy(desc(addresses.retiredItselfAt))
		.limit(page.limit),
);

/** The code and version of every address of an owner, live and retired, newest first. */
export const codesOf = statement(({ ownerId }: Parameters<{ ownerId: string }>) =>
	query
		.select({ canonical: addresses.canonical, version: addresses.version })
		.from(addresses)
		.where(eq(addresses.ownerId, ownerId))
		.orderBy(desc(addresses.createdAt), desc(addresses.canonical)),
);

/** The addresses of an owner that have one of some external ids, live and retired. */
export const byExternalIds = statement((wanted: Parameters<OwnedIn & { externalIds: string[] }>) =>
	query
		.select(addressColumns)
		.from(addresses)
		.where(and(isOwnedIn(wanted), isAmong(addresses.externalId, wanted.externalIds))),
);

/**
 * Up to 1,000 live addresses of an owner that lie in some cells (src/points/near.ts).
 * It reads every live address of the owner.
 */
export const ownInCells = statement((wanted: Parameters<OwnedIn & { cells: number[] }>) => {
	const { canonical, lat, lng } = addresses;
	const row = sql`cast((${lat} + 90) * ${literal(CELLS_PER_DEGREE.lat)} as integer)`;
	const column = sql`cast((${lng} + 180) * ${literal(CELLS_PER_DEGREE.lng)} as integer)`;
	return query
		.select({ canonical, lat, lng })
		.from(addresses)
		.where(
			and(
				isOwnedIn(wanted),
				isStanding,
				sql`${row} * ${literal(CELLS_IN_ROW)} + ${column} in (select value from json_each(${wanted.cells}))`,
			),
		)
		.limit(1000);
});

/** The name of each zone, as one of its addresses has it; null where it has none. `zones` are such as `NG0421`. */
export const zoneNames = statement(({ zones }: Parameters<{ zones: string[] }>) =>
	query
		.select({
			zone: sql<string>`value`.as("zone"),
			name: sql<string | null>`(select ${addresses.zoneName} from ${addresses}
				where ${addresses.canonical} > value and ${addresses.canonical} < value || 'A' limit 1)`.as("name"),
		})
		.from(sql`json_each(${zones})`),
);

/** How many live addresses an owner has, without those of the sandbox. */
export const countOf = statement(({ ownerId }: Parameters<{ ownerId: string }>) =>
	query
		.select({ count: sql<number>`count(*)`.as("count") })
		.from(addresses)
		.where(sql`${addresses.ownerId} = ${ownerId} and ${isStanding} and ${addresses.canonical} < 'ZZ'`),
);
