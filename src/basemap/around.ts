/** The street sketch of a point for a page. It is stored in the location's cache, and a slow one is given up. */

import { withCache } from "../http/cache.ts";
import { mayDraw } from "../limits/rate-limits.ts";
import { log } from "../logs/log.ts";
import type { Point } from "../points/point.ts";
import type { Registry } from "../registry.ts";
import { beforeDeadline } from "../time/deadline.ts";
import { waitMilliseconds } from "../time/wait-times.ts";
import { openBasemap } from "./archive.ts";
import { type StreetSketch, sketchStreets } from "./sketch.ts";

/** How long a sketch is cached, in seconds: seven days. A new archive has another ETag, and so other entries. */
const CACHED_SECONDS = 7 * 24 * 60 * 60;

/** Decimal places of degrees in the name of a cache entry: about a metre. The name gives a place, and not an address. */
const DECIMALS = 5;

/** The result of asking for a sketch. If it is missing because of a passing fault or limit, caches must not store the page. */
interface SketchAsked {
	sketch: StreetSketch | undefined;
	isPartial: boolean;
}

async function cachedSketch(registry: Registry, point: Point, account?: string): Promise<SketchAsked> {
	const basemap = await openBasemap(registry.bindings.ZONES);
	if (!basemap) return { sketch: undefined, isPartial: false };
	const [lat, lng] = [point.lat.toFixed(DECIMALS), point.lng.toFixed(DECIMALS)];
	const url = `${registry.webUrl}/.edge/streets/${basemap.etag}/${lat},${lng}`;
	const cached = await withCache((cache) => cache.match(url));
	if (cached) return { sketch: await cached.json<StreetSketch>(), isPartial: false };
	if (!mayDraw(registry, account)) return { sketch: undefined, isPartial: true };
	const sketch = await sketchStreets(basemap, { lat: Number(lat), lng: Number(lng) });
	if (sketch) {
		const headers = { "Cache-Control": `public, max-age=${CACHED_SECONDS}`, "Content-Type": "application/json" };
		registry.afterAnswer(withCache((cache) => cache.put(url, new Response(JSON.stringify(sketch), { headers }))));
	}
	return { sketch, isPartial: false };
}

/**
 * The streets around a point, for a page. It never throws: a page goes without streets if the archive is missing, broken, replaced or
 * slow, or once a limit is reached.
 * @param account The signed-in account against whose limit a drawing counts.
 */
export async function streetsAround(registry: Registry, point: Point, account?: string): Promise<SketchAsked> {
	try {
		const asked = cachedSketch(registry, point, account);
		return await beforeDeadline(asked, waitMilliseconds.sketch, "the base map took too long");
	} catch (error) {
		log("warn", "basemap_unavailable", { request_id: registry.requestId, message: String(error) });
		return { sketch: undefined, isPartial: true };
	}
}

/** Whether the operator has a base map, so that streets can be shown. It never throws. */
export async function hasBasemap(registry: Registry): Promise<boolean> {
	const basemap = await openBasemap(registry.bindings.ZONES).catch(() => undefined);
	return basemap !== undefined;
}
