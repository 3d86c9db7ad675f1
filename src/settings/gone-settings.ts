import { perDay, perMinute, type RateLimitName, rateLimitBindingOf, standingLimits } from "./limits.ts";

const limitOf = ({ quota }: { quota: number }) => `the limit is ${quota.toLocaleString("en")}`;

/**
 * The settings of earlier versions that are constants now, with what holds instead, as the rest of a sentence. An operator who still sets
 * one is told once.
 */
const GONE: Readonly<Record<string, string>> = {
	DATABASE_READ_MILLISECONDS: "a read of D1 may take 5 seconds",
	BUCKET_READ_MILLISECONDS: "a read of R2 may take 5 seconds",
	ASSETS_READ_MILLISECONDS: "a read of the deployed files may take 2 seconds",
	SKETCH_MILLISECONDS: "a page waits 0.3 seconds for its streets",
	PASSWORD_HASH_PAUSE_MILLISECONDS: "two password hashes are 0.28 seconds apart, more where a hash takes long",
	PASSWORD_HASH_WAIT_SECONDS: "a sign-in waits up to 6 seconds for its turn",
	OTP_NUMBER_TYPES: "one-time codes go to numbers that are mobile or may be",
	LOG_REQUESTS: "no request is logged, and METRICS counts them",
	REGISTRATIONS_PER_NETWORK_AND_DAY: limitOf(perDay["registrations-of-network"]),
	OTP_PER_NETWORK_AND_DAY: limitOf(perDay["one-time-codes-of-network"]),
	LIVE_KEYS_PER_ACCOUNT: limitOf(standingLimits["live-keys"]),
	...Object.fromEntries(
		(Object.keys(perMinute) as RateLimitName[]).map((name) => [
			name,
			`its calls are counted by ${rateLimitBindingOf(name)}`,
		]),
	),
};

/** A sentence for each setting that is gone and still set. @param given The bindings or variables by name. */
export function goneSettings(given: object): string[] {
	return Object.entries(GONE)
		.filter(([name]) => ((given as Record<string, unknown>)[name] ?? "") !== "")
		.map(([name, instead]) => `${name} is no setting any more: ${instead}. Take it out of wrangler.toml.`);
}
