/** All SQL on giving the holder of an unused account a new recovery code in person. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import { assertion } from "../db/refusal.ts";
import { hasRow, literal, updateRows } from "../db/rows.ts";
import { apiKeys, operatorActs, sessions, users } from "../db/schema.ts";
import { type Parameters, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { recovery } from "../limits/policy.ts";
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

/** Records when a recovery of an account was asked for. */
export const ask = statement(({ userId, now }: Parameters<{ userId: string; now: number }>) =>
	updateRows(users, { recoveryAskedAt: now, recoveryGivenAt: null, recoveryGivenTo: null }, eq(users.id, userId)),
);

/**
 * Refuses unless a recovery of an account is due. It must have been asked for long enough ago but not too long, and the account must not
 * have been used since. The agent must have been one when it was asked for, and not made one by the operator who asked. Once an agent has
 * seen a code, the recovery stays due a little longer, for that agent only.
 */
export const assertDue = assertion(
	({ userId, agentId, now }: Parameters<{ userId: string; agentId: string; now: number }>) => {
		const asked = sql`${users.recoveryAskedAt}`;
		const asker = sql`(select a.operator from ${operatorActs} as a where a.user_id = ${users.id} and a.act = ${RECOVERY_ACT}
			order by a.at desc limit 1)`;
		const isOwnAgent = sql`exists (select 1 from ${operatorActs} as r where r.user_id = ${agentId} and r.act = 'role'
			and r.detail = 'agent' and (r.at > ${asked} or lower(r.operator) = lower(${asker})))`;
		const isDue = sql`${asked} <= ${now} - ${literal(recovery.wait)} and ${asked} > ${now} - ${literal(recovery.lapse)}`;
		const isUnused = isUnusedAfter(sql`${asked} - ${literal(recovery.unusedFor)}`);
		const isFirst = sql`(${users.recoveryGivenAt} is null or ${users.recoveryGivenTo} = ${agentId}
			and ${users.recoveryGivenAt} > ${now} - ${literal(recovery.repeatable)})`;
		return hasRow(
			users,
			sql`${eq(users.id, userId)} and ${isOpen} and ${isDue} and ${isFirst} and ${isUnused} and not ${isOwnAgent}`,
		);
	},
	"no recovery due",
	() =>
		new AppError(
			"NOT_FOUND",
			"No recovery is due for the account of this address. Seven days must have passed since an operator asked for it, the account must not have been used since, and another operator must have made you an agent before that.",
		),
);

/** Stores the hash of a user's new recovery code, which agent was shown it, and when one was first shown. */
export const give = statement(
	(given: Parameters<{ userId: string; recoveryHash: string; agentId: string; now: number }>) => {
		const shown = {
			recoveryHash: given.recoveryHash,
			recoveryGivenAt: sql`coalesce(${users.recoveryGivenAt}, ${given.now})`,
			recoveryGivenTo: given.agentId,
		};
		return updateRows(users, shown, eq(users.id, given.userId));
	},
);
