/** All SQL on giving the holder of an unused account a new recovery code in person. */
import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { assertion } from "../db/refusal.ts";
import { hasRow, literal, updateRows } from "../db/rows.ts";
import { apiKeys, operatorActs, sessions, users } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { recovery } from "../settings/limits.ts";
import { DAY } from "../time/time.ts";

/** The name of the act by which an operator asks for a recovery. */
const RECOVERY_ACT = "recovery";

/** Whether no session or key of an account (a row of users) was used after a time, in milliseconds since the epoch. */
const isUnusedAfter = (since: SQL) => sql`coalesce(${users.usedUntil}, ${users.createdAt}) <= ${since}
	and not exists (select 1 from ${sessions} as s where s.user_id = ${users.id} and coalesce(s.last_seen_at, s.created_at) > ${since})
	and not exists (select 1 from ${apiKeys} as k where k.user_id = ${users.id} and coalesce(k.last_used_at, k.created_at) > ${since})`;

/** Whether an account is neither suspended nor closed, and has a number to sign in with. */
const isOpen = sql`${users.suspendedAt} is null and ${users.eraseAt} is null and ${users.phone} is not null`;

/** Refuses if an account is in use, suspended, closed or without a number. */
export const assertUnused = assertion(
	({ userId, now }: Parameters<{ userId: string; now: number }>) =>
		hasRow(users, and(eq(users.id, userId), isOpen, isUnusedAfter(sql`${now} - ${literal(recovery.unusedFor)}`))),
	"account in use",
	() =>
		new AppError(
			"INVALID_REQUEST",
			"A session or a key of this account was used in the last 30 days, or it is suspended, closed or without a number. It cannot be recovered in person.",
		),
);

/** Refuses if an operator has reached the number of recoveries that one may ask for in 24 hours. */
export const assertFewAsked = assertion(
	({ operator, now }: Parameters<{ operator: string; now: number }>) =>
		sql`(select count(*) from ${operatorActs} where ${operatorActs.at} > ${now} - ${literal(DAY)}
			and lower(${operatorActs.operator}) = lower(${operator}) and ${operatorActs.act} = ${RECOVERY_ACT}) < ${literal(recovery.perDay)}`,
	"too many recoveries",
	() => new AppError("QUOTA_EXCEEDED", `An operator may ask for ${recovery.perDay} recoveries in 24 hours.`),
);

/** Whether there is an act that made an account an agent and meets a condition on it (`r`). */
const isMadeAgent = (agentId: SQLWrapper, condition: SQL) =>
	sql`exists (select 1 from ${operatorActs} as r where r.user_id = ${agentId} and r.act = 'role' and r.detail = 'agent'
		and ${condition})`;

/** What decides whether an account can be named as the agent who ends a recovery that an operator asks for. */
export const candidate = statement(({ agentId, operator }: Parameters<{ agentId: string; operator: string }>) =>
	query
		.select({
			role: users.role,
			suspendedAt: users.suspendedAt,
			eraseAt: users.eraseAt,
			isOwn: sql<number>`${isMadeAgent(users.id, sql`lower(r.operator) = lower(${operator})`)}`.as("is_own"),
		})
		.from(users)
		.where(eq(users.id, agentId)),
);

/** Records when a recovery of an account was asked for, and which agent may end it. */
export const ask = statement(
	({ userId, agentId, now }: Parameters<{ userId: string; agentId: string; now: number }>) => {
		const asked = { recoveryRequestedAt: now, recoveryAgentId: agentId, recoveryGivenAt: null };
		return updateRows(users, { ...asked, recoveryAskedAt: null, recoveryGivenTo: null }, eq(users.id, userId));
	},
);

/** A try of an agent to be shown a recovery code. `now` is in milliseconds since the epoch. */
interface Try {
	userId: string;
	agentId: string;
	/** Whether the agent stands at a pin of the account. */
	isAtPin: 0 | 1;
	recoveryHash: string;
	now: number;
}

/**
 * Stores the hash of a user's new recovery code and when one was first shown, and returns the user; or nothing, if no recovery is due. It
 * must have been asked for long enough ago but not too long, and the account must not have been used since. Only the agent whom the
 * operator named may end it, and only if nobody has made them one since. After the first code it stays due a little longer.
 */
export const give = statement(({ userId, agentId, isAtPin, recoveryHash, now }: Parameters<Try>) => {
	const asked = sql`${users.recoveryRequestedAt}`;
	const isDue = sql`${asked} <= ${now} - ${literal(recovery.wait)} and ${asked} > ${now} - ${literal(recovery.lapse)}`;
	const isUnused = isUnusedAfter(sql`${asked} - ${literal(recovery.unusedFor)}`);
	const isFirst = sql`coalesce(${users.recoveryGivenAt} > ${now} - ${literal(recovery.repeatable)}, true)`;
	return updateRows(
		users,
		{ recoveryHash, recoveryGivenAt: sql`coalesce(${users.recoveryGivenAt}, ${now})` },
		sql`${eq(users.id, userId)} and ${users.recoveryAgentId} = ${agentId} and ${isAtPin} and ${isOpen} and ${isDue} and ${isFirst}
			and ${isUnused} and not ${isMadeAgent(agentId, sql`r.at > ${asked}`)}`,
	).returning({ id: users.id });
});
