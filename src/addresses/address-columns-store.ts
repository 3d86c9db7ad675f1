/** The basics that all SQL on addresses shares. */
import { and, eq, getTableColumns, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { addresses, closedOwners } from "../db/schema.ts";
import type { Parameters } from "../db/statement.ts";

/** An address with all of its columns, as `storedColumns` reads it. */
export type StoredAddress = Omit<typeof addresses.$inferSelect, "retiredItselfAt"> & {
	/** When it was retired, or its owner's account closed. */
	retiredAt: number | null;
};

/** An address, without the columns that only minting needs. */
export type Address = Omit<StoredAddress, "edition" | "idempotencyKey" | "requestHash">;

/** What is noted of the closing of the account that owns an address. Columns would lose their table in a query of one table. */
const ofClosing = (column: SQLiteColumn) =>
	sql`(select ${column} from ${closedOwners} where ${closedOwners}.owner_id = ${addresses}.owner_id)`;

const { retiredItselfAt, closedWithAccount } = addresses;

/** When an address was retired, or its owner's account closed. */
export const retiredAt = sql<number | null>`coalesce(${retiredItselfAt}, ${ofClosing(closedOwners.closedAt)})`;

/** Whether an address is neither retired nor closed with its owner's account. */
export const isStanding = sql`${retiredItselfAt} is null and ${ofClosing(closedOwners.closedAt)} is null`;

/** When a reader could last see a change, the closing and opening of the owner's account among them. */
const seenAt = sql`max(coalesce(${addresses.updatedAt}, ${addresses.createdAt}), coalesce(${ofClosing(closedOwners.changedAt)}, 0))`;

const { retiredItselfAt: _, ...columns } = getTableColumns(addresses);

/**
 * The columns of an address as its readers see it: retired while its owner's account is closed, and changed when that was closed or opened.
 * All readers take these, because nothing else has the `retiredAt` of an Address.
 */
export const storedColumns = {
	...columns,
	updatedAt: sql<number | null>`nullif(${seenAt}, ${addresses.createdAt})`.as("seen_at"),
	retiredAt: retiredAt.as("gone_at"),
	closedWithAccount:
		sql<boolean>`iif(${retiredItselfAt} is null, ${ofClosing(closedOwners.closedAt)} is not null, ${closedWithAccount})`
			.mapWith(closedWithAccount)
			.as("is_closed"),
};

const { edition, idempotencyKey, requestHash, ...readColumns } = storedColumns;

/** The same without those that only minting needs. */
export const addressColumns = readColumns;

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
	return and(eq(addresses.canonical, canonical), isStanding);
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
	return { version: raisedVersion, updatedAt: sql`max(${now}, ${seenAt} + 1)` };
}
