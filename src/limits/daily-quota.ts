import { AppError } from "../errors.ts";
import { DAY, SECOND } from "../time.ts";
import { type RateLimitState, refusalHeaders } from "./policy.ts";
import type { LimitStore } from "./store.ts";

/** A quota of one subject for one day (UTC), kept exactly by the database. */
export interface DailyQuota {
	/**
	 * Spends one.
	 * @throws AppError QUOTA_EXCEEDED, with when it is full again.
	 */
	spend(): Promise<void>;
	/** Gives back one that led to nothing. */
	refund(): Promise<void>;
	/** How the quota stands after spending; undefined when nothing was spent. */
	state(): RateLimitState | undefined;
}

/** The numbers of a daily quota. `name` is public; `subject` says what is counted and for whom. */
export interface DailyQuotaOptions {
	name: string;
	subject: string;
	quota: number;
	/** What a caller is told when it is used up. */
	detail: string;
}

/** The daily quota of a subject. `now` is in milliseconds since the epoch. */
export function dailyQuota(store: LimitStore, options: DailyQuotaOptions, now: number): DailyQuota {
	const { name, subject, quota, detail } = options;
	const day = Math.floor(now / DAY);
	const resetsAt = (day + 1) * DAY;
	let current: RateLimitState | undefined;
	const state = (spent: number): RateLimitState => ({
		name,
		quota,
		windowSeconds: DAY / SECOND,
		remaining: quota - spent,
		resetsAt,
	});
	return {
		async spend() {
			const spent = await store.spend(subject, day, quota);
			if (spent === undefined) {
				throw new AppError("QUOTA_EXCEEDED", detail, { headers: refusalHeaders(state(quota), now) });
			}
			current = state(spent);
		},
		async refund() {
			current = undefined;
			await store.refund(subject, day);
		},
		state: () => current,
	};
}

/** Two quotas that are spent together: the first, then the second, and neither when one has nothing left. */
export function bothQuotas(
	first: Pick<DailyQuota, "spend" | "refund">,
	second: Pick<DailyQuota, "spend" | "refund">,
): Pick<DailyQuota, "spend" | "refund"> {
	return {
		async spend() {
			await first.spend();
			try {
				await second.spend();
			} catch (error) {
				await first.refund();
				throw error;
			}
		},
		async refund() {
			await Promise.all([first.refund(), second.refund()]);
		},
	};
}
