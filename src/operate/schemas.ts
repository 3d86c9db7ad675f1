/** Requests and answers of what operators do. */
import * as z from "zod/mini";
import { phoneSchema } from "../accounts/schemas.ts";
import { attestedRecordSchema, privateReadSchema } from "../addresses/attestation-schemas.ts";
import { canonical, codeInBody } from "../addresses/code-schemas.ts";
import { publicAddressSchema } from "../addresses/schemas.ts";
import { grantedScopes, keySchema } from "../keys/schemas.ts";
import { lazy } from "../lazy.ts";
import { DECISIONS, operatorReportSchema } from "../reports/schemas.ts";
import { lineOfText, timeSchema } from "../schemas.ts";

const REASON_CHARACTERS_MIN = 3;
const REASON_CHARACTERS_MAX = 500;
/** How much an account can be allowed. */
const ALLOWANCE_MAX = 10_000_000;
const PAGE_SIZE_MAX = 100;

const reason = lazy(() =>
	lineOfText(REASON_CHARACTERS_MAX).with(
		z.refine((text) => text.trim().length >= REASON_CHARACTERS_MIN, "Give a reason of at least 3 characters."),
		z.meta({
			description: "Why. It is kept with the act.",
			minLength: REASON_CHARACTERS_MIN,
			maxLength: REASON_CHARACTERS_MAX,
			examples: ["Ticket 4711: the holder asked for it."],
		}),
	),
);

const id = (prefix: string, description: string) =>
	z.string().with(z.meta({ description, maxLength: 64, examples: [`${prefix}_7dN3kq0vXW2mZrB8cT5yLa`] }));

const timeOrNull = lazy(() => z.nullable(timeSchema()).with(z.meta({ examples: [null] })));

export const accountParameterSchema = lazy(() => z.object({ id: id("usr", "The id of the account.") }));

export const actRequestSchema = lazy(() =>
	z.strictObject({ reason: reason() }).register(z.globalRegistry, { id: "OperatorActRequest" }),
);

export const findRequestSchema = lazy(() =>
	z
		.strictObject({
			phone: z.optional(z.string().with(z.meta({ maxLength: 64, examples: ["+2348031234567"] }))),
			code: z.optional(codeInBody()).with(z.meta({ maxLength: 200, examples: ["NG-1377-48215"] })),
			id: z.optional(id("usr", "The id of the account.")),
			reason: reason(),
		})
		.with(
			z.refine(
				({ phone, code, id }) => [phone, code, id].filter((given) => given !== undefined).length === 1,
				"Send one of phone, code and id.",
			),
		)
		.register(z.globalRegistry, {
			id: "AccountSearch",
			examples: [{ phone: "+2348031234567", reason: "Ticket 4711: the holder lost their phone." }],
		}),
);

export const roleRequestSchema = lazy(() =>
	z
		.strictObject({ role: z.enum(["user", "agent"]), reason: reason() })
		.register(z.globalRegistry, { id: "RoleRequest" }),
);

const allowance = (description: string, example: number) =>
	z
		.nullable(z.int().with(z.gte(0), z.lte(ALLOWANCE_MAX)))
		.with(z.meta({ description: `${description} Null is what every account may.`, examples: [example] }));

export const allowanceRequestSchema = lazy(() =>
	z
		.strictObject({
			new_addresses_per_day: allowance("Addresses that it may create in a day (UTC).", 50_000),
			unknown_codes_per_minute: z._default(
				allowance("Codes that do not exist that it may ask for in a minute.", 3_000),
				null,
			),
			reason: reason(),
		})
		.register(z.globalRegistry, { id: "AllowanceRequest" }),
);

export const scopesRequestSchema = lazy(() =>
	z.strictObject({ scopes: grantedScopes(), reason: reason() }).register(z.globalRegistry, { id: "ScopesRequest" }),
);

export const addressForOperatorsSchema = lazy(() =>
	z
		.extend(publicAddressSchema(), { account: id("usr", "The account that it belongs to."), hidden_at: timeOrNull() })
		.register(z.globalRegistry, { id: "AddressForOperators" }),
);

export const retireRequestSchema = lazy(() =>
	z
		.strictObject({
			successor: z.optional(codeInBody()).with(
				z.meta({
					maxLength: 200,
					description: "The code of the address to go to instead.",
					examples: ["NG-1377-48215"],
				}),
			),
			reason: reason(),
		})
		.register(z.globalRegistry, { id: "OperatorRetirement" }),
);

export const decisionRequestSchema = lazy(() =>
	z
		.strictObject({
			decision: z.enum(DECISIONS).with(z.meta({ description: "What is done about it.", examples: ["nothing"] })),
			...retireRequestSchema().shape,
			reason: reason().with(
				z.meta({ description: "Why. The reporter and the holder read it.", examples: ["The pin is at the gate."] }),
			),
		})
		.with(
			z.refine(({ decision, successor }) => decision === "retire" || successor === undefined, {
				path: ["successor"],
				message: "Only an address that is retired has a successor.",
			}),
		)
		.register(z.globalRegistry, {
			id: "ReportDecision",
			examples: [{ decision: "nothing", reason: "The pin is at the gate." }],
		}),
);

export const actSchema = lazy(() =>
	z
		.object({
			id: id("act", "The id of the act."),
			at: timeSchema(),
			operator: z.string().with(z.meta({ maxLength: 320, description: "Who did it.", examples: ["ada@addr.example"] })),
			act: z.string().with(z.meta({ maxLength: 64, examples: ["suspend"] })),
			detail: z
				.string()
				.with(z.meta({ maxLength: 512, description: "What was set, where the act does not say all.", examples: [""] })),
			subject: z.string().with(
				z.meta({
					maxLength: 64,
					description: "The account, key or address that it was done to. A hash once the person is erased.",
					examples: ["usr_7dN3kq0vXW2mZrB8cT5yLa"],
				}),
			),
			account: z.nullable(id("usr", "The account that it concerns.")),
			reason: z
				.string()
				.with(z.meta({ maxLength: REASON_CHARACTERS_MAX, examples: ["Ticket 4711: the holder asked for it."] })),
			request_id: z.string().with(z.meta({ maxLength: 64, examples: ["req_0f8f9c2b7a5e4d3c9b1a2f3e4d5c6b7a"] })),
		})
		.register(z.globalRegistry, { id: "OperatorAct" }),
);

function listOf<Row extends z.ZodMiniType>(row: Row, maxItems = PAGE_SIZE_MAX) {
	return z.array(row).with(z.meta({ maxItems }));
}

const cursor = lazy(() => z.nullable(z.string()).with(z.meta({ maxLength: 64, examples: [null] })));

export const actListSchema = lazy(() =>
	z.object({ data: listOf(actSchema()), next_cursor: cursor() }).register(z.globalRegistry, { id: "OperatorActList" }),
);

const pageShape = lazy(() => ({
	limit: z
		._default(z.coerce.number().with(z.int(), z.gte(1), z.lte(PAGE_SIZE_MAX)), 20)
		.with(z.meta({ description: "How many at most." })),
	cursor: z.optional(z.string()).with(z.meta({ description: "The next_cursor of the page before.", maxLength: 64 })),
}));

export const reportsQuerySchema = lazy(() =>
	z.object({
		...pageShape(),
		waiting: z.optional(z.literal("1")).with(z.meta({ description: "`1` for those alone that wait for a decision." })),
	}),
);

export const operatorReportListSchema = lazy(() =>
	z
		.object({ data: listOf(operatorReportSchema()), next_cursor: cursor() })
		.register(z.globalRegistry, { id: "OperatorReportList" }),
);

export const actsQuerySchema = lazy(() =>
	z.object({
		...pageShape(),
		account: z.optional(id("usr", "Only acts that concern this account.")),
		subject: z
			.optional(z.string())
			.with(
				z.meta({ description: "Only acts that were done to this account, key, address or report.", maxLength: 200 }),
			),
		operator: z.optional(z.string()).with(z.meta({ description: "Only acts of this operator.", maxLength: 320 })),
		act: z
			.optional(z.string())
			.with(z.meta({ description: "Only acts of this kind, such as `suspend`.", maxLength: 64 })),
	}),
);

export const zonesQuerySchema = lazy(() =>
	z.object({
		country: z
			.string()
			.with(
				z.regex(/^[A-Z]{2}$/),
				z.meta({ description: "The country in two letters.", maxLength: 2, examples: ["NG"] }),
			),
	}),
);

const count = lazy(() => z.int().with(z.gte(0), z.lte(2_147_483_647), z.meta({ examples: [12] })));

export const zoneFillSchema = lazy(() =>
	z
		.object({
			counted_at: z
				.nullable(timeSchema())
				.with(z.meta({ description: "When they were counted. It is null until the hourly job has counted." })),
			data: listOf(
				z.object({
					zone: z.string().with(z.meta({ maxLength: 4, examples: ["0311"] })),
					zone_name: z.string().with(z.meta({ maxLength: 200, examples: ["Surulere"] })),
					issued: count().with(z.meta({ description: "Codes ever issued, also of retired and erased addresses." })),
					left: count(),
				}),
				1_000,
			),
			next_cursor: cursor(),
		})
		.register(z.globalRegistry, { id: "ZonesByFill" }),
);

export const pendingPhoneSchema = lazy(() =>
	z
		.object({
			account: id("usr", "The account that it is to become the number of."),
			phone: phoneSchema(),
			agent: id("usr", "The agent who attested it."),
			held_by: z.nullable(id("usr", "The other account that has the number.")),
			attested_at: timeSchema(),
			accepted_at: timeOrNull(),
			objected_at: timeOrNull(),
		})
		.register(z.globalRegistry, { id: "PendingPhoneForOperators" }),
);

export const pendingPhoneListSchema = lazy(() =>
	z
		.object({ data: listOf(pendingPhoneSchema()), next_cursor: cursor() })
		.register(z.globalRegistry, { id: "PendingPhoneList" }),
);

export const agentListSchema = lazy(() =>
	z
		.object({
			data: listOf(
				z.object({
					account: id("usr", "The account of the agent."),
					phone: z.nullable(phoneSchema()).with(z.meta({ examples: ["+2348031234567"] })),
					suspended_at: timeOrNull(),
					last_attested: z.nullable(canonical()).with(z.meta({ description: "The address that it attested last." })),
					last_attested_at: timeOrNull(),
					attested_last_day: count().with(z.meta({ description: "How often it attested within the last 24 hours." })),
					last_private_read_at: timeOrNull(),
				}),
				1_000,
			),
			next_cursor: cursor(),
		})
		.register(z.globalRegistry, { id: "AgentList" }),
);

export const accountSchema = lazy(() =>
	z
		.object({
			id: id("usr", "The id of the account."),
			phone: z.nullable(phoneSchema()).with(z.meta({ examples: ["+2348031234567"] })),
			phone_verified: z.boolean().with(z.meta({ examples: [true] })),
			pending_phone: z.nullable(pendingPhoneSchema()).with(z.meta({ description: "The number that waits for it." })),
			phone_claimed: z
				.nullable(pendingPhoneSchema())
				.with(z.meta({ description: "The claim of another account on its number." })),
			role: z.enum(["user", "agent"]),
			created_at: timeSchema(),
			suspended_at: timeOrNull(),
			erase_at: timeOrNull(),
			allowance: z.object({
				new_addresses_per_day: z.nullable(count()),
				unknown_codes_per_minute: z.nullable(count()),
			}),
			sessions: listOf(
				z.object({
					id: id("ses", "The id of the session."),
					device: z.nullable(z.string()).with(z.meta({ maxLength: 64, examples: ["Chrome on Android"] })),
					created_at: timeSchema(),
					last_used_at: timeSchema(),
				}),
			),
			keys: listOf(keySchema(), 1_000),
			addresses: listOf(
				z.object({
					canonical: canonical(),
					label: z.string().with(z.meta({ maxLength: 200, examples: ["Blue gate"] })),
					created_at: timeSchema(),
					hidden_at: timeOrNull(),
				}),
			).with(z.meta({ description: "The newest. The label of a private one is empty: read it by an act of its own." })),
			attested: listOf(attestedRecordSchema()).with(
				z.meta({ description: "What it attested as an agent, newest first." }),
			),
			private_reads: listOf(privateReadSchema()).with(
				z.meta({ description: "Private addresses that it read as an agent, newest first." }),
			),
			acts: listOf(actSchema()).with(z.meta({ description: "What operators did to it lately, newest first." })),
		})
		.register(z.globalRegistry, { id: "AccountForOperators" }),
);
