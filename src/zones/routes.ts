import { Hono } from "hono";
import type * as z from "zod";
import type { AppEnv } from "../http/app-env.ts";
import { conditional } from "../http/conditional.ts";
import { validate } from "../http/validation.ts";
import { findZone } from "./find.ts";
import { countryName, zoneDigits } from "./naming.ts";
import { openZoneLocator } from "./open.ts";
import { zoneQuerySchema, type zoneSchema } from "./schemas.ts";

/** A new index is published without a deployment, so both ages, in seconds, make a minute together. */
const CACHE_CONTROL = "public, max-age=10, s-maxage=50";

/** Mounted at /v1/public/zones. */
export const zoneRoutes = new Hono<AppEnv>().get("/", conditional, validate("query", zoneQuerySchema), async (c) => {
	const { lat, lng } = c.req.valid("query");
	const zone = await findZone(openZoneLocator(c.env.ZONES), lat, lng);
	const record: z.infer<typeof zoneSchema> = {
		country: zone.country,
		country_name: countryName(zone.country),
		zone: zoneDigits(zone.zone),
		zone_name: zone.name,
		bounds: zone.bounds,
	};
	return c.json(record, 200, { "Cache-Control": CACHE_CONTROL, "Cross-Origin-Resource-Policy": "cross-origin" });
});
