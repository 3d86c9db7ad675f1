import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { retryIdempotent } from "../db/retry.ts";
import { addresses, attestations, overflowZones } from "../db/schema.ts";
import { ZONE_NUMBERS } from "../zones/naming.ts";

export type Address = typeof addresses.$inferSelect;

/** An address about to be minted: everything but its code, which the database chooses. */
export type NewAddress = Pick<
	Address,
	"zoneName" | "lat" | "lng" | "label" | "ownerId" | "createdAt" | "idempotencyKey" | "requestHash"
>;

/** A verification event of an address, as stored. */
export type Attestation = typeof attestations.$inferSelect;
/** The place of an address in its owner's list. */
export type ListPosition = Pick<Address, "createdAt" | "canonical">;

export type AddressStore = ReturnType<typeof createAddressStore>;

/** All SQL on addresses and overflow zones. */
export function createAddressStore(db: Database) {
	return {
		byCode(canonical: string): Promise<Address | undefined> {
			return db.select().from(addresses).where(eq(addresses.canonical, canonical)).get();
		},

		/** The addresses under any number of codes, in no order; codes that were never issued are left out. One query. */
		byCodes(canonicals: string[]): Promise<Address[]> {
			return db
				.select()
				.from(addresses)
				.where(sql`${addresses.canonical} in (select value from json_each(${JSON.stringify(canonicals)}))`)
				.all();
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
			return db
				.select()
				.from(addresses)
				.where(and(eq(addresses.ownerId, ownerId), eq(addresses.idempotencyKey, key)))
				.get();
		},

		/**
		 * Draws a free code and inserts the address under it, in one statement: a random one of the zone's last codes where they have been
		 * written down, else the first of `candidates` (codes of the zone in random order) that is not taken. Both draws are
		 * uniform over the free codes.
		 * Undefined when neither has a free one, or when the owner's idempotency key has an address already.
		 */
		async insertUnderFreeCode(
			address: NewAddress,
			zonePrefix: string,
			candidates: string[],
		): Promise<Address | undefined> {
			// `:` follows `9` in ASCII, so these bounds hold exactly the codes that start with the prefix.
			const lastCode = sql`select canonical from last_codes where canonical between ${zonePrefix} and ${`${zonePrefix}:`} order by random() limit 1`;
			const rows = await db.all<{ canonical: string }>(sql`
				insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at, idempotency_key, request_hash)
				select code, ${address.zoneName}, ${address.lat}, ${address.lng}, ${address.label}, ${address.ownerId},
					${address.createdAt}, ${address.idempotencyKey}, ${address.requestHash}
				from (select canonical as code from (${lastCode})
					union all select value from json_each(${JSON.stringify(candidates)}))
				where not exists (select 1 from addresses where canonical = code)
				limit 1
				on conflict (owner_id, idempotency_key) where idempotency_key is not null do nothing
				returning canonical`);
			const [row] = rows;
			return row && { ...address, canonical: row.canonical, verificationLevel: 0, version: 1, retiredAt: null };
		},

		/** Writes down which of a zone's codes are still free, for the last draws; true when there is one. */
		async keepLastCodes(zoneCodes: string[]): Promise<boolean> {
			const free = sql`select value from json_each(${JSON.stringify(zoneCodes)})
				where not exists (select 1 from addresses where canonical = value)`;
			await db.run(sql`insert into last_codes (canonical) ${free} on conflict do nothing`);
			return (await db.all(sql`${free} limit 1`)).length > 0;
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
			await db.run(sql`
				insert into overflow_zones (country, zone, area, ordinal, created_at)
				select ${country}, next, ${area}, ${ordinal}, ${now}
				from (select max(${published}, coalesce(max(zone) + 1, 0)) as next from overflow_zones where country = ${country})
				where next < ${ZONE_NUMBERS}
				on conflict do nothing`);
		},

		/**
		 * Adds an attestation of a live address and raises its level to it, in one transaction. The address as it is then; undefined when it is
		 * retired or was never issued.
		 */
		async attest(attestation: Attestation): Promise<Address | undefined> {
			const { id, canonical, agentId, level, note, createdAt } = attestation;
			const live = and(eq(addresses.canonical, canonical), isNull(addresses.retiredAt));
			const [, , [address]] = await retryIdempotent(() =>
				db.batch([
					db
						.insert(attestations)
						.select(
							sql`select ${id}, ${canonical}, ${agentId}, ${level}, ${note}, ${createdAt} from ${addresses} where ${live}`,
						)
						.onConflictDoNothing(),
					db
						.update(addresses)
						.set({ verificationLevel: level, version: sql`${addresses.version} + 1` })
						.where(and(live, lt(addresses.verificationLevel, level))),
					db.select().from(addresses).where(live),
				]),
			);
			return address;
		},
	};
}
