import { eq, sql } from "drizzle-orm";
import { hasRow, insertRow } from "../db/rows.ts";
import { addressChanges, addresses } from "../db/schema.ts";
import { type Parameters, statement } from "../db/statement.ts";
import { isOwnLive, type Own } from "./live-store.ts";

/** A link that an owner made to an address. Times are in milliseconds since the epoch. */
type MadeLink = Own & { madeAt: number; expiresAt: string };

/** All SQL on links to private addresses. */
export const shareStore = {
	/** Records in the history of an owner's live address that they made a link to it. Run again, it records nothing twice. */
	noteMade: statement((link: Parameters<MadeLink>) => {
		const { canonical, madeAt, expiresAt } = link;
		const row = { id: sql`null`, canonical, changedAt: madeAt, change: sql`'shared'`, text: expiresAt };
		const isSame = sql`${eq(addressChanges.canonical, canonical)} and ${eq(addressChanges.changedAt, madeAt)}
			and ${addressChanges.change} = 'shared' and ${eq(addressChanges.text, expiresAt)}`;
		const from = sql`from ${addresses} where ${isOwnLive(link)} and not ${hasRow(addressChanges, isSame)}`;
		return insertRow(addressChanges, { ...row, lat: null, lng: null }, from);
	}),
};
