import * as z from "zod/mini";
import { lazy } from "../lazy.ts";

/** A number as JSON spells it (RFC 8259 section 6): a query holds text, and `Number` would take "" for 0. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** The schemas of a latitude or a longitude, in degrees from -bound to bound: one for JSON, one for text in a query. */
function degrees(bound: number, example: number) {
	const message = `A number of degrees from -${bound} to ${bound}.`;
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

/** The fields that say in which country and zone a place is. Zones and addresses have them alike. */
export const zonePlaceShape = lazy(() => ({
	country: z
		.string()
		.with(
			z.regex(/^[A-Z]{2}$/),
			z.meta({ description: "The country in ISO 3166-1 alpha-2, or XK for Kosovo.", maxLength: 2, examples: ["NG"] }),
		),
	country_name: z.string().with(z.meta({ maxLength: 100, examples: ["Nigeria"] })),
	zone: z
		.string()
		.with(
			z.regex(/^\d{4}$/),
			z.meta({ description: "The number of the zone, four digits.", maxLength: 4, examples: ["1377"] }),
		),
	zone_name: z.string().with(
		z.meta({
			description:
				"The settlement that the zone is named after, and where the zone lies from it, such as `Ikorodu north-east` or `Wukari 24 km north-east`. Far from any settlement it is the region. It may be empty.",
			maxLength: 120,
			examples: ["Somolu 2 km south"],
		}),
	),
	region: z.string().with(
		z.meta({
			description:
				"The first-level division of the country, such as a state or a province. It is empty where none is known.",
			maxLength: 100,
			examples: ["Lagos"],
		}),
	),
}));

export const zoneSchema = lazy(() =>
	z
		.object({
			...zonePlaceShape(),
			bounds: z
				.object({
					south: z.number().with(z.meta({ examples: [6.5148926] })),
					west: z.number().with(z.meta({ examples: [3.3618165] })),
					north: z.number().with(z.meta({ examples: [6.525879] })),
					east: z.number().with(z.meta({ examples: [3.3837891] })),
				})
				.with(
					z.meta({
						description: "The box around the zone, in degrees, WGS 84. The border of the country may cut through it.",
					}),
				),
		})
		.register(z.globalRegistry, { id: "Zone" }),
);
