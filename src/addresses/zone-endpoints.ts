import { json } from "../http/answer.ts";
import { anyone, type Endpoint, endpoint } from "../http/endpoint.ts";
import { namePoint } from "../zones/find.ts";
import { countryName, DIRECTIONS, zoneDigits } from "../zones/naming.ts";
import { zoneQuerySchema, zoneSchema } from "./zone-schemas.ts";

/** The endpoints about zones. */
export const zoneEndpoints: Endpoint[] = [
	endpoint({
		method: "get",
		path: "/v1/public/zones",
		id: "findZone",
		tag: "Resolve",
		summary: "Find the zone of a point",
		description:
			"Returns the zone that holds a coordinate, its region, and the places that people may name for it. No address is created.",
		access: anyone,
		query: zoneQuerySchema,
		// A new index is published without a deployment, so the ages in browsers and shared caches, in seconds, add up to a minute.
		cache: "public, max-age=10, s-maxage=50",
		answer: json(200, zoneSchema, "The zone."),
		errors: ["OUTSIDE_ZONES"],
		handle: async ({ registry, query }) => {
			const { lat, lng } = query;
			const [{ zone: found, region, localities }, nearest] = await Promise.all([
				namePoint(registry.zones, lat, lng),
				registry.zones.landmark(lat, lng),
			]);
			const { country, zone, name, bounds } = found;
			return {
				country,
				country_name: countryName(country),
				zone: zoneDigits(zone),
				zone_name: name,
				region,
				bounds,
				localities: localities.map(({ name, distance }) => ({ name, distance_m: distance })),
				nearest: nearest
					? {
							name: nearest.name,
							distance_m: nearest.distance,
							direction: DIRECTIONS[nearest.direction]!.name,
						}
					: null,
			};
		},
	}),
];
