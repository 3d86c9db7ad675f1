import { type Limit, limits, perMinute } from "../settings/policy.ts";

const quotaText = ({ quota, per }: Limit) => `${quota.toLocaleString("en")} ${per}`;

/** The limits as a table, a row for each: what is limited, what it is counted by, how much, and what happens past it. */
export const limitsTable: string[][] = Object.values(limits).map((limit) => [
	limit.what,
	limit.by,
	quotaText(limit),
	limit.past,
]);

/** The limits whose numbers operators may set: name, kind, default and meaning. */
export const limitSettingsTable: string[][] = Object.entries(limits).flatMap(
	([name, { setting, quota, per, what, by }]) => {
		const isBound = name in perMinute;
		if (!isBound && !setting) return [];
		const kind = isBound ? "rate limit binding" : "variable";
		return [[`\`${setting ?? name}\``, kind, quota.toLocaleString("en"), `${per}, by ${by}: ${what}`]];
	},
);
