/** The SQL that draws free codes, passes over burnt ones, and opens numbers for areas that are full. */
import { and, desc, eq, or, type SQL, sql } from "drizzle-orm";
import { ACCOUNTS, type Database } from "../db/open.ts";
import { assertion } from "../db/refusal.ts";
import { hasRow, insertRow, literal } from "../db/rows.ts";
import { addresses, burntCodes, lastCodes, overflowZones } from "../db/schema.ts";
import { type Parameters, query, type Statement, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { FAIR_SHARE } from "../zones/numbers.ts";
import {
	type Address,
	addressColumns,
	isOwnedIn,
	type OwnedIn,
	type StoredAddress,
	storedColumns,
} from "./address-columns-store.ts";
import { type ContentField, contentOf } from "./content.ts";
import { hasAllLike } from "./home-store.ts";

/** An address about to be minted: everything but its code, which the database chooses. */
export type NewAddress = Pick<
	typeof addresses.$inferSelect,
	| ContentField
	| "zoneName"
	| "region"
	| "zoneRegion"
	| "locality"
	| "isLocalityChosen"
	| "edition"
	| "ownerId"
	| "createdAt"
	| "externalId"
	| "idempotencyKey"
	| "requestHash"
>;

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
 * What was issued under a code: an address, live or retired; a burnt code, whose address has been erased; or neither, where the database
 * cannot tell because not all codes with this prefix are in it.
 */
export type Issued =
	| { address: Address; burnt?: never }
	| { burnt: { successor: string | null }; address?: never }
	| { burnt?: never; address?: never };

const issuedStatus = statement(({ codes, isOfAccounts }: Parameters<{ codes: string[]; isOfAccounts: 0 | 1 }>) =>
	query
		.select({
			code: sql<string>`requested.value`.as("code"),
			address: addressColumns,
			isBurnt: sql<0 | 1>`${burntCodes.canonical} is not null`.as("is_burnt"),
			burntSuccessor: sql<string | null>`${burntCodes.successor}`.as("burnt_successor"),
			isElsewhere: sql<
				0 | 1
			>`${addresses.canonical} is null and not ${hasAllLike(sql`requested.value`, isOfAccounts)}`.as("is_elsewhere"),
		})
		.from(sql`json_each(${codes}) as requested`)
		.leftJoin(addresses, sql`${addresses.canonical} = requested.value`)
		.leftJoin(burntCodes, sql`${burntCodes.canonical} = requested.value`),
);

/** Reads what was issued under a code; undefined if nothing ever was. */
export function byOneCode(canonical: string): Statement<Issued | undefined> {
	const found = byCodes([canonical]);
	return { ...found, read: (answer) => found.read(answer).get(canonical) };
}

/** Reads what was issued under each of some codes, by code. Codes that were never issued are left out. */
export function byCodes(codes: string[]): Statement<Map<string, Issued>> {
	const found = issuedStatus({ codes, isOfAccounts: 1 });
	const read = (answer: D1Result) => {
		const issued = new Map<string, Issued>();
		for (const { code, address, isBurnt, burntSuccessor, isElsewhere } of found.read(answer)) {
			if (isBurnt) issued.set(code, { burnt: { successor: burntSuccessor } });
			else if (address) issued.set(code, { address });
			else if (isElsewhere) issued.set(code, {});
		}
		return issued;
	};
	const bind = (db: Database) => issuedStatus({ codes, isOfAccounts: db.name === ACCOUNTS ? 1 : 0 }).bind(db);
	return { ...found, bind, read };
}

/** The address that an owner has minted under an Idempotency-Key, or that has a given external id of theirs. */
export const ofEarlierRequest = statement(
	(earlier: Parameters<OwnedIn & Pick<StoredAddress, "idempotencyKey" | "externalId">>) =>
		query
			.select(storedColumns)
			.from(addresses)
			.where(
				and(
					isOwnedIn(earlier),
					or(eq(addresses.idempotencyKey, earlier.idempotencyKey), eq(addresses.externalId, earlier.externalId)),
				),
			),
);

/** Whether neither an address nor a burnt code has `code`. */
const isFree = (code: SQL) =>
	sql`not ${hasRow(addresses, eq(addresses.canonical, code))} and not ${hasRow(burntCodes, eq(burntCodes.canonical, code))}`;

const insertDrawn = statement((draw: Parameters<NewAddress & { prefix: string; candidates: string[] }>) => {
	const { prefix, candidates } = draw;
	// `:` follows `9` in ASCII, so these bounds hold exactly the codes that start with the prefix.
	const lastCode = sql`select canonical from last_codes where canonical between ${prefix} and ${prefix} || ':' order by random() limit 1`;
	return insertRow(
		addresses,
		{
			canonical: sql`code`,
			zoneName: draw.zoneName,
			region: draw.region,
			zoneRegion: draw.zoneRegion,
			locality: draw.locality,
			isLocalityChosen: draw.isLocalityChosen,
			edition: draw.edition,
			...contentOf(draw),
			shareCount: 0,
			verificationLevel: 0,
			verifiedAt: null,
			ownerId: draw.ownerId,
			version: 1,
			createdAt: draw.createdAt,
			updatedAt: null,
			retiredItselfAt: null,
			successor: null,
			closedWithAccount: false,
			externalId: draw.externalId,
			hiddenAt: null,
			idempotencyKey: draw.idempotencyKey,
			requestHash: draw.requestHash,
		},
		sql`from (select canonical as code from (${lastCode}) union all select value from json_each(${candidates}))
			where ${isFree(sql`code`)}
			limit 1`,
	)
		.onConflictDoNothing()
		.returning(storedColumns);
});

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

/**
 * Draws a free code and inserts the address under it, in one statement. The code is a random one of the zone's last codes if those have
 * been stored, else the first free candidate. Both draws are uniform over the free codes. No row is returned if no candidate is free, or
 * if the owner's Idempotency-Key or external id has an address already. Without either, a second run could mint a second address, so the
 * statement runs once only.
 * @param prefix The country and number that all the codes start with.
 * @param codes The candidates, in random order.
 */
export function insertUnderFreeCode(address: NewAddress, prefix: string, codes: string[]) {
	const drawn = insertDrawn({ ...address, prefix, candidates: codes });
	return address.idempotencyKey === null && address.externalId === null ? { ...drawn, isOnce: true } : drawn;
}

/** Stores which of a zone's codes are still free, for the last draws. */
export const storeLastCodes = statement(({ codes }: Parameters<{ codes: string[] }>) => {
	const free = sql`from json_each(${codes}) where ${isFree(sql`value`)}`;
	return insertRow(lastCodes, { canonical: sql`value` }, free).onConflictDoNothing();
});

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
