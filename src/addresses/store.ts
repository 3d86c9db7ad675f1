import { and, desc, eq, getTableColumns, inArray, isNull, lt, type Placeholder, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { insertRow } from "../db/insert.ts";
import { type Database, perDatabase } from "../db/open.ts";
import { assertThat } from "../db/refusal.ts";
import { addressChanges, addresses, attestations, burntCodes } from "../db/schema.ts";
import { mapResult, type Parameters, prepare } from "../db/statement.ts";
import { type BurntCode, codeStoreOf } from "./code-store.ts";
import { CONTENT_FIELDS, type ContentField, perContentField } from "./content.ts";
import { erasureStoreOf } from "./erasure-store.ts";

/** An address with all that is stored of it. */
export type StoredAddress = typeof addresses.$inferSelect;

/** An address, without what only minting it and closing its owner's account need. */
export type Address = Omit<StoredAddress, "edition" | "closedWithAccount" | "idempotencyKey" | "requestHash">;

/** What stands under a code: an address, live or retired, or a burnt code whose address has been erased. */
export type Holder = { address: Address; burnt?: never } | { burnt: Pick<BurntCode, "successor">; address?: never };

/** What an owner changes of a live address; what is left out stays. */
export type AddressChange = { [Field in ContentField]?: Address[Field] | undefined };

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
export const NO_SUCCESSOR = "no successor";

export type AddressStore = ReturnType<typeof addressStoreOf>;

/** All SQL on addresses, with what their codes are drawn from. */
export const addressStoreOf = perDatabase((db: Database) => {
	const isLive = ({ canonical }: Parameters<{ canonical: string }>) =>
		and(eq(addresses.canonical, canonical), isNull(addresses.retiredAt));
	const isOwnLive = (own: Parameters<{ canonical: string; ownerId: string }>) =>
		and(isLive(own), eq(addresses.ownerId, own.ownerId));
	const raisedVersion = sql`${addresses.version} + 1`;

	const { edition, closedWithAccount, idempotencyKey, requestHash, ...columns } = getTableColumns(addresses);
	const byCodes = prepare(db, ({ codes }: Parameters<{ codes: string }>) =>
		db
			.select({
				code: sql<string>`requested.value`.as("code"),
				address: columns,
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
			.select(columns)
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
		(values: Parameters<{ canonical: string; ownerId: string } & Record<ContentField, unknown>>) => {
			const content = perContentField((field) => sql`coalesce(${values[field]}, ${addresses[field]})`);
			const isSame = sql.join(
				CONTENT_FIELDS.map((field) => sql`${addresses[field]} is ${content[field]}`),
				sql` and `,
			);
			return db
				.update(addresses)
				.set({
					...content,
					verificationLevel: sql`case when ${isSame} then ${addresses.verificationLevel} else 0 end`,
					version: raisedVersion,
				})
				.where(isOwnLive(values))
				.returning();
		},
	);

	return {
		...codeStoreOf(db),
		...erasureStoreOf(db),

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
		change: (canonical: string, ownerId: string, wanted: AddressChange) =>
			change({ canonical, ownerId, ...perContentField((field) => wanted[field] ?? null) }),

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

		/** The address that an owner has minted under an Idempotency-Key. */
		byIdempotencyKey: prepare(db, (key: Parameters<Pick<StoredAddress, "ownerId" | "idempotencyKey">>) =>
			db
				.select()
				.from(addresses)
				.where(and(eq(addresses.ownerId, key.ownerId), eq(addresses.idempotencyKey, key.idempotencyKey))),
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
