import { sql } from "./sql.ts";

/** Makes all failed sign-ins so far that many milliseconds older. */
export function ageFailures(milliseconds: number): Promise<unknown> {
	const columns = ["since", "phone_since", "failed_at"].map((column) => `${column} = ${column} - ${milliseconds}`);
	return sql(`update failed_sign_ins set ${columns}`);
}

/** Has the newest failure stand for so many, as if each had waited for its turn to hash. */
export function repeatNewest(times: number): Promise<unknown> {
	return sql(
		`update failed_sign_ins set count = count + ?1, phone_count = phone_count + ?1
		where rowid = (select rowid from failed_sign_ins order by failed_at desc, rowid desc limit 1)`,
		times - 1,
	);
}
