import * as z from "zod/mini";
import { answered, arrayOf, described } from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";
import { LOCALITIES_MAX, LOCALITY_CHARACTERS_MAX } from "../zones/locality.ts";
import { DIRECTIONS } from "../zones/naming.ts";

/** A number as JSON spells it (RFC 8259 section 6): a query holds text, and `Number` would take "" for 0. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** The schemas of a latitude or a longitude, in degrees from -bound to bound: one for JSON, one for text in a query. */
function degrees(bound: number, example: number) {
	const message = `Send a number of degrees from -${bound} to ${bound}.`;
	const about = { description: "Degrees, WGS 84.", examples: [example] };
	const number = z.number(message).with(z.gte(-bound, message), z.lte(bound, message));
	return {
		schema: number.with(z.meta(about)),
		textSchema: z
			.pipe(z.pipe(z.string(message).with(z.regex(JSON_NUMBER, message)), z.transform(Number)), number)
			.with(z.meta(about)),
	};
}

export const latitude = lazy(() => degrees(90, 6.5244));
export const longitude = lazy(() => degrees(180, 3.3792));

export const zoneQuerySchema = lazy(() => z.strictObject({ lat: latitude().textSchema, lng: longitude().textSchema }));

/** The fields that say in which country and zone a place is. Zones and addresses share them. */
export const zonePlaceShape = lazy(() => ({
	country: described(
		z.string().with(z.regex(/^[A-Z]{2}$/)),
		"The country in ISO 3166-1 alpha-2, or XK for Kosovo.",
		"NG",
		{ maxLength: 2 },
	),
	country_name: z.string().with(z.meta({ maxLength: 100, examples: ["Nigeria"] })),
	zone: described(z.string().with(z.regex(/^\d{4}$/)), "The number of the zone, four digits.", "1377", {
		maxLength: 4,
	}),
	zone_name: described(
		z.string(),
		"The settlement that the zone is named after, and where the zone lies from it, such as `Ikorodu north-east` or `Wukari 24 km north-east`. Far from any settlement it is the region. It may be empty.",
		"Somolu 2 km south",
		{ maxLength: 120 },
	),
	region: described(
		z.string(),
		"The first-level division of the country at the point, such as a state or a province. It is empty where none is known.",
		"Lagos",
		{ maxLength: 100 },
	),
}));

export const zoneSchema = answered("Zone", () => ({
	...zonePlaceShape(),
	localities: arrayOf(
		z.object({
			name: described(z.string(), "Its name, as the field `locality` takes it.", "Somolu", {
				maxLength: LOCALITY_CHARACTERS_MAX,
			}),
			distance_m: described(z.int().with(z.gte(0)), "Metres from the point to its middle.", 900),
		}),
		LOCALITIES_MAX,
		"The places that people may name for the point. An address takes the first one unless its owner chooses another. It is empty where no place is within 20 km.",
	),
	nearest: z
		.nullable(
			z.object({
				name: described(z.string(), "Its name. A quarter has the city's name behind it.", "Somolu", { maxLength: 120 }),
				distance_m: described(z.int().with(z.gte(0)), "Metres from its middle to the point.", 900),
				direction: described(
					z.enum(DIRECTIONS.map(({ name }) => name)),
					"The direction in which the point lies from it.",
					"south",
				),
			}),
		)
		.with(
			z.meta({
				description:
					"The place that says where the point is, as in 900 m south of Somolu: the nearest one in the country, or a town where that is a hamlet more than 10 km away. It is null where no place is within 100 km.",
			}),
		),
	bounds: described(
		z.object({
			south: z.number().with(z.meta({ examples: [6.5148926] })),
			west: z.number().with(z.meta({ examples: [3.3618165] })),
			north: z.number().with(z.meta({ examples: [6.525879] })),
			east: z.number().with(z.meta({ examples: [3.3837891] })),
		}),
		"The box around the zone, in degrees, WGS 84. The border of the country may cut through it.",
	),
}));
