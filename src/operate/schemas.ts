/** Requests and answers of what operators do. */
import * as z from "zod/mini";
import { phoneSchema, sessionShape } from "../accounts/schemas.ts";
import { EXAMPLE_REASON, REASON_CHARACTERS_MAX, reason } from "../acts/act.ts";
import { attestedRecordSchema, privateReadSchema } from "../addresses/attestation-schemas.ts";
import { canonical, codeInBody } from "../addresses/code-schemas.ts";
import { keySchema } from "../keys/schemas.ts";
import { operatorReportSchema } from "../reports/schemas.ts";
import {
	answered,
	arrayOf,
	described,
	identifier,
	named,
	pageSize,
	timeOrNullSchema as timeOrNull,
	timeSchema,
} from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";

const PAGE_SIZE_MAX = 100;

/** A text that the documentation shows by an example alone. */
const text = (maxLength: number, example: string) => z.string().with(z.meta({ maxLength, examples: [example] }));

const phoneOrNull = lazy(() => z.nullable(phoneSchema()).with(z.meta({ examples: ["+2348031234567"] })));

export const findRequestSchema = named(
	{
		id: "AccountSearch",
		examples: [{ phone: "+2348031234567", reason: "Ticket 4711: the holder lost their phone." }],
	},
	() =>
		z
			.strictObject({
				phone: z.optional(text(64, "+2348031234567")),
				code: z.optional(codeInBody()),
				id: z.optional(identifier("usr", "The id of the account.")),
				reason: reason(),
			})
			.with(
				z.refine(
					({ phone, code, id }) => [phone, code, id].filter((given) => given !== undefined).length === 1,
					"Send one of phone, code and id.",
				),
			),
);

export const actSchema = answered("OperatorAct", () => ({
	id: identifier("act", "The id of the act."),
	at: timeSchema(),
	operator: described(z.string(), "Who did it.", "ada@addr.example", { maxLength: 320 }),
	act: text(64, "suspend"),
	detail: described(z.string(), "What was set, if the act alone does not say it.", "", { maxLength: 512 }),
	subject: described(
		z.string(),
		"The account, key, address or report that it was done to. It becomes a hash once the person is erased.",
		"usr_7dN3kq0vXW2mZrB8cT5yLa",
		{ maxLength: 64 },
	),
	account: z.nullable(identifier("usr", "The account that it concerns.")),
	reason: text(REASON_CHARACTERS_MAX, EXAMPLE_REASON),
	request_id: text(64, "req_0f8f9c2b7a5e4d3c9b1a2f3e4d5c6b7a"),
}));

/** A named page of rows, with the cursor of the next one. */
const pageOf = <Row extends z.ZodMiniType>(name: string, row: () => Row, maxItems = PAGE_SIZE_MAX) =>
	answered(name, () => ({ data: arrayOf(row(), maxItems), next_cursor: cursor() }));

const cursor = lazy(() => z.nullable(z.string()).with(z.meta({ maxLength: 64, examples: [null] })));

export const actListSchema = pageOf("OperatorActList", actSchema);
export const operatorReportListSchema = pageOf("OperatorReportList", operatorReportSchema);

const pageShape = lazy(() => ({
	limit: pageSize(PAGE_SIZE_MAX, 20, "The number of entries on a page."),
	cursor: asked("The next_cursor of the previous page.", 64),
}));

/** A text that a query may have. */
const asked = (description: string, maxLength: number) =>
	described(z.optional(z.string()), description, undefined, { maxLength });

export const reportsQuerySchema = lazy(() =>
	z.object({
		...pageShape(),
		waiting: described(z.optional(z.literal("1")), "`1` lists only reports that wait for a decision."),
	}),
);

export const actsQuerySchema = lazy(() =>
	z.object({
		...pageShape(),
		account: z.optional(identifier("usr", "Only acts that concern this account.")),
		subject: asked("Only acts that were done to this account, key or address.", 200),
		operator: asked("Only acts of this operator.", 320),
		act: asked("Only acts of this kind, such as `suspend`.", 64),
	}),
);

export const zonesQuerySchema = lazy(() =>
	z.object({
		country: described(z.string().with(z.regex(/^[A-Z]{2}$/)), "The country in ISO 3166-1 alpha-2.", "NG", {
			maxLength: 2,
		}),
	}),
);

const count = lazy(() => z.int().with(z.gte(0), z.lte(2_147_483_647), z.meta({ examples: [12] })));

export const zoneFillSchema = answered("ZonesByFill", () => ({
	counted_at: described(
		z.nullable(timeSchema()),
		"When they were counted. It is null until the hourly job has counted.",
	),
	data: arrayOf(
		z.object({
			zone: text(4, "0311"),
			zone_name: text(200, "Surulere"),
			issued: described(count(), "Codes ever issued, also of retired and erased addresses."),
			left: count(),
		}),
		1_000,
	),
	next_cursor: cursor(),
}));

export const pendingPhoneSchema = answered("PendingPhoneForOperators", () => ({
	account: identifier("usr", "The account that is to get the number."),
	phone: phoneSchema(),
	agent: identifier("usr", "The agent who attested it."),
	held_by: z.nullable(identifier("usr", "The other account that has the number.")),
	attested_at: timeSchema(),
	accepted_at: timeOrNull(),
	objected_at: timeOrNull(),
}));

export const pendingPhoneListSchema = pageOf("PendingPhoneList", pendingPhoneSchema);

const agentSchema = lazy(() =>
	z.object({
		account: identifier("usr", "The account of the agent."),
		phone: phoneOrNull(),
		suspended_at: timeOrNull(),
		last_attested: described(z.nullable(canonical()), "The address that it attested last."),
		last_attested_at: timeOrNull(),
		attested_last_day: described(count(), "How often it attested within the last 24 hours."),
		last_private_read_at: timeOrNull(),
	}),
);

export const agentListSchema = pageOf("AgentList", agentSchema, 1_000);

export const accountSchema = answered("AccountForOperators", () => {
	const listOf = <Row extends z.ZodMiniType>(row: Row, description?: string) =>
		arrayOf(row, PAGE_SIZE_MAX, description);
	return {
		id: identifier("usr", "The id of the account."),
		phone: phoneOrNull(),
		phone_verified: z.boolean().with(z.meta({ examples: [true] })),
		pending_phone: described(z.nullable(pendingPhoneSchema()), "Its pending number."),
		phone_claimed: described(z.nullable(pendingPhoneSchema()), "The claim of another account on its number."),
		recovery: described(
			z.nullable(
				z.object({
					agent: identifier("usr", "The agent who may end it."),
					asked_at: timeSchema(),
					available_at: described(timeSchema(), "From when on the agent is shown the code."),
					lapses_at: timeSchema(),
					shown_at: described(timeOrNull(), "When the agent was first shown the code."),
				}),
			),
			"The recovery that an operator asked for.",
		),
		role: z.enum(["user", "agent"]),
		created_at: timeSchema(),
		suspended_at: timeOrNull(),
		erase_at: timeOrNull(),
		allowance: z.object({
			new_addresses_per_day: z.nullable(count()),
			unknown_codes_per_minute: z.nullable(count()),
		}),
		sessions: listOf(z.object(sessionShape())),
		keys: arrayOf(keySchema(), 1_000),
		addresses: listOf(
			z.object({
				canonical: canonical(),
				label: text(200, "Blue gate"),
				created_at: timeSchema(),
				hidden_at: timeOrNull(),
			}),
			"The newest addresses. The label of a private one is empty: a separate act reads it.",
		),
		attested: listOf(
			attestedRecordSchema(),
			"What it attested as an agent, newest first. A separate act reads note and position at a private address.",
		),
		private_reads: listOf(privateReadSchema(), "Private addresses that it read as an agent, newest first."),
		acts: listOf(actSchema(), "What operators did to it lately, newest first."),
	};
});
