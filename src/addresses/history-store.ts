/** All SQL on the history of addresses, and on everything that is stored about them. */
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { assertion } from "../db/refusal.ts";
import { hasRow, insertRow, isAmong } from "../db/rows.ts";
import { addressChanges, addresses, attestations, privateReads, units } from "../db/schema.ts";
import { type Parameters, query, type ResultOf, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { type Address, isOwnLive, type Own, storedColumns } from "./address-columns-store.ts";
import type { ContentField } from "./content.ts";
import { TEXT_FIELDS, type TextField } from "./texts.ts";
import type { Unit } from "./unit-store.ts";
import type { Attestation, PrivateRead } from "./visit-store.ts";

/** An earlier text, entrance or point of an address, or a link that was made to it. */
type PastValue = typeof addressChanges.$inferSelect;

/** An address with its earlier texts, entrances and points and its attestations, each oldest first. */
export interface AddressWithHistory {
	address: Address;
	pastValues: PastValue[];
	attestations: Attestation[];
	/** Agents' readings of it while it was private. */
	reads: PrivateRead[];
}

/** An address with everything in its owner's copy of their data. */
export interface WholeAddress extends AddressWithHistory {
	units: Unit[];
}

/** Records those current values of an owner's live address that a change is about to replace. A null in `values` means no change. */
export const recordHistory = statement((values: Parameters<Own & { now: number } & Record<ContentField, unknown>>) => {
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
	return insertRow(addressChanges, row, sql`from (${sql.join(changes, sql` union all `)})`);
});

/**
 * Records in the history of an owner's live address that they made a link to it. Times are in milliseconds since the epoch. Run again, it
 * records nothing twice.
 */
export const recordLink = statement((link: Parameters<Own & { madeAt: number; expiresAt: string }>) => {
	const { canonical, madeAt, expiresAt } = link;
	const row = {
		id: sql`null`,
		canonical,
		changedAt: madeAt,
		change: sql`'shared'`,
		text: expiresAt,
		lat: null,
		lng: null,
	};
	const isSame = sql`${eq(addressChanges.canonical, canonical)} and ${eq(addressChanges.changedAt, madeAt)}
		and ${addressChanges.change} = 'shared' and ${eq(addressChanges.text, expiresAt)}`;
	const isNew = sql`from ${addresses} where ${isOwnLive(link)} and not ${hasRow(addressChanges, isSame)}`;
	return insertRow(addressChanges, row, isNew);
});

/** The latest earlier texts, entrances and points of an address, newest first. */
export const pastValues = statement(({ canonical, limit }: Parameters<{ canonical: string; limit: number }>) =>
	query
		.select()
		.from(addressChanges)
		.where(eq(addressChanges.canonical, canonical))
		.orderBy(desc(addressChanges.changedAt), desc(addressChanges.id))
		.limit(limit),
);

/**
 * Refuses if the texts, the pin or the entrance of an address have changed since a time, in milliseconds since the epoch. An agent who
 * does not say which version they saw may have seen the earlier one.
 */
export const assertUnchangedSince = assertion(
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
);

/** Some addresses of an owner. */
interface OwnedAmong {
	ownerId: string;
	codes: string[];
}

/** The codes among these that belong to the owner. The unary plus keeps SQLite from scanning all addresses of the owner. */
const ownedAmong = ({ ownerId, codes }: Parameters<OwnedAmong>) =>
	query
		.select({ canonical: addresses.canonical })
		.from(addresses)
		.where(and(isAmong(addresses.canonical, codes), sql`+${addresses.ownerId} = ${ownerId}`));

const addressesAmong = statement((owned: Parameters<OwnedAmong>) =>
	query
		.select(storedColumns)
		.from(addresses)
		.where(inArray(addresses.canonical, ownedAmong(owned)))
		.orderBy(desc(addresses.createdAt), desc(addresses.canonical)),
);
const changesAmong = statement((owned: Parameters<OwnedAmong>) =>
	query
		.select()
		.from(addressChanges)
		.where(inArray(addressChanges.canonical, ownedAmong(owned)))
		.orderBy(addressChanges.changedAt, addressChanges.id),
);
const attestationsAmong = statement((owned: Parameters<OwnedAmong>) =>
	query
		.select()
		.from(attestations)
		.where(inArray(attestations.canonical, ownedAmong(owned)))
		.orderBy(attestations.createdAt, sql`rowid`),
);
const readsAmong = statement((owned: Parameters<OwnedAmong>) =>
	query
		.select()
		.from(privateReads)
		.where(inArray(privateReads.canonical, ownedAmong(owned)))
		.orderBy(privateReads.readAt, privateReads.id),
);
const unitsAmong = statement((owned: Parameters<OwnedAmong>) =>
	query
		.select()
		.from(units)
		.where(inArray(units.canonical, ownedAmong(owned)))
		.orderBy(units.createdAt, units.unit),
);

/** Statements that read those of some addresses that belong to an owner, live and retired, newest first, with their history and units. */
export function readingWhole(owned: OwnedAmong) {
	return {
		rows: addressesAmong(owned),
		pastValues: changesAmong(owned),
		attested: attestationsAmong(owned),
		read: readsAmong(owned),
		named: unitsAmong(owned),
	};
}

/** Groups rows by address, and returns a function that finds those of one address. */
function byAddress<Row extends { canonical: string }>(rows: Row[]): (address: Address) => Row[] {
	const found = Map.groupBy(rows, ({ canonical }) => canonical);
	return ({ canonical }) => found.get(canonical) ?? [];
}

/** The addresses that `readingWhole` has read, each with what belongs to it. */
export function wholeAddresses(found: ResultOf<ReturnType<typeof readingWhole>>): WholeAddress[] {
	const changesOf = byAddress(found.pastValues);
	const attestationsOf = byAddress(found.attested);
	const readsOf = byAddress(found.read);
	const unitsOf = byAddress(found.named);
	return found.rows.map((address) => ({
		address,
		pastValues: changesOf(address),
		attestations: attestationsOf(address),
		reads: readsOf(address),
		units: unitsOf(address),
	}));
}
