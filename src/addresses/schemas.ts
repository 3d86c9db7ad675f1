import * as z from "zod/mini";
import { lazy } from "../lazy.ts";
import { problemSchema } from "../problem-schema.ts";
import { lineOfText } from "../text-schema.ts";
import { timeSchema } from "../time-schema.ts";
import { latitude, longitude, zonePlaceShape } from "../zones/schemas.ts";
import { askedCode, canonical, codeInBody } from "./code-schemas.ts";

/** Longest label, in Unicode code points. */
const LABEL_CHARACTERS_MAX = 200;

/** Most codes in one batch. */
export const BATCH_CODES_MAX = 100;

/** Addresses on a page of the owner's list. */
const PAGE_SIZE = 20;
const PAGE_SIZE_MAX = 100;

/** Longest cursor: time and code in base64. */
const CURSOR_CHARACTERS_MAX = 64;

const label = lazy(() =>
	lineOfText(LABEL_CHARACTERS_MAX).with(
		z.meta({
			description:
				"What people call the place, in one line of text. It is public: everyone who has the code can read it. Leave out what a stranger at the door should not know.",
			maxLength: LABEL_CHARACTERS_MAX,
			examples: ["Blue gate, behind the mosque"],
		}),
	),
);

export const newAddressSchema = lazy(() =>
	z
		.strictObject({ lat: latitude().schema, lng: longitude().schema, label: z._default(label(), "") })
		.register(z.globalRegistry, { id: "NewAddress" }),
);

export const addressChangeSchema = lazy(() =>
	z
		.strictObject({
			label: z.optional(label()),
			lat: z.optional(latitude().schema),
			lng: z.optional(longitude().schema),
		})
		.with(
			z.superRefine(({ label, lat, lng }, { addIssue }) => {
				const missing = (path: string, message: string) => addIssue({ code: "custom", path: [path], message });
				if (lat === undefined && lng !== undefined) missing("lat", "Send lat and lng together.");
				if (lng === undefined && lat !== undefined) missing("lng", "Send lat and lng together.");
				if (label === undefined && lat === undefined && lng === undefined)
					missing("label", "Send a label, or lat and lng.");
			}),
		)
		.register(z.globalRegistry, { id: "AddressChange" }),
);

export const retirementSchema = lazy(() =>
	z
		.strictObject({
			successor: z.optional(codeInBody()).with(
				z.meta({
					description:
						"The code of another address of yours, to go to instead. Whoever looks up the retired code is told of it.",
					maxLength: 200,
					examples: ["NG-0311-48211"],
				}),
			),
		})
		.register(z.globalRegistry, { id: "Retirement" }),
);

/** Idempotency-Key: printable ASCII, as a header carries it (draft-ietf-httpapi-idempotency-key-header). */
export const idempotencyHeaderSchema = lazy(() =>
	z.object({
		"idempotency-key": z
			.optional(
				z.string().with(z.regex(/^[\x21-\x7e]{1,255}$/, "Send 1 to 255 printable ASCII characters without spaces.")),
			)
			.with(
				z.meta({
					description:
						"A repeated request with the same key and body gets the first answer again and creates no second address. If you have retired that address since, the answer is 410.",
					maxLength: 255,
					examples: ["order-2481"],
				}),
			),
	}),
);

export const resolveQuerySchema = lazy(() =>
	z.strictObject({
		format: z
			.optional(z.enum(["json", "geojson"]))
			.with(z.meta({ description: "Takes precedence over the Accept header." })),
	}),
);

export const listQuerySchema = lazy(() =>
	z.strictObject({
		limit: z
			._default(
				z.pipe(
					z.pipe(z.string().with(z.regex(/^\d{1,3}$/, `A number from 1 to ${PAGE_SIZE_MAX}.`)), z.transform(Number)),
					z.int().with(z.gte(1), z.lte(PAGE_SIZE_MAX)),
				),
				PAGE_SIZE,
			)
			.with(z.meta({ description: "The number of addresses on a page." })),
		cursor: z
			.optional(
				z
					.string()
					.with(
						z.maxLength(CURSOR_CHARACTERS_MAX),
						z.regex(/^[A-Za-z0-9+/]+$/, "Send the next_cursor of the previous page unchanged."),
					),
			)
			.with(
				z.meta({
					description: "The next_cursor of the previous page.",
					examples: ["MTc2MzcxMzgwMDAwMC5ORzA0MjE1ODIxMg"],
				}),
			),
	}),
);

const degreesBefore = lazy(() => z.optional(z.nullable(z.number())));

/** Most events of an address that its history answers: the latest. */
export const HISTORY_EVENTS_MAX = 1000;

export const historySchema = lazy(() =>
	z
		.object({
			data: z
				.array(
					z.object({
						at: timeSchema(),
						change: z
							.enum(["created", "label", "point", "attested", "retired"])
							.with(z.meta({ description: "What happened.", examples: ["point"] })),
						previous_label: z
							.optional(z.nullable(z.string()))
							.with(
								z.meta({ maxLength: LABEL_CHARACTERS_MAX, description: "For `label`: the label before the change." }),
							),
						previous_lat: degreesBefore().with(
							z.meta({
								description: "For `point`: the latitude before the change, in degrees, WGS 84.",
								examples: [6.5244],
							}),
						),
						previous_lng: degreesBefore().with(
							z.meta({
								description: "For `point`: the longitude before the change, in degrees, WGS 84.",
								examples: [3.3792],
							}),
						),
						level: z
							.optional(z.int().with(z.gte(1), z.lte(3)))
							.with(z.meta({ description: "For `attested`: the attested level.", examples: [2] })),
						successor: z
							.optional(z.nullable(canonical()))
							.with(z.meta({ description: "For `retired`: the code to use instead, or null if you named none." })),
					}),
				)
				.with(z.meta({ maxItems: HISTORY_EVENTS_MAX, description: "The latest events, oldest first." })),
		})
		.register(z.globalRegistry, { id: "AddressHistory" }),
);

export const batchSchema = lazy(() =>
	z
		.strictObject({
			codes: z
				.array(askedCode())
				.with(
					z.minLength(1),
					z.maxLength(BATCH_CODES_MAX),
					z.meta({ description: "The codes, in any spelling.", examples: [["NG-0311-48211", "NG 0311 48212"]] }),
				),
		})
		.register(z.globalRegistry, { id: "Batch" }),
);

export const publicAddressSchema = lazy(() =>
	z
		.object({
			canonical: canonical(),
			display: z
				.string()
				.with(
					z.regex(/^[A-Z]{2}-\d{4}-\d{5}$/),
					z.meta({ description: "The code as people read and write it.", maxLength: 13, examples: ["NG-0311-48211"] }),
				),
			...zonePlaceShape(),
			lat: z
				.number()
				.with(z.meta({ description: "The latitude in degrees, WGS 84, exactly as sent.", examples: [6.5244] })),
			lng: z
				.number()
				.with(z.meta({ description: "The longitude in degrees, WGS 84, exactly as sent.", examples: [3.3792] })),
			plus_code: z.string().with(
				z.regex(/^[2-9C-X]{8}\+[2-9C-X]{3}$/),
				z.meta({
					maxLength: 12,
					description: "The Open Location Code (Plus Code) of 11 digits, a cell of about 3 metres.",
					examples: ["6FR5G9FH+QM8"],
				}),
			),
			label: z.string().with(z.meta({ maxLength: LABEL_CHARACTERS_MAX, examples: ["Blue gate, behind the mosque"] })),
			verification_level: z
				.int()
				.with(z.gte(0), z.lte(3), z.meta({ description: "0 until an agent has attested the address.", examples: [0] })),
			created_at: timeSchema(),
		})
		.register(z.globalRegistry, { id: "PublicAddress" }),
);

export const featureSchema = lazy(() =>
	z
		.object({
			type: z.literal("Feature"),
			id: canonical(),
			geometry: z.object({
				type: z.literal("Point"),
				coordinates: z
					.array(z.number())
					.with(
						z.length(2),
						z.meta({ description: "Longitude and latitude, in this order.", examples: [[3.3792, 6.5244]] }),
					),
			}),
			properties: z.omit(publicAddressSchema(), { lat: true, lng: true }),
		})
		.register(z.globalRegistry, { id: "AddressFeature", description: "A GeoJSON Feature (RFC 7946)." }),
);

export const addressSchema = lazy(() =>
	z
		.extend(publicAddressSchema(), {
			qr_url: z.url().with(
				z.meta({
					maxLength: 300,
					description: "The page of the address, which the QR code leads to.",
					examples: ["https://addr.example/a/NG031148211"],
				}),
			),
			qr_svg_url: z.url().with(
				z.meta({
					maxLength: 300,
					description: "The printable QR image.",
					examples: ["https://addr.example/v1/addresses/NG031148211/qr.svg"],
				}),
			),
			owned: z.boolean().with(z.meta({ description: "Whether the caller owns the address.", examples: [true] })),
		})
		.register(z.globalRegistry, { id: "Address" }),
);

export const addressListSchema = lazy(() =>
	z
		.object({
			data: z.array(addressSchema()).with(z.meta({ maxItems: PAGE_SIZE_MAX })),
			next_cursor: z.nullable(z.string().with(z.maxLength(CURSOR_CHARACTERS_MAX))).with(
				z.meta({
					description: "Send it as `cursor` to get the next page. It is null on the last page.",
					examples: [null],
				}),
			),
		})
		.register(z.globalRegistry, { id: "AddressList" }),
);

export const batchAnswerSchema = lazy(() =>
	z
		.object({
			data: z
				.array(
					z.discriminatedUnion("status", [
						z.object({ code: askedCode(), status: z.literal("found"), address: publicAddressSchema() }),
						z.object({ code: askedCode(), status: z.literal("failed"), problem: problemSchema() }),
					]),
				)
				.with(
					z.meta({
						maxItems: BATCH_CODES_MAX,
						description: "One item per code, in the order asked. `code` is the code as it was sent.",
					}),
				),
		})
		.register(z.globalRegistry, { id: "BatchAnswer" }),
);
