/** Reserves the zone numbers that full zones have opened, after a restore that does not know all of them. */

import { createZoneLocator, type ZoneLocator } from "../zones/locate.ts";
import { r2Source } from "../zones/r2-source.ts";
import type { ShowProgress } from "./backup.ts";
import { databasesOf, holderOf, type OneDatabase, type RegistryStorage } from "./databases.ts";
import { newestEdition, servedIndex } from "./served-index.ts";

/** How long R2 may take for a read of the index. */
const READ_MILLISECONDS = 30_000;

/** The prefixes among some, such as `NG0421`, whose number no edition has published. */
async function openedAmong(locator: ZoneLocator, prefixes: Iterable<string>): Promise<string[]> {
	const opened: string[] = [];
	for (const [country, all] of Map.groupBy(prefixes, (prefix) => prefix.slice(0, 2))) {
		const numbers = await locator.numbersOf(country);
		// A country that the index does not know opens no numbers.
		if (!numbers) continue;
		const known = new Set([...numbers.published, ...numbers.retired]);
		opened.push(...all.filter((prefix) => !known.has(Number(prefix.slice(2)))));
	}
	return opened;
}

/** A number that no zone is known to have opened, with a point in the zone that opened it, in degrees. */
interface Orphan {
	country: string;
	zone: number;
	lat: number | null;
	lng: number | null;
}

/** The database that holds a country's additional numbers: that of its number 0000, as in the Worker. */
function homeOf(databases: OneDatabase[], country: string): OneDatabase {
	return holderOf(databases, `${country}000000000`);
}

/** The published number of the zone at an orphan's point, or the orphan's own number if that is unknown. */
async function areaOf(locator: ZoneLocator, { country, zone, lat, lng }: Orphan): Promise<number> {
	if (lat === null || lng === null) return zone;
	const found = await locator.locate(lat, lng).catch(() => undefined);
	return found?.country === country ? found.zone : zone;
}

/**
 * Reserves zone numbers that were opened since and are known by their codes alone, so that no other zone gets one. The point of an address
 * with the number tells which zone opened it; a number with burnt codes alone stands for itself.
 * @param codes Those that came back from the journal, or that were burnt.
 * @returns Why numbers could not be reserved, if they could not. Under another index than that of the newest addresses, an unpublished
 * number may be one of a newer edition, for which it must stay free.
 */
export async function reserveOverflowNumbers(
	registry: RegistryStorage,
	codes: Iterable<string>,
	report: ShowProgress,
): Promise<string | undefined> {
	const prefixes = new Set(Array.from(codes, (code) => code.slice(0, 6)));
	if (prefixes.size === 0) return undefined;
	const { bucket } = registry;
	const served = (await servedIndex(bucket))?.name;
	const needed = await newestEdition(registry);
	if (!served || (needed && needed !== served)) {
		return `Which zones have opened additional numbers since is not known: the bucket serves ${served ? `the zone index ${served}` : "no zone index that can be read"}, and the newest addresses were created under ${needed ?? "another one"}. Put that index into the bucket, and run the same restore again before anybody creates addresses.`;
	}
	const locator = createZoneLocator(r2Source(bucket, READ_MILLISECONDS));
	const databases = databasesOf(registry);
	let reserved = 0;
	const opened = await openedAmong(locator, prefixes);
	for (const [{ database }, own] of Map.groupBy(opened, (prefix) => holderOf(databases, `${prefix}00000`))) {
		const { results } = await database
			.prepare(
				`select substr(value, 1, 2) as country, cast(substr(value, 3) as integer) as zone,
					(select lat from addresses where canonical between value and value || ':' limit 1) as lat,
					(select lng from addresses where canonical between value and value || ':' limit 1) as lng
				from json_each(?) order by value`,
			)
			.bind(JSON.stringify(own))
			.all<Orphan>();
		for (const orphan of results) {
			const { country, zone } = orphan;
			const home = homeOf(databases, country).database;
			const isKnown = home.prepare("select 1 from overflow_zones where country = ? and zone = ?").bind(country, zone);
			if (await isKnown.first()) continue;
			const area = await areaOf(locator, orphan);
			await home
				.prepare(
					`insert into overflow_zones (country, zone, area, ordinal, created_at)
					select ?1, ?2, ?3, iif(?2 = ?3, 0, 1 + coalesce((select max(ordinal) from overflow_zones where country = ?1 and area = ?3), 0)), 0
					where true on conflict do nothing`,
				)
				.bind(country, zone, area)
				.run();
			reserved += 1;
		}
	}
	if (reserved > 0) report(`overflow_zones: ${reserved} numbers opened since are reserved`);
	return undefined;
}
