import { createZoneLocator, type ZoneLocator } from "./locate.ts";
import { r2Source } from "./r2-source.ts";

const locators = new WeakMap<R2Bucket, ZoneLocator>();

/** The locator of a bucket's zone index. One per bucket and isolate, so that what it has read serves later requests too. */
export function openZoneLocator(bucket: R2Bucket): ZoneLocator {
	let locator = locators.get(bucket);
	if (!locator) {
		locator = createZoneLocator(r2Source(bucket));
		locators.set(bucket, locator);
	}
	return locator;
}
