import { and, desc, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import { type Database, deleteSome, perDatabase } from "../db/open.ts";
import { assertThat } from "../db/refusal.ts";
import { hasRow, insertRow, isAmong, updateRows } from "../db/rows.ts";
import { reports } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";

/** What somebody reported about an address, as stored. */
export type Report = typeof reports.$inferSelect;

/** A report about to be kept. */
export type NewReport = Pick<Report, "id" | "canonical" | "kind" | "text" | "point" | "createdAt">;

/** What an operator decides about a report. */
export type Decision = Required<Pick<Report, "id" | "reason">> & {
	decision: NonNullable<Report["decision"]>;
	decidedAt: number;
};

/** The position of a report in the list of all. */
export type ReportPosition = Pick<Report, "createdAt" | "id">;

/** Why a statement on reports refuses. */
export const NO_REPORT = "no such report";

/** All SQL on reports. */
export const reportStoreOf = perDatabase((db: Database) => {
	const isOpen = ({ id }: Parameters<Pick<Decision, "id">>) => and(eq(reports.id, id), isNull(reports.decision));
	/** Nobody waits for an operator about a sandbox address. */
	const isWaiting = sql`${reports.decision} is null and substr(${reports.canonical}, 1, 2) <> ${sql.raw(`'${SANDBOX_COUNTRY}'`)}`;

	/** Reports that meet a condition, newest first. */
	const newest = (condition: SQL | undefined, limit: Parameters<{ limit: number }>["limit"]) =>
		db.select().from(reports).where(condition).orderBy(desc(reports.createdAt), desc(reports.id)).limit(limit);
	const pageWhere = (condition: SQL) =>
		prepare(db, ({ createdAt, id, limit }: Parameters<ReportPosition & { limit: number }>) =>
			newest(and(condition, sql`(${reports.createdAt}, ${reports.id}) < (${createdAt}, ${id})`), limit),
		);

	return {
		/** Keeps a report. Run again, it keeps nothing twice. */
		keep: prepare(db, ({ id, canonical, kind, text, point, createdAt }: Parameters<NewReport>) =>
			insertRow(db, reports, {
				...{ id, canonical, kind, text, point, createdAt },
				textShownAt: null,
				answer: "",
				answeredAt: null,
				decision: null,
				reason: "",
				decidedAt: null,
			}).onConflictDoNothing(),
		),

		byId: prepare(db, ({ id }: Parameters<{ id: string }>) => db.select().from(reports).where(eq(reports.id, id))),

		/** The reports of some addresses, newest first. `codes` is a JSON list. */
		ofAddresses: prepare(db, ({ codes, limit }: Parameters<{ codes: string; limit: number }>) =>
			newest(isAmong(reports.canonical, codes), limit),
		),

		/** Sets what the owner of an address answers to a report that waits for a decision. */
		answer: prepare(db, (wanted: Parameters<Pick<Report, "id" | "canonical" | "answer"> & { answeredAt: number }>) => {
			const { id, canonical, answer, answeredAt } = wanted;
			const isOwn = and(eq(reports.id, id), eq(reports.canonical, canonical), isNull(reports.decision));
			return updateRows(db, reports, { answer, answeredAt }, isOwn).returning();
		}),

		/** Reports before a position, newest first: of them all, and of those alone that an operator is to decide. */
		page: pageWhere(sql`true`),
		pageOfWaiting: pageWhere(isWaiting),

		/** How many reports wait, and since when the oldest does; null where none does. */
		waiting: prepare(db, () =>
			db
				.select({
					count: sql<number>`count(*)`.as("count"),
					oldest: sql<number | null>`min(${reports.createdAt})`.as("oldest"),
				})
				.from(reports)
				.where(isWaiting),
		),

		/** Refuses for NO_REPORT where there is no report with an id. */
		assertReport: prepare(db, ({ id }: Parameters<{ id: string }>) =>
			assertThat(db, hasRow(reports, eq(reports.id, id)), NO_REPORT),
		),

		/** Lets the owner read the text of a report. */
		showText: prepare(db, ({ id, at }: Parameters<{ id: string; at: number }>) =>
			updateRows(db, reports, { textShownAt: sql`coalesce(${reports.textShownAt}, ${at})` }, eq(reports.id, id)),
		),

		/** Refuses for NO_REPORT where a report does not wait for a decision. */
		assertOpen: prepare(db, (report: Parameters<Pick<Decision, "id">>) =>
			assertThat(db, hasRow(reports, isOpen(report)), NO_REPORT),
		),

		decide: prepare(db, (decided: Parameters<Decision>) => {
			const { decision, reason, decidedAt } = decided;
			return updateRows(db, reports, { decision, reason, decidedAt }, isOpen(decided));
		}),

		/** Deletes up to `count` reports that were made before a time, and returns how many there were. */
		deleteMadeBefore(time: number, count: number): Promise<number> {
			return deleteSome(db, reports, lt(reports.createdAt, time), count);
		},

		/** Deletes the reports of some addresses. */
		async deleteOf(canonicals: string[]): Promise<void> {
			await db.delete(reports).where(isAmong(reports.canonical, JSON.stringify(canonicals)));
		},
	};
});
