/** What is proved of a zone index before a registry serves it. */
import { readDirectory, ZoneIndexError } from "../src/zones/format.ts";
import { readEdition } from "../zones/edition.ts";
import { checkPublication } from "../zones/publish-check.ts";
import type { Query } from "../zones/registry.ts";

/**
 * Proves that a zone index may be published.
 * @param next The index about to be published.
 * @param published The one that the registry serves now; undefined in a new registry.
 * @param query Asks the registry's database.
 * @throws ZoneIndexError when an index is damaged, and EditionError when `next` gives other ground to a number in use.
 */
export async function proveIndex(next: Uint8Array, published: Uint8Array | undefined, query: Query): Promise<void> {
	const { fileBytes } = (await readEdition(next)).directory;
	if (next.length !== fileBytes) {
		throw new ZoneIndexError("truncated", `${next.length} bytes, and its header says ${fileBytes}`);
	}
	if (published && !(await isOfNoUse(published, query))) await checkPublication(next, published, query);
}

/** Whether an index is of an older format, whose numbers nobody has used yet. */
async function isOfNoUse(published: Uint8Array, query: Query): Promise<boolean> {
	try {
		readDirectory(new Uint8Array(published));
		return false;
	} catch (error) {
		if (!(error instanceof ZoneIndexError) || error.reason !== "unsupported_version") throw error;
		const [first] = await query("select canonical from addresses limit 1");
		if (first) throw error;
		return true;
	}
}
