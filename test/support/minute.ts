import { env } from "cloudflare:workers";
import { type RateLimitName, rateLimitBindingOf } from "../../src/settings/limits.ts";

/**
 * Does something within one minute of the clock, by which the platform counts: again, when a minute ended meanwhile, whatever came of it. It must
 * not depend on what it did before.
 */
export async function inOneMinute<Result>(work: () => Promise<Result>): Promise<Result> {
	for (;;) {
		const minute = () => Math.floor(Date.now() / 60_000);
		// Clocks of other requests stand where they last waited for something: a moment ago, and maybe in the minute before.
		const sinceAlmost = (Date.now() + 1_000) % 60_000;
		if (sinceAlmost < 2_000) await scheduler.wait(2_000 - sinceAlmost);
		const started = minute();
		const [outcome] = await Promise.allSettled([work()]);
		if (minute() !== started) continue;
		if (outcome.status === "rejected") throw outcome.reason;
		return outcome.value;
	}
}

/** Counts so many calls at once for a network or an account, without the time that the calls themselves take. */
export async function spend(name: RateLimitName, calls: number, key: string): Promise<void> {
	const binding = env[rateLimitBindingOf(name)];
	await Promise.all(Array.from({ length: calls }, () => binding.limit({ key: `${name} ${key}` })));
}
