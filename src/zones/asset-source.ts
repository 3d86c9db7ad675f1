/** Reads the zone index from the deployment's static assets, through the read function that the locator expects. */
import { ZoneIndexError } from "./format.ts";
import type { ReadRange } from "./open-index.ts";

/**
 * Returns a function that reads ranges of a zone index among the static assets. These answer no range requests, so each isolate reads the
 * whole index, a few megabytes, once.
 * @throws ZoneIndexError missing or unreadable, from the function it returns.
 */
export function assetSource(assets: Fetcher, path = "/world.zones"): ReadRange {
	let whole: { bytes: Uint8Array; etag: string } | undefined;

	/** @throws ZoneIndexError missing or unreadable. */
	async function readWhole() {
		// A binding ignores the host, but a URL needs one.
		const answer = await assets.fetch(new URL(path, "https://assets.invalid")).catch((cause) => {
			throw new ZoneIndexError("unreadable", `the assets gave no ${path}`, { cause });
		});
		if (!answer.ok) throw new ZoneIndexError("missing", `the assets answer ${answer.status} to ${path}`);
		return { bytes: new Uint8Array(await answer.arrayBuffer()), etag: `asset ${answer.headers.get("ETag")}` };
	}

	return async (offset, length) => {
		// Caches the bytes, not the promise: a promise must not outlive its request.
		whole ??= await readWhole();
		return { bytes: whole.bytes.slice(offset, offset + length), etag: whole.etag };
	};
}
