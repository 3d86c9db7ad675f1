import { publicRecord } from "../addresses/address-record.ts";
import { codeParameterSchema } from "../addresses/code-schemas.ts";
import { parseCode } from "../codes/code.ts";
import { json } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { timestampOrNull } from "../time.ts";
import { operatorAccountEndpoints } from "./account-endpoints.ts";
import { act, actRecord, OPERATE_TAG } from "./acting.ts";
import { hideOrShow, listActs, readFor, retireFor, zonesByFill } from "./actions.ts";
import { operatorFigureEndpoints } from "./figure-endpoints.ts";
import { operator } from "./operator-access.ts";
import { operatorReportEndpoints } from "./report-endpoints.ts";
import {
	actListSchema,
	actRequestSchema,
	actsQuerySchema,
	addressForOperatorsSchema,
	retireRequestSchema,
	zoneFillSchema,
	zonesQuerySchema,
} from "./schemas.ts";

export const operatorEndpoints: Endpoint[] = [
	...operatorAccountEndpoints,
	...operatorReportEndpoints,
	...operatorFigureEndpoints,
	endpoint({
		...act(
			"addresses/{code}/read",
			"readAddressForOperators",
			{
				summary: "Read an address",
				description:
					"Returns an address that is private or hidden too, as its owner has it. That somebody read it is kept.",
				errors: ["MALFORMED_CODE", "BAD_CHECK_DIGIT", "ADDRESS_NOT_FOUND", "ADDRESS_RETIRED"],
			},
			codeParameterSchema,
			actRequestSchema,
		),
		answer: json(200, addressForOperatorsSchema, "The address."),
		handle: async ({ registry, caller, params, body }) => {
			const address = await readFor(registry, { operator: caller, ...body }, params.code);
			return {
				...publicRecord(address),
				account: address.ownerId,
				hidden_at: timestampOrNull(address.hiddenAt),
			};
		},
	}),
	endpoint({
		...act(
			"addresses/{code}/retire",
			"retireAddressForHolder",
			{
				summary: "Retire an address",
				description:
					"Retires it as its owner could, which cannot be undone. Any other live address can be its successor.",
				errors: ["MALFORMED_CODE", "BAD_CHECK_DIGIT", "ADDRESS_NOT_FOUND", "ADDRESS_RETIRED"],
			},
			codeParameterSchema,
			retireRequestSchema,
		),
		handle: async ({ registry, caller, params, body: { successor, reason } }) => {
			const next = successor === undefined ? undefined : parseCode(successor);
			return actRecord(await retireFor(registry, { operator: caller, reason }, params.code, next));
		},
	}),
	...(
		[
			[
				"hide",
				"Hide an address",
				"Only its owner and operators can read it until it is shown again. Its owner reads the reason.",
				true,
			],
			["show", "Show a hidden address", "Anyone who has its code can read it again.", false],
		] as const
	).map(([name, summary, description, isHidden]) =>
		endpoint({
			...act(
				`addresses/{code}/${name}`,
				`${name}Address`,
				{ summary, description, errors: ["MALFORMED_CODE", "BAD_CHECK_DIGIT", "ADDRESS_NOT_FOUND", "ADDRESS_RETIRED"] },
				codeParameterSchema,
				actRequestSchema,
			),
			handle: async ({ registry, caller, params, body }) =>
				actRecord(await hideOrShow(registry, { operator: caller, ...body }, params.code, isHidden)),
		}),
	),
	endpoint({
		method: "get",
		path: "/v1/operator/zones",
		id: "listZonesByFill",
		tag: OPERATE_TAG,
		summary: "List zones by fill",
		description:
			"Lists the 1,000 fullest zones of a country in which addresses were issued, as the hourly job last counted them.",
		access: operator,
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
		method: "get",
		path: "/v1/operator/acts",
		id: "listOperatorActs",
		tag: OPERATE_TAG,
		summary: "List what operators did",
		description: "Lists acts, newest first.",
		access: operator,
		query: actsQuerySchema,
		answer: json(200, actListSchema, "One page of acts."),
		handle: async ({ registry, query }) => {
			const { acts, nextCursor } = await listActs(registry, query);
			return { data: acts.map(actRecord), next_cursor: nextCursor };
		},
	}),
];
