import { eq, lt, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import { type Database, deleteSome, perDatabase } from "../db/open.ts";
import { unknownCodes } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";

/** How many unknown codes a subject has asked for, in the day and the minute that it last did. */
export type UnknownCodes = typeof unknownCodes.$inferSelect;

/** Codes that were asked for and do not exist. */
export interface Misses {
	/** Whom they are counted under, each a keyed hash, and the zone they lie in. */
	subjects: string[];
	/** A key, which gets the counts of its account, so that a look-up by it finds them without knowing the account. */
	mirror: { subject: string; of: string } | undefined;
	count: number;
	/** Days and minutes since 1970-01-01 UTC. */
	day: number;
	minute: number;
}

/** All SQL on who asks for codes that do not exist. */
export const enumerationStoreOf = perDatabase((db: Database) => {
	const countsOf = prepare(db, ({ subjects }: Parameters<{ subjects: string }>) =>
		db.select().from(unknownCodes).where(sql`${unknownCodes.subject} in (select value from json_each(${subjects}))`),
	);

	return {
		/** The counts of some subjects; those that have asked for nothing are left out. */
		countsOf: (subjects: string[]) => countsOf({ subjects: JSON.stringify(subjects) }),

		/** Counts misses under every subject at once, and returns the new counts. */
		async count({ subjects, mirror, count, day, minute }: Misses): Promise<UnknownCodes[]> {
			const row = { subject: sql`value`, day, dayCount: count, minute, minuteCount: count };
			const counting = insertRow(db, unknownCodes, row, sql`from json_each(${JSON.stringify(subjects)}) where true`)
				.onConflictDoUpdate({
					target: unknownCodes.subject,
					set: {
						dayCount: sql`excluded.day_count + iif(${unknownCodes.day} = excluded.day, ${unknownCodes.dayCount}, 0)`,
						day: sql`excluded.day`,
						minuteCount: sql`excluded.minute_count + iif(${unknownCodes.minute} = excluded.minute, ${unknownCodes.minuteCount}, 0)`,
						minute: sql`excluded.minute`,
					},
				})
				.returning();
			if (!mirror) return counting;
			const columns = { day: sql`day`, dayCount: sql`day_count`, minute: sql`minute`, minuteCount: sql`minute_count` };
			const mirroring = insertRow(
				db,
				unknownCodes,
				{ subject: sql`${mirror.subject}`, ...columns },
				sql`from ${unknownCodes} where ${eq(unknownCodes.subject, mirror.of)}`,
			).onConflictDoUpdate({
				target: unknownCodes.subject,
				set: {
					day: sql`excluded.day`,
					dayCount: sql`excluded.day_count`,
					minute: sql`excluded.minute`,
					minuteCount: sql`excluded.minute_count`,
				},
			});
			const [counts] = await db.batch([counting, mirroring]);
			return counts;
		},

		/** Deletes up to `count` subjects that have asked for nothing unknown since before a day; how many went. */
		deleteBefore(day: number, count: number): Promise<number> {
			return deleteSome(db, unknownCodes, lt(unknownCodes.day, day), count);
		},
	};
});
