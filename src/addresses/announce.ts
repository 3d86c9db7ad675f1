import type { Registry } from "../registry.ts";
import { purgeAddress } from "./address-cache.ts";
import { keepInJournal } from "./journal.ts";

/**
 * What follows every change of an address, whoever made it: drops what caches hold of it, and keeps its newest version in the journal.
 * @param instead What caches may hold until the second purge in the place of the record.
 */
export async function announceChange(registry: Registry, canonical: string, instead?: Response): Promise<void> {
	await purgeAddress(registry, canonical, instead);
	keepInJournal(registry, [canonical]);
}
