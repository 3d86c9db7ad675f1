/**
 * Purges Workers Cache by tag, with few calls: the platform takes 5 a minute from an account, 25 at once, and 100 tags in each
 * (developers.cloudflare.com/cache/how-to/purge-cache). What the platform refuses to purge expires by itself within a minute.
 */
import { log } from "../logs/log.ts";

/** Tags in one call. */
const TAGS_MAX = 100;

/** How long tags are collected before they are purged together, in milliseconds. */
const COLLECT_MILLISECONDS = 1_000;

/** Tags of this isolate that wait for the next call. */
const waiting = new Set<string>();

/**
 * Until when a request collects tags, in milliseconds since the epoch. A time and not a promise, because that request may end before its
 * promise is fulfilled.
 */
let collectedUntil = 0;

async function purge(cache: CacheContext, tags: string[]): Promise<void> {
	try {
		const { success, errors } = await cache.purge({ tags });
		if (!success) log("warn", "purge_refused", { tags: tags.length, causes: errors.map(({ message }) => message) });
	} catch (error) {
		log("warn", "purge_refused", { tags: tags.length, causes: [String(error)] });
	}
}

/** Purges what Workers Cache holds under the tags, together with tags that other requests of this isolate add meanwhile. Never throws. */
export async function purgeTogether(cache: CacheContext, tags: string[]): Promise<void> {
	for (const tag of tags) waiting.add(tag);
	if (Date.now() < collectedUntil) return;
	collectedUntil = Date.now() + COLLECT_MILLISECONDS;
	await scheduler.wait(COLLECT_MILLISECONDS);
	collectedUntil = 0;
	const collected = [...waiting];
	waiting.clear();
	for (let from = 0; from < collected.length; from += TAGS_MAX) {
		await purge(cache, collected.slice(from, from + TAGS_MAX));
	}
}
