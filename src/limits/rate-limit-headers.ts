import type { Registry } from "../registry.ts";
import { SECOND } from "../time/time.ts";

/** A limit as the headers describe it. */
interface RateLimitPolicy {
	name: string;
	/** How many calls are allowed in a window. */
	quota: number;
	windowSeconds: number;
}

/** The state of a limit for one caller now. */
export interface RateLimitState extends RateLimitPolicy {
	/** How many calls are left. */
	remaining: number;
	/** When more are allowed, in milliseconds since the epoch. */
	resetsAt: number;
}

/** Whole seconds until a time, at least 1, so that nobody is told to come back too early. */
function secondsUntil(time: number, now: number): number {
	return Math.max(1, Math.ceil((time - now) / SECOND));
}

/** The headers of a refusal by a limit: how much is left, and when to come back. `opensAt` is in milliseconds since the epoch. */
export function refusalHeaders(state: RateLimitState, now: number, opensAt = state.resetsAt): Record<string, string> {
	return { ...rateLimitHeaders(state, now), "Retry-After": String(secondsUntil(opensAt, now)) };
}

/**
 * The RateLimit headers of a limit (draft-ietf-httpapi-ratelimit-headers sections 3 and 4). The second one is there only if it is known how
 * much is left. `now` is in milliseconds since the epoch.
 */
export function rateLimitHeaders(limit: RateLimitState | RateLimitPolicy, now: number): Record<string, string> {
	const { name, quota, windowSeconds } = limit;
	return {
		"RateLimit-Policy": `"${name}";q=${quota};w=${windowSeconds}`,
		...("remaining" in limit
			? { RateLimit: `"${name}";r=${limit.remaining};t=${secondsUntil(limit.resetsAt, now)}` }
			: {}),
	};
}

/** The limits that applied to each request, by name. */
const met = new WeakMap<Registry, Map<string, RateLimitState | RateLimitPolicy>>();

/**
 * Notes a limit that applied to a request, so that its answer names the limit. Of a limit that applied several times, as in several
 * databases, the answer tells the least that is left.
 */
export function noteLimit(registry: Registry, limit: RateLimitState | RateLimitPolicy): void {
	const limits = met.get(registry) ?? new Map<string, RateLimitState | RateLimitPolicy>();
	const noted = limits.get(limit.name);
	const hasLess = noted && "remaining" in noted && "remaining" in limit && noted.remaining < limit.remaining;
	met.set(registry, hasLess ? limits : limits.set(limit.name, limit));
}

/** The headers that describe all limits which applied to a request. */
export function limitHeaders(registry: Registry): [name: string, value: string][] {
	const headers = [...(met.get(registry)?.values() ?? [])].map((limit) => rateLimitHeaders(limit, registry.now));
	return ["RateLimit-Policy", "RateLimit"].flatMap((name): [string, string][] => {
		const values = headers.flatMap((of) => of[name] ?? []);
		return values.length > 0 ? [[name, values.join(", ")]] : [];
	});
}
