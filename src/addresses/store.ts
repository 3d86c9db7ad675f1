import { and, desc, eq, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { insertRow } from "../db/insert.ts";
import type { Database } from "../db/open.ts";
import { retryIdempotent } from "../db/retry.ts";
import { addressChanges, addresses, attestations, burntCodes, lastCodes, overflowZones } from "../db/schema.ts";
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

/** A code that must never be issued again. `retiredAt` is in milliseconds since the epoch, or null when it is not known. */
export type BurntCode = typeof burntCodes.$inferSelect;

/** What stands under a code: an address, live or retired, or a burnt code whose address has been erased. */
export type Holder = { address: Address; burnt?: never } | { burnt: BurntCode; address?: never };

/** What an owner may change of a live address: its label, its point in degrees (WGS 84), or both. */
export type AddressChange = { [Field in "label" | "lat" | "lng"]?: Address[Field] | undefined };

/** An earlier label or point of an address. */
export type PastValue = typeof addressChanges.$inferSelect;

/** A verification event of an address, as stored. */
export type Attestation = typeof attestations.$inferSelect;

/** An attestation about to be kept. The label and the point that it attests are those of the address. */
export type NewAttestation = Omit<Attestation, "label" | "lat" | "lng">;

/** An address with its earlier labels and points and its attestations, each oldest first. */
export interface AddressWithHistory {
	address: Address;
	pastValues: PastValue[];
	attestations: Attestation[];
}

/** The place of an address in its owner's list. */
export type ListPosition = Pick<Address, "createdAt" | "canonical">;

export type AddressStore = ReturnType<typeof createAddressStore>;

/** All SQL on addresses and what their codes are drawn from. */
export function createAddressStore(db: Database) {
	/** Neither an address nor a burnt code stands under `code`. */
	const isFree = (code: SQL) =>
		sql`not exists (select 1 from ${addresses} where ${addresses.canonical} = ${code})
			and not exists (select 1 from ${burntCodes} where ${burntCodes.canonical} = ${code})`;

	const ownLive = (canonical: string, ownerId: string) =>
		and(eq(addresses.canonical, canonical), eq(addresses.ownerId, ownerId), isNull(addresses.retiredAt));

	const ofIdempotencyKey = (ownerId: string, key: string) =>
		db
			.select()
			.from(addresses)
			.where(and(eq(addresses.ownerId, ownerId), eq(addresses.idempotencyKey, key)));

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
		/** What stands under any number of codes, by code; codes that were never issued are left out. One query. */
		async byCodes(canonicals: string[]): Promise<Map<string, Holder>> {
			const rows = await db
				.select({
					code: sql<string>`requested.value`.as("code"),
					address: addresses,
					burnt: burntCodes,
				})
				.from(sql`json_each(${JSON.stringify(canonicals)}) as requested`)
				.leftJoin(addresses, sql`${addresses.canonical} = requested.value`)
				.leftJoin(burntCodes, sql`${burntCodes.canonical} = requested.value`)
				.all();
			const holders = new Map<string, Holder>();
			for (const { code, address, burnt } of rows) {
				if (burnt) holders.set(code, { burnt });
				else if (address) holders.set(code, { address });
			}
			return holders;
		},

		/** The live addresses of an owner, newest first, from just after `after`; with `search`, those whose label or code holds it. */
		ownedBy(
			ownerId: string,
			limit: number,
			after: ListPosition | undefined,
			search?: { words: string; code: string },
		): Promise<Address[]> {
			const holds = (column: SQLiteColumn, part: string) => sql`instr(lower(${column}), lower(${part})) > 0`;
			return db
				.select()
				.from(addresses)
				.where(
					and(
						eq(addresses.ownerId, ownerId),
						isNull(addresses.retiredAt),
						after && sql`(${addresses.createdAt}, ${addresses.canonical}) < (${after.createdAt}, ${after.canonical})`,
						search &&
							or(
								holds(addresses.label, search.words),
								search.code === "" ? undefined : holds(addresses.canonical, search.code),
							),
					),
				)
				.orderBy(desc(addresses.createdAt), desc(addresses.canonical))
				.limit(limit)
				.all();
		},

		/**
		 * Changes a live address of an owner and raises its version; undefined when the owner has no such live address. A new label or point
		 * sets the verification level to 0, because it is not what was attested.
		 */
		change(canonical: string, ownerId: string, change: AddressChange): Promise<Address | undefined> {
			const { label = addresses.label, lat = addresses.lat, lng = addresses.lng } = change;
			const isSame = sql`${addresses.label} is ${label} and ${addresses.lat} is ${lat} and ${addresses.lng} is ${lng}`;
			return retryIdempotent(() =>
				db
					.update(addresses)
					.set({
						...change,
						verificationLevel: sql`case when ${isSame} then ${addresses.verificationLevel} else 0 end`,
						version: sql`${addresses.version} + 1`,
					})
					.where(ownLive(canonical, ownerId))
					.returning()
					.get(),
			);
		},

		/** Retires a live address of an owner and raises its version; undefined when the owner has no such live address. */
		retire(
			canonical: string,
			ownerId: string,
			{ retiredAt, successor }: Pick<BurntCode, "retiredAt" | "successor">,
		): Promise<Address | undefined> {
			return retryIdempotent(() =>
				db
					.update(addresses)
					.set({ retiredAt, successor, version: sql`${addresses.version} + 1` })
					.where(ownLive(canonical, ownerId))
					.returning()
					.get(),
			);
		},

		/** The address of an owner with its earlier labels and points and its attestations, oldest first; undefined when it is not the owner's. One round trip. */
		async history(canonical: string, ownerId: string): Promise<AddressWithHistory | undefined> {
			const [[address], pastValues, attested] = await db.batch([
				db
					.select()
					.from(addresses)
					.where(and(eq(addresses.canonical, canonical), eq(addresses.ownerId, ownerId))),
				db
					.select()
					.from(addressChanges)
					.where(eq(addressChanges.canonical, canonical))
					.orderBy(addressChanges.changedAt, addressChanges.id),
				db
					.select()
					.from(attestations)
					.where(eq(attestations.canonical, canonical))
					.orderBy(attestations.createdAt, attestations.id),
			]);
			return address && { address, pastValues, attestations: attested };
		},

		/** Every address of an owner, live and retired, newest first, with its history. One round trip. */
		async allOf(ownerId: string): Promise<AddressWithHistory[]> {
			const owned = db.select({ canonical: addresses.canonical }).from(addresses).where(eq(addresses.ownerId, ownerId));
			const [rows, pastValues, attested] = await db.batch([
				db
					.select()
					.from(addresses)
					.where(eq(addresses.ownerId, ownerId))
					.orderBy(desc(addresses.createdAt), desc(addresses.canonical)),
				db
					.select()
					.from(addressChanges)
					.where(inArray(addressChanges.canonical, owned))
					.orderBy(addressChanges.changedAt, addressChanges.id),
				db
					.select()
					.from(attestations)
					.where(inArray(attestations.canonical, owned))
					.orderBy(attestations.createdAt, attestations.id),
			]);
			const pastValuesOf = Map.groupBy(pastValues, ({ canonical }) => canonical);
			const attestationsOf = Map.groupBy(attested, ({ canonical }) => canonical);
			return rows.map((address) => ({
				address,
				pastValues: pastValuesOf.get(address.canonical) ?? [],
				attestations: attestationsOf.get(address.canonical) ?? [],
			}));
		},

		/**
		 * Erases up to `count` addresses that were retired before a time, but for those that may come back with their owner's account: point, label, owner, history and attestations go, and the burnt code
		 * stays with the time and the successor. In one transaction; how many went.
		 */
		eraseRetiredBefore(time: number, count: number): Promise<number> {
			return erase(and(lt(addresses.retiredAt, time), eq(addresses.closedWithAccount, false)), count);
		},

		/** Erases up to `count` addresses of some owners in the same way, live and retired; how many went. */
		eraseOf(ownerIds: string[], count: number): Promise<number> {
			return erase(ownedByAny(ownerIds), count);
		},

		/** Those of some users who own an address. */
		async ownersAmong(userIds: string[]): Promise<string[]> {
			const rows = await db.selectDistinct({ id: addresses.ownerId }).from(addresses).where(ownedByAny(userIds));
			return rows.map(({ id }) => id);
		},

		/** The zone whose area is minted under a number: the number itself, or the zone that took it as an overflow. */
		async areaOf(country: string, zone: number): Promise<number> {
			const overflow = await db
				.select({ area: overflowZones.area })
				.from(overflowZones)
				.where(and(eq(overflowZones.country, country), eq(overflowZones.zone, zone)))
				.get();
			return overflow?.area ?? zone;
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
				{
					...address,
					canonical: sql`code`,
					verificationLevel: 0,
					version: 1,
					retiredAt: null,
					successor: null,
					closedWithAccount: false,
				},
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
		async attest(attestation: NewAttestation): Promise<{ attestation: Attestation; address: Address } | undefined> {
			const { id, canonical, level } = attestation;
			const attested = { label: sql`${addresses.label}`, lat: sql`${addresses.lat}`, lng: sql`${addresses.lng}` };
			const live = and(eq(addresses.canonical, canonical), isNull(addresses.retiredAt));
			const [, , [kept], [address]] = await retryIdempotent(() =>
				db.batch([
					insertRow(
						db,
						attestations,
						{ ...attestation, ...attested },
						sql`from ${addresses} where ${live}`,
					).onConflictDoNothing(),
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
