/** Reading addresses for the feed of changes and for snapshots: never more than what a reader may see of them now. */
import { partsOf } from "../codes/code.ts";
import type { Caller } from "../db/caller.ts";
import type { Database } from "../db/open.ts";
import { inEach } from "../db/several.ts";
import { inOneTrip } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import { type PublicAddress, publicRecord } from "./address-record.ts";
import * as feedStore from "./feed-store.ts";
import { isWithheld, ownershipOf } from "./retired-or-withheld.ts";

/**
 * A position in the feed of one database: the number of a change, and when it was committed, in milliseconds since the epoch. The position
 * before the oldest retained change is that change's number less one, with that change's time.
 */
interface FeedPosition {
	seq: number;
	at: number;
}

/**
 * A reader's position in the feed of each database, by name. A database that is not named was bound later, and is read from its beginning.
 */
export type FeedPositions = Readonly<Record<string, FeedPosition>>;

/** The number of the first change in every database. */
const FIRST_SEQ = 1;

/** Whether the feed of a database can be followed from a position or, where a cursor does not name the database, from its beginning. */
function isFollowable(
	position: FeedPosition | undefined,
	{ startAt, followingAt, firstSeq }: { startAt: number | null; followingAt: number | null; firstSeq: number },
): boolean {
	return position ? [startAt, followingAt].includes(position.at) : firstSeq === FIRST_SEQ;
}

/** A change, and what its reader may see under the code now, rather than at the time of the change, so that nothing old leaks. */
export interface Change {
	at: number;
	/** The position of a reader who has read this change. */
	positions: FeedPositions;
	code: string;
	kind: string;
	/** Null if the address is retired, erased, or withheld from this reader. */
	address: PublicAddress | null;
	/** The successor of a retired address. */
	successor: string | null;
}

interface FeedPage {
	changes: Change[];
	/** Where the next page starts. */
	next: FeedPositions;
	/** Whether there are further changes already. */
	hasMore: boolean;
}

/** Changes after which a reader has nothing to show. If an address is withheld now, only these are reported. */
const REMOVALS = ["hidden", "retired", "erased"];

/**
 * A page of the feed, in the order of commits: that of everybody, or that of the caller's own addresses. The caller sees their own in
 * full, unless they use a key that may not write; with a test key, they see none. The page comes from the primary database, since a
 * replica may lack recent commits.
 * @param after The reader's position; undefined for the oldest retained change.
 * @returns Undefined if the feed has no such position.
 */
export async function readFeed(
	registry: Registry,
	caller: Caller,
	{ after, limit, isMine }: { after: FeedPositions | undefined; limit: number; isMine: boolean },
): Promise<FeedPage | undefined> {
	const { database, databases } = registry;
	const names = databases.map(({ name }) => name);
	if (Object.keys(after ?? {}).some((name) => !names.includes(name))) return undefined;
	// A test key has sandbox addresses alone, which the feed never names.
	const ownerId = isMine ? ((await caller.isSandbox()) ? "" : await caller.user()) : null;
	const readingOf = ({ name }: Database) => {
		const choice = { after: after?.[name]?.seq ?? null, limit, ownerId };
		return { bounds: feedStore.boundsOf(choice), rows: feedStore.changesAfter(choice) };
	};
	const first = await caller.run(database, readingOf(database));
	const others = databases.filter((db) => db !== database);
	const found = [first, ...(await Promise.all(others.map((db) => inOneTrip(db, readingOf(db)))))];
	const isOwn = await ownershipOf(caller);

	const feeds = databases.map((db, index) => {
		const { bounds, rows } = found[index] as typeof first;
		return { db, rows, bounds: bounds[0] as (typeof bounds)[number], taken: 0 };
	});
	if (after && !feeds.every(({ db, bounds }) => isFollowable(after[db.name], bounds))) return undefined;
	const starts = feeds.map(({ db, bounds }) => [db.name, { seq: bounds.firstSeq - 1, at: bounds.firstAt }]);
	const next: Record<string, FeedPosition> = { ...Object.fromEntries(starts), ...after };

	// Each database's changes stay in order, and with them those of each address. Between databases, the earlier change comes first.
	const changes: Change[] = [];
	for (let read = 0; read < limit; read += 1) {
		const waiting = feeds.filter(({ rows, taken }) => taken < rows.length);
		const [feed] = waiting.sort((one, other) => headOf(one).at - headOf(other).at);
		if (!feed) break;
		const { seq, at, code, kind, address, burntSuccessor } = headOf(feed);
		const { name } = feed.db;
		feed.taken += 1;
		next[name] = { seq, at };
		// Codes at home in another database have moved there, or are the example that every database begins with.
		if (registry.databaseOf(partsOf(code)) !== feed.db) continue;
		const live = address?.retiredAt === null ? address : null;
		const isHidden = live !== null && isWithheld(live) && !(isMine && isOwn(live));
		if (isHidden && !isMine && !REMOVALS.includes(kind)) continue;
		const successor = live ? null : (address?.successor ?? burntSuccessor);
		changes.push({ at, positions: { ...next }, code, kind, address: isHidden ? null : live, successor });
	}
	let hasMore = false;
	for (const { db, rows, taken, bounds } of feeds) {
		const { endSeq, endAt, headSeq } = bounds;
		const isFull = taken < rows.length || rows.length === limit;
		if (!isFull) next[db.name] = { seq: endSeq, at: endAt };
		hasMore ||= isFull || endSeq < headSeq;
	}
	return { changes, next, hasMore };
}

/** The next unread change of a feed, which must have one. */
function headOf<Row>({ rows, taken }: { rows: Row[]; taken: number }): Row {
	return rows[taken] as Row;
}

/** The part of a registry that the feed of all databases is read from. */
type Databases = Pick<Registry, "databases">;

/** The current end of the feed. */
export async function headOfFeed({ databases }: Databases): Promise<FeedPositions> {
	const heads = await inEach(databases, feedStore.head({}));
	const positions = heads.map(([head], index) => {
		if (!head) throw new Error("The feed of changes has no row: a migration begins it");
		return [databases[index]?.name ?? "", head] as const;
	});
	return Object.fromEntries(positions);
}

/** Whether the feed can be followed from a position. */
export async function arePositionsKnown({ databases }: Databases, positions: FeedPositions): Promise<boolean> {
	if (Object.keys(positions).some((name) => !databases.some((db) => db.name === name))) return false;
	const known = await Promise.all(
		databases.map(async (db) => {
			const { [db.name]: position } = positions;
			const [bounds] = await inOneTrip(db, feedStore.boundsOf({ after: position?.seq ?? null }));
			return bounds !== undefined && isFollowable(position, bounds);
		}),
	);
	return !known.includes(false);
}

/**
 * The public records of up to `limit` live addresses of a database after a code, in the order of codes, and the last code looked at, which
 * is undefined at the end.
 */
export async function publicAddressesAfter(
	registry: Pick<Registry, "databaseOf">,
	db: Database,
	after: string,
	limit: number,
) {
	const read = await inOneTrip(db, feedStore.liveAfter({ after, limit: limit + 1 }));
	const rows = read.slice(0, limit);
	return {
		records: rows
			.filter((row) => registry.databaseOf(partsOf(row.canonical)) === db && !isWithheld(row))
			.map(publicRecord),
		last: read.length > limit ? rows.at(-1)?.canonical : undefined,
	};
}

/** The most changes to search at once for what is gone: as many as a part of a snapshot has addresses. */
const GONE_MAX = 50_000;

/**
 * The codes under which nothing is public any more, by the changes of a database since a position of its feed, and the change up to which
 * the feed was searched.
 */
export async function goneSince(db: Database, after: number) {
	const {
		heads: [head],
		gone,
	} = await inOneTrip(db, { heads: feedStore.head({}), gone: feedStore.goneAfter({ after, limit: GONE_MAX }) });
	return { gone, upTo: gone.length < GONE_MAX ? (head?.seq ?? after) : (gone.at(-1)?.seq ?? after) };
}

/** Whether an address with a code after `from`, up to `upTo`, has ceased to be public since a position of the feed. */
export async function hasGoneSince(
	db: Database,
	range: { after: number; from: string; upTo: string },
): Promise<boolean> {
	const [found] = await inOneTrip(db, feedStore.hasGone(range));
	return found?.gone === 1;
}
