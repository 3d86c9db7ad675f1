import * as z from "zod";
import { passwordSchema, phoneSchema, userSchema } from "../accounts/schemas.ts";
import { featureSchema, historySchema } from "../addresses/schemas.ts";
import { keyShape } from "../keys/schemas.ts";
import { timeSchema } from "../time-schema.ts";

/** More than an account can come to have; it only bounds the document. */
const ROWS_MAX = 10_000_000;

function rowsOf<Row extends z.ZodType>(row: Row) {
	return z.array(row).meta({ maxItems: ROWS_MAX });
}

const timeOrNull = timeSchema.nullable().meta({ examples: [null] });

const session = z.object({
	id: z.string().meta({ maxLength: 64, examples: ["ses_7dN3kq0vXW2mZrB8cT5yLa"] }),
	device: z
		.string()
		.nullable()
		.meta({ maxLength: 64, examples: ["Chrome on Android"] }),
	created_at: timeSchema,
	last_used_at: timeSchema,
	expires_at: timeSchema,
	ended_at: timeOrNull,
});

const feature = featureSchema.extend({
	properties: featureSchema.shape.properties.extend({
		retired_at: timeOrNull,
		successor: z
			.string()
			.nullable()
			.meta({ maxLength: 11, examples: [null] }),
		history: historySchema.shape.data,
	}),
});

export const exportSchema = z
	.object({
		exported_at: timeSchema,
		account: userSchema.extend({
			role: z.enum(["user", "agent"]),
			has_recovery_code: z.boolean().meta({ examples: [true] }),
		}),
		sessions: rowsOf(session),
		keys: rowsOf(z.object({ ...keyShape, revoked_at: timeOrNull })),
		phone_proofs: rowsOf(z.object({ phone: phoneSchema, method: z.enum(["otp", "agent"]), proved_at: timeSchema })),
		one_time_codes: rowsOf(z.object({ phone: phoneSchema, sent_at: timeSchema, used_at: timeOrNull })),
		daily_counts: rowsOf(
			z.object({
				name: z.string().meta({ maxLength: 64, description: "What was counted.", examples: ["new-addresses"] }),
				day: z.iso.date().meta({ maxLength: 10, examples: ["2026-01-31"] }),
				count: z
					.int()
					.min(0)
					.max(2_147_483_647)
					.meta({ examples: [3] }),
			}),
		),
		addresses: z
			.object({ type: z.literal("FeatureCollection"), features: rowsOf(feature) })
			.meta({ description: "Your addresses, live and retired, as GeoJSON (RFC 7946), each with its history." }),
	})
	.meta({ id: "PersonalDataExport" });

export const closingSchema = z.strictObject({ password: passwordSchema }).meta({ id: "AccountClosing" });

export const closedSchema = z
	.object({ erased_at: timeSchema.meta({ description: "When everything is erased." }) })
	.meta({ id: "AccountClosed" });
