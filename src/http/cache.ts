import { log } from "../logs/log.ts";

/** Uses the Cache API. If the cache fails, the request is answered without it. */
export async function withCache<Result>(work: (cache: Cache) => Promise<Result>): Promise<Result | undefined> {
	try {
		return await work(caches.default);
	} catch (error) {
		log("warn", "edge_cache_unavailable", { message: error instanceof Error ? error.message : "" });
		return undefined;
	}
}
