import type { Bindings } from "../env.ts";
import { log } from "../logs/log.ts";
import { waitMilliseconds } from "../time/wait-times.ts";
import { assetSource } from "./asset-source.ts";
import { ZoneIndexError, type ZoneIndexFailure } from "./format.ts";
import { type ZoneLocator, zoneLocator } from "./locate.ts";
import { type AskIndex, openIndex } from "./open-index.ts";
import { r2Source } from "./r2-source.ts";

/**
 * The failures that the copy of the index makes up for: the bucket has no index, or a broken one. A store that does not answer is asked
 * again instead.
 */
const HELPED_BY_A_COPY: readonly ZoneIndexFailure[] = [
	"missing",
	"not_a_zone_index",
	"unsupported_version",
	"truncated",
	"corrupt",
];

/** Asks `copy` what `index` cannot answer because it is missing or broken, and logs why. */
export function withCopy(index: AskIndex, copy: AskIndex): AskIndex {
	return async (question) => {
		try {
			return await index(question);
		} catch (error) {
			if (!(error instanceof ZoneIndexError && HELPED_BY_A_COPY.includes(error.reason))) throw error;
			log("error", "zone_index_copy_used", { reason: error.reason, message: error.message });
			return copy(question);
		}
	};
}

const locators = new WeakMap<R2Bucket, ZoneLocator>();

/**
 * The locator over a registry's zone index: the one in its bucket or, if that is missing or broken, the copy in the deployment. There is
 * one per bucket and isolate, so that what it has read serves later requests too.
 */
export function openZoneLocator(env: Bindings): ZoneLocator {
	const { ZONES, ASSETS } = env;
	let locator = locators.get(ZONES);
	if (!locator) {
		const index = openIndex(r2Source(ZONES, waitMilliseconds.bucketRead));
		locator = zoneLocator(withCopy(index, openIndex(assetSource(ASSETS))));
		locators.set(ZONES, locator);
	}
	return locator;
}
