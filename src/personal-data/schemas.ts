import * as z from "zod/mini";
import { ownAccountSchema, passwordSchema, phoneSchema, sessionShape } from "../accounts/schemas.ts";
import { attestedRecordSchema, privateReadSchema } from "../addresses/attestation-schemas.ts";
import { canonical } from "../addresses/code-schemas.ts";
import { featureSchema, historySchema } from "../addresses/schemas.ts";
import { UNITS_MAX } from "../addresses/unit-actions.ts";
import { unitRecordSchema } from "../addresses/unit-endpoints.ts";
import { keyShape } from "../keys/schemas.ts";
import { ownReportSchema } from "../reports/schemas.ts";
import { answered, arrayOf, described, sent, timeOrNullSchema, timeSchema } from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";

/** More rows than an account can ever have. It only bounds the document. */
const ROWS_MAX = 10_000_000;

const rowsOf = <Row extends z.ZodMiniType>(row: Row, description?: string) => arrayOf(row, ROWS_MAX, description);

const feature = lazy(() =>
	z.extend(featureSchema(), {
		properties: z.extend(featureSchema().shape.properties, {
			retired_at: timeOrNullSchema(),
			successor: z.nullable(z.string()).with(z.meta({ maxLength: 11, examples: [null] })),
			units: arrayOf(z.extend(unitRecordSchema(), { created_at: timeSchema() }), UNITS_MAX),
			history: historySchema().shape.data,
		}),
	}),
);

export const exportSchema = answered("PersonalDataExport", () => ({
	exported_at: timeSchema(),
	account: z.extend(ownAccountSchema(), {
		role: z.enum(["user", "agent"]),
		suspended_at: timeOrNullSchema(),
		has_recovery_code: z.boolean().with(z.meta({ examples: [true] })),
	}),
	sessions: rowsOf(z.object({ ...sessionShape(), expires_at: timeSchema(), ended_at: timeOrNullSchema() })),
	keys: rowsOf(z.object({ ...keyShape(), revoked_at: timeOrNullSchema() })),
	phone_proofs: rowsOf(
		z.object({
			phone: phoneSchema(),
			method: z.enum(["otp", "agent"]),
			replaced_phone: described(
				z.nullable(phoneSchema()),
				"The number that the account had before, if it was another.",
				"+2348031234567",
			),
			proved_at: timeSchema(),
		}),
	),
	one_time_codes: rowsOf(z.object({ phone: phoneSchema(), sent_at: timeSchema(), used_at: timeOrNullSchema() })),
	daily_counts: rowsOf(
		z.object({
			name: described(z.string(), "What was counted.", "new-addresses", { maxLength: 64 }),
			day: z.iso.date().with(z.meta({ maxLength: 10, examples: ["2026-01-31"] })),
			count: z.int().with(z.gte(0), z.lte(2_147_483_647), z.meta({ examples: [3] })),
		}),
	),
	attestations: rowsOf(attestedRecordSchema(), "What you attested as an agent."),
	private_reads: rowsOf(privateReadSchema(), "Which private addresses you read as an agent."),
	operator_acts: rowsOf(
		z.object({
			at: timeSchema(),
			act: described(z.string(), "What an operator did that concerns you.", "suspend", { maxLength: 64 }),
		}),
	),
	reports: rowsOf(
		z.object({ canonical: canonical(), ...ownReportSchema().shape }),
		"What was reported about your addresses in the last 90 days.",
	),
	addresses: described(
		z.object({ type: z.literal("FeatureCollection"), features: rowsOf(feature()) }),
		"Your addresses, live and retired, as GeoJSON (RFC 7946), each with its history.",
	),
}));

export const closingSchema = sent("AccountClosing", () => ({ password: passwordSchema() }));

export const closedSchema = answered("AccountClosed", () => ({
	erased_at: described(timeSchema(), "When everything is erased."),
}));
