/** All SQL on the closing of accounts, as each database notes it for the addresses that it holds (`closed_owners`). */
import { and, asc, eq, isNotNull, notInArray, sql } from "drizzle-orm";
import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import { insertRow, isAmong, updateRows } from "../db/rows.ts";
import { addresses, changes, closedOwners } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { changedAt } from "./address-columns-store.ts";

/** What begins with each closing and opening: the feed is to tell it of each address, from the first one on. */
const untold = { isTold: false, toldCreatedAt: 0, toldCanonical: "" };

/** Whether an account is closed, and when it was closed or opened last. */
export type ClosingOf = Pick<typeof closedOwners.$inferSelect, "ownerId" | "closedAt" | "changedAt">;

/** What the database of accounts notes of an owner, by a trigger; empty for one whose account was never closed. */
export const closingOf = statement(({ ownerId }: Parameters<{ ownerId: string }>) =>
	query
		.select({ ownerId: closedOwners.ownerId, closedAt: closedOwners.closedAt, changedAt: closedOwners.changedAt })
		.from(closedOwners)
		.where(eq(closedOwners.ownerId, ownerId)),
);

/** Notes the same in another database, unless what it has is as new. So work that comes late undoes nothing. */
const noteClosing = statement(({ ownerId, closedAt, changedAt }: Parameters<ClosingOf>) =>
	insertRow(closedOwners, { ownerId, closedAt, changedAt, ...untold }).onConflictDoUpdate({
		target: closedOwners.ownerId,
		set: { closedAt: sql`excluded.closed_at`, changedAt: sql`excluded.changed_at`, ...untold },
		setWhere: sql`excluded.changed_at > ${closedOwners.changedAt}`,
	}),
);

/** Some owners, and the time in milliseconds since the epoch. */
type Some = Parameters<{ ownerIds: string[]; now: number }>;

/** Those that 1.3.0 closed one by one. By `retired_at` the index of owners finds them without passing by those that are live. */
const reopenFormer = statement(({ ownerIds, now }: Some) =>
	updateRows(
		addresses,
		{ retiredItselfAt: null, closedWithAccount: false, ...changedAt(now) },
		and(
			isAmong(addresses.ownerId, ownerIds),
			isNotNull(addresses.retiredItselfAt),
			eq(addresses.closedWithAccount, true),
		),
	),
);

/** Closes or opens the addresses of an owner, whatever their number, as the database of accounts notes it. */
export const followClosing = (closing: ClosingOf, now: number) => ({
	noted: noteClosing(closing),
	...(closing.closedAt === null ? { former: reopenFormer({ ownerIds: [closing.ownerId], now }) } : {}),
});

/** Up to `limit` closed owners after an id, in the order of ids. */
export const closedAfter = statement(({ after, limit }: Parameters<{ after: string; limit: number }>) =>
	query
		.select({ ownerId: closedOwners.ownerId, changedAt: closedOwners.changedAt })
		.from(closedOwners)
		.where(sql`${closedOwners.closedAt} is not null and ${closedOwners.ownerId} > ${after}`)
		.orderBy(asc(closedOwners.ownerId))
		.limit(limit),
);

const openOwners = statement(
	({ seen, now }: Parameters<{ seen: [ownerId: string, changedAt: number][]; now: number }>) =>
		updateRows(
			closedOwners,
			{ closedAt: null, changedAt: sql`max(${now}, ${closedOwners.changedAt} + 1)`, ...untold },
			sql`(${closedOwners.ownerId}, ${closedOwners.changedAt}) in (select value ->> 0, value ->> 1 from json_each(${seen}))`,
		),
);

/** Opens the addresses of some closed owners, unless that has changed since it was seen. */
export const opening = (seen: Pick<ClosingOf, "ownerId" | "changedAt">[], now: number) => ({
	opened: openOwners({ seen: seen.map(({ ownerId, changedAt }) => [ownerId, changedAt]), now }),
	former: reopenFormer({ ownerIds: seen.map(({ ownerId }) => ownerId), now }),
});

/** Forgets owners whose accounts are erased, and who have no address here any more. */
export const forgetOwners = statement(({ ownerIds }: Parameters<{ ownerIds: string[] }>) => {
	const left = query
		.selectDistinct({ id: addresses.ownerId })
		.from(addresses)
		.where(isAmong(addresses.ownerId, ownerIds));
	return query
		.delete(closedOwners)
		.where(and(isAmong(closedOwners.ownerId, ownerIds), notInArray(closedOwners.ownerId, left)));
});

/** An owner whose closing or opening the feed does not tell of all their addresses yet, and of which address it told last. */
export type Untold = Pick<
	typeof closedOwners.$inferSelect,
	"ownerId" | "closedAt" | "changedAt" | "toldCreatedAt" | "toldCanonical"
>;

/** Up to `limit` owners whose closing or opening the feed does not tell of all their addresses yet, the earliest first. */
export const untoldOwners = statement(({ limit }: Parameters<{ limit: number }>) =>
	query
		.select({
			ownerId: closedOwners.ownerId,
			closedAt: closedOwners.closedAt,
			changedAt: closedOwners.changedAt,
			toldCreatedAt: closedOwners.toldCreatedAt,
			toldCanonical: closedOwners.toldCanonical,
		})
		.from(closedOwners)
		.where(sql`${closedOwners.isTold} = 0`)
		.orderBy(asc(closedOwners.changedAt))
		.limit(limit),
);

/** Whether an address comes after the one that was told last, and is not retired itself: the condition of the index of owners. */
const isNext = (createdAt: unknown, canonical: unknown) =>
	sql`${addresses.retiredItselfAt} is null and (${addresses.createdAt}, ${addresses.canonical}) > (${createdAt}, ${canonical})`;

/** Up to `limit` addresses of an owner that the feed is to be told of next. */
export const nextUntold = statement(
	(wanted: Parameters<Pick<Untold, "ownerId" | "toldCreatedAt" | "toldCanonical"> & { limit: number }>) =>
		query
			.select({ createdAt: addresses.createdAt, canonical: addresses.canonical })
			.from(addresses)
			.where(and(eq(addresses.ownerId, wanted.ownerId), isNext(wanted.toldCreatedAt, wanted.toldCanonical)))
			.orderBy(asc(addresses.createdAt), asc(addresses.canonical))
			.limit(wanted.limit),
);

/** Addresses to tell of: the next ones of an owner. */
interface Telling extends Pick<Untold, "ownerId" | "changedAt" | "toldCreatedAt" | "toldCanonical"> {
	codes: string[];
	/** The last of them. */
	lastCreatedAt: number;
	lastCanonical: string;
	/** Whether it is the last of all. */
	isLast: boolean;
}

/** Whether the owner's row is as it was read: not closed or opened, nor told, meanwhile. */
const isUnchanged = ({
	ownerId,
	changedAt,
	toldCreatedAt,
	toldCanonical,
}: Parameters<Telling>) => sql`${closedOwners.ownerId} = ${ownerId}
	and ${closedOwners.changedAt} = ${changedAt}
	and (${closedOwners.toldCreatedAt}, ${closedOwners.toldCanonical}) = (${toldCreatedAt}, ${toldCanonical})`;

const tellFeed = statement((told: Parameters<Telling>) =>
	insertRow(
		changes,
		{
			seq: sql`null`,
			canonical: sql`code.value`,
			kind: sql`iif(${closedOwners.closedAt} is null, 'shown', 'retired')`,
			at: sql`cast(unixepoch('subsec') * 1000 as integer)`,
		},
		// The feed never names sandbox addresses.
		sql`from json_each(${told.codes}) as code join ${closedOwners} where ${isUnchanged(told)} and code.value < ${SANDBOX_COUNTRY}`,
	),
);
const noteTold = statement((told: Parameters<Telling>) =>
	updateRows(
		closedOwners,
		{
			isTold: told.isLast,
			toldCreatedAt: told.lastCreatedAt,
			toldCanonical: told.lastCanonical,
		},
		isUnchanged(told),
	),
);

/** Statements that tell the feed of addresses that were closed or opened, unless that has changed or been told meanwhile. */
export const telling = (told: Telling) => ({ told: tellFeed(told), noted: noteTold(told) });

/** Whether a code of the range after `from`, up to `upTo`, is closed and the feed has not been told of it yet. */
export const isClosedUntold = ({ from, upTo }: Parameters<{ from: string; upTo: string }>) =>
	sql`exists (select 1 from ${closedOwners} cross join ${addresses} on ${addresses.ownerId} = ${closedOwners}.owner_id
		where ${closedOwners}.is_told = 0 and ${closedOwners}.closed_at is not null
		and ${isNext(sql`${closedOwners}.told_created_at`, sql`${closedOwners}.told_canonical`)}
		and ${addresses.canonical} > ${from} and ${addresses.canonical} <= ${upTo})`;
