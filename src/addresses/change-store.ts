/** All SQL that changes addresses. */
import { eq, type Placeholder, type SQL, sql } from "drizzle-orm";
import { assertion, StaleRead } from "../db/refusal.ts";
import { hasRow, isAmong, updateRows } from "../db/rows.ts";
import { addresses } from "../db/schema.ts";
import { type Parameters, statement } from "../db/statement.ts";
import { invalidField } from "../errors.ts";
import {
	type Address,
	changedAt,
	isLive,
	isOwnLive,
	type Own,
	raisedVersion,
	type StoredAddress,
} from "./address-columns-store.ts";
import { ATTESTED_FIELDS, type AttestedField, CONTENT_FIELDS, type Content, type ContentField } from "./content.ts";
import { preconditionFailed } from "./entity-tag.ts";
import { recordHistory } from "./history-store.ts";
import { perField } from "./texts.ts";

/** The changes that an owner makes to a live address; a field that is left out stays as it is. */
export type AddressChange = { [Field in ContentField]?: Content[Field] | undefined };

/** The columns that follow from the point, or from the owner's choice of locality there; see placedBy. */
const PLACE_FIELDS = ["region", "locality", "isLocalityChosen"] as const;

/** The new values of these columns after a change of the point or of the locality. */
export type AreaNames = Pick<StoredAddress, (typeof PLACE_FIELDS)[number]>;

/** The values that a change sets on a live address; null leaves a value as it is. */
type ChangeValues = Own & { now: number } & Record<ContentField | keyof AreaNames, unknown>;

/** Whether a row has exactly the attested content. A missing entrance is stored as NULL or, in later rows, as the JSON `null`. */
function isAttested(content: Record<AttestedField, Placeholder | SQL>): SQL {
	const isSame = ATTESTED_FIELDS.map(
		(field) => sql`coalesce(${addresses[field]}, 'null') is coalesce(${content[field]}, 'null')`,
	);
	return sql.join(isSame, sql` and `);
}

const changeContent = statement((values: Parameters<ChangeValues>) => {
	const content = perField(CONTENT_FIELDS, (field) => sql`coalesce(${values[field]}, ${addresses[field]})`);
	const verificationLevel = sql`case when ${isAttested(content)} then ${addresses.verificationLevel} else 0 end`;
	const placing = perField(PLACE_FIELDS, (field) => sql`coalesce(${values[field]}, ${addresses[field]})`);
	const changed = { ...content, ...placing, verificationLevel, ...changedAt(values.now) };
	return updateRows(addresses, changed, isOwnLive(values)).returning();
});

/**
 * Statements that record the old values of an owner's live address in its history, then change it and raise its version. `changed` is
 * empty when the owner has no such live address. `placing` is needed when the point or the locality is new. A new text, entrance or point
 * sets the verification level to 0, because it is not what was attested.
 */
export const change = (canonical: string, ownerId: string, wanted: AddressChange, now: number, placing?: AreaNames) => {
	const content = perField(CONTENT_FIELDS, (field): unknown => wanted[field] ?? null);
	// An explicit null removes the entrance.
	if (wanted.entrance !== undefined) content.entrance = JSON.stringify(wanted.entrance);
	const placed = perField(PLACE_FIELDS, (field): unknown => placing?.[field] ?? null);
	const values = { canonical, ownerId, now, ...content, ...placed };
	return { recorded: recordHistory(values), changed: changeContent(values) };
};

const assertContentOf = assertion(
	(seen: Parameters<{ canonical: string } & Record<AttestedField, unknown>>) => {
		const hasOther = sql`${eq(addresses.canonical, seen.canonical)} and not (${isAttested(seen)})`;
		return sql`not ${hasRow(addresses, hasOther)}`;
	},
	"content changed",
	() => new StaleRead(),
);

/** Refuses where the content of an address is no longer what somebody saw, so that they look again. */
export const assertContent = ({ canonical, ...seen }: Pick<Address, "canonical" | AttestedField>) =>
	assertContentOf({ canonical, ...seen, entrance: JSON.stringify(seen.entrance) });

/**
 * Refuses where an owner's live address has none of some versions, so that what follows in the batch changes only what its sender has read.
 * Of any other address it says nothing.
 */
export const assertVersion = assertion(
	(own: Parameters<Own & { versions: readonly number[] }>) =>
		sql`not ${hasRow(addresses, sql`${isOwnLive(own)} and not (${isAmong(addresses.version, own.versions)})`)}`,
	"other version",
	preconditionFailed,
);

/** Retires an owner's live address and raises its version; returns no row when the owner has no such live address. */
export const retire = statement((own: Parameters<Own & { now: number; successor: string | null }>) => {
	const retired = { retiredItselfAt: own.now, successor: own.successor, ...changedAt(own.now) };
	return updateRows(addresses, retired, isOwnLive(own)).returning();
});

/** Ends every share link to an owner's live address; returns no row when the owner has no such live address. */
export const endSharesOfAddress = statement((own: Parameters<Own>) => {
	const ended = { shareCount: sql`${addresses.shareCount} + 1`, version: raisedVersion };
	return updateRows(addresses, ended, isOwnLive(own)).returning({ canonical: addresses.canonical });
});

/** Refuses unless the successor is a live address of the same owner. */
export const assertSuccessor = assertion(
	(successor: Parameters<Own>) => hasRow(addresses, isOwnLive(successor)),
	"no successor",
	() => invalidField("successor", "Name another address of yours that is not retired."),
);

/** Refuses unless it was `retire`, with the same values, that retired the address. */
export const assertRetired = assertion(
	({ canonical, now, successor }: Parameters<Own & { now: number; successor: string | null }>) =>
		hasRow(
			addresses,
			sql`${eq(addresses.canonical, canonical)} and ${eq(addresses.retiredItselfAt, now)} and ${addresses.successor} is ${successor}`,
		),
	"retired before",
);

/** Refuses if an address is not live, or no longer. */
export const assertStillLive = assertion(
	(address: Parameters<{ canonical: string }>) => hasRow(addresses, isLive(address)),
	"not live",
);

/** Hides a live address, or shows it again. Hiding a hidden address leaves the time of its hiding as it is. */
export const setHidden = statement((hidden: Parameters<{ canonical: string; isHidden: boolean; now: number }>) => {
	const hiddenAt = sql`case when ${hidden.isHidden} then coalesce(${addresses.hiddenAt}, ${hidden.now}) end`;
	return updateRows(addresses, { hiddenAt, ...changedAt(hidden.now) }, isLive(hidden));
});

/**
 * Transfers an owner's live address to another owner. Its external id is dropped if the new owner uses the same one already, as they may
 * after minting the address again. Share links to it end.
 */
export const handOver = statement((own: Parameters<Own & { newOwnerId: string }>) => {
	const { externalId, ownerId } = addresses;
	const used = sql`(select ${externalId} from ${addresses} where ${ownerId} = ${own.newOwnerId})`;
	return updateRows(
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
});
