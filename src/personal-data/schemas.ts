import * as z from "zod/mini";
import { ownAccountSchema, passwordSchema, phoneSchema } from "../accounts/schemas.ts";
import { attestedRecordSchema, privateReadSchema } from "../addresses/attestation-schemas.ts";
import { canonical } from "../addresses/code-schemas.ts";
import { featureSchema, historySchema } from "../addresses/schemas.ts";
import { UNITS_MAX } from "../addresses/unit-actions.ts";
import { unitRecordSchema } from "../addresses/unit-endpoints.ts";
import { keyShape } from "../keys/schemas.ts";
import { lazy } from "../lazy.ts";
import { ownReportSchema } from "../reports/schemas.ts";
import { timeSchema } from "../text-schema.ts";

/** More than an account can come to have; it only bounds the document. */
const ROWS_MAX = 10_000_000;

function rowsOf<Row extends z.ZodMiniType>(row: Row) {
	return z.array(row).with(z.meta({ maxItems: ROWS_MAX }));
}

const timeOrNull = lazy(() => z.nullable(timeSchema()).with(z.meta({ examples: [null] })));

const session = lazy(() =>
	z.object({
		id: z.string().with(z.meta({ maxLength: 64, examples: ["ses_7dN3kq0vXW2mZrB8cT5yLa"] })),
		device: z.nullable(z.string()).with(z.meta({ maxLength: 64, examples: ["Chrome on Android"] })),
		created_at: timeSchema(),
		last_used_at: timeSchema(),
		expires_at: timeSchema(),
		ended_at: timeOrNull(),
	}),
);

const feature = lazy(() =>
	z.extend(featureSchema(), {
		properties: z.extend(featureSchema().shape.properties, {
			retired_at: timeOrNull(),
			successor: z.nullable(z.string()).with(z.meta({ maxLength: 11, examples: [null] })),
			units: z.array(z.extend(unitRecordSchema(), { created_at: timeSchema() })).with(z.meta({ maxItems: UNITS_MAX })),
			history: historySchema().shape.data,
		}),
	}),
);

export const exportSchema = lazy(() =>
	z
		.object({
			exported_at: timeSchema(),
			account: z.extend(ownAccountSchema(), {
				role: z.enum(["user", "agent"]),
				suspended_at: timeOrNull(),
				has_recovery_code: z.boolean().with(z.meta({ examples: [true] })),
			}),
			sessions: rowsOf(session()),
			keys: rowsOf(z.object({ ...keyShape(), revoked_at: timeOrNull() })),
			phone_proofs: rowsOf(
				z.object({
					phone: phoneSchema(),
					method: z.enum(["otp", "agent"]),
					replaced_phone: z.nullable(phoneSchema()).with(
						z.meta({
							description: "The number that the account had before, if it was another.",
							examples: ["+2348031234567"],
						}),
					),
					proved_at: timeSchema(),
				}),
			),
			one_time_codes: rowsOf(z.object({ phone: phoneSchema(), sent_at: timeSchema(), used_at: timeOrNull() })),
			daily_counts: rowsOf(
				z.object({
					name: z
						.string()
						.with(z.meta({ maxLength: 64, description: "What was counted.", examples: ["new-addresses"] })),
					day: z.iso.date().with(z.meta({ maxLength: 10, examples: ["2026-01-31"] })),
					count: z.int().with(z.gte(0), z.lte(2_147_483_647), z.meta({ examples: [3] })),
				}),
			),
			attestations: rowsOf(attestedRecordSchema()).with(z.meta({ description: "What you attested as an agent." })),
			private_reads: rowsOf(privateReadSchema()).with(
				z.meta({ description: "Which private addresses you read as an agent." }),
			),
			operator_acts: rowsOf(
				z.object({
					at: timeSchema(),
					act: z
						.string()
						.with(
							z.meta({ maxLength: 64, description: "What an operator did that concerns you.", examples: ["suspend"] }),
						),
				}),
			),
			reports: rowsOf(z.object({ canonical: canonical(), ...ownReportSchema().shape })).with(
				z.meta({ description: "What was reported about your addresses in the last 90 days." }),
			),
			addresses: z
				.object({ type: z.literal("FeatureCollection"), features: rowsOf(feature()) })
				.with(
					z.meta({ description: "Your addresses, live and retired, as GeoJSON (RFC 7946), each with its history." }),
				),
		})
		.register(z.globalRegistry, { id: "PersonalDataExport" }),
);

export const closingSchema = lazy(() =>
	z.strictObject({ password: passwordSchema() }).register(z.globalRegistry, { id: "AccountClosing" }),
);

export const closedSchema = lazy(() =>
	z
		.object({ erased_at: timeSchema().with(z.meta({ description: "When everything is erased." })) })
		.register(z.globalRegistry, { id: "AccountClosed" }),
);
