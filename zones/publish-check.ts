/** Enforces the promise that a number means the same ground for ever: a used number is not given to other ground. */
import { editionName } from "../src/zones/format.ts";
import { zoneDigits } from "../src/zones/naming.ts";
import { type Edition, readEdition } from "./edition.ts";
import { BoundaryError } from "./faults.ts";
import { type Difference, differences } from "./ground.ts";
import type { OfficialFile } from "./official.ts";
import { addressesUnder, openedNumbers, type Query } from "./registry.ts";

/** How many numbers a message names; it counts the others. */
const MOST_NAMED = 20;

/** The index must not be published. The message says, one line each, which numbers prevent it. */
export class EditionError extends Error {
	override readonly name = "EditionError";
}

/** A number whose ground differs, and what the registry has under it. */
interface UsedDifference extends Difference {
	/** addresses, live or retired */
	addresses: number;
	/** whether a full zone has opened it */
	isOpened: boolean;
}

/** The prefix of the codes under a number, such as `NG0421`. */
export function prefixOf({ country, number }: Pick<Difference, "country" | "number">): string {
	return country + zoneDigits(number);
}

/** What a registry has under the numbers whose ground differs. */
export async function withUse(found: readonly Difference[], query: Query): Promise<UsedDifference[]> {
	const opened = await openedNumbers(query);
	const addresses = await addressesUnder(query, found.map(prefixOf));
	return found.map((difference) => ({
		...difference,
		addresses: addresses.get(prefixOf(difference)) ?? 0,
		isOpened: opened.get(difference.country)?.includes(difference.number) ?? false,
	}));
}

function isRetiredIn({ countries }: Edition, { country, number }: Pick<Difference, "country" | "number">): boolean {
	return countries.get(country)?.retired.includes(number) ?? false;
}

/**
 * The differences without retired numbers that return to the ground they had, because the registry goes back to an edition that it has
 * served. Some of its addresses were created under that edition, and so were those of such a number, if it has any.
 */
async function withoutReturned(
	found: readonly UsedDifference[],
	older: Edition,
	newer: Edition,
	query: Query,
): Promise<UsedDifference[]> {
	const isBack = (difference: UsedDifference) => difference.kind === "added" && isRetiredIn(older, difference);
	if (!found.some(isBack)) return [...found];
	const ofNewer = `edition = '${editionName(newer.directory)}'`;
	const [served] = await query(`select 1 from addresses where ${ofNewer} limit 1`);
	if (!served) return [...found];
	const prefixes = JSON.stringify(found.filter(isBack).map(prefixOf));
	const rows = await query(`select value from json_each('${prefixes}') where exists
		(select 1 from addresses where canonical between value and value || ':' and ${ofNewer})`);
	const returned = new Set(rows.map(({ value }) => value));
	return found.filter((it) => !isBack(it) || (it.addresses > 0 && !returned.has(prefixOf(it))));
}

/** Why a number must not differ in this way; undefined if it may. */
function fault(
	{ country, number, name, kind, addresses, isOpened }: UsedDifference,
	older: Edition,
	newer: Edition,
): string | undefined {
	const where = `${prefixOf({ country, number })}${name ? ` (${name})` : ""}`;
	const use = [addresses > 0 && `${addresses} addresses have it`, isOpened && "a full zone has opened it"]
		.filter(Boolean)
		.join(", and ");
	if (kind === "added" && isRetiredIn(older, { country, number })) {
		return `${where} is given to new ground, but an earlier edition has retired it`;
	}
	if (kind === "gone") {
		return use && !isRetiredIn(newer, { country, number }) ? `${where} is gone and not retired, but ${use}` : undefined;
	}
	if (!use) return undefined;
	return `${where} is given to ${kind === "moved" ? "other" : "new"} ground, but ${use}`;
}

/** A fault for each retired number in use that an index does not know, because full zones of other ground would open it. */
async function forgotten(older: Edition, newer: Edition, query: Query): Promise<string[]> {
	const lost = [...older.countries].flatMap(([country, { retired }]) => {
		const known = newer.countries.get(country);
		return retired
			.filter((number) => !known?.zones.has(number) && !known?.retired.includes(number))
			.map((number) => prefixOf({ country, number }));
	});
	const used = await addressesUnder(query, lost);
	return [...used].map(([prefix, count]) => `${prefix} was retired and is forgotten, but ${count} addresses have it`);
}

/**
 * Refuses an index that gives other ground to a number in use.
 * @param next The index to be published.
 * @param published The index that is served now.
 * @param query Queries the registry's database.
 * @throws EditionError; ZoneIndexError if an index is damaged.
 */
export async function checkPublication(next: Uint8Array, published: Uint8Array, query: Query): Promise<void> {
	const [older, newer] = [await readEdition(published), await readEdition(next)];
	const used = await withUse(differences(older, newer), query);
	const found = await withoutReturned(used, older, newer, query);
	const faults = [
		...found.map((difference) => fault(difference, older, newer)).filter((text) => text !== undefined),
		...(await forgotten(older, newer, query)),
	];
	if (faults.length === 0) return;
	const more = faults.length > MOST_NAMED ? [`and ${faults.length - MOST_NAMED} more`] : [];
	throw new EditionError(
		[
			`edition ${newer.directory.edition} must not follow edition ${older.directory.edition} in this registry:`,
			...faults.slice(0, MOST_NAMED),
			...more,
			"Build it with the served index as --before and with --remote, which spares the numbers in use. Give an official zone whose ground changes a number that no zone has had.",
		].join("\n"),
	);
}

/**
 * Refuses official zones under numbers that have other ground in the index before, or that it has retired: a number means the same area for
 * ever. Whether somebody has an address under it does not matter: the registry may not be at hand.
 * @param official By country, the boundaries that the next index was built with.
 * @param file What messages call the index before.
 * @throws BoundaryError
 */
export function requireSameGround(
	before: Edition,
	next: Edition,
	official: ReadonlyMap<string, Pick<OfficialFile, "boundaries">>,
	file: string,
): void {
	const faults = differences(before, next, [...official.keys()]).flatMap(({ country, number, kind }) => {
		const boundary = official.get(country)!.boundaries.find((boundary) => boundary.number === number);
		const isRetired = before.countries.get(country)!.retired.includes(number);
		if (!boundary || kind === "gone" || (kind === "added" && !isRetired)) return [];
		const had = isRetired ? `${file} has retired its number` : `its number has other ground in ${file}`;
		return [
			`${boundary.where}: ${had}: give it one that no zone has had, as npm run zones:number -- FILE --before ${file} --country ${country} does`,
		];
	});
	if (faults.length > 0) throw new BoundaryError(faults);
}
