/** The SQL that opens further numbers for areas that are full. */
import { and, desc, eq, sql } from "drizzle-orm";
import { assertion } from "../db/refusal.ts";
import { insertRow, literal } from "../db/rows.ts";
import { addresses, burntCodes, overflowZones } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { FAIR_SHARE } from "../zones/numbers.ts";

/** A further number for an area that is full, about to be opened. */
interface NewOverflow {
	country: string;
	/** The number that the index publishes for the area. */
	area: number;
	/** 1 for the area's first overflow, then 2, and so on. */
	ordinal: number;
	/** Numbers that the index leaves unused in the country for zones that fill up, nearest to `area` first. */
	free: number[];
	/** How many zones the country has. */
	zones: number;
	/** Milliseconds since the epoch. */
	now: number;
}

/**
 * Refuses unless a zone number belongs to `area`, by the index or as an overflow. In the sandbox it may belong to two areas, because no
 * number is reserved there.
 */
export const assertArea = assertion(
	({ country, zone, area }: Parameters<{ country: string; zone: number; area: number }>) =>
		sql`${area} in (${zone}, (select ${overflowZones.area} from ${overflowZones} where ${and(eq(overflowZones.country, country), eq(overflowZones.zone, zone))}))`,
	"other area",
	() =>
		new AppError(
			"OUTSIDE_ITS_ZONE",
			"The zone is part of the code, so a pin can move only within its zone. Create a new address for this point, then retire this one and name the new code as its successor.",
		),
);

/** The number under which an area's addresses are minted now: its newest overflow. No row while it has none. */
export const newestOverflow = statement((zone: Parameters<{ country: string; area: number }>) =>
	query
		.select({ zone: overflowZones.zone, ordinal: overflowZones.ordinal })
		.from(overflowZones)
		.where(and(eq(overflowZones.country, zone.country), eq(overflowZones.area, zone.area)))
		.orderBy(desc(overflowZones.ordinal))
		.limit(1),
);

/**
 * Opens overflow `ordinal` of an area under the nearest of its country's free numbers that no area has opened. Does nothing if another
 * request was first, no number is left, or the area has its fair share.
 */
export const openOverflow = statement((overflow: Parameters<NewOverflow>) => {
	const { country, area, ordinal, free, zones, now } = overflow;
	const opened = sql`from ${overflowZones} where ${overflowZones.country} = ${country}`;
	const next = sql`select value as next from json_each(${free})
		where not exists (select 1 ${opened} and ${overflowZones.zone} = value) limit 1`;
	const hasShare = sql`(${ordinal} - 1) * ${literal(FAIR_SHARE)} <= json_array_length(${free}) - (select count(*) ${opened})
		or (select count(*) ${opened} and ${overflowZones.ordinal} = 1) >= ${zones}`;
	return insertRow(
		overflowZones,
		{ country, zone: sql`next`, area, ordinal, createdAt: now },
		sql`from (${next}) where ${hasShare}`,
	).onConflictDoNothing();
});

/** How many codes were ever issued in each zone in which a given owner has addresses. `zones` are such as `NG0311`. */
export const issuedIn = statement(({ zones, ownerId }: Parameters<{ zones: string[]; ownerId: string }>) => {
	const isInZone = sql`${addresses.canonical} between value and value || ':'`;
	const countOf = (table: typeof addresses | typeof burntCodes) =>
		sql`(select count(*) from ${table} where ${table.canonical} between value and value || ':')`;
	return query
		.select({
			zone: sql<string>`value`.as("zone"),
			issued: sql<number>`${countOf(addresses)} + ${countOf(burntCodes)}`.as("issued"),
		})
		.from(sql`json_each(${zones})`)
		.where(sql`exists (select 1 from ${addresses} where ${isInZone} and ${addresses.ownerId} = ${ownerId})`);
});

/** How many overflow numbers have been opened in a country. */
export const openedIn = statement(({ country }: Parameters<{ country: string }>) =>
	query
		.select({ count: sql<number>`count(*)`.as("count") })
		.from(overflowZones)
		.where(eq(overflowZones.country, country)),
);
