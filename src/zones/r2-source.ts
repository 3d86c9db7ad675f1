/** Reads the zone index from an R2 bucket, through the read function that the locator expects. */
import { beforeDeadline } from "../time/deadline.ts";
import { ZoneIndexError } from "./format.ts";
import type { ReadRange } from "./open-index.ts";

/** Key of the index object in its bucket. */
export const ZONE_INDEX_KEY = "world.zones";

/** A read that fails is tried once more. */
const ATTEMPTS = 2;

/** A read that takes R2 too long is not tried again, because somebody is waiting. */
const GIVEN_UP = "R2 took too long";

async function readRange(bucket: R2Bucket, key: string, offset: number, length: number) {
	const object = await bucket.get(key, { range: { offset, length } });
	if (!object) throw new ZoneIndexError("missing", `no object ${key} in the bucket`);
	return { bytes: new Uint8Array(await object.arrayBuffer()), etag: object.etag };
}

/**
 * Returns a function that reads ranges of an index object.
 * @param milliseconds How long R2 may take for a read.
 * @throws ZoneIndexError missing, truncated or unreadable, from the function it returns.
 */
export function r2Source(bucket: R2Bucket, milliseconds: number, key = ZONE_INDEX_KEY): ReadRange {
	return async (offset, length) => {
		for (let attempt = 1; ; attempt += 1) {
			try {
				return await beforeDeadline(readRange(bucket, key, offset, length), milliseconds, GIVEN_UP);
			} catch (cause) {
				if (cause instanceof ZoneIndexError) throw cause;
				const isGivenUp = cause instanceof Error && cause.message === GIVEN_UP;
				if (isGivenUp) throw new ZoneIndexError("unreadable", `${GIVEN_UP} for ${key}`, { cause });
				if (attempt < ATTEMPTS) continue;
				// R2 and its local emulation fail differently on a range beyond the end, so the object's size decides.
				const stored = await bucket.head(key).catch(() => null);
				if (stored && stored.size <= offset) {
					throw new ZoneIndexError("truncated", `${key} ends at ${stored.size}, before ${offset}`, { cause });
				}
				throw new ZoneIndexError("unreadable", `R2 did not give ${length} bytes from ${offset} of ${key}`, { cause });
			}
		}
	};
}
