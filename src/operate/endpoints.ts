import { publicRecord, visitRecord } from "../addresses/address-record.ts";
import { CODE_ERRORS, codeParameterSchema } from "../addresses/code-schemas.ts";
import { parseCode } from "../codes/code.ts";
import { json } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { operatorReportRecord } from "../reports/report-record.ts";
import { reportParameterSchema } from "../reports/schemas.ts";
import { timestampOrNull } from "../time.ts";
import { operatorAccountEndpoints } from "./account-endpoints.ts";
import { actEndpoint, actRecord, forOperators } from "./acting.ts";
import {
	decideReport,
	hideOrShow,
	listActs,
	listReports,
	readFor,
	retireFor,
	showReportText,
	zonesByFill,
} from "./actions.ts";
import { operatorFigureEndpoints } from "./figure-endpoints.ts";
import {
	actListSchema,
	actRequestSchema,
	actsQuerySchema,
	addressForOperatorsSchema,
	decisionRequestSchema,
	operatorReportListSchema,
	reportsQuerySchema,
	retireRequestSchema,
	zoneFillSchema,
	zonesQuerySchema,
} from "./schemas.ts";

/** The code of the address to go to instead, where one is named. */
const successorOf = (successor: string | undefined) => (successor === undefined ? undefined : parseCode(successor));

const reportEndpoints: Endpoint[] = [
	endpoint({
		...forOperators("get", "reports"),
		id: "listReportsForOperators",
		summary: "List reports",
		description:
			"Lists what people reported about addresses, newest first. Reports about sandbox addresses never wait for a decision.",
		query: reportsQuerySchema,
		answer: json(200, operatorReportListSchema, "One page of reports."),
		handle: async ({ registry, caller, query: { waiting, ...page } }) => {
			const { rows, nextCursor } = await listReports(registry, caller, { ...page, isWaiting: waiting !== undefined });
			return { data: rows.map(operatorReportRecord), next_cursor: nextCursor };
		},
	}),
	actEndpoint({
		path: "reports/{id}/text",
		id: "showReportText",
		summary: "Let the owner read a report",
		description: "Until then, the owner of the address sees only the kind and the point of the report.",
		errors: ["NOT_FOUND"],
		params: reportParameterSchema,
		body: actRequestSchema,
		act: (registry, mandate, { id }) => showReportText(registry, mandate, id),
	}),
	actEndpoint({
		path: "reports/{id}/decide",
		id: "decideReport",
		summary: "Decide a report",
		description:
			"Does nothing about it, hides its address or retires it for good. If the address is retired already, only `nothing` closes the report. The reporter and the owner of the address read the reason. A decision is final.",
		errors: ["NOT_FOUND"],
		params: reportParameterSchema,
		body: decisionRequestSchema,
		act: (registry, mandate, { id }, { decision, successor }) =>
			decideReport(registry, mandate, id, decision, successorOf(successor)),
	}),
];

const addressEndpoints: Endpoint[] = [
	endpoint({
		...forOperators("post", "addresses/{code}/read"),
		id: "readAddressForOperators",
		summary: "Read an address",
		description:
			"Returns an address as its owner has it, even if it is private or hidden, and what agents attested of it. The reading is kept as an act.",
		params: codeParameterSchema,
		body: actRequestSchema,
		answer: json(200, addressForOperatorsSchema, "The address."),
		errors: CODE_ERRORS,
		handle: async ({ registry, caller, params, body }) => {
			const { address, visits } = await readFor(registry, { operator: caller, ...body }, params.code);
			return {
				...publicRecord(address),
				account: address.ownerId,
				hidden_at: timestampOrNull(address.hiddenAt),
				attested: visits.map((visit) => ({ agent: visit.agentId, ...visitRecord(visit) })),
			};
		},
	}),
	actEndpoint({
		path: "addresses/{code}/retire",
		id: "retireAddressForHolder",
		summary: "Retire an address",
		description: "Retires it as its owner could, which cannot be undone. Any other live address can be its successor.",
		errors: CODE_ERRORS,
		params: codeParameterSchema,
		body: retireRequestSchema,
		act: (registry, mandate, { code }, { successor }) => retireFor(registry, mandate, code, successorOf(successor)),
	}),
	actEndpoint({
		path: "addresses/{code}/hide",
		id: "hideAddress",
		summary: "Hide an address",
		description: "Only its owner and operators can read it until it is shown again. Its owner reads the reason.",
		errors: CODE_ERRORS,
		params: codeParameterSchema,
		body: actRequestSchema,
		act: (registry, mandate, { code }) => hideOrShow(registry, mandate, code, true),
	}),
	actEndpoint({
		path: "addresses/{code}/show",
		id: "showAddress",
		summary: "Show a hidden address",
		description: "Anyone who has its code can read it again.",
		errors: CODE_ERRORS,
		params: codeParameterSchema,
		body: actRequestSchema,
		act: (registry, mandate, { code }) => hideOrShow(registry, mandate, code, false),
	}),
];

export const operatorEndpoints: Endpoint[] = [
	...operatorAccountEndpoints,
	...reportEndpoints,
	...operatorFigureEndpoints,
	...addressEndpoints,
	endpoint({
		...forOperators("get", "zones"),
		id: "listZonesByFill",
		summary: "List zones by how full they are",
		description:
			"Lists the 1,000 fullest zones of a country in which addresses were issued, as the hourly job last counted them.",
		query: zonesQuerySchema,
		answer: json(200, zoneFillSchema, "The zones."),
		handle: async ({ registry, query }) => {
			const { countedAt, fullest } = await zonesByFill(registry, query.country);
			return {
				counted_at: timestampOrNull(countedAt),
				data: fullest.map(({ zone, zoneName, issued, left }) => ({ zone, zone_name: zoneName, issued, left })),
				next_cursor: null,
			};
		},
	}),
	endpoint({
		...forOperators("get", "acts"),
		id: "listOperatorActs",
		summary: "List what operators did",
		description: "Lists acts, newest first.",
		query: actsQuerySchema,
		answer: json(200, actListSchema, "One page of acts."),
		handle: async ({ registry, query }) => {
			const { rows, nextCursor } = await listActs(registry, query);
			return { data: rows.map(actRecord), next_cursor: nextCursor };
		},
	}),
];
