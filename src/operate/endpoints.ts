import { type Act, pathOf, reasonAlone } from "../acts/act.ts";
import { acts } from "../acts/acts.ts";
import { json } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { operatorReportRecord } from "../reports/report-record.ts";
import { timestampOrNull } from "../time/time.ts";
import { operatorAccountEndpoints } from "./account-endpoints.ts";
import { listActs, listAllReports, runAct, zonesByFill } from "./actions.ts";
import { operatorFigureEndpoints } from "./figure-endpoints.ts";
import { actRecord, forOperators } from "./operator-endpoint.ts";
import {
	actListSchema,
	actSchema,
	actsQuerySchema,
	operatorReportListSchema,
	reportsQuerySchema,
	zoneFillSchema,
	zonesQuerySchema,
} from "./schemas.ts";

/** The endpoint of an act: a POST by an operator who gives a reason, answered by its record unless it has an answer of its own. */
function endpointOf(act: Act): Endpoint {
	const { id, summary, description, on, body = reasonAlone, answers } = act;
	return endpoint({
		...forOperators("post", pathOf(act)),
		id,
		summary,
		description,
		params: on.params,
		body,
		errors: [...(on.errors ?? []), ...(act.errors ?? [])],
		answer: answers?.answer ?? json(200, actSchema, "The act, as it is recorded."),
		handle: async ({ registry, caller, params, body }) => {
			const { found, row } = await runAct(registry, act, caller, params, body);
			return answers ? answers.read(registry, found) : actRecord(row);
		},
	});
}

export const operatorEndpoints: Endpoint[] = [
	...operatorAccountEndpoints,
	...acts.map(endpointOf),
	endpoint({
		...forOperators("get", "reports"),
		id: "listReportsForOperators",
		summary: "List reports",
		description:
			"Lists what people reported about addresses, newest first. Reports about sandbox addresses never wait for a decision.",
		query: reportsQuerySchema,
		answer: json(200, operatorReportListSchema, "One page of reports."),
		handle: async ({ registry, caller, query: { waiting, ...page } }) => {
			const { rows, nextCursor } = await listAllReports(registry, caller, {
				...page,
				isWaiting: waiting !== undefined,
			});
			return { data: rows.map(operatorReportRecord), next_cursor: nextCursor };
		},
	}),
	...operatorFigureEndpoints,
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
