import { perDay } from "../../src/settings/limits.ts";
import { sql } from "./sql.ts";

/** Leaves so much of a day's quota to all who have spent from it today. */
export function leave(name: keyof typeof perDay, left: number) {
	return sql("update daily_counts set count = ? where subject like ?", perDay[name].quota - left, `%:${name}`);
}
