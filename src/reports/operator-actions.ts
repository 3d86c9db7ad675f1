/** What operators read of reports and do to them, as statements for the batch that keeps the act. */
import type { Statements } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import { findReport } from "./actions.ts";
import type { Decision, Report, ReportPosition } from "./store.ts";
import * as reportStore from "./store.ts";

export type { Decision, Report };

export { findReport as reportWith };

/** Reports before a position, newest first; of them all, or those alone that wait for a decision. */
export function readingReports(position: ReportPosition, isWaiting: boolean, limit: number) {
	return (isWaiting ? reportStore.pageOfWaiting : reportStore.page)({ ...position, limit });
}

/** Lets the owner read the text of a report; refuses where there is none. */
export function showingText({ now }: Registry, id: string): Statements {
	return { isReport: reportStore.assertReport({ id }), shown: reportStore.showText({ id, at: now }) };
}

/** Settles a report; refuses where it does not wait any more. */
export function deciding({ now }: Registry, decision: Omit<Decision, "decidedAt">): Statements {
	return { isOpen: reportStore.assertOpen(decision), decided: reportStore.decide({ ...decision, decidedAt: now }) };
}
