import type { ValueOf } from "../schemas/lazy.ts";
import { timestamp, timestampOrNull } from "../time/time.ts";
import type { operatorReportSchema, ownReportSchema, reportStatusSchema } from "./schemas.ts";
import type { Report } from "./store.ts";

/** The record of a report for its reporter. */
export function statusRecord({ kind, createdAt, decision, reason }: Report): ValueOf<typeof reportStatusSchema> {
	const about = { kind, created_at: timestamp(createdAt) };
	return decision === null ? { ...about, state: "open" } : { ...about, state: "decided", decision, reason };
}

function commonRecord(report: Report) {
	const { id, point, answer, answeredAt, decidedAt } = report;
	return {
		...statusRecord(report),
		id,
		point,
		answer,
		answered_at: timestampOrNull(answeredAt),
		decided_at: timestampOrNull(decidedAt),
	};
}

/** The record of a report for the owner of the address. It has the text only once an operator lets it through, as it may hold threats. */
export function ownReportRecord(report: Report): ValueOf<typeof ownReportSchema> {
	return { ...commonRecord(report), text: report.textShownAt === null ? null : report.text };
}

/** The record of a report for operators. */
export function operatorReportRecord(report: Report): ValueOf<typeof operatorReportSchema> {
	const { canonical, text, textShownAt } = report;
	return { ...commonRecord(report), canonical, text, text_shown_at: timestampOrNull(textShownAt) };
}
