import * as z from "zod";

/** Longest label, in Unicode code points. */
const LABEL_CHARACTERS_MAX = 200;

const label = z
	.string()
	.normalize("NFC")
	.refine((text) => Array.from(text).length <= LABEL_CHARACTERS_MAX, `At most ${LABEL_CHARACTERS_MAX} characters.`)
	.refine((text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text), "No control characters or line breaks.")
	.meta({
		description: "What people call the place.",
		maxLength: LABEL_CHARACTERS_MAX,
		examples: ["Blue gate, behind the mosque"],
	});

export const newAddressSchema = z.strictObject({
	lat: z
		.number()
		.min(-90)
		.max(90)
		.meta({ description: "Degrees, WGS 84.", examples: [6.5244] }),
	lng: z
		.number()
		.min(-180)
		.max(180)
		.meta({ description: "Degrees, WGS 84.", examples: [3.3792] }),
	label: label.default(""),
});

/** Longest note of an attestation, in UTF-16 units. */
const NOTE_UNITS_MAX = 1000;

export const newAttestationSchema = z.strictObject({
	level: z
		.int()
		.min(1)
		.max(3)
		.meta({ description: "1: seen from outside; 2: visited; 3: visited and its holder identified." }),
	note: z
		.string()
		.normalize("NFC")
		.max(NOTE_UNITS_MAX)
		.default("")
		.meta({
			description: "What was seen. Kept with the record and never shown in public.",
			examples: ["Met the family at the gate"],
		}),
});

export const attestationSchema = z.object({
	id: z.string().meta({ examples: ["att_7dN3kq0vXW2mZrB8cT5yLa"] }),
	canonical: z.string().meta({ examples: ["NG042158212"] }),
	level: z.int().meta({ description: "What was attested, 1 to 3." }),
	note: z.string(),
	verification_level: z.int().meta({ description: "The level of the address now; an attestation never lowers it." }),
	created_at: z.iso.datetime({ precision: 3 }),
});

/** Idempotency-Key: printable ASCII, as a header carries it (draft-ietf-httpapi-idempotency-key-header). */
export const idempotencyHeaderSchema = z.object({
	"idempotency-key": z
		.string()
		.regex(/^[\x21-\x7e]{1,255}$/, "1 to 255 printable ASCII characters without spaces.")
		.optional()
		.meta({ description: "A retry under the same key and body gets the first answer again." }),
});

export const publicAddressSchema = z.object({
	canonical: z.string().meta({ examples: ["NG042158212"] }),
	display: z.string().meta({ examples: ["NG-0421-58212"] }),
	country: z.string().meta({ description: "ISO 3166-1 alpha-2, or XK.", examples: ["NG"] }),
	country_name: z.string().meta({ examples: ["Nigeria"] }),
	zone: z.string().meta({ description: "Four digits.", examples: ["0421"] }),
	zone_name: z
		.string()
		.meta({ description: "The settlement the zone is named after; may be empty.", examples: ["Ikeja"] }),
	lat: z.number().meta({ description: "Degrees, WGS 84, exactly as posted.", examples: [6.5244] }),
	lng: z.number().meta({ description: "Degrees, WGS 84, exactly as posted.", examples: [3.3792] }),
	plus_code: z
		.string()
		.meta({ description: "Open Location Code of 11 digits, a cell of about 3 m.", examples: ["6FR5G9FH+QM8"] }),
	label: z.string(),
	verification_level: z.int().meta({ description: "0 until somebody has attested the address." }),
	created_at: z.iso.datetime({ precision: 3 }),
});

export const addressSchema = publicAddressSchema.extend({
	qr_url: z.url().meta({ description: "What the QR code holds: the page of the address." }),
	qr_svg_url: z.url().meta({ description: "The printable QR image." }),
	owned: z.boolean().meta({ description: "Whether the caller owns it." }),
});
