/**
 * Brings addresses up to a new edition of the zone index: the name and region of the zone, the region of the point and, unless the owner
 * has chosen one, the locality. Codes, points and the owner's texts never change. Printed signs stay right.
 */
import { partsOf } from "../codes/code.ts";
import { ACCOUNTS } from "../db/database-of-code.ts";
import type { Database } from "../db/open.ts";
import { inOneTrip } from "../db/statement.ts";
import type { Bindings } from "../env.ts";
import { log } from "../logs/log.ts";
import { isNamedBy } from "../zones/find.ts";
import { editionName } from "../zones/format.ts";
import type { ZoneLocator } from "../zones/locate.ts";
import { openZoneLocator } from "../zones/open-locator.ts";
import { roomInQueue } from "./journal.ts";
import { noteCompared, type OfOlderEdition, ofOlderEditions, type Renewed, renew } from "./renewal-store.ts";

/** The object in the bucket that stores how far the renewal of a database has come. */
export const renewalKey = (database: string) => (database === ACCOUNTS ? "renewal" : `renewal/${database}`);

/** Addresses that are read at once, and noted in one transaction. D1 does one thing at a time, and this takes it some 10 ms. */
const PAGE_ROWS = 2_500;
/**
 * Pages of one run: 100,000 addresses. They take 8 s of the run's 30 s of CPU time (test/bench/zones.ts), and 120 of its 1,000 queries.
 * The next hourly run continues.
 */
const PAGES_MAX = 40;

/** How far the renewal of a database has come. */
interface Progress {
	edition: string;
	/** The last code that was looked at; null once all have been. */
	after: string | null;
}

/**
 * What the index now says about an address; undefined where that is the same. If its point is no longer in its country, the old names
 * stay.
 */
async function renewed(zones: ZoneLocator, edition: string, address: OfOlderEdition): Promise<Renewed | undefined> {
	const { canonical, lat, lng, zoneName, zoneRegion, region, locality, isLocalityChosen } = address;
	const said = { zoneName, zoneRegion, region, locality };
	const point = await zones.name(lat, lng);
	if (point && point.zone.country === partsOf(canonical).country) {
		said.region = point.region;
		if (!isLocalityChosen) said.locality = point.localities[0]?.name ?? "";
		if (await isNamedBy(zones, Number(partsOf(canonical).zone), point.zone)) {
			said.zoneName = point.zone.name;
			said.zoneRegion = point.zone.region;
		}
	}
	const isChanged =
		said.zoneName !== zoneName ||
		said.zoneRegion !== zoneRegion ||
		said.region !== region ||
		said.locality !== locality;
	return isChanged ? { canonical, lat, lng, edition, ...said } : undefined;
}

/**
 * Renews addresses of older editions in a database: part of its hourly job. A run compares as many as it has time for, and changes no more
 * than the journal can write in the same hour. Those that change get a row in the feed. Cached copies may be up to a minute old, as after
 * any change made elsewhere.
 * @param now Milliseconds since the epoch.
 * @param pagesMax The most pages to renew.
 */
export async function renewAddresses(
	bindings: Bindings,
	database: Database,
	now: number,
	pagesMax = PAGES_MAX,
): Promise<void> {
	const zones = openZoneLocator(bindings);
	const edition = editionName(await zones.edition());
	const key = renewalKey(database.name);
	const stored = await (await bindings.ZONES.get(key))?.json<Progress>().catch(() => undefined);
	const progress: Progress = stored?.edition === edition ? { edition, after: stored.after } : { edition, after: "" };
	if (progress.after === null) return;
	let [looked, changed] = [0, 0];
	const changedMax = await roomInQueue(database);
	for (let page = 0; page < pagesMax && progress.after !== null && changed < changedMax; page += 1) {
		const { after } = progress;
		const found: OfOlderEdition[] = await inOneTrip(database, ofOlderEditions({ edition, after, limit: PAGE_ROWS }));
		const said: Renewed[] = [];
		const compared: string[] = [];
		for (const address of found) {
			if (changed + said.length === changedMax) break;
			const it = await renewed(zones, edition, address);
			if (it) said.push(it);
			else compared.push(address.canonical);
			progress.after = address.canonical;
			looked += 1;
		}
		await inOneTrip(database, {
			renewed: renew({ renewed: said, now }),
			compared: noteCompared({ compared, edition }),
		});
		changed += said.length;
		if (found.length < PAGE_ROWS && progress.after === (found.at(-1)?.canonical ?? after)) progress.after = null;
	}
	await bindings.ZONES.put(key, JSON.stringify(progress));
	log("info", "addresses_renewed", { edition, looked, changed, unfinished: progress.after !== null });
}
