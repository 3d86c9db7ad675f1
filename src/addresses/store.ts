import { and, desc, eq, inArray, isNull, lt, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { insertRow } from "../db/insert.ts";
import { type Database, perDatabase } from "../db/open.ts";
import { assertThat } from "../db/refusal.ts";
import { addressChanges, addresses, attestations, burntCodes, lastCodes, overflowZones } from "../db/schema.ts";
import { mapResult, type Parameters, prepare } from "../db/statement.ts";
import { FAIR_SHARE } from "./fair-share.ts";

export type Address = typeof addresses.$inferSelect;

/** An address about to be minted: everything but its code, which the database chooses. */
export type NewAddress = Pick<
	Address,
	"zoneName" | "edition" | "lat" | "lng" | "label" | "ownerId" | "createdAt" | "idempotencyKey" | "requestHash"
>;

/** The codes of one zone number that a draw offers, in random order. */
export interface Candidates {
	/** What all codes of the number start with. */
	prefix: string;
	codes: string[];
}

/** A code that must never be issued again. `retiredAt` is in milliseconds since the epoch, or null when it is not known. */
export type BurntCode = typeof burntCodes.$inferSelect;

/** What stands under a code: an address, live or retired, or a burnt code whose address has been erased. */
export type Holder = { address: Address; burnt?: never } | { burnt: Pick<BurntCode, "successor">; address?: never };

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

/** The place in front of every address of a list. */
const LIST_START: ListPosition = { createdAt: Number.MAX_SAFE_INTEGER, canonical: "" };

/** What a label or, unless it is empty, a code holds. */
export interface Search {
	words: string;
	code: string;
}

const EVERYTHING: Search = { words: "", code: "" };

/** Why a statement on addresses refuses. */
export const OTHER_AREA = "other area";
export const NO_SUCCESSOR = "no successor";

/** An overflow of an area, about to be opened. */
interface NewOverflow {
	country: string;
	/** The number that the index publishes for the area. */
	area: number;
	/** 1 for the area's first overflow, then 2, and so on. */
	ordinal: number;
	/** Numbers that the index leaves the country for zones that fill up, ascending. */
	free: number[];
	/** How many zones the country has. */
	zones: number;
	/** Milliseconds since the epoch. */
	now: number;
}

export type AddressStore = ReturnType<typeof addressStoreOf>;

/** All SQL on addresses and what their codes are drawn from. */
export const addressStoreOf = perDatabase((db: Database) => {
	/** Neither an address nor a burnt code stands under `code`. */
	const isFree = (code: SQL) =>
		sql`not exists (select 1 from ${addresses} where ${addresses.canonical} = ${code})
			and not exists (select 1 from ${burntCodes} where ${burntCodes.canonical} = ${code})`;
	const isLive = ({ canonical }: Parameters<{ canonical: string }>) =>
		and(eq(addresses.canonical, canonical), isNull(addresses.retiredAt));
	const isOwnLive = (own: Parameters<{ canonical: string; ownerId: string }>) =>
		and(isLive(own), eq(addresses.ownerId, own.ownerId));
	const raisedVersion = sql`${addresses.version} + 1`;

	const byCodes = prepare(db, ({ codes }: Parameters<{ codes: string }>) =>
		db
			.select({
				code: sql<string>`requested.value`.as("code"),
				address: addresses,
				isBurnt: sql<0 | 1>`${burntCodes.canonical} is not null`.as("is_burnt"),
				burntSuccessor: sql<string | null>`${burntCodes.successor}`.as("burnt_successor"),
			})
			.from(sql`json_each(${codes}) as requested`)
			.leftJoin(addresses, sql`${addresses.canonical} = requested.value`)
			.leftJoin(burntCodes, sql`${burntCodes.canonical} = requested.value`),
	);

	const holds = (column: SQLiteColumn, part: Placeholder) => sql`instr(lower(${column}), lower(${part})) > 0`;
	const ownedBy = prepare(db, (page: Parameters<ListPosition & Search & { ownerId: string; limit: number }>) =>
		db
			.select()
			.from(addresses)
			.where(
				and(
					eq(addresses.ownerId, page.ownerId),
					isNull(addresses.retiredAt),
					sql`(${addresses.createdAt}, ${addresses.canonical}) < (${page.createdAt}, ${page.canonical})`,
					sql`(${page.words} = '' or ${holds(addresses.label, page.words)} or (${page.code} <> '' and ${holds(addresses.canonical, page.code)}))`,
				),
			)
			.orderBy(desc(addresses.createdAt), desc(addresses.canonical))
			.limit(page.limit),
	);

	const change = prepare(
		db,
		(values: Parameters<{ canonical: string; ownerId: string } & Record<keyof AddressChange, unknown>>) => {
			const label = sql`coalesce(${values.label}, ${addresses.label})`;
			const lat = sql`coalesce(${values.lat}, ${addresses.lat})`;
			const lng = sql`coalesce(${values.lng}, ${addresses.lng})`;
			const isSame = sql`${addresses.label} is ${label} and ${addresses.lat} is ${lat} and ${addresses.lng} is ${lng}`;
			return db
				.update(addresses)
				.set({
					label,
					lat,
					lng,
					verificationLevel: sql`case when ${isSame} then ${addresses.verificationLevel} else 0 end`,
					version: raisedVersion,
				})
				.where(isOwnLive(values))
				.returning();
		},
	);

	const openOverflow = prepare(
		db,
		(overflow: Parameters<Omit<NewOverflow, "free"> & { free: string; freeCount: number }>) => {
			const { country, area, ordinal, free, freeCount, zones, now } = overflow;
			const opened = sql`from ${overflowZones} where ${overflowZones.country} = ${country}`;
			const next = sql`select value as next from json_each(${free})
				where not exists (select 1 ${opened} and ${overflowZones.zone} = value) limit 1`;
			const hasShare = sql`(${ordinal} - 1) * ${sql.raw(String(FAIR_SHARE))} <= ${freeCount} - (select count(*) ${opened})
				or (select count(*) ${opened} and ${overflowZones.ordinal} = 1) >= ${zones}`;
			return insertRow(
				db,
				overflowZones,
				{ country, zone: sql`next`, area, ordinal, createdAt: now },
				sql`from (${next}) where ${hasShare}`,
			).onConflictDoNothing();
		},
	);

	const insertUnderFreeCode = prepare(db, (draw: Parameters<NewAddress & { prefix: string; candidates: string }>) => {
		const { zoneName, edition, lat, lng, label, ownerId, createdAt, idempotencyKey, requestHash, prefix, candidates } =
			draw;
		// `:` follows `9` in ASCII, so these bounds hold exactly the codes that start with the prefix.
		const lastCode = sql`select canonical from last_codes where canonical between ${prefix} and ${prefix} || ':' order by random() limit 1`;
		return insertRow(
			db,
			addresses,
			{
				canonical: sql`code`,
				zoneName,
				edition,
				lat,
				lng,
				label,
				verificationLevel: 0,
				ownerId,
				version: 1,
				createdAt,
				retiredAt: null,
				successor: null,
				closedWithAccount: false,
				idempotencyKey,
				requestHash,
			},
			sql`from (select canonical as code from (${lastCode}) union all select value from json_each(${candidates}))
				where ${isFree(sql`code`)}
				limit 1`,
		)
			.onConflictDoNothing()
			.returning();
	});

	const freeOf = ({ codes }: Parameters<{ codes: string }>) =>
		sql`from json_each(${codes}) where ${isFree(sql`value`)}`;
	const insertLastCodes = prepare(db, (zone: Parameters<{ codes: string }>) =>
		insertRow(db, lastCodes, { canonical: sql`value` }, freeOf(zone)).onConflictDoNothing(),
	);
	const burnCodes = prepare(db, ({ codes }: Parameters<{ codes: string }>) =>
		insertRow(
			db,
			burntCodes,
			{
				canonical: sql`value ->> 'canonical'`,
				retiredAt: sql`value ->> 'retiredAt'`,
				successor: sql`value ->> 'successor'`,
			},
			sql`from json_each(${codes}) where true`,
		).onConflictDoNothing(),
	);

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
		/** What stands under any number of codes, by code; codes that were never issued are left out. */
		byCodes: (canonicals: string[]) =>
			mapResult(byCodes({ codes: JSON.stringify(canonicals) }), (rows) => {
				const holders = new Map<string, Holder>();
				for (const { code, address, isBurnt, burntSuccessor } of rows) {
					if (isBurnt) holders.set(code, { burnt: { successor: burntSuccessor } });
					else if (address) holders.set(code, { address });
				}
				return holders;
			}),

		/** The live addresses of an owner, newest first, from just after `after`; with `search`, those whose label or code holds it. */
		ownedBy: (ownerId: string, limit: number, after: ListPosition = LIST_START, search: Search = EVERYTHING) =>
			ownedBy({ ownerId, limit, ...after, ...search }),

		/**
		 * Changes a live address of an owner and raises its version; nothing is returned when the owner has no such live address. A new label or
		 * point sets the verification level to 0, because it is not what was attested.
		 */
		change: (canonical: string, ownerId: string, { label, lat, lng }: AddressChange) =>
			change({ canonical, ownerId, label: label ?? null, lat: lat ?? null, lng: lng ?? null }),

		/** Refuses for OTHER_AREA where a zone number is minted under for another area than `area`: its own, or the one it overflowed for. */
		assertArea: prepare(db, ({ country, zone, area }: Parameters<{ country: string; zone: number; area: number }>) =>
			assertThat(
				db,
				sql`coalesce((select ${overflowZones.area} from ${overflowZones} where ${and(eq(overflowZones.country, country), eq(overflowZones.zone, zone))}), ${zone}) = ${area}`,
				OTHER_AREA,
			),
		),

		/** Retires a live address of an owner and raises its version; nothing is returned when the owner has no such live address. */
		retire: prepare(
			db,
			(values: Parameters<{ canonical: string; ownerId: string; now: number; successor: string | null }>) =>
				db
					.update(addresses)
					.set({ retiredAt: sql`${values.now}`, successor: sql`${values.successor}`, version: raisedVersion })
					.where(isOwnLive(values))
					.returning(),
		),

		/** Refuses for NO_SUCCESSOR where a code is not that of a live address of an owner. */
		assertSuccessor: prepare(db, (successor: Parameters<{ canonical: string; ownerId: string }>) =>
			assertThat(db, sql`exists (select 1 from ${addresses} where ${isOwnLive(successor)})`, NO_SUCCESSOR),
		),

		/** An address of an owner, live or retired. */
		ownAddress: prepare(db, (own: Parameters<{ canonical: string; ownerId: string }>) =>
			db
				.select()
				.from(addresses)
				.where(and(eq(addresses.canonical, own.canonical), eq(addresses.ownerId, own.ownerId))),
		),

		/** The earlier labels and points of an address, oldest first. */
		pastValues: prepare(db, ({ canonical }: Parameters<{ canonical: string }>) =>
			db
				.select()
				.from(addressChanges)
				.where(eq(addressChanges.canonical, canonical))
				.orderBy(addressChanges.changedAt, addressChanges.id),
		),

		/** The attestations of an address, oldest first. */
		attestationsOf: prepare(db, ({ canonical }: Parameters<{ canonical: string }>) =>
			db
				.select()
				.from(attestations)
				.where(eq(attestations.canonical, canonical))
				.orderBy(attestations.createdAt, sql`rowid`),
		),

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

		/** The address that an owner has minted under an Idempotency-Key. */
		byIdempotencyKey: prepare(db, (key: Parameters<Pick<Address, "ownerId" | "idempotencyKey">>) =>
			db
				.select()
				.from(addresses)
				.where(and(eq(addresses.ownerId, key.ownerId), eq(addresses.idempotencyKey, key.idempotencyKey))),
		),

		/**
		 * Draws a free code and inserts the address under it, in one statement: a random one of the zone's last codes where they have been
		 * written down, else the first candidate that is free. Both draws are uniform over the free codes. Nothing is returned
		 * where there is no free code, or where the owner's Idempotency-Key has an address already.
		 */
		insertUnderFreeCode: (address: NewAddress, { prefix, codes }: Candidates) =>
			insertUnderFreeCode({ ...address, prefix, candidates: JSON.stringify(codes) }),

		/** Writes down which of a zone's codes are still free, for the last draws. */
		keepLastCodes: (zoneCodes: string[]) => insertLastCodes({ codes: JSON.stringify(zoneCodes) }),

		/** Keeps codes from ever being issued again, whether or not they are burnt already. Run it in one batch with the deletion of their rows. */
		burn: (codes: BurntCode[]) => burnCodes({ codes: JSON.stringify(codes) }),

		/** The number under which an area is minted now: its newest overflow, or nothing while it has none. */
		newestOverflow: prepare(db, (zone: Parameters<{ country: string; area: number }>) =>
			db
				.select({ zone: overflowZones.zone, ordinal: overflowZones.ordinal })
				.from(overflowZones)
				.where(and(eq(overflowZones.country, zone.country), eq(overflowZones.area, zone.area)))
				.orderBy(desc(overflowZones.ordinal))
				.limit(1),
		),

		/**
		 * Gives an area the lowest of its country's free numbers that no area has opened, as its overflow `ordinal`. Does nothing where another
		 * request was first, none is left, or the area has its fair share.
		 */
		openOverflow: (overflow: NewOverflow) =>
			openOverflow({ ...overflow, free: JSON.stringify(overflow.free), freeCount: overflow.free.length }),

		/** How many numbers the zones of a country have opened. */
		openedIn: prepare(db, ({ country }: Parameters<{ country: string }>) =>
			db
				.select({ count: sql<number>`count(*)`.as("count") })
				.from(overflowZones)
				.where(eq(overflowZones.country, country)),
		),

		/** Adds an attestation where its address is live. Run again, it adds nothing twice. */
		attest: prepare(db, (attestation: Parameters<NewAttestation>) => {
			const { id, canonical, agentId, level, note, createdAt } = attestation;
			const attested = { label: sql`${addresses.label}`, lat: sql`${addresses.lat}`, lng: sql`${addresses.lng}` };
			return insertRow(
				db,
				attestations,
				{ id, canonical, agentId, level, note, createdAt, ...attested },
				sql`from ${addresses} where ${isLive(attestation)}`,
			).onConflictDoNothing();
		}),

		/** Raises the level of a live address to what was attested. */
		raiseLevel: prepare(db, (attestation: Parameters<Pick<Attestation, "canonical" | "level">>) =>
			db
				.update(addresses)
				.set({ verificationLevel: sql`${attestation.level}`, version: raisedVersion })
				.where(and(isLive(attestation), lt(addresses.verificationLevel, attestation.level))),
		),

		attestationById: prepare(db, ({ id }: Parameters<{ id: string }>) =>
			db.select().from(attestations).where(eq(attestations.id, id)),
		),
	};
});
