import {
	and,
	desc,
	eq,
	getTableColumns,
	gte,
	inArray,
	isNotNull,
	isNull,
	lt,
	or,
	type Placeholder,
	type SQL,
	sql,
} from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Database, perDatabase, readInTime } from "../db/open.ts";
import { assertion, assertThat } from "../db/refusal.ts";
import { hasRow, insertRow, isAmong, updateRows } from "../db/rows.ts";
import { addressChanges, addresses, attestations, burntCodes, privateReads, units } from "../db/schema.ts";
import { type Parameters, prepare, type Statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { CELLS_IN_ROW, CELLS_PER_DEGREE } from "../points/near.ts";
import { type BurntCode, codeStoreOf } from "./code-store.ts";
import {
	ATTESTED_FIELDS,
	type AttestedField,
	type Content,
	type ContentField,
	perContentField,
	perField,
	TEXT_FIELDS,
	type TextField,
} from "./content.ts";
import { erasureStoreOf } from "./erasure-store.ts";
import { changedAt, isLive, isOwnLive, type Own, raisedVersion } from "./live-store.ts";
import type { Unit } from "./unit-store.ts";

/** An address with all that is stored of it. */
export type StoredAddress = typeof addresses.$inferSelect;

/** An address, without what only minting it needs. */
export type Address = Omit<StoredAddress, "edition" | "idempotencyKey" | "requestHash">;

/** What was issued under a code: an address, live or retired, or a burnt code whose address has been erased. */
export type Issued = { address: Address; burnt?: never } | { burnt: Pick<BurntCode, "successor">; address?: never };

/** What an owner changes of a live address; what is left out stays. */
export type AddressChange = { [Field in ContentField]?: Content[Field] | undefined };

/** An earlier text or point of an address. */
type PastValue = typeof addressChanges.$inferSelect;

/** A verification event of an address, as stored. */
export type Attestation = typeof attestations.$inferSelect;

/** An attestation about to be kept. The content that it attests is that of the address. */
export type NewAttestation = Omit<Attestation, AttestedField>;

/** An agent's reading of a private address, as stored. */
export type PrivateRead = typeof privateReads.$inferSelect;

/** An address with its earlier labels and points and its attestations, each oldest first. */
export interface AddressWithHistory {
	address: Address;
	pastValues: PastValue[];
	attestations: Attestation[];
	/** What agents read of it while it was private. */
	reads: PrivateRead[];
}

/** An address with all that its owner has a copy of. */
export interface WholeAddress extends AddressWithHistory {
	units: Unit[];
}

/** The position of an address in its owner's list. */
export type ListPosition = Pick<Address, "createdAt" | "canonical">;

/** The position before every address of a list. */
const LIST_START: ListPosition = { createdAt: Number.MAX_SAFE_INTEGER, canonical: "" };

/** What follows from a point, or from what its owner chose there; see placedBy. */
const PLACE_FIELDS = ["region", "locality", "isLocalityChosen"] as const;

/** What a change of the point or of the locality makes of these. */
export type Placing = Pick<StoredAddress, (typeof PLACE_FIELDS)[number]>;

/** What a change sets of a live address; null leaves a value as it is. */
type ChangeValues = Own & { now: number } & Record<ContentField | keyof Placing, unknown>;

/** What a label or, unless it is empty, a code holds. */
export interface Search {
	words: string;
	code: string;
}

const EVERYTHING: Search = { words: "", code: "" };

/** Why a statement on addresses refuses. */
export const NO_SUCCESSOR = "no successor";
export const NOT_LIVE = "not live";
export const CONTENT_CHANGED = "content changed";

/** Finds rows by the address that they belong to. */
function byAddress<Row extends { canonical: string }>(rows: Row[]): (address: Address) => Row[] {
	const found = Map.groupBy(rows, ({ canonical }) => canonical);
	return ({ canonical }) => found.get(canonical) ?? [];
}

/** Whether a row has the content that an agent attests. An entrance that is missing is stored as NULL or, by later rows, as JSON. */
function isAttested(content: Record<AttestedField, Placeholder | SQL>): SQL {
	const isSame = ATTESTED_FIELDS.map(
		(field) => sql`coalesce(${addresses[field]}, 'null') is coalesce(${content[field]}, 'null')`,
	);
	return sql.join(isSame, sql` and `);
}

/** Whose addresses are meant: those of an owner in the sandbox, or all the others. */
interface OwnedIn {
	ownerId: string;
	isSandbox: boolean;
}

function isOwnedIn({ ownerId, isSandbox }: Parameters<OwnedIn>): SQL {
	return sql`${addresses.ownerId} = ${ownerId} and (${addresses.canonical} > 'ZZ') = ${isSandbox}`;
}

/** All SQL on addresses, with what their codes are drawn from. */
export const addressStoreOf = perDatabase((db: Database) => {
	const { edition, idempotencyKey, requestHash, ...columns } = getTableColumns(addresses);
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
	const ownedBy = (isSearched: boolean) =>
		prepare(db, (page: Parameters<ListPosition & Search & OwnedIn & { limit: number }>) => {
			const isFound = sql`(${holds(addresses.label, page.words)} or (${page.code} <> '' and ${holds(addresses.canonical, page.code)}))`;
			return db
				.select(columns)
				.from(addresses)
				.where(
					and(
						isOwnedIn(page),
						isNull(addresses.retiredAt),
						sql`(${addresses.createdAt}, ${addresses.canonical}) < (${page.createdAt}, ${page.canonical})`,
						isSearched ? isFound : undefined,
					),
				)
				.orderBy(desc(addresses.createdAt), desc(addresses.canonical))
				.limit(page.limit);
		});
	const everyOwned = ownedBy(false);
	const ownedWith = ownedBy(true);

	const change = prepare(db, (values: Parameters<ChangeValues>) => {
		const content = perContentField((field) => sql`coalesce(${values[field]}, ${addresses[field]})`);
		const verificationLevel = sql`case when ${isAttested(content)} then ${addresses.verificationLevel} else 0 end`;
		const placing = perField(PLACE_FIELDS, (field) => sql`coalesce(${values[field]}, ${addresses[field]})`);
		const changed = { ...content, ...placing, verificationLevel, ...changedAt(values.now) };
		return updateRows(db, addresses, changed, isOwnLive(values)).returning();
	});

	const assertContent = prepare(db, (seen: Parameters<{ canonical: string } & Record<AttestedField, unknown>>) => {
		const hasOther = sql`${eq(addresses.canonical, seen.canonical)} and not (${isAttested(seen)})`;
		return assertThat(db, sql`not ${hasRow(addresses, hasOther)}`, CONTENT_CHANGED);
	});

	const keepHistory = prepare(db, (values: Parameters<ChangeValues>) => {
		const isChanged = (field: ContentField) =>
			sql`${addresses[field]} is not coalesce(${values[field]}, ${addresses[field]})`;
		const { lat, lng } = addresses;
		const changes = [
			...TEXT_FIELDS.map((field: PastValue["change"] & TextField) => {
				const { [field]: text } = addresses;
				return sql`select ${field} as change, ${text} as text, null as lat, null as lng
						from ${addresses} where ${isOwnLive(values)} and ${isChanged(field)}`;
			}),
			sql`select 'entrance' as change, ${addresses.entrance} as text, null as lat, null as lng
					from ${addresses} where ${isOwnLive(values)} and ${isChanged("entrance")}`,
			sql`select 'point' as change, null as text, ${lat} as lat, ${lng} as lng
					from ${addresses} where ${isOwnLive(values)} and (${isChanged("lat")} or ${isChanged("lng")})`,
		];
		const before = { change: sql`change`, text: sql`text`, lat: sql`lat`, lng: sql`lng` };
		const row = { id: sql`null`, canonical: sql`${values.canonical}`, changedAt: sql`${values.now}`, ...before };
		return insertRow(db, addressChanges, row, sql`from (${sql.join(changes, sql` union all `)})`);
	});

	const changesWhere = (condition: SQL) =>
		db.select().from(addressChanges).where(condition).orderBy(addressChanges.changedAt, addressChanges.id);
	const attestationsWhere = (condition: SQL) =>
		db.select().from(attestations).where(condition).orderBy(attestations.createdAt, sql`rowid`);
	const readsWhere = (condition: SQL) =>
		db.select().from(privateReads).where(condition).orderBy(privateReads.readAt, privateReads.id);
	const assertingLive = (reason: string) =>
		prepare(db, (address: Parameters<{ canonical: string }>) =>
			assertThat(db, hasRow(addresses, isLive(address)), reason),
		);

	return {
		...codeStoreOf(db),
		...erasureStoreOf(db),

		/** What stands under any number of codes, by code; codes that were never issued are left out. */
		byCodes(canonicals: string[]): Statement<Map<string, Issued>> {
			const found = byCodes({ codes: JSON.stringify(canonicals) });
			const read = (answer: D1Result) => {
				const issued = new Map<string, Issued>();
				for (const { code, address, isBurnt, burntSuccessor } of found.read(answer)) {
					if (isBurnt) issued.set(code, { burnt: { successor: burntSuccessor } });
					else if (address) issued.set(code, { address });
				}
				return issued;
			};
			return { ...found, read };
		},

		/** The live addresses of an owner, newest first, from just after `after`; with `search`, those whose label or code holds it. */
		ownedBy: (owned: OwnedIn, limit: number, after: ListPosition = LIST_START, search: Search = EVERYTHING) =>
			(search === EVERYTHING ? everyOwned : ownedWith)({ ...owned, limit, ...after, ...search }),

		/** The addresses of an owner that are retired and not erased yet, the latest first. */
		retiredOf: prepare(db, (page: Parameters<OwnedIn & { limit: number }>) =>
			db
				.select(columns)
				.from(addresses)
				.where(and(isOwnedIn(page), isNotNull(addresses.retiredAt)))
				.orderBy(desc(addresses.retiredAt))
				.limit(page.limit),
		),

		/**
		 * Keeps what a live address of an owner says, changes it and raises its version; `changed` is empty when the owner has no such
		 * live address. Where the point or the locality is new, `placing` is what follows from it. A new text or point
		 * sets the verification level to 0, because it is not what was attested. `changed` is the last that writes.
		 */
		change: (canonical: string, ownerId: string, wanted: AddressChange, now: number, placing?: Placing) => {
			const content = perContentField((field): unknown => wanted[field] ?? null);
			// A null that is sent takes the entrance away.
			if (wanted.entrance !== undefined) content.entrance = JSON.stringify(wanted.entrance);
			const placed = perField(PLACE_FIELDS, (field): unknown => placing?.[field] ?? null);
			const values = { canonical, ownerId, now, ...content, ...placed };
			return { kept: keepHistory(values), changed: change(values) };
		},

		/** Retires a live address of an owner and raises its version; nothing is returned when the owner has no such live address. */
		retire: prepare(db, (own: Parameters<Own & { now: number; successor: string | null }>) => {
			const retired = { retiredAt: own.now, successor: own.successor, ...changedAt(own.now) };
			return updateRows(db, addresses, retired, isOwnLive(own)).returning();
		}),

		/** Ends every link to an address of an owner that was shared; nothing is returned when the owner has no such live address. */
		endShares: prepare(db, (own: Parameters<Own>) => {
			const ended = { shareCount: sql`${addresses.shareCount} + 1`, version: raisedVersion };
			return updateRows(db, addresses, ended, isOwnLive(own)).returning({ canonical: addresses.canonical });
		}),

		/** Refuses for NO_SUCCESSOR where a code is not that of a live address of an owner. */
		assertSuccessor: prepare(db, (successor: Parameters<Own>) =>
			assertThat(db, hasRow(addresses, isOwnLive(successor)), NO_SUCCESSOR),
		),

		/** Refuses for NO_SUCCESSOR where a code is not that of a live address. */
		assertLiveSuccessor: assertingLive(NO_SUCCESSOR),

		/** Refuses for NOT_LIVE where it was not `retire`, given the same, that retired an address. */
		assertRetired: prepare(
			db,
			({ canonical, now, successor }: Parameters<Own & { now: number; successor: string | null }>) => {
				const isThis = sql`${eq(addresses.canonical, canonical)} and ${eq(addresses.retiredAt, now)} and ${addresses.successor} is ${successor}`;
				return assertThat(db, hasRow(addresses, isThis), NOT_LIVE);
			},
		),

		/** Refuses for NOT_LIVE where an address is not live. */
		assertLive: assertingLive(NOT_LIVE),

		/** Hides a live address since now, unless it is hidden already, or shows it again. */
		setHidden: prepare(db, (hidden: Parameters<{ canonical: string; isHidden: boolean; now: number }>) => {
			const hiddenAt = sql`case when ${hidden.isHidden} then coalesce(${addresses.hiddenAt}, ${hidden.now}) end`;
			return updateRows(db, addresses, { hiddenAt, ...changedAt(hidden.now) }, isLive(hidden));
		}),

		/**
		 * Gives a live address of an owner to another, without an external id that the other has used, as by minting it again. Links that were
		 * made to it end.
		 */
		handOver: prepare(db, (own: Parameters<Own & { newOwnerId: string }>) => {
			const { externalId, ownerId } = addresses;
			const used = sql`(select ${externalId} from ${addresses} where ${ownerId} = ${own.newOwnerId})`;
			return updateRows(
				db,
				addresses,
				{
					ownerId: own.newOwnerId,
					shareCount: sql`${addresses.shareCount} + 1`,
					version: raisedVersion,
					externalId: sql`iif(${externalId} in ${used}, null, ${externalId})`,
					idempotencyKey: null,
					requestHash: null,
				},
				isOwnLive(own),
			);
		}),

		/** The names of zones, as an address of each says it. `zones` is a JSON list of zones such as `NG0421`. */
		zoneNames: prepare(db, ({ zones }: Parameters<{ zones: string }>) =>
			db
				.select({
					zone: sql<string>`value`.as("zone"),
					name: sql<string | null>`(select ${addresses.zoneName} from ${addresses}
						where ${addresses.canonical} > value and ${addresses.canonical} < value || 'A' limit 1)`.as("name"),
				})
				.from(sql`json_each(${zones})`),
		),

		/** The latest earlier labels and points of an address, newest first. */
		pastValues: prepare(db, ({ canonical, limit }: Parameters<{ canonical: string; limit: number }>) =>
			db
				.select()
				.from(addressChanges)
				.where(eq(addressChanges.canonical, canonical))
				.orderBy(desc(addressChanges.changedAt), desc(addressChanges.id))
				.limit(limit),
		),

		/** The attestations of an address, oldest first. */
		attestationsOf: prepare(db, ({ canonical }: Parameters<{ canonical: string }>) =>
			attestationsWhere(eq(attestations.canonical, canonical)),
		),

		/** The newest attestations of an agent, each with the visibility of its address. */
		attestedBy: prepare(db, ({ agentId, limit }: Parameters<{ agentId: string; limit: number }>) =>
			db
				.select({ ...getTableColumns(attestations), visibility: addresses.visibility })
				.from(attestations)
				.innerJoin(addresses, eq(addresses.canonical, attestations.canonical))
				.where(eq(attestations.agentId, agentId))
				.orderBy(desc(attestations.createdAt))
				.limit(limit),
		),

		/** The codes of every address of an owner, live and retired, newest first, and how often each was changed. */
		codesOf: prepare(db, ({ ownerId }: Parameters<{ ownerId: string }>) =>
			db
				.select({ canonical: addresses.canonical, version: addresses.version })
				.from(addresses)
				.where(eq(addresses.ownerId, ownerId))
				.orderBy(desc(addresses.createdAt), desc(addresses.canonical)),
		),

		/** Those of an owner among some addresses, live and retired, newest first, with their history and units. One round trip. */
		async whole(ownerId: string, canonicals: string[]): Promise<WholeAddress[]> {
			const owned = db
				.select({ canonical: addresses.canonical })
				.from(addresses)
				// The unary plus keeps SQLite from scanning all addresses of the owner.
				.where(and(isAmong(addresses.canonical, JSON.stringify(canonicals)), sql`+${addresses.ownerId} = ${ownerId}`));
			const reading = db.batch([
				db
					.select()
					.from(addresses)
					.where(inArray(addresses.canonical, owned))
					.orderBy(desc(addresses.createdAt), desc(addresses.canonical)),
				changesWhere(inArray(addressChanges.canonical, owned)),
				attestationsWhere(inArray(attestations.canonical, owned)),
				readsWhere(inArray(privateReads.canonical, owned)),
				db.select().from(units).where(inArray(units.canonical, owned)).orderBy(units.createdAt, units.unit),
			]);
			const [rows, pastValues, attested, read, named] = await readInTime(db, reading);
			const changesOf = byAddress(pastValues);
			const attestationsOf = byAddress(attested);
			const readsOf = byAddress(read);
			const unitsOf = byAddress(named);
			return rows.map((address) => ({
				address,
				pastValues: changesOf(address),
				attestations: attestationsOf(address),
				reads: readsOf(address),
				units: unitsOf(address),
			}));
		},

		/** The address that an owner has minted under an Idempotency-Key, or that has their external id. */
		ofEarlierRequest: prepare(
			db,
			(earlier: Parameters<OwnedIn & Pick<StoredAddress, "idempotencyKey" | "externalId">>) =>
				db
					.select()
					.from(addresses)
					.where(
						and(
							isOwnedIn(earlier),
							or(eq(addresses.idempotencyKey, earlier.idempotencyKey), eq(addresses.externalId, earlier.externalId)),
						),
					),
		),

		/** The addresses of an owner that have one of some external ids, live and retired. `externalIds` is a JSON list. */
		byExternalIds: prepare(db, (wanted: Parameters<OwnedIn & { externalIds: string }>) =>
			db
				.select(columns)
				.from(addresses)
				.where(and(isOwnedIn(wanted), isAmong(addresses.externalId, wanted.externalIds))),
		),

		/**
		 * Up to 1,000 live addresses of an owner that lie in some cells (src/points/near.ts). `cells` is a JSON list.
		 * It reads every live address of the owner.
		 */
		ownInCells: prepare(db, (wanted: Parameters<OwnedIn & { cells: string }>) => {
			const { canonical, lat, lng } = addresses;
			const row = sql`cast((${lat} + 90) * ${sql.raw(String(CELLS_PER_DEGREE.lat))} as integer)`;
			const column = sql`cast((${lng} + 180) * ${sql.raw(String(CELLS_PER_DEGREE.lng))} as integer)`;
			return db
				.select({ canonical, lat, lng })
				.from(addresses)
				.where(
					and(
						isOwnedIn(wanted),
						isNull(addresses.retiredAt),
						sql`${row} * ${sql.raw(String(CELLS_IN_ROW))} + ${column} in (select value from json_each(${wanted.cells}))`,
					),
				)
				.limit(1000);
		}),

		/** Keeps that an agent reads a private address: once a day (UTC). */
		noteRead: prepare(
			db,
			(read: Parameters<Pick<PrivateRead, "canonical" | "agentId" | "readAt"> & { today: number }>) => {
				const { canonical, agentId, readAt, today } = read;
				const ofToday = and(
					eq(privateReads.canonical, canonical),
					eq(privateReads.agentId, agentId),
					gte(privateReads.readAt, today),
				);
				const row = { id: sql`null`, canonical, agentId, readAt };
				return insertRow(db, privateReads, row, sql`where not ${hasRow(privateReads, ofToday)}`);
			},
		),

		/** What agents read of a private address, oldest first. */
		readsOf: prepare(db, ({ canonical }: Parameters<{ canonical: string }>) =>
			readsWhere(eq(privateReads.canonical, canonical)),
		),

		/** What agents did last, and how often since a time. `agents` is a JSON list of their ids. */
		lastVisits: prepare(db, ({ agents, since }: Parameters<{ agents: string; since: number }>) => {
			const attested = sql`from ${attestations} where ${attestations.agentId} = value`;
			const newest = sql`${attested} order by ${attestations.createdAt} desc limit 1`;
			return db
				.select({
					agentId: sql<string>`value`.as("agent"),
					attested: sql<string | null>`(select ${attestations.canonical} ${newest})`.as("attested"),
					attestedAt: sql<number | null>`(select ${attestations.createdAt} ${newest})`.as("attested_at"),
					lately: sql<number>`(select count(*) ${attested} and ${attestations.createdAt} >= ${since})`.as("lately"),
					readAt: sql<number | null>`(select max(${privateReads.readAt}) from ${privateReads}
						where ${privateReads.agentId} = value)`.as("last_read_at"),
				})
				.from(sql`json_each(${agents})`);
		}),

		/** The newest readings of private addresses by an agent. */
		readsBy: prepare(db, ({ agentId, limit }: Parameters<{ agentId: string; limit: number }>) =>
			db
				.select()
				.from(privateReads)
				.where(eq(privateReads.agentId, agentId))
				.orderBy(desc(privateReads.readAt))
				.limit(limit),
		),

		/**
		 * Refuses where the words, the pin or the entrance of an address have changed since a time (milliseconds since the epoch): whoever does
		 * not say which version they saw may have seen the one before.
		 */
		assertUnchangedSince: assertion(
			({ canonical, since }: Parameters<{ canonical: string; since: number }>) =>
				sql`not ${hasRow(
					addressChanges,
					sql`${eq(addressChanges.canonical, canonical)} and ${addressChanges.changedAt} > ${since} and ${addressChanges.change} <> 'shared'`,
				)}`,
			"changed lately",
			() =>
				new AppError(
					"ADDRESS_CHANGED",
					"The address has changed within the last day. Read it, and send its updated_at with the attestation.",
				),
		),

		/** Refuses for CONTENT_CHANGED where an address has other content than an agent saw. */
		assertContent: ({ canonical, ...seen }: Pick<Address, "canonical" | AttestedField>) =>
			assertContent({ canonical, ...seen, entrance: JSON.stringify(seen.entrance) }),

		/** Adds an attestation where its address is live. Run again, it adds nothing twice. */
		attest: prepare(db, (attestation: Parameters<NewAttestation>) => {
			const { id, canonical, agentId, level, note, position, distance, createdAt } = attestation;
			const attested = perField(ATTESTED_FIELDS, (field) => sql`${addresses[field]}`);
			return insertRow(
				db,
				attestations,
				{ id, canonical, agentId, level, note, position, distance, createdAt, ...attested },
				sql`from ${addresses} where ${isLive(attestation)}`,
			).onConflictDoNothing();
		}),

		/** Raises the level of a live address to what was attested, or keeps the time where it is the same. Run again, it changes nothing. */
		raiseLevel: prepare(db, (attestation: Parameters<Pick<Attestation, "canonical" | "level" | "createdAt">>) => {
			const { level, createdAt } = attestation;
			const { verificationLevel, verifiedAt } = addresses;
			const isNewer = and(eq(verificationLevel, level), sql`${verifiedAt} is not ${createdAt}`);
			const raised = { verificationLevel: level, verifiedAt: createdAt, ...changedAt(createdAt) };
			return updateRows(db, addresses, raised, and(isLive(attestation), or(lt(verificationLevel, level), isNewer)));
		}),

		attestationById: prepare(db, ({ id }: Parameters<{ id: string }>) =>
			db.select().from(attestations).where(eq(attestations.id, id)),
		),
	};
});
