import * as z from "zod/mini";
import { lazy } from "../lazy.ts";
import { problemSchema } from "../problem-schema.ts";
import { lineOfText, timeSchema } from "../text-schema.ts";
import { latitude, longitude, zonePlaceShape } from "../zones/schemas.ts";
import { askedCode, canonical, codeInBody } from "./code-schemas.ts";
import { perText, previously, TEXT_FIELDS, TEXTS, type TextField } from "./content.ts";
import { SHARE_CHARACTERS_MAX } from "./share-link.ts";

/** Most codes in one batch. */
export const BATCH_CODES_MAX = 100;

/** Addresses on a page of the owner's list. */
const PAGE_SIZE = 20;
const PAGE_SIZE_MAX = 100;

/** Longest cursor: time and code in base64. */
const CURSOR_CHARACTERS_MAX = 64;

/** A text of an address in a request. */
export const text = (field: TextField) => {
	const { charactersMax: maxLength, description, example } = TEXTS[field];
	return lineOfText(maxLength).with(z.meta({ description, maxLength, examples: [example] }));
};

/** Longest external id, in UTF-16 units. */
const EXTERNAL_ID_UNITS_MAX = 64;

/** What an owner calls an address in records of their own. */
export const externalId = lazy(() =>
	z.string().with(
		z.regex(/^[\x21-\x7e]+$/, "Send 1 to 64 printable ASCII characters without spaces."),
		z.maxLength(EXTERNAL_ID_UNITS_MAX),
		z.meta({
			description: "What you call the address in your own records. You can use it for one address only.",
			examples: ["meter-0042"],
		}),
	),
);

const visibility = lazy(() =>
	z.enum(["public", "private"]).with(
		z.meta({
			description:
				"`public`: everyone who has the code can read the point and the words. `private`: only you can, and whoever you give a link.",
			examples: ["public"],
		}),
	),
);

/** Farthest that an entrance may be from the point of its address, in metres. */
export const ENTRANCE_METRES_MAX = 300;

/** Where one goes in to an address. */
const entrance = lazy(() =>
	z.nullable(z.strictObject({ lat: latitude().schema, lng: longitude().schema })).with(
		z.meta({
			description: `Where one goes in, if that is not at the point: at most ${ENTRANCE_METRES_MAX} metres away, in the same country. Navigation leads there. It is null if there is none.`,
			examples: [{ lat: 6.5246, lng: 3.3791 }],
		}),
	),
);

const newAddressShape = lazy(() => ({
	lat: latitude().schema,
	lng: longitude().schema,
	entrance: z._default(entrance(), null),
	...perText((field) => z._default(text(field), "")),
	visibility: z._default(visibility(), "public"),
}));

export const newAddressSchema = lazy(() =>
	z.strictObject(newAddressShape()).register(z.globalRegistry, { id: "NewAddress" }),
);

/** An item of a batch that mints. */
export const batchItemSchema = lazy(() =>
	z
		.strictObject({ external_id: externalId(), ...newAddressShape() })
		.register(z.globalRegistry, { id: "NewBatchAddress" }),
);

export const addressChangeSchema = lazy(() =>
	z
		.strictObject({
			...perText((field) => z.optional(text(field))),
			visibility: z.optional(visibility()),
			lat: z.optional(latitude().schema),
			lng: z.optional(longitude().schema),
			entrance: z.optional(entrance()),
		})
		.with(
			z.superRefine(({ lat, lng, ...others }, { addIssue }) => {
				const missing = (path: string, message: string) => addIssue({ code: "custom", path: [path], message });
				if (lat === undefined && lng !== undefined) missing("lat", "Send lat and lng together.");
				if (lng === undefined && lat !== undefined) missing("lng", "Send lat and lng together.");
				if ([lat, lng, ...Object.values(others)].every((value) => value === undefined))
					missing(TEXT_FIELDS[0] ?? "", `Send ${TEXT_FIELDS.join(", ")}, entrance, visibility, or lat and lng.`);
			}),
		)
		.register(z.globalRegistry, { id: "AddressChange" }),
);

export const retirementSchema = lazy(() =>
	z.optional(
		z
			.strictObject({
				successor: z.optional(codeInBody()).with(
					z.meta({
						description:
							"The code of another address of yours, to go to instead. Whoever looks up the retired code is told of it.",
						maxLength: 200,
						examples: ["NG-1377-48215"],
					}),
				),
			})
			.register(z.globalRegistry, { id: "Retirement" }),
	),
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

/** The token of a link, on an endpoint that anyone may call. A wrong one is ignored, so any text is taken. */
const shareParameter = lazy(() =>
	z.optional(z.string()).with(
		z.meta({
			maxLength: SHARE_CHARACTERS_MAX,
			description: "The token of a link to a private address. A wrong or expired one is ignored.",
			examples: ["t1m2ko.0.5f2b6c0a9d3e4f718293a4b5c6d7e8f9"],
		}),
	),
);

export const sharedQuerySchema = lazy(() => z.strictObject({ share: shareParameter() }));

/** Days that a link may last, and lasts unless its maker says otherwise. */
const SHARE_DAYS_MAX = 365;
export const SHARE_DAYS = 7;

export const newShareSchema = lazy(() =>
	z.optional(
		z
			.strictObject({
				days: z.optional(z.int().with(z.gte(1), z.lte(SHARE_DAYS_MAX))).with(
					z.meta({
						description: `How long the link works, in days; ${SHARE_DAYS} unless you say otherwise.`,
						examples: [7],
					}),
				),
			})
			.register(z.globalRegistry, { id: "NewShare" }),
	),
);

export const shareSchema = lazy(() =>
	z
		.object({
			url: z.url().with(
				z.meta({
					maxLength: 400,
					description: "The page of the address for whoever has the link.",
					examples: ["https://addr.example/a/NG137748215?share=t1m2ko.0.5f2b6c0a9d3e4f718293a4b5c6d7e8f9"],
				}),
			),
			expires_at: timeSchema(),
		})
		.register(z.globalRegistry, { id: "Share" }),
);

export const resolveQuerySchema = lazy(() =>
	z.strictObject({
		format: z.optional(z.enum(["json", "geojson"])).with(
			z.meta({
				description:
					"Takes precedence over the Accept header. `geojson` returns the Feature of the `.geojson` endpoint, which typed clients call instead.",
			}),
		),
		share: shareParameter(),
	}),
);

export const listQuerySchema = lazy(() =>
	z.strictObject({
		external_id: z
			.optional(externalId())
			.with(z.meta({ description: "Lists only the address that you call so.", examples: ["meter-0042"] })),
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

/** An event of one kind in the history of an address. */
function historyEvent<Fields extends z.core.$ZodShape, const Change extends string>(
	id: string,
	change: Change,
	description: string,
	fields: Fields,
) {
	return z
		.object({ at: timeSchema(), change: z.literal(change), ...fields })
		.register(z.globalRegistry, { id, description });
}

const degreesBefore = lazy(() => z.number().with(z.meta({ description: "Degrees, WGS 84.", examples: [6.5244] })));

/** The event that a text was changed, such as LabelChanged. */
function textChanged(field: TextField) {
	const { charactersMax: maxLength, example } = TEXTS[field];
	const id = `${field.slice(0, 1).toUpperCase()}${field.slice(1)}Changed`;
	const before = z
		.string()
		.with(z.meta({ maxLength, description: `The ${field} before the change.`, examples: [example] }));
	return historyEvent(id, field, `The ${field} was changed.`, previously(field, before));
}

export const historyEventSchema = lazy(() =>
	z
		.discriminatedUnion("change", [
			historyEvent("AddressCreated", "created", "The address was created.", {}),
			...TEXT_FIELDS.map(textChanged),
			historyEvent("PointMoved", "point", "The pin was moved.", {
				previous_lat: degreesBefore(),
				previous_lng: degreesBefore(),
			}),
			historyEvent("EntranceChanged", "entrance", "The entrance was changed.", { previous_entrance: entrance() }),
			historyEvent("AddressAttested", "attested", "An agent attested the address.", {
				level: z.int().with(z.gte(1), z.lte(3), z.meta({ description: "The attested level.", examples: [2] })),
			}),
			historyEvent("AddressRead", "read", "An agent read the private address in order to visit it.", {}),
			historyEvent("AddressRetired", "retired", "The address was retired.", {
				successor: z
					.nullable(canonical())
					.with(z.meta({ description: "The code to use instead, or null if you named none." })),
			}),
		])
		.register(z.globalRegistry, { id: "HistoryEvent", description: "What happened, told apart by `change`." }),
);

/** Most events of an address that its history answers: the latest. */
export const HISTORY_EVENTS_MAX = 1000;

export const historySchema = lazy(() =>
	z
		.object({
			data: z
				.array(historyEventSchema())
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
					z.meta({ description: "The codes, in any spelling.", examples: [["NG-1377-48215", "NG 1377 48216"]] }),
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
					z.meta({ description: "The code as people read and write it.", maxLength: 13, examples: ["NG-1377-48215"] }),
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
			entrance: entrance(),
			...perText((field) => {
				const { charactersMax: maxLength, example } = TEXTS[field];
				return z.string().with(z.meta({ maxLength, examples: [example] }));
			}),
			verification_level: z
				.int()
				.with(z.gte(0), z.lte(3), z.meta({ description: "0 until an agent has attested the address.", examples: [0] })),
			verified_at: z.nullable(timeSchema()).with(
				z.meta({
					description:
						"When an agent last attested the level; null until one has. If the level is 0 and this is a time, the address has changed since that visit.",
				}),
			),
			visibility: visibility(),
			created_at: timeSchema(),
			updated_at: timeSchema().with(z.meta({ description: "When readers could last see a change." })),
			test: z
				.optional(z.literal(true))
				.with(z.meta({ description: "There on sandbox addresses only, whose codes begin with ZZ.", examples: [true] })),
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
				coordinates: z.tuple([z.number(), z.number()]).with(
					z.meta({
						minItems: 2,
						maxItems: 2,
						description: "Longitude and latitude, in this order.",
						examples: [[3.3792, 6.5244]],
					}),
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
					examples: ["https://addr.example/a/NG137748215"],
				}),
			),
			qr_svg_url: z.url().with(
				z.meta({
					maxLength: 300,
					description: "The printable QR image.",
					examples: ["https://addr.example/v1/addresses/NG137748215/qr.svg"],
				}),
			),
			owned: z.boolean().with(z.meta({ description: "Whether the caller owns the address.", examples: [true] })),
			external_id: z.optional(z.nullable(externalId())).with(
				z.meta({
					description: "What you call it in your own records, if you own it. It is null if you gave it none.",
					examples: ["meter-0042"],
				}),
			),
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
					z
						.discriminatedUnion("status", [
							z
								.object({ code: askedCode(), status: z.literal("found"), address: publicAddressSchema() })
								.register(z.globalRegistry, { id: "FoundCode" }),
							z
								.object({ code: askedCode(), status: z.literal("failed"), problem: problemSchema() })
								.register(z.globalRegistry, { id: "FailedCode" }),
						])
						.register(z.globalRegistry, {
							id: "BatchItem",
							description: "An address or a problem, told apart by `status`.",
						}),
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
