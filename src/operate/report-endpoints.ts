import { parseCode } from "../codes/code.ts";
import { json } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { operatorReportRecord } from "../reports/report-record.ts";
import { reportParameterSchema } from "../reports/schemas.ts";
import { act, actRecord, OPERATE_TAG } from "./acting.ts";
import { decideReport, listReports, showReportText } from "./actions.ts";
import { operator } from "./operator-access.ts";
import { actRequestSchema, decisionRequestSchema, operatorReportListSchema, reportsQuerySchema } from "./schemas.ts";

export const operatorReportEndpoints: Endpoint[] = [
	endpoint({
		method: "get",
		path: "/v1/operator/reports",
		id: "listReportsForOperators",
		tag: OPERATE_TAG,
		summary: "List reports",
		description: "Lists what people reported about addresses, newest first. Sandbox addresses wait for nobody.",
		access: operator,
		query: reportsQuerySchema,
		answer: json(200, operatorReportListSchema, "One page of reports."),
		handle: async ({ registry, query: { waiting, ...page } }) => {
			const { reports, nextCursor } = await listReports(registry, { ...page, isWaiting: waiting !== undefined });
			return { data: reports.map(operatorReportRecord), next_cursor: nextCursor };
		},
	}),
	endpoint({
		...act(
			"reports/{id}/text",
			"showReportText",
			{
				summary: "Let the holder read a report",
				description: "Until then, the holder of the address sees the kind and the point of the report alone.",
				errors: ["NOT_FOUND"],
			},
			reportParameterSchema,
			actRequestSchema,
		),
		handle: async ({ registry, caller, params, body }) =>
			actRecord(await showReportText(registry, { operator: caller, ...body }, params.id)),
	}),
	endpoint({
		...act(
			"reports/{id}/decide",
			"decideReport",
			{
				summary: "Decide a report",
				description:
					"Does nothing about it, hides its address or retires it for good. The reporter and the holder of the address read the reason. A decision is final.",
				errors: ["NOT_FOUND", "ADDRESS_NOT_FOUND", "ADDRESS_RETIRED"],
			},
			reportParameterSchema,
			decisionRequestSchema,
		),
		handle: async ({ registry, caller, params, body: { decision, successor, reason } }) => {
			const next = successor === undefined ? undefined : parseCode(successor);
			return actRecord(await decideReport(registry, { operator: caller, reason }, params.id, { decision, next }));
		},
	}),
];
