import { and, desc, eq, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import type { Database } from "../db/open.ts";
import { retryIdempotent } from "../db/retry.ts";
import { addresses, attestations, burntCodes, lastCodes, overflowZones } from "../db/schema.ts";
import { ZONE_NUMBERS } from "../zones/naming.ts";

export type Address = typeof addresses.$inferSelect;

/** An address about to be minted: everything but its code, which the database chooses. */
export type NewAddress = Pick<
	Address,
	"zoneName" | "lat" | "lng" | "label" | "ownerId" | "createdAt" | "idempotencyKey" | "requestHash"
>;

/** What came of a draw of a free code. `key used` holds the address that the owner's Idempotency-Key has minted before. */
export type Draw =
	| { outcome: "minted"; address: Address }
	| { outcome: "key used"; address: Address }
	| { outcome: "no free code" };

/** What stands under a code: an address, live or retired, or `burnt` where its row is gone and the code is never issued again. */
export type Holder = Address | "burnt";

/** A code that must never be issued again. `retiredAt` is in milliseconds since the epoch, or null when it is not known. */
export type BurntCode = typeof burntCodes.$inferSelect;

/** A verification event of an address, as stored. */
export type Attestation = typeof attestations.$inferSelect;
/** The place of an address in its owner's list. */
export type ListPosition = Pick<Address, "createdAt" | "canonical">;

export type AddressStore = ReturnType<typeof createAddressStore>;

/** All SQL on addresses and what their codes are drawn from. */
export function createAddressStore(db: Database) {
	/** Neither an address nor a burnt code stands under `code`. */
	const isFree = (code: SQL) =>
		sql`not exists (select 1 from ${addresses} where ${addresses.canonical} = ${code})
			and not exists (select 1 from ${burntCodes} where ${burntCodes.canonical} = ${code})`;

	const ofIdempotencyKey = (ownerId: string, key: string) =>
		db
			.select()
			.from(addresses)
			.where(and(eq(addresses.ownerId, ownerId), eq(addresses.idempotencyKey, key)));

	return {
		/** What stands under any number of codes, by code; codes that were never issued are left out. One query. */
		async byCodes(canonicals: string[]): Promise<Map<string, Holder>> {
			const rows = await db
				.select({
					code: sql<string>`requested.value`.as("code"),
					address: addresses,
					isBurnt: sql<0 | 1>`${burntCodes.canonical} is not null`.as("is_burnt"),
				})
				.from(sql`json_each(${JSON.stringify(canonicals)}) as requested`)
				.leftJoin(addresses, sql`${addresses.canonical} = requested.value`)
				.leftJoin(burntCodes, sql`${burntCodes.canonical} = requested.value`)
				.all();
			const holders = new Map<string, Holder>();
			for (const { code, address, isBurnt } of rows) {
				const holder = isBurnt ? "burnt" : address;
				if (holder) holders.set(code, holder);
			}
			return holders;
		},

		/** The live addresses of an owner, newest first, from just after `after`. */
		ownedBy(ownerId: string, limit: number, after: ListPosition | undefined): Promise<Address[]> {
			return db
				.select()
				.from(addresses)
				.where(
					and(
						eq(addresses.ownerId, ownerId),
						isNull(addresses.retiredAt),
						after && sql`(${addresses.createdAt}, ${addresses.canonical}) < (${after.createdAt}, ${after.canonical})`,
					),
				)
				.orderBy(desc(addresses.createdAt), desc(addresses.canonical))
				.limit(limit)
				.all();
		},

		/** Changes a live address of an owner and raises its version; undefined when the owner has no such live address. */
		change(
			canonical: string,
			ownerId: string,
			change: Partial<Pick<Address, "label" | "retiredAt">>,
		): Promise<Address | undefined> {
			// A retirement by an attempt whose answer was lost is this request's own, as its time tells.
			const { retiredAt } = change;
			const live = or(isNull(addresses.retiredAt), retiredAt ? eq(addresses.retiredAt, retiredAt) : undefined);
			return retryIdempotent(() =>
				db
					.update(addresses)
					.set({ ...change, version: sql`${addresses.version} + 1` })
					.where(and(eq(addresses.canonical, canonical), eq(addresses.ownerId, ownerId), live))
					.returning()
					.get(),
			);
		},

		byIdempotencyKey(ownerId: string, key: string): Promise<Address | undefined> {
			return ofIdempotencyKey(ownerId, key).get();
		},

		/**
		 * Draws a free code and inserts the address under it, in one statement: a random one of the zone's last codes where they have been
		 * written down, else the first of `candidates` (codes of the zone in random order) that is free. Both draws are
		 * uniform over the free codes.
		 */
		async insertUnderFreeCode(address: NewAddress, zonePrefix: string, candidates: string[]): Promise<Draw> {
			const { ownerId, idempotencyKey } = address;
			// `:` follows `9` in ASCII, so these bounds hold exactly the codes that start with the prefix.
			const lastCode = sql`select canonical from last_codes where canonical between ${zonePrefix} and ${`${zonePrefix}:`} order by random() limit 1`;
			const insert = insertRow(
				db,
				addresses,
				{ ...address, canonical: sql`code`, verificationLevel: 0, version: 1, retiredAt: null },
				sql`from (select canonical as code from (${lastCode})
						union all select value from json_each(${JSON.stringify(candidates)}))
					where ${isFree(sql`code`)}
					limit 1`,
			)
				.onConflictDoNothing()
				.returning();
			const [[minted], [earlier]] =
				idempotencyKey === null
					? [await insert, []]
					: await db.batch([insert, ofIdempotencyKey(ownerId, idempotencyKey)]);
			if (minted) return { outcome: "minted", address: minted };
			return earlier ? { outcome: "key used", address: earlier } : { outcome: "no free code" };
		},

		/** Writes down which of a zone's codes are still free, for the last draws; true when there is one. */
		async keepLastCodes(zoneCodes: string[]): Promise<boolean> {
			const free = sql`from json_each(${JSON.stringify(zoneCodes)}) where ${isFree(sql`value`)}`;
			await insertRow(db, lastCodes, { canonical: sql`value` }, free).onConflictDoNothing();
			return (await db.all(sql`select 1 ${free} limit 1`)).length > 0;
		},

		/** Keeps codes from ever being issued again, whether or not they are burnt already. Run it in front of the deletion of their rows. */
		async burn(codes: BurntCode[]): Promise<void> {
			const burnt = {
				canonical: sql`value ->> 'canonical'`,
				retiredAt: sql`value ->> 'retiredAt'`,
				successor: sql`value ->> 'successor'`,
			};
			const source = sql`from json_each(${JSON.stringify(codes)}) where true`;
			await retryIdempotent(() => insertRow(db, burntCodes, burnt, source).onConflictDoNothing().run());
		},

		/** The number under which an area is minted now: its newest overflow, or undefined while it has none. */
		async newestOverflow(country: string, area: number): Promise<{ zone: number; ordinal: number } | undefined> {
			return db
				.select({ zone: overflowZones.zone, ordinal: overflowZones.ordinal })
				.from(overflowZones)
				.where(and(eq(overflowZones.country, country), eq(overflowZones.area, area)))
				.orderBy(desc(overflowZones.ordinal))
				.limit(1)
				.get();
		},

		/**
		 * Gives an area the country's next free number, from `published` up, as its overflow `ordinal`. Does nothing when another
		 * request did so first, or when no number up to 9999 is left.
		 */
		async openOverflow(country: string, area: number, ordinal: number, published: number, now: number): Promise<void> {
			const nextFree = sql`select max(${published}, coalesce(max(zone) + 1, 0)) as next from overflow_zones where country = ${country}`;
			await insertRow(
				db,
				overflowZones,
				{ country, zone: sql`next`, area, ordinal, createdAt: now },
				sql`from (${nextFree}) where next < ${ZONE_NUMBERS}`,
			).onConflictDoNothing();
		},

		/**
		 * Adds an attestation of a live address and raises its level to it, in one transaction. Both as they are then; undefined when the
		 * address is retired or was never issued.
		 */
		async attest(attestation: Attestation): Promise<{ attestation: Attestation; address: Address } | undefined> {
			const { id, canonical, level } = attestation;
			const live = and(eq(addresses.canonical, canonical), isNull(addresses.retiredAt));
			const [, , [kept], [address]] = await retryIdempotent(() =>
				db.batch([
					insertRow(db, attestations, attestation, sql`from ${addresses} where ${live}`).onConflictDoNothing(),
					db
						.update(addresses)
						.set({ verificationLevel: level, version: sql`${addresses.version} + 1` })
						.where(and(live, lt(addresses.verificationLevel, level))),
					db.select().from(attestations).where(eq(attestations.id, id)),
					db.select().from(addresses).where(live),
				]),
			);
			return kept && address && { attestation: kept, address };
		},
	};
}
