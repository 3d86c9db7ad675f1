/** Proves that a registry may serve a zone index. */

import { readEdition } from "../../zones/edition.ts";
import { checkPublication } from "../../zones/publish-check.ts";
import type { Query } from "../../zones/registry.ts";
import { editionName, readDirectory, ZoneIndexError } from "../zones/format.ts";

/**
 * Proves that a zone index may be served.
 * @param next The index about to be put into the bucket.
 * @param published The index that the bucket holds now; undefined if it holds none.
 * @param query Queries the registry's database.
 * @param isChosen Whether the operator has named the index. Only then may it replace another.
 * @throws ZoneIndexError if `next` is damaged, EditionError if it gives other ground to a number in use, Error if it would replace another
 * index and nobody has asked for that.
 */
export async function proveIndex(
	next: Uint8Array,
	published: Uint8Array | undefined,
	query: Query,
	isChosen: boolean,
): Promise<void> {
	const { directory } = await readEdition(next);
	const { fileBytes } = directory;
	if (next.length !== fileBytes) {
		throw new ZoneIndexError("truncated", `${next.length} bytes, and its header says ${fileBytes}`);
	}
	const name = editionName(directory);
	if (!published) return proveForLostIndex(name, query);
	let served: string;
	try {
		served = editionName((await readEdition(published)).directory);
	} catch (error) {
		if (!(error instanceof ZoneIndexError)) throw error;
		if (error.reason !== "unsupported_version") return proveForLostIndex(name, query);
		const [address] = await query("select canonical from addresses limit 1");
		// An index of an older format may be replaced while nobody has used its numbers.
		if (!address) return;
		throw error;
	}
	if (!isChosen) {
		throw new Error(
			`${name} would replace the zone index ${served}, which the registry serves, and you did not ask for that.`,
		);
	}
	await checkPublication(next, published, query);
}

/**
 * Proves that a registry whose bucket is empty, or holds a damaged index, has created addresses under this index or none at all. Without
 * the old index, the ground of its numbers cannot be compared.
 * @throws Error if its addresses were created under another index.
 */
async function proveForLostIndex(name: string, query: Query): Promise<void> {
	const [latest] = await query(
		`select edition, count(*) as addresses from addresses where edition is not null
		group by edition order by max(created_at) desc limit 1`,
	);
	if (!latest || latest.edition === name) return;
	throw new Error(
		`The bucket holds no valid index, and ${latest.addresses} addresses were created under the zone index ${latest.edition}, not under ${name}. Name the file of that index with --zones: every backup holds it as world.zones.`,
	);
}

/** How many live addresses have names from another edition of the index. The hourly job renews them (src/addresses/renewal.ts). */
export async function namedByOlder(next: Uint8Array, query: Query): Promise<number> {
	const name = editionName(readDirectory(new Uint8Array(next)));
	const [row] = await query(
		`select count(*) as addresses from addresses where edition <> '${name}' and retired_at is null and canonical < 'ZZ'`,
	);
	return Number(row?.addresses ?? 0);
}
