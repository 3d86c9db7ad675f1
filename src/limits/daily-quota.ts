import type { Database } from "../db/open.ts";
import { refusalOf } from "../db/refusal.ts";
import type { Statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { DAY, SECOND } from "../time.ts";
import { type RateLimitState, refusalHeaders } from "./rate-limit-headers.ts";
import { limitStoreOf } from "./store.ts";

/** How many of a daily quota are spent, after one was spent. */
type Spent = { spent: number };

/** A quota of one subject for one day (UTC), kept exactly by the database: it is spent in the batch that does what it is spent for. */
export interface DailyQuota {
	/** Spends one where the statement before it in the batch has written a row, and lets nothing of the batch be written when none is left. */
	spend: Statement<Spent[]>;
	/** Gives back one that was spent for nothing, where the statement before it in the batch has written a row. */
	refund: Statement;
	/** How the quota stands after spending; undefined when nothing was spent. */
	stateAfter(spent: Spent[]): RateLimitState | undefined;
	/** Turns the error of a batch that this quota has refused into QUOTA_EXCEEDED, which says when to come back. Returns any other error as it is. */
	explain(error: unknown): unknown;
}

/** What a daily quota counts. `name` is public; `subject` says what is counted and for whom. */
export interface DailyQuotaOptions {
	name: string;
	subject: string;
	quota: number;
	/** What a caller is told when it is used up. */
	detail: string;
}

/** The daily quota of a subject, counted in the database that holds what it is spent for. `now` is in milliseconds since the epoch. */
export function dailyQuota(db: Database, options: DailyQuotaOptions, now: number): DailyQuota {
	const { name, subject, quota, detail } = options;
	const store = limitStoreOf(db);
	const day = Math.floor(now / DAY);
	const state = (spent: number): RateLimitState => ({
		name,
		quota,
		windowSeconds: DAY / SECOND,
		remaining: quota - spent,
		resetsAt: (day + 1) * DAY,
	});
	return {
		spend: store.spend({ name, subject, day, quota }),
		refund: store.refund({ subject, day }),
		stateAfter: ([row]) => row && state(row.spent),
		explain: (error) =>
			refusalOf(error) === name
				? new AppError("QUOTA_EXCEEDED", detail, { headers: refusalHeaders(state(quota), now) })
				: error,
	};
}
