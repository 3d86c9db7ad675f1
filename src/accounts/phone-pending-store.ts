/** All SQL on pending phones: numbers that agents attested for accounts with another number. */
import { and, eq, ne, not, type SQL, sql } from "drizzle-orm";
import { assertion, ONE_ROW, StaleRead } from "../db/refusal.ts";
import { deletion, hasRow, insertRow, updateRows } from "../db/rows.ts";
import { pendingPhones, phoneProofs, sessions, users } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";

/** A pending number, and the account that would lose it. Times are milliseconds since the epoch. */
export type PendingPhone = typeof pendingPhones.$inferSelect & {
	/** The other account that has the number now. */
	holderId: string | null;
};

/**
 * The account that a pending number passes to, and the id of the proof. `isDecided` is 1 if an operator has decided, and `reservedSince` is
 * as `assertNotReserved` takes it.
 */
interface Passing {
	now: number;
	reservedSince: number;
	isDecided: 0 | 1;
	userId: string;
	proofId: string;
}

/** Pending phones that meet a condition on `p`, each with the account `h` that has the number. */
const pending = (condition: SQL) => sql`(select p.*, h.id as holder_id
	from ${pendingPhones} as p left join ${users} as h on h.phone = p.phone and h.id <> p.user_id where ${condition})`;

/**
 * The pending phone of an account if it may pass. It must be accepted, attested by somebody who is still an agent, and neither held by
 * another account nor reserved for one. An operator's decision replaces all of these except the acceptance. Nothing else does: silence of
 * the account that has the number is not consent.
 */
const dueOf = ({ userId, reservedSince, isDecided }: Parameters<Passing>) => sql`(select waiting.*
	from ${pending(sql`p.user_id = ${userId}`)} as waiting
	join ${users} as own on own.id = waiting.user_id and own.disabled_at is null and own.erase_at is null
	left join ${users} as agent on agent.id = waiting.agent_id and agent.role = 'agent' and agent.disabled_at is null
	where waiting.accepted_at is not null and (${isDecided} = 1 or (agent.id is not null and waiting.holder_id is null
		and not exists (select 1 from ${phoneProofs} as gone where gone.replaced_phone = waiting.phone
			and gone.proved_at > ${reservedSince} and gone.replaced_verified and gone.user_id <> waiting.user_id))))`;

const selected = (rows: SQL) =>
	query
		.select({
			userId: sql<string>`user_id`.as("user_id"),
			phone: sql<string>`phone`.as("phone"),
			agentId: sql<string>`agent_id`.as("agent_id"),
			attestedAt: sql<number>`attested_at`.as("attested_at"),
			acceptedAt: sql<number | null>`accepted_at`.as("accepted_at"),
			objectedAt: sql<number | null>`objected_at`.as("objected_at"),
			holderId: sql<string | null>`holder_id`.as("holder_id"),
		})
		.from(rows);

const insertProof = statement((passing: Parameters<Passing>) =>
	insertRow(
		phoneProofs,
		{
			id: passing.proofId,
			userId: sql`passes.user_id`,
			phone: sql`passes.phone`,
			method: "agent",
			agentId: sql`passes.agent_id`,
			takenFrom: sql`passes.holder_id`,
			replacedPhone: sql`own.phone`,
			replacedVerified: sql`own.phone is not null and own.phone_verified`,
			provedAt: sql`${passing.now}`,
		},
		sql`from ${dueOf(passing)} as passes join ${users} as own on own.id = passes.user_id where true`,
	).onConflictDoNothing(),
);
const takePhone = statement((passing: Parameters<Passing>) =>
	updateRows(
		users,
		{ phone: null, phoneVerified: false },
		eq(users.id, sql`(select holder_id from ${dueOf(passing)})`),
	),
);
const givePhone = statement((passing: Parameters<Passing>) =>
	updateRows(
		users,
		{ phone: sql`(select phone from ${dueOf(passing)})`, phoneVerified: true },
		eq(users.id, sql`(select user_id from ${dueOf(passing)})`),
	).returning(),
);
const ownPhone = (userId: Parameters<{ userId: string }>["userId"]) =>
	sql`(select phone from ${users} where id = ${userId})`;
/** Deletes the pending number of an account if the account has it as its own by now. */
export const settle = statement(({ userId }: Parameters<{ userId: string }>) =>
	query.delete(pendingPhones).where(and(eq(pendingPhones.userId, userId), eq(pendingPhones.phone, ownPhone(userId)))),
);
const firstClaim = (phone: SQL, userId: SQL) =>
	sql`${pending(sql`p.phone = ${phone} and p.user_id <> ${userId} and p.accepted_at is not null`)}
		order by objected_at is not null, accepted_at limit 1`;

/** Refuses if a number is no longer that of an account; the caller then reads the account again. */
export const assertPhoneOf = assertion(
	({ userId, phone }: Parameters<{ userId: string; phone: string }>) =>
		hasRow(users, and(eq(users.id, userId), eq(users.phone, phone))),
	"phone changed",
	() => new StaleRead(),
);

/** Refuses if another number is pending for an account, because nobody may replace what its holder is about to accept. */
export const assertNoOther = assertion(
	({ userId, phone }: Parameters<{ userId: string; phone: string }>) =>
		not(hasRow(pendingPhones, and(eq(pendingPhones.userId, userId), ne(pendingPhones.phone, phone)))),
	"other phone pending",
	() =>
		new AppError("FORBIDDEN", "Another number is pending for this account. Ask its holder to decline that one first."),
);

/** Stores a pending number for an account. Storing the same number again changes nothing. */
export const hold = statement((held: Parameters<Pick<PendingPhone, "userId" | "phone" | "agentId" | "attestedAt">>) => {
	const { userId, phone, agentId, attestedAt } = held;
	const row = { userId, phone, agentId, attestedAt, acceptedAt: null, objectedAt: null };
	return insertRow(pendingPhones, row).onConflictDoNothing();
});

/** The pending number of an account, or empty. */
export const pendingOf = statement(({ userId }: Parameters<{ userId: string }>) =>
	selected(pending(sql`p.user_id = ${userId}`)),
);

/** The claim of another account on the number of an account: one without an objection first, then the earliest accepted. */
export const claimOn = statement(({ userId }: Parameters<{ userId: string }>) =>
	selected(firstClaim(ownPhone(userId), sql`${userId}`)),
);

/**
 * Whether a pending number waits for the user of a browser's session, and whether another account claims theirs without an objection yet.
 */
export const newsOnWeb = statement(({ webTokenHash }: Parameters<{ webTokenHash: string }>) => {
	const own = sql`(select own.id from ${users} as own join ${sessions} as s on s.user_id = own.id
		where s.web_token_hash = ${webTokenHash})`;
	const isThere = (condition: SQL) => sql<0 | 1>`exists (select 1 from ${pendingPhones} as p where ${condition})`;
	return query
		.select({
			isPending: isThere(sql`p.user_id = ${own} and p.accepted_at is null`).as("is_pending"),
			isClaimed: isThere(
				sql`p.phone = (select phone from ${users} where id = ${own}) and p.user_id <> ${own}
					and p.accepted_at is not null and p.objected_at is null`,
			).as("is_claimed"),
		})
		.from(ONE_ROW);
});

/** The accepted numbers, which wait for an operator, the longest waiting first. */
export const acceptedPhones = statement(({ limit }: Parameters<{ limit: number }>) =>
	selected(pending(sql`p.accepted_at is not null`)).orderBy(sql`accepted_at`).limit(limit),
);

/** Records that the holder of an account accepts the pending number. */
export const accept = statement(({ userId, phone, now }: Parameters<{ userId: string; phone: string; now: number }>) =>
	updateRows(
		pendingPhones,
		{ acceptedAt: sql`coalesce(${pendingPhones.acceptedAt}, ${now})` },
		and(eq(pendingPhones.userId, userId), eq(pendingPhones.phone, phone)),
	),
);

/** Clears the acceptance of a pending number and the objection to it, so that the holder is asked again. */
export const askAgain = statement(({ userId }: Parameters<{ userId: string }>) =>
	updateRows(pendingPhones, { acceptedAt: null, objectedAt: null }, eq(pendingPhones.userId, userId)),
);

const noPendingPhone = () =>
	new AppError("NOT_FOUND", "No accepted number is pending for this account, or the account is suspended or closed.");

/** Refuses if no number is pending for an account. */
export const assertPending = assertion(
	({ userId }: Parameters<{ userId: string }>) => hasRow(pendingPhones, eq(pendingPhones.userId, userId)),
	"no pending phone",
	noPendingPhone,
);

/** Deletes the pending number of an account. */
export const deletePending = statement(({ userId }: Parameters<{ userId: string }>) =>
	query.delete(pendingPhones).where(eq(pendingPhones.userId, userId)),
);

/** Records that the holder of an account objects to its number passing to any other account. */
export const object = statement(({ userId, now }: Parameters<{ userId: string; now: number }>) =>
	updateRows(
		pendingPhones,
		{ objectedAt: sql`coalesce(${pendingPhones.objectedAt}, ${now})` },
		and(eq(pendingPhones.phone, ownPhone(userId)), ne(pendingPhones.userId, userId)),
	),
);

/** Refuses unless a number may pass to an account, or has already passed with this proof. */
export const assertMayPass = assertion(
	(passing: Parameters<Passing>) =>
		sql`exists (select 1 from ${dueOf(passing)}) or ${hasRow(phoneProofs, eq(phoneProofs.id, passing.proofId))}`,
	"no number due",
	noPendingPhone,
);

/** Gives an account its pending number if it may pass, and records the proof. `holders` is the account if the number passed, else empty. */
export const passPending = (passing: Passing) => ({
	proof: insertProof(passing),
	taken: takePhone(passing),
	holders: givePhone(passing),
	settled: settle(passing),
});

/** Deletes up to `count` numbers that were accepted before a time, or attested before it and never accepted. */
export const deletePendingBefore = deletion(
	pendingPhones,
	({ time }: Parameters<{ time: number }>) =>
		sql`coalesce(${pendingPhones.acceptedAt}, ${pendingPhones.attestedAt}) < ${time}`,
);
