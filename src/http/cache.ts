import { log } from "../log.ts";

/** Works with the Cache API. A cache that fails costs a look-up and never an answer. */
export async function withCache<Result>(work: (cache: Cache) => Promise<Result>): Promise<Result | undefined> {
	try {
		return await work(caches.default);
	} catch (error) {
		log("warn", "edge_cache_unavailable", { message: error instanceof Error ? error.message : "" });
		return undefined;
	}
}
