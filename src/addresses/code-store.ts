/** The SQL that draws free codes and passes over burnt ones. */
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { hasRow, insertRow } from "../db/rows.ts";
import { addresses, burntCodes, lastCodes } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { isOwnedIn, type OwnedIn, type StoredAddress, storedColumns } from "./address-columns-store.ts";
import { type ContentField, contentOf } from "./content.ts";

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
