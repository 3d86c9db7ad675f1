import type { Context } from "hono";
import { messagesOf } from "../db/retry.ts";
import type { RateLimitName } from "../env.ts";
import { AppError } from "../errors.ts";
import { log } from "../log.ts";
import { SECOND } from "../time.ts";
import type { AppEnv } from "./app-env.ts";
import { networksOf } from "./client-network.ts";
import type { CallLimit } from "./endpoint.ts";

/** The period of every `ratelimits` binding in wrangler.toml, in seconds. */
export const PERIOD_SECONDS = 60;

/** The networks that a request is counted by, the narrowest first. Empty without an address, as locally: then no limit by network applies. */
export function clientNetworks(c: Context<AppEnv>): string[] {
	return networksOf(c.req.header("CF-Connecting-IP"));
}

/** The narrowest network that a request is counted by; undefined without an address. */
export function clientNetwork(c: Context<AppEnv>): string | undefined {
	return clientNetworks(c)[0];
}

/** The refusal of a call past a rate limit, which opens again with the next period. */
export function rateLimited(detail: string): AppError {
	return new AppError("RATE_LIMITED", detail, { headers: { "Retry-After": String(PERIOD_SECONDS) } });
}

/** When limits have refused callers in this isolate, in milliseconds since the epoch, by limit and caller. */
const refusals = new Map<string, number>();
const REFUSALS_MAX = 10_000;

function noteRefusal(caller: string): void {
	if (refusals.size === REFUSALS_MAX) refusals.clear();
	refusals.set(caller, Date.now());
}

/** Whether a limit has refused a caller within its period, as far as this isolate knows. */
export function wasRefused(c: Context<AppEnv>, name: RateLimitName, key = clientNetwork(c)): boolean {
	const refusedAt = refusals.get(`${name} ${key}`) ?? Number.NEGATIVE_INFINITY;
	return Date.now() - refusedAt < PERIOD_SECONDS * SECOND;
}

/** Counts one call, and returns whether it is within the limit. A limiter that fails lets calls pass, because it must not take down what it protects. */
export async function countCall(c: Context<AppEnv>, name: RateLimitName, key = clientNetwork(c)): Promise<boolean> {
	if (key === undefined) return true;
	try {
		const { success } = await c.env[name].limit({ key });
		if (!success) noteRefusal(`${name} ${key}`);
		return success;
	} catch (error) {
		log("error", "rate_limit_unavailable", { request_id: c.var.requestId, limit: name, causes: messagesOf(error) });
		return true;
	}
}

/**
 * A limit on the calls of one network to the endpoints that share it.
 * @param detail What a caller past the limit is told.
 */
export function perNetwork(name: RateLimitName, detail: string): CallLimit {
	return async (c) => {
		if (!(await countCall(c, name))) throw rateLimited(detail);
		return undefined;
	};
}
