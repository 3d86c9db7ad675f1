import { CODE_ERRORS, canonicalParameterSchema, codeParameterSchema } from "../addresses/code-schemas.ts";
import { json } from "../http/answer.ts";
import { anyone, type Endpoint, endpoint } from "../http/endpoint.ts";
import { userOrWritingKey } from "../keys/key-auth.ts";
import { answerReport, listReports, reportAddress, reportById } from "./actions.ts";
import { ownReportRecord, statusRecord } from "./report-record.ts";
import {
	newReportSchema,
	ownReportListSchema,
	ownReportParameterSchema,
	ownReportSchema,
	reportAnswerSchema,
	reportCreatedSchema,
	reportParameterSchema,
	reportStatusSchema,
} from "./schemas.ts";

export const reportEndpoints: Endpoint[] = [
	endpoint({
		method: "post",
		path: "/v1/public/addresses/{code}/reports",
		id: "reportAddress",
		tag: "Resolve",
		summary: "Report an address",
		description:
			"Tells the operator that something is wrong with an address. Nothing changes until the operator decides. A network may send 3 reports a day about one address, and then one an hour. Reports are erased after 90 days.",
		access: anyone,
		params: codeParameterSchema,
		body: newReportSchema,
		answer: json(201, reportCreatedSchema, "The report, with the page of its state."),
		errors: [...CODE_ERRORS, "ADDRESS_PRIVATE", "QUOTA_EXCEEDED"],
		handle: async ({ registry, params, body: { kind, text, lat, lng } }) => {
			const point = lat === undefined || lng === undefined ? null : { lat, lng };
			const id = await reportAddress(registry, params.code, { kind, text, point });
			// Whoever has the link needs nothing else to read the state.
			return { id, status_url: `${registry.webUrl}/reports/${id}` };
		},
	}),
	endpoint({
		method: "get",
		path: "/v1/public/reports/{id}",
		id: "getReport",
		tag: "Resolve",
		summary: "Read the state of a report",
		description:
			"Returns what the operator has decided, and why. The id of a report is a secret of its sender, the owner of the address and the operator.",
		access: anyone,
		params: reportParameterSchema,
		answer: json(200, reportStatusSchema, "The state of the report."),
		errors: ["NOT_FOUND"],
		handle: async ({ registry, params }) => statusRecord(await reportById(registry, params.id)),
	}),
	endpoint({
		method: "get",
		path: "/v1/addresses/{canonical}/reports",
		id: "listReports",
		tag: "Addresses",
		summary: "List what was reported about an address",
		description:
			"Lists the reports of your address, newest first. Their texts are null until the operator lets you read them.",
		access: userOrWritingKey,
		params: canonicalParameterSchema,
		answer: json(200, ownReportListSchema, "The newest reports."),
		errors: [...CODE_ERRORS, "FORBIDDEN"],
		handle: async ({ registry, caller, params }) => ({
			data: (await listReports(registry, caller, params.canonical)).map(ownReportRecord),
		}),
	}),
	endpoint({
		method: "post",
		path: "/v1/addresses/{canonical}/reports/{id}/answer",
		id: "answerReport",
		tag: "Addresses",
		summary: "Answer a report",
		description: "Tells the operator what you say to a report. Until they decide, another answer replaces it.",
		access: userOrWritingKey,
		params: ownReportParameterSchema,
		body: reportAnswerSchema,
		answer: json(200, ownReportSchema, "The report with your answer."),
		errors: [...CODE_ERRORS, "FORBIDDEN", "NOT_FOUND", "QUOTA_EXCEEDED"],
		handle: async ({ registry, caller, params: { canonical: code, id }, body }) =>
			ownReportRecord(await answerReport(registry, caller, { code, id, answer: body.text })),
	}),
];
