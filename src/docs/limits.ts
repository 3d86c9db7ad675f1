import { type Limit, limits, perDay, perMinute } from "../settings/limits.ts";

const quotaText = ({ quota, per }: Limit) => `${quota.toLocaleString("en")} ${per}`;

/** The limits as a table, a row for each: what is limited, what it is counted by, how much, and what happens past it. */
export const limitsTable: string[][] = Object.values(limits).map((limit) => [
	limit.what,
	limit.by,
	quotaText(limit),
	limit.past,
]);

/** The limits whose numbers operators may set, and the bindings of rate limits: name, kind, default and meaning. */
export const limitSettingsTable: string[][] = [
	...[...new Set(Object.values(perMinute).map(({ quota }) => quota))]
		.sort((a, b) => b - a)
		.map((quota) => [
			`\`PER_MINUTE_${quota}\``,
			"rate limit binding",
			quota.toLocaleString("en"),
			`counts the calls that [Limits](limits.md) allows ${quota.toLocaleString("en")} a minute`,
		]),
	...Object.values<Limit>(perDay).flatMap(({ setting, quota, per, what, by }) =>
		setting ? [[`\`${setting}\``, "variable", quota.toLocaleString("en"), `${per}, by ${by}: ${what}`]] : [],
	),
];
