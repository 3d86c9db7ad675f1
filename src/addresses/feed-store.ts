/** All SQL on the feed of changes, and on the addresses that its readers see. Triggers write the feed (migration 0001). */
import { and, asc, eq, ne, type SQL, sql } from "drizzle-orm";
import { ONE_ROW } from "../db/refusal.ts";
import { deletion } from "../db/rows.ts";
import { addresses, burntCodes, changes } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { addressColumns, isStanding, retiredAt } from "./address-columns-store.ts";
import { isClosedUntold } from "./closing-store.ts";

/** The most rows of the feed that one page looks through, whoever's they are: 20,000 take the database about 30 ms. */
const LOOKED_THROUGH_MAX = 20_000;

/** The choice of a page of the feed. `after` is null for the oldest retained change, and `ownerId` is null for everybody's changes. */
interface PageChoice {
	after: number | null;
	limit: number;
	ownerId: string | null;
}

const startOf = ({ after }: Parameters<Pick<PageChoice, "after">>) =>
	sql`coalesce(${after}, (select min(${changes.seq}) - 1 from ${changes}))`;

/** Up to `limit` changes just after a position, oldest first, each with the current address or burnt code. */
export const changesAfter = statement((choice: Parameters<PageChoice>) =>
	query
		.select({
			seq: changes.seq,
			code: sql<string>`${changes.canonical}`.as("code"),
			kind: changes.kind,
			at: changes.at,
			address: addressColumns,
			burntSuccessor: sql<string | null>`${burntCodes.successor}`.as("burnt_successor"),
		})
		.from(changes)
		.leftJoin(addresses, eq(addresses.canonical, changes.canonical))
		.leftJoin(burntCodes, eq(burntCodes.canonical, changes.canonical))
		.where(
			and(
				sql`${changes.seq} > ${startOf(choice)} and ${changes.seq} <= ${startOf(choice)} + ${LOOKED_THROUGH_MAX}`,
				ne(changes.kind, "reset"),
				sql`(${choice.ownerId} is null or ${addresses.ownerId} = ${choice.ownerId})`,
			),
		)
		.orderBy(asc(changes.seq))
		.limit(choice.limit),
);

/**
 * The times of the change at which a page starts and of the one after it, null if the feed has no such change; the oldest retained change;
 * the change at which the page's search ends; and the end of the feed.
 */
export const boundsOf = statement((choice: Parameters<Pick<PageChoice, "after">>) => {
	const upTo = sql`from ${changes} where ${changes.seq} <= ${startOf(choice)} + ${LOOKED_THROUGH_MAX} order by ${changes.seq} desc limit 1`;
	const timeOf = (seq: SQL) => sql<number | null>`(select ${changes.at} from ${changes} where ${changes.seq} = ${seq})`;
	const first = sql`from ${changes} order by ${changes.seq} limit 1`;
	return query
		.select({
			startAt: timeOf(startOf(choice)).as("start_at"),
			followingAt: timeOf(sql`${startOf(choice)} + 1`).as("following_at"),
			firstSeq: sql<number>`(select ${changes.seq} ${first})`.as("first_seq"),
			firstAt: sql<number>`(select ${changes.at} ${first})`.as("first_at"),
			endSeq: sql<number>`(select ${changes.seq} ${upTo})`.as("end_seq"),
			endAt: sql<number>`(select ${changes.at} ${upTo})`.as("end_at"),
			headSeq: sql<number>`(select max(${changes.seq}) from ${changes})`.as("head_seq"),
		})
		.from(ONE_ROW);
});

/** The newest change. */
export const head = statement(() =>
	query.select({ seq: changes.seq, at: changes.at }).from(changes).orderBy(sql`${changes.seq} desc`).limit(1),
);

/**
 * Whether a change took an address away from readers, and they still may not read it. An address is retired before it is erased, so
 * erasure takes nothing more.
 */
const isGone = sql`${changes.kind} in ('hidden', 'retired') and (${addresses.canonical} is null
	or ${retiredAt} is not null or ${addresses.hiddenAt} is not null or ${addresses.visibility} = 'private')`;

/** Up to `limit` changes just after a position, oldest first, that took an address away from readers, who still may not read it. */
export const goneAfter = statement(({ after, limit }: Parameters<{ after: number; limit: number }>) =>
	query
		.select({ seq: changes.seq, code: sql<string>`${changes.canonical}`.as("code") })
		.from(changes)
		.leftJoin(addresses, eq(addresses.canonical, changes.canonical))
		.where(sql`${changes.seq} > ${after} and ${isGone}`)
		.orderBy(asc(changes.seq))
		.limit(limit),
);

/**
 * Whether a change after a position has left nothing public under a code of the range after `from`, up to `upTo`, or an account was closed
 * of which the feed is yet to tell.
 */
export const hasGone = statement(({ after, from, upTo }: Parameters<{ after: number; from: string; upTo: string }>) => {
	const within = sql`${changes.seq} > ${after} and ${changes.canonical} > ${from} and ${changes.canonical} <= ${upTo}`;
	const gone = sql`exists (select 1 from ${changes} left join ${addresses} on ${addresses.canonical} = ${changes.canonical}
		where ${within} and ${isGone})`;
	return query.select({ gone: sql<0 | 1>`${gone} or ${isClosedUntold({ from, upTo })}`.as("gone") }).from(ONE_ROW);
});

/** Up to `limit` live addresses after a code, in the order of codes. It leaves out those of the sandbox, whose codes come last. */
export const liveAfter = statement(({ after, limit }: Parameters<{ after: string; limit: number }>) =>
	query
		.select(addressColumns)
		.from(addresses)
		.where(and(sql`${addresses.canonical} > ${after} and ${addresses.canonical} < 'ZZ'`, isStanding))
		.orderBy(asc(addresses.canonical))
		.limit(limit),
);

/**
 * Deletes up to `count` changes made before a time (milliseconds since the epoch), except the newest of them: a reader who has read
 * everything up to then stands at that change.
 */
export const deleteChangesBefore = deletion(changes, ({ time }: Parameters<{ time: number }>) => {
	const firstRetained = sql`(select ${changes.seq} from ${changes} where ${changes.at} >= ${time} order by ${changes.seq} limit 1)`;
	const newestBefore = sql`(select max(${changes.seq}) from ${changes} where ${changes.seq} < ${firstRetained})`;
	return sql`${changes.seq} < ${newestBefore}`;
});
