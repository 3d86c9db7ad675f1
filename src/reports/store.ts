/** All SQL on reports. */
import { and, desc, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import { assertion } from "../db/refusal.ts";
import { deletion, hasRow, insertRow, isAmong, updateRows } from "../db/rows.ts";
import { reports } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";

/** A report, as stored. */
export type Report = typeof reports.$inferSelect;

/** A report about to be stored. */
export type NewReport = Pick<Report, "id" | "canonical" | "kind" | "text" | "point" | "createdAt">;

/** An operator's decision about a report. */
type Decision = Required<Pick<Report, "id" | "reason">> & {
	decision: NonNullable<Report["decision"]>;
	decidedAt: number;
};

/** The position of a report in the list of all. */
export type ReportPosition = Pick<Report, "createdAt" | "id">;

const isOpen = ({ id }: Parameters<Pick<Decision, "id">>) => and(eq(reports.id, id), isNull(reports.decision));
/** Reports of sandbox addresses never wait for an operator. */
const isWaiting = sql`${reports.decision} is null and substr(${reports.canonical}, 1, 2) <> ${sql.raw(`'${SANDBOX_COUNTRY}'`)}`;

/** Reports that meet a condition, newest first. */
const newest = (condition: SQL | undefined, limit: Parameters<{ limit: number }>["limit"]) =>
	query.select().from(reports).where(condition).orderBy(desc(reports.createdAt), desc(reports.id)).limit(limit);
const pageWhere = (condition: SQL) =>
	statement(({ createdAt, id, limit }: Parameters<ReportPosition & { limit: number }>) =>
		newest(and(condition, sql`(${reports.createdAt}, ${reports.id}) < (${createdAt}, ${id})`), limit),
	);

/** Stores a report. Run again, it stores nothing twice. */
export const insert = statement(({ id, canonical, kind, text, point, createdAt }: Parameters<NewReport>) =>
	insertRow(reports, {
		...{ id, canonical, kind, text, point, createdAt },
		textShownAt: null,
		answer: "",
		answeredAt: null,
		decision: null,
		reason: "",
		decidedAt: null,
	}).onConflictDoNothing(),
);

export const byId = statement(({ id }: Parameters<{ id: string }>) =>
	query.select().from(reports).where(eq(reports.id, id)),
);

/** The reports of some addresses, newest first. */
export const ofAddresses = statement(({ codes, limit }: Parameters<{ codes: string[]; limit: number }>) =>
	newest(isAmong(reports.canonical, codes), limit),
);

/** Stores the owner's answer to a report that waits for a decision. */
export const answer = statement(
	(wanted: Parameters<Pick<Report, "id" | "canonical" | "answer"> & { answeredAt: number }>) => {
		const { id, canonical, answer, answeredAt } = wanted;
		const isOwn = and(eq(reports.id, id), eq(reports.canonical, canonical), isNull(reports.decision));
		return updateRows(reports, { answer, answeredAt }, isOwn).returning();
	},
);

/** Reports before a position, newest first: all of them (`page`), or only those that wait for a decision (`pageOfWaiting`). */
export const page = pageWhere(sql`true`);
export const pageOfWaiting = pageWhere(isWaiting);

/** The number of reports that wait for a decision, and when the oldest was made; null if there is none. */
export const waiting = statement(() =>
	query
		.select({
			count: sql<number>`count(*)`.as("count"),
			oldest: sql<number | null>`min(${reports.createdAt})`.as("oldest"),
		})
		.from(reports)
		.where(isWaiting),
);

/** The error for a report that does not exist. */
export const noReport = () => new AppError("NOT_FOUND", "There is no such report. Reports are erased after 90 days.");

const decidedAlready = () => new AppError("INVALID_REQUEST", "This report has been decided already.");

/** Refuses if there is no report with the given id. */
export const assertReport = assertion(
	({ id }: Parameters<{ id: string }>) => hasRow(reports, eq(reports.id, id)),
	"no such report",
	noReport,
);

/** Lets the owner read the text of a report. */
export const showText = statement(({ id, at }: Parameters<{ id: string; at: number }>) =>
	updateRows(reports, { textShownAt: sql`coalesce(${reports.textShownAt}, ${at})` }, eq(reports.id, id)),
);

/** Refuses if a report does not wait for a decision. */
export const assertOpen = assertion(
	(report: Parameters<Pick<Decision, "id">>) => hasRow(reports, isOpen(report)),
	"report decided",
	decidedAlready,
);

export const decide = statement((decided: Parameters<Decision>) => {
	const { decision, reason, decidedAt } = decided;
	return updateRows(reports, { decision, reason, decidedAt }, isOpen(decided));
});

/** Deletes up to `count` reports that were made before a time. */
export const deleteMadeBefore = deletion(reports, ({ time }: Parameters<{ time: number }>) =>
	lt(reports.createdAt, time),
);

/** Deletes the reports of some addresses. */
export const deleteOf = statement(({ codes }: Parameters<{ codes: string[] }>) =>
	query.delete(reports).where(isAmong(reports.canonical, codes)),
);
