/** The zone index in an R2 bucket, behind the read function the locator asks for. */
import { ZoneIndexError } from "./format.ts";
import type { ReadRange } from "./locate.ts";

/** Key of the index object in its bucket. */
export const ZONE_INDEX_KEY = "world.zones";

async function readObject(bucket: R2Bucket, key: string, offset: number, length: number) {
	try {
		const object = await bucket.get(key, { range: { offset, length } });
		return object && { bytes: new Uint8Array(await object.arrayBuffer()), etag: object.etag };
	} catch (cause) {
		// R2 fails a range that begins beyond the object's end with this code.
		if (String(cause).includes("(10039)"))
			throw new ZoneIndexError("truncated", `${key} ends before ${offset}`, { cause });
		throw new ZoneIndexError("unreadable", `R2 did not give ${length} bytes from ${offset} of ${key}`, { cause });
	}
}

export function r2Source(bucket: R2Bucket, key = ZONE_INDEX_KEY): ReadRange {
	return async (offset, length) => {
		const read = await readObject(bucket, key, offset, length);
		if (read === null) throw new ZoneIndexError("missing", `no object ${key} in the bucket`);
		return read;
	};
}
