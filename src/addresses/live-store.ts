/** What all SQL on addresses shares. */
import { and, eq, getTableColumns, isNull, type Placeholder, type SQL, sql } from "drizzle-orm";
import { addresses } from "../db/schema.ts";
import type { Parameters } from "../db/statement.ts";

/** An address with all that is stored of it. */
export type StoredAddress = typeof addresses.$inferSelect;

/** An address, without what only minting it needs. */
export type Address = Omit<StoredAddress, "edition" | "idempotencyKey" | "requestHash">;

const { edition, idempotencyKey, requestHash, ...columns } = getTableColumns(addresses);

/** The columns of an address, without what only minting it needs. */
export const addressColumns = columns;

/** Whose addresses are meant: those of an owner in the sandbox, or all the others. */
export interface OwnedIn {
	ownerId: string;
	isSandbox: boolean;
}

export function isOwnedIn({ ownerId, isSandbox }: Parameters<OwnedIn>): SQL {
	return sql`${addresses.ownerId} = ${ownerId} and (${addresses.canonical} > 'ZZ') = ${isSandbox}`;
}

/** An address of an owner. */
export type Own = Pick<Address, "canonical" | "ownerId">;

/** Whether a row is that of a live address. */
export function isLive({ canonical }: Parameters<Pick<Own, "canonical">>) {
	return and(eq(addresses.canonical, canonical), isNull(addresses.retiredAt));
}

/** Whether a row is that of a live address of an owner. */
export function isOwnLive(own: Parameters<Own>) {
	return and(isLive(own), eq(addresses.ownerId, own.ownerId));
}

export const raisedVersion = sql`${addresses.version} + 1`;

/**
 * What every change sets that a reader can see. No two such changes have one time, and none is older than the one before it, even where a
 * request that came earlier is done later: so the time tells apart what readers saw. Ending links raises the version alone.
 */
export function changedAt(now: Placeholder) {
	const next = sql`coalesce(${addresses.updatedAt}, ${addresses.createdAt}) + 1`;
	return { version: raisedVersion, updatedAt: sql`max(${now}, ${next})` };
}
