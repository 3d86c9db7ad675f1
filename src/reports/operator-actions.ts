/** What operators read of reports and do to them, as statements for the batch that keeps the act. */
import { inOneTrip, type Statements } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import { noReport } from "./actions.ts";
import { type Decision, NO_REPORT, type Report, type ReportPosition, reportStoreOf } from "./store.ts";

export type { Decision, Report };
export { NO_REPORT };

/** The report with an id. @throws AppError NOT_FOUND. */
export async function reportWith(registry: Registry, id: string): Promise<Report> {
	const [report] = await inOneTrip(reportStoreOf(registry.database).byId({ id }));
	if (!report) throw noReport();
	return report;
}

/** Reports before a position, newest first; of them all, or those alone that wait for a decision. */
export function readingReports(registry: Registry, position: ReportPosition, isWaiting: boolean, limit: number) {
	const { page, pageOfWaiting } = reportStoreOf(registry.database);
	return (isWaiting ? pageOfWaiting : page)({ ...position, limit });
}

/** Lets the owner read the text of a report; refuses for NO_REPORT where there is none. */
export function showingText(registry: Registry, id: string): Statements {
	const store = reportStoreOf(registry.database);
	return { isReport: store.assertReport({ id }), shown: store.showText({ id, at: registry.now }) };
}

/** Settles a report; refuses for NO_REPORT where it does not wait any more. */
export function deciding(registry: Registry, decision: Omit<Decision, "decidedAt">): Statements {
	const store = reportStoreOf(registry.database);
	return { isOpen: store.assertOpen(decision), decided: store.decide({ ...decision, decidedAt: registry.now }) };
}
