import { type Bindings, readConfig } from "../env.ts";
import { log } from "../logs/log.ts";
import { assetSource } from "./asset-source.ts";
import { ZoneIndexError, type ZoneIndexFailure } from "./format.ts";
import { createZoneLocator, type ZoneLocator } from "./locate.ts";
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

/** A locator that asks `copy` what `index` cannot answer because it is missing or broken, and logs why. */
export function withCopy(index: ZoneLocator, copy: ZoneLocator): ZoneLocator {
	async function ask<Answer>(question: (locator: ZoneLocator) => Promise<Answer>): Promise<Answer> {
		try {
			return await question(index);
		} catch (error) {
			if (!(error instanceof ZoneIndexError && HELPED_BY_A_COPY.includes(error.reason))) throw error;
			log("error", "zone_index_copy_used", { reason: error.reason, message: error.message });
			return question(copy);
		}
	}
	return {
		locate: (lat, lng) => ask((locator) => locator.locate(lat, lng)),
		name: (lat, lng) => ask((locator) => locator.name(lat, lng)),
		numbersOf: (country) => ask((locator) => locator.numbersOf(country)),
		edition: () => ask((locator) => locator.edition()),
		zonesOf: (country) => ask((locator) => locator.zonesOf(country)),
		placesNamed: (country, isNamed) => ask((locator) => locator.placesNamed(country, isNamed)),
		around: (bounds) => ask((locator) => locator.around(bounds)),
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
		locator = withCopy(
			createZoneLocator(r2Source(ZONES, readConfig(env).numbers.BUCKET_READ_MILLISECONDS)),
			createZoneLocator(assetSource(ASSETS)),
		);
		locators.set(ZONES, locator);
	}
	return locator;
}
