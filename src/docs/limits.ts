import { type Limit, limits, perDay, perMinute, type RateLimitName, rateLimitBindingOf } from "../settings/limits.ts";

const quotaText = ({ quota, per }: Limit) => `${quota.toLocaleString("en")} ${per}`;

/** The limits as a table, a row for each: what is limited, what it is counted by, how much, and what happens past it. */
export const limitsTable: string[][] = Object.values(limits).map((limit) => [
	limit.what,
	limit.by,
	quotaText(limit),
	limit.past,
]);

/** The bindings of rate limits, with the calls that each allows a minute. */
const quotaOfBinding = new Map(
	(Object.keys(perMinute) as RateLimitName[]).map((name) => [rateLimitBindingOf(name), perMinute[name].quota]),
);

/** The limits whose numbers operators may set, and the bindings of rate limits: name, kind, default and meaning. */
export const limitSettingsTable: string[][] = [
	...[...quotaOfBinding]
		.sort(([, one], [, other]) => other - one)
		.map(([binding, quota]) => [
			`\`${binding}\``,
			"rate limit binding",
			quota.toLocaleString("en"),
			`counts the calls that [Limits](limits.md) allows ${quota.toLocaleString("en")} a minute`,
		]),
	...Object.values<Limit>(perDay).flatMap(({ setting, quota, per, what, by }) =>
		setting ? [[`\`${setting}\``, "variable", quota.toLocaleString("en"), `${per}, by ${by}: ${what}`]] : [],
	),
];
