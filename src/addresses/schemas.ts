import * as z from "zod/mini";
import { answered, arrayOf, described, lineOfText, named, pageSize, sent, timeSchema } from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";
import { problemSchema } from "../schemas/problem-schema.ts";
import { LOCALITY_CHARACTERS_MAX } from "../zones/locality.ts";
import { askedCode, canonical, codeInBody } from "./code-schemas.ts";
import { previously } from "./content.ts";
import { SHARE_CHARACTERS_MAX, SHARE_DAYS, SHARE_DAYS_MAX } from "./share-link.ts";
import { FURTHER_FIELDS, perText, TEXT_FIELDS, TEXTS, type TextField } from "./texts.ts";
import { latitude, longitude, zonePlaceShape } from "./zone-schemas.ts";

/** Most codes in one batch. */
export const BATCH_CODES_MAX = 100;

/** Addresses on a page of an owner's list: by default, and at most. */
const PAGE_SIZE = 20;
const PAGE_SIZE_MAX = 100;

/** Longest cursor: time and code in base64. */
const CURSOR_CHARACTERS_MAX = 64;

/** A text of an address in a request. */
export const text = (field: TextField) => {
	const { charactersMax: maxLength, description, example } = TEXTS[field];
	return described(lineOfText(maxLength), description, example, { maxLength });
};

/** Longest external id, in UTF-16 code units. */
const EXTERNAL_ID_UNITS_MAX = 64;

/** An owner's own name for an address, from their own records. */
export const externalId = lazy(() =>
	described(
		z
			.string()
			.with(
				z.regex(/^[\x21-\x7e]+$/, "Send 1 to 64 printable ASCII characters without spaces."),
				z.maxLength(EXTERNAL_ID_UNITS_MAX),
			),
		"What you call the address in your own records. You can use it for one address only.",
		"meter-0042",
	),
);

const visibility = lazy(() =>
	described(
		z.enum(["public", "private"]),
		"`public`: everyone who has the code can read the point and the texts. `private`: only you can, and whoever has a link from you.",
		"public",
	),
);

/** The farthest that an entrance may be from the point of its address, in metres. */
export const ENTRANCE_METRES_MAX = 300;

/** Where people go in to an address. */
const entrance = lazy(() =>
	described(
		z.nullable(z.strictObject({ lat: latitude().schema, lng: longitude().schema })),
		`Where people go in, if that is not at the point: at most ${ENTRANCE_METRES_MAX} metres away, in the same country. Navigation leads there. It is null if there is none.`,
		{ lat: 6.5246, lng: 3.3791 },
	),
);

const locality = lazy(() =>
	described(
		z.optional(lineOfText(LOCALITY_CHARACTERS_MAX)),
		"The place that people name for the point, one of those that `GET /v1/public/zones` offers. Without it, the first of them. After a move it stays if the new point offers it too.",
		"Somolu",
		{ maxLength: LOCALITY_CHARACTERS_MAX },
	),
);

const newAddressShape = lazy(() => ({
	lat: latitude().schema,
	lng: longitude().schema,
	entrance: z._default(entrance(), null),
	...perText((field) => z._default(text(field), "")),
	visibility: z._default(visibility(), "public"),
	locality: locality(),
}));

export const newAddressSchema = sent("NewAddress", () => newAddressShape());

/** An item of a batch that mints. */
export const batchItemSchema = sent("NewBatchAddress", () => ({ external_id: externalId(), ...newAddressShape() }));

export const addressChangeSchema = named("AddressChange", () =>
	z
		.strictObject({
			...perText((field) => z.optional(text(field))),
			visibility: z.optional(visibility()),
			lat: z.optional(latitude().schema),
			lng: z.optional(longitude().schema),
			entrance: z.optional(entrance()),
			locality: locality(),
		})
		.with(
			z.superRefine(({ lat, lng, ...others }, { addIssue }) => {
				const missing = (path: string, message: string) => addIssue({ code: "custom", path: [path], message });
				if (lat === undefined && lng !== undefined) missing("lat", "Send lat and lng together.");
				if (lng === undefined && lat !== undefined) missing("lng", "Send lat and lng together.");
				if ([lat, lng, ...Object.values(others)].every((value) => value === undefined))
					missing(TEXT_FIELDS[0] ?? "", `Send ${FURTHER_FIELDS.join(", ")}, or lat and lng.`);
			}),
		),
);

const retirement = sent("Retirement", () => ({
	successor: described(
		z.optional(codeInBody()),
		"The code of another address of yours, to go to instead. Whoever looks up the retired code is told of it.",
	),
}));
export const retirementSchema = lazy(() => z.optional(retirement()));

/** The successor beside the body, because proxies drop the body of a DELETE (RFC 9110 section 9.3.5). */
export const retirementQuerySchema = lazy(() =>
	z.strictObject({
		successor: described(
			z.optional(codeInBody()),
			"The same as `successor` in the body, for proxies that drop the body of a DELETE. If both are sent, they must be the same code.",
		),
	}),
);

/** Idempotency-Key: printable ASCII, as a header carries it (draft-ietf-httpapi-idempotency-key-header). */
export const idempotencyHeaderSchema = lazy(() =>
	z.object({
		"idempotency-key": described(
			z.optional(
				z.string().with(z.regex(/^[\x21-\x7e]{1,255}$/, "Send 1 to 255 printable ASCII characters without spaces.")),
			),
			"A repeated request with the same key and body gets the first answer again and creates no second address. If you have retired that address since, the answer is 410.",
			"order-2481",
			{ maxLength: 255 },
		),
	}),
);

/** The token of a share link, on an endpoint that anyone may call. Any text is accepted, because a wrong token is ignored. */
const shareParameter = lazy(() =>
	described(
		z.optional(z.string()),
		"The token of a link to a private address. A wrong or expired one is ignored.",
		"t1m2ko.0.0..5f2b6c0a9d3e4f718293a4b5c6d7e8f9",
		{ maxLength: SHARE_CHARACTERS_MAX },
	),
);

export const sharedQuerySchema = lazy(() => z.strictObject({ share: shareParameter() }));

const newShare = sent("NewShare", () => ({
	days: described(
		z.optional(z.int().with(z.gte(1), z.lte(SHARE_DAYS_MAX))),
		`How long the link works, in days; ${SHARE_DAYS} unless you say otherwise.`,
		7,
	),
}));
export const newShareSchema = lazy(() => z.optional(newShare()));

export const shareSchema = answered("Share", () => ({
	url: described(
		z.url(),
		"The page of the address for whoever has the link.",
		"https://addr.example/a/NG137748215?share=t1m2ko.0.0..5f2b6c0a9d3e4f718293a4b5c6d7e8f9",
		{ maxLength: 400 },
	),
	expires_at: timeSchema(),
}));

export const resolveQuerySchema = lazy(() =>
	z.strictObject({
		format: described(
			z.optional(z.enum(["json", "geojson"])),
			"Takes precedence over the Accept header. `geojson` returns the Feature of the `.geojson` endpoint, which typed clients call instead.",
		),
		share: shareParameter(),
	}),
);

export const listQuerySchema = lazy(() =>
	z.strictObject({
		external_id: described(z.optional(externalId()), "Lists only your address with this external id.", "meter-0042"),
		limit: pageSize(PAGE_SIZE_MAX, PAGE_SIZE, "The number of addresses on a page."),
		cursor: described(
			z.optional(
				z
					.string()
					.with(
						z.maxLength(CURSOR_CHARACTERS_MAX),
						z.regex(/^[A-Za-z0-9+/]+$/, "Send the next_cursor of the previous page unchanged."),
					),
			),
			"The next_cursor of the previous page.",
			"MTc2MzcxMzgwMDAwMC5ORzA0MjE1ODIxMg",
		),
	}),
);

/** The schema of one kind of event in the history of an address. */
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

const degreesBefore = lazy(() => described(z.number(), "Degrees, WGS 84.", 6.5244));

/** The schema of the event that a text was changed, such as LabelChanged. */
function textChanged(field: TextField) {
	const { charactersMax: maxLength, example } = TEXTS[field];
	const id = `${field.slice(0, 1).toUpperCase()}${field.slice(1)}Changed`;
	const before = described(z.string(), `The ${field} before the change.`, example, { maxLength });
	return historyEvent(id, field, `The ${field} changed.`, previously(field, before));
}

export const historyEventSchema = named(
	{ id: "HistoryEvent", description: "What happened, told apart by `change`." },
	() =>
		z.discriminatedUnion("change", [
			historyEvent("AddressCreated", "created", "The address was created.", {}),
			...TEXT_FIELDS.map(textChanged),
			historyEvent("PointMoved", "point", "The pin was moved.", {
				previous_lat: degreesBefore(),
				previous_lng: degreesBefore(),
			}),
			historyEvent("EntranceChanged", "entrance", "The entrance was changed.", { previous_entrance: entrance() }),
			historyEvent("AddressAttested", "attested", "An agent attested the address.", {
				level: described(z.int().with(z.gte(1), z.lte(3)), "The attested level.", 2),
			}),
			historyEvent("LinkMade", "shared", "A link to the address was made.", { expires_at: timeSchema() }),
			historyEvent("AddressRead", "read", "An agent read the private address in order to visit it.", {}),
			historyEvent("AddressRetired", "retired", "The address was retired.", {
				successor: described(z.nullable(canonical()), "The code to use instead, or null if you named none."),
			}),
		]),
);

/** The most events in the answered history of an address: the latest. */
export const HISTORY_EVENTS_MAX = 1000;

export const historySchema = answered("AddressHistory", () => ({
	data: arrayOf(historyEventSchema(), HISTORY_EVENTS_MAX, "The latest events, oldest first."),
}));

export const batchSchema = sent("Batch", () => ({
	codes: described(
		z.array(askedCode()).with(z.minLength(1), z.maxLength(BATCH_CODES_MAX)),
		"The codes, in any spelling.",
		["NG-1377-48215", "NG 1377 48216"],
	),
	updated_since: described(
		z.optional(z.iso.datetime({ offset: true, error: "Send a time in ISO 8601, such as 2026-11-25T08:30:00Z." })),
		"When you last asked for these codes. What has not changed since is only called `unchanged`; a private, hidden or retired address never is.",
		"2026-11-25T08:30:00.000Z",
		{ maxLength: 40 },
	),
}));

export const publicAddressSchema = answered("PublicAddress", () => ({
	canonical: canonical(),
	display: described(
		z.string().with(z.regex(/^[A-Z]{2}-\d{4}-\d{5}$/)),
		"The code as people read and write it.",
		"NG-1377-48215",
		{ maxLength: 13 },
	),
	...zonePlaceShape(),
	locality: described(
		z.string(),
		"The settlement that a person at the point would name, or the one nearby that the owner chose. It is empty where none is within 20 km.",
		"Somolu",
		{ maxLength: LOCALITY_CHARACTERS_MAX },
	),
	lat: described(z.number(), "The latitude in degrees, WGS 84, exactly as sent.", 6.5244),
	lng: described(z.number(), "The longitude in degrees, WGS 84, exactly as sent.", 3.3792),
	plus_code: described(
		z.string().with(z.regex(/^[2-9C-X]{8}\+[2-9C-X]{3}$/)),
		"The Open Location Code (Plus Code) of 11 digits, a cell of about 3 metres.",
		"6FR5G9FH+QM8",
		{ maxLength: 12 },
	),
	entrance: entrance(),
	...perText((field) => {
		const { charactersMax: maxLength, example } = TEXTS[field];
		return z.string().with(z.meta({ maxLength, examples: [example] }));
	}),
	verification_level: described(
		z.int().with(z.gte(0), z.lte(3)),
		"0 until an agent has attested the address, and after a text, its point or its entrance has changed.",
		0,
	),
	verified_at: described(
		z.nullable(timeSchema()),
		"When an agent last attested the level; null until one has. If the level is 0 and this is a time, the address has changed since that visit.",
	),
	visibility: visibility(),
	created_at: timeSchema(),
	updated_at: described(timeSchema(), "When readers could last see a change."),
	test: described(z.optional(z.literal(true)), "Only on sandbox addresses, whose codes begin with ZZ.", true),
}));

export const featureSchema = answered({ id: "AddressFeature", description: "A GeoJSON Feature (RFC 7946)." }, () => ({
	type: z.literal("Feature"),
	id: canonical(),
	geometry: z.object({
		type: z.literal("Point"),
		coordinates: described(
			z.tuple([z.number(), z.number()]),
			"Longitude and latitude, in this order.",
			[3.3792, 6.5244],
			{ minItems: 2, maxItems: 2 },
		),
	}),
	properties: z.omit(publicAddressSchema(), { lat: true, lng: true }),
}));

export const addressSchema = named("Address", () =>
	z.extend(publicAddressSchema(), {
		qr_url: described(
			z.url(),
			"The page of the address, which the QR code leads to.",
			"https://addr.example/a/NG137748215",
			{ maxLength: 300 },
		),
		qr_svg_url: described(z.url(), "The printable QR image.", "https://addr.example/v1/addresses/NG137748215/qr.svg", {
			maxLength: 300,
		}),
		owned: described(z.boolean(), "Whether the caller owns the address.", true),
		external_id: described(
			z.optional(z.nullable(externalId())),
			"What you call it in your own records, if you own it. It is null if you gave it none.",
			"meter-0042",
		),
	}),
);

export const addressListSchema = answered("AddressList", () => ({
	data: arrayOf(addressSchema(), PAGE_SIZE_MAX),
	next_cursor: described(
		z.nullable(z.string().with(z.maxLength(CURSOR_CHARACTERS_MAX))),
		"Send it as `cursor` to get the next page. It is null on the last page.",
		null,
	),
}));

const foundCode = answered("FoundCode", () => ({
	code: askedCode(),
	status: z.literal("found"),
	address: publicAddressSchema(),
}));
const failedCode = answered("FailedCode", () => ({
	code: askedCode(),
	status: z.literal("failed"),
	problem: problemSchema(),
}));
const unchangedCode = answered("UnchangedCode", () => ({ code: askedCode(), status: z.literal("unchanged") }));
const batchItem = named({ id: "BatchItem", description: "An address or a problem, told apart by `status`." }, () =>
	z.discriminatedUnion("status", [foundCode(), unchangedCode(), failedCode()]),
);

export const batchAnswerSchema = answered("BatchAnswer", () => ({
	data: arrayOf(
		batchItem(),
		BATCH_CODES_MAX,
		"One item per code, in the order asked. `code` is the code as it was sent.",
	),
}));
