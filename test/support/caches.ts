/** The cache of addresses in the data centre of the tests. */
import { entryPath } from "../../src/addresses/address-cache.ts";
import { ORIGIN } from "./client.ts";

/** Lets the minute pass in which a cache may still show addresses as they were. */
export async function forgetCached(...codes: string[]): Promise<void> {
	for (const code of codes) await caches.default.delete(ORIGIN + entryPath(code));
}
