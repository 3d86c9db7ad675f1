/** The zone index in the bucket of a registry, and the one that its newest addresses need. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { renewalKey } from "../addresses/renewal.ts";
import { editionName, readDirectory } from "../zones/format.ts";
import { ZONE_INDEX_KEY } from "../zones/r2-source.ts";
import type { Manifest } from "./backup.ts";
import { databasesOf, type RegistryStorage } from "./databases.ts";

interface ServedIndex {
	bytes: Buffer;
	/** Its edition, such as `2-387a6ea5`; null if it cannot be read. */
	name: string | null;
}

/** Reads the zone index in a bucket; undefined if there is none. */
export async function servedIndex(bucket: R2Bucket): Promise<ServedIndex | undefined> {
	const object = await bucket.get(ZONE_INDEX_KEY);
	if (!object) return undefined;
	const bytes = Buffer.from(await object.arrayBuffer());
	try {
		return { bytes, name: editionName(readDirectory(new Uint8Array(bytes))) };
	} catch {
		return { bytes, name: null };
	}
}

/** The edition of the zone index under which the newest address of a registry was created; null if none is recorded. */
export async function newestEdition(registry: RegistryStorage): Promise<string | null> {
	const newest = await Promise.all(
		databasesOf(registry).map(({ database }) =>
			database
				.prepare(
					"select edition, created_at as at from addresses where edition glob '[0-9]*-????????' order by created_at desc limit 1",
				)
				.first<{ edition: string; at: number }>(),
		),
	);
	return newest.reduce((one, other) => ((other?.at ?? 0) > (one?.at ?? 0) ? other : one))?.edition ?? null;
}

/**
 * Puts the zone index of a backup into the bucket, if the addresses in the database were minted under it. If the bucket holds another one,
 * that is set aside. The hourly job then compares all addresses with the index again, because names in a backup may be older.
 * @returns A sentence on what was done that the operator should know.
 */
export async function putIndexBack(
	registry: RegistryStorage,
	folder: string,
	zoneIndex: Manifest["zoneIndex"],
): Promise<string | undefined> {
	const { bucket } = registry;
	await bucket.delete(databasesOf(registry).map(({ name }) => renewalKey(name)));
	const needed = (await newestEdition(registry)) ?? zoneIndex?.name;
	const served = await servedIndex(bucket);
	if (!needed || served?.name === needed) return undefined;
	if (zoneIndex?.name !== needed) {
		return `The newest addresses were created under the zone index ${needed}, which neither the bucket nor the backup contains. Name its file: npm run deploy -- --zones FILE`;
	}
	const aside = `set-aside/${served?.name ?? "unreadable"}.zones`;
	if (served) await bucket.put(aside, served.bytes);
	await bucket.put(ZONE_INDEX_KEY, readFileSync(path.join(folder, ZONE_INDEX_KEY)));
	return served
		? `The bucket held another zone index, ${served.name ?? "which cannot be read"}. It was renamed to ${aside}, and ${needed} of the backup is served.`
		: `The zone index ${needed} of the backup is in the bucket again.`;
}
