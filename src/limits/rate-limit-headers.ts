import { DAY, SECOND } from "../time.ts";

/** How a limit stands for one caller now. */
export interface RateLimitState {
	/** Names the policy in the headers. */
	name: string;
	/** How many are allowed in a window. */
	quota: number;
	windowSeconds: number;
	/** How many are left. */
	remaining: number;
	/** When there will be more, in milliseconds since the epoch. */
	resetsAt: number;
}

/** The longest window of any limit, in seconds. Only where the clock was set back would a wait be longer. */
const LONGEST_WAIT = DAY / SECOND;

/** Whole seconds until a time, at least 1, so that nobody is told to come back too early, and at most a day. */
export function secondsUntil(time: number, now: number): number {
	return Math.min(LONGEST_WAIT, Math.max(1, Math.ceil((time - now) / SECOND)));
}

/** The headers of a refusal by a limit: how it stands, and when (milliseconds since the epoch) to come back. */
export function refusalHeaders(state: RateLimitState, now: number, opensAt = state.resetsAt): Record<string, string> {
	return { ...rateLimitHeaders(state, now), "Retry-After": String(secondsUntil(opensAt, now)) };
}

/** The RateLimit headers of an exact limit (draft-ietf-httpapi-ratelimit-headers sections 3 and 4). `now` is in milliseconds since the epoch. */
export function rateLimitHeaders(state: RateLimitState, now: number): Record<string, string> {
	const { name, quota, windowSeconds, remaining, resetsAt } = state;
	return {
		"RateLimit-Policy": `"${name}";q=${quota};w=${windowSeconds}`,
		RateLimit: `"${name}";r=${remaining};t=${secondsUntil(resetsAt, now)}`,
	};
}
