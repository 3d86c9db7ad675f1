/** What the feed of changes and snapshots read of addresses: never more than what a reader may see of them now. */
import type { Caller } from "../db/caller.ts";
import { inOneTrip } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import { type PublicAddress, publicRecord } from "./address-record.ts";
import * as feedStore from "./feed-store.ts";
import { isWithheld, ownedBy } from "./issued.ts";

export { publicRecord };

/** Where a reader of the feed stands: the number of a change and when it was committed, in milliseconds since the epoch. */
export interface FeedPosition {
	seq: number;
	at: number;
}

/** A change, and what its reader may see under the code now: not what it was then, so that nothing old leaks. */
export interface Change extends FeedPosition {
	code: string;
	kind: string;
	/** Null where the address is retired, erased, or withheld from this reader. */
	address: PublicAddress | null;
	/** The code that took the place of a retired one. */
	successor: string | null;
}

interface FeedPage {
	changes: Change[];
	/** Where the next page starts. */
	next: FeedPosition;
	/** Whether there is more already. */
	hasMore: boolean;
}

/** Changes after which a reader has nothing to show. Of an address that is withheld now, they alone are told. */
const REMOVALS = ["hidden", "retired", "erased"];

/**
 * A page of the feed, in the order of commits: that of everybody, or that of the caller's own addresses, which they see whole, unless by
 * a key that may not write. It is read from the primary database, since a replica may not know yet what has been committed.
 * @param after Where the reader stands; undefined for the oldest change that is kept.
 * @returns Undefined where the feed has no such position.
 */
export async function readFeed(
	registry: Registry,
	caller: Caller,
	{ after, limit, isMine }: { after: FeedPosition | undefined; limit: number; isMine: boolean },
): Promise<FeedPage | undefined> {
	const choice = { after: after?.seq ?? null, limit, ownerId: isMine ? await caller.user() : null };
	const { bounds, rows } = await caller.run(registry.database, {
		bounds: feedStore.boundsOf(choice),
		rows: feedStore.changesAfter(choice),
	});
	const [{ startAt, endSeq, endAt, headSeq }] = bounds as [(typeof bounds)[number]];
	if (after && after.at !== startAt) return undefined;
	const isOwn = await ownedBy(caller);
	const isFull = rows.length === limit;
	const last = rows.at(-1);
	const next = isFull && last ? { seq: last.seq, at: last.at } : { seq: endSeq, at: endAt };
	const changes = rows.flatMap(({ seq, at, code, kind, address, burntSuccessor }): Change[] => {
		const live = address?.retiredAt === null ? address : null;
		const isHidden = live !== null && isWithheld(live, (address) => isMine && isOwn(address));
		if (isHidden && !isMine && !REMOVALS.includes(kind)) return [];
		const successor = live ? null : (address?.successor ?? burntSuccessor);
		return [{ seq, at, code, kind, address: isHidden ? null : live, successor }];
	});
	return { changes, next, hasMore: isFull || next.seq < headSeq };
}

/** Where the feed ends now. */
export async function headOfFeed({ database }: Pick<Registry, "database">): Promise<FeedPosition> {
	const [head] = await inOneTrip(database, feedStore.head({}));
	if (!head) throw new Error("The feed of changes has no row: a migration begins it");
	return head;
}

/** Whether the feed can be followed from a position. */
export async function isKnown({ database }: Pick<Registry, "database">, { seq, at }: FeedPosition): Promise<boolean> {
	const [bounds] = await inOneTrip(database, feedStore.boundsOf({ after: seq }));
	return bounds?.startAt === at;
}

/**
 * The records that everyone may see of up to `limit` live addresses after a code, in the order of codes, and the last code looked at;
 * undefined at the end.
 */
export async function publicAddressesAfter(
	registry: Pick<Registry, "database" | "settings">,
	after: string,
	limit: number,
) {
	const read = await inOneTrip(registry.database, feedStore.liveAfter({ after, limit: limit + 1 }));
	const rows = read.slice(0, limit);
	return {
		records: rows.filter((row) => !isWithheld(row)).map(publicRecord),
		last: read.length > limit ? rows.at(-1)?.canonical : undefined,
	};
}

/** Changes that are looked at for what is gone: as many as a part of a snapshot has addresses. */
const GONE_MAX = 50_000;

/**
 * Codes under which nothing is public any more, by the changes since a position of the feed, and up to where these were looked at.
 */
export async function goneSince(registry: Pick<Registry, "database">, after: number) {
	const { database } = registry;
	const head = await headOfFeed(registry);
	const gone = await inOneTrip(database, feedStore.goneAfter({ after, limit: GONE_MAX }));
	return { gone, upTo: gone.length < GONE_MAX ? head.seq : (gone.at(-1)?.seq ?? after) };
}

/** Whether something that was public under a code after `from`, up to `upTo`, is so no more since a position of the feed. */
export async function hasGoneSince(
	{ database }: Pick<Registry, "database">,
	range: { after: number; from: string; upTo: string },
): Promise<boolean> {
	const [found] = await inOneTrip(database, feedStore.hasGone(range));
	return found?.gone === 1;
}
