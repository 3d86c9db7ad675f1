/** The basics that all SQL on addresses shares. */
import { and, eq, getTableColumns, isNull, type Placeholder, type SQL, sql } from "drizzle-orm";
import { addresses } from "../db/schema.ts";
import type { Parameters } from "../db/statement.ts";

/** An address with all of its columns. */
export type StoredAddress = typeof addresses.$inferSelect;

/** An address, without the columns that only minting needs. */
export type Address = Omit<StoredAddress, "edition" | "idempotencyKey" | "requestHash">;

const { edition, idempotencyKey, requestHash, ...columns } = getTableColumns(addresses);

/** The columns of an address, without those that only minting needs. */
export const addressColumns = columns;

/** An owner, and which of their addresses are meant: those in the sandbox, or all others. */
export interface OwnedIn {
	ownerId: string;
	isSandbox: boolean;
}

export function isOwnedIn({ ownerId, isSandbox }: Parameters<OwnedIn>): SQL {
	return sql`${addresses.ownerId} = ${ownerId} and (${addresses.canonical} > 'ZZ') = ${isSandbox}`;
}

/** The code of an address and its owner. */
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
 * The columns set by every change that a reader can see. Each such change of an address has a later time than the one before it, even if
 * requests are done out of order. So the time identifies what a reader saw. Ending links raises only the version.
 */
export function changedAt(now: Placeholder) {
	const next = sql`coalesce(${addresses.updatedAt}, ${addresses.createdAt}) + 1`;
	return { version: raisedVersion, updatedAt: sql`max(${now}, ${next})` };
}
