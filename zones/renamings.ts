/**
 * The names that settlements have today. The older list of GeoNames says more about each place, but still has names that were given up
 * since. The newer list's name counts where the two are more than spellings of one name. renamings.csv decides where no rule can.
 */
import { type DividedPlace, type NameOfToday, nearestOf, sameFinder, UNNEEDED } from "./divisions.ts";
import { BoundaryError } from "./faults.ts";
import { readTable } from "./table.ts";

/** Spellings of one name differ in at most this share of their letters, or of their consonants as people hear them. */
const SPELLING_SHARE = 0.34;

/** Letters that spellings of one name write for each other: Calicut and Kalikat, Bellary and Ballari. */
const HEARD_ALIKE: ReadonlyArray<readonly [RegExp, string]> = [
	[/[aeiouywh]/g, ""],
	[/[kcqg]/g, "k"],
	[/[szxj]/g, "s"],
	[/[bpvf]/g, "p"],
	[/[td]/g, "t"],
	[/(.)\1+/g, "$1"],
];

/** Inserted, left out and replaced letters between two texts (Levenshtein). */
function editsBetween(a: string, b: string): number {
	let last = Array.from({ length: b.length + 1 }, (_, at) => at);
	for (let from = 1; from <= a.length; from++) {
		const row = [from];
		for (let to = 1; to <= b.length; to++) {
			const replaced = last[to - 1]! + (a[from - 1] === b[to - 1] ? 0 : 1);
			row.push(Math.min(replaced, last[to]! + 1, row[to - 1]! + 1));
		}
		last = row;
	}
	return last[b.length]!;
}

/** Whether two names of a place are different names, as Simao and Pu'er are, and not spellings of one, as Hāora and Howrah are. */
export function isRenaming(before: string, after: string): boolean {
	const letters = (name: string) =>
		name
			.normalize("NFKD")
			.toLowerCase()
			.replace(/[^a-z]/g, "");
	const heard = (name: string) =>
		HEARD_ALIKE.reduce((text, [letters, one]) => text.replace(letters, one), letters(name));
	const [a, b] = [letters(before), letters(after)];
	if (a.includes(b) || b.includes(a)) return false;
	const differ = (one: string, other: string) =>
		editsBetween(one, other) > SPELLING_SHARE * Math.max(one.length, other.length, 1);
	return differ(a, b) && differ(heard(before), heard(after));
}

/**
 * The lines of a table of names, by GeoNames' number of a settlement or code of a division, such as `CD.08`.
 * @throws BoundaryError for a line without a name or a reason, and for a second line of one place.
 */
export function readNamesOfToday(text: string, file: string): Map<string, NameOfToday> {
	const names = new Map<string, NameOfToday>();
	const faults: string[] = [];
	for (const { where, cells } of readTable(text, file, ["id", "name", "reason"])) {
		const { id, name, reason } = cells;
		if (names.has(id)) faults.push(`${where}: ${id} has a line already`);
		if (name === "" || reason === "") faults.push(`${where}: give the name of today, and the reason`);
		names.set(id, { name, where });
	}
	if (faults.length > 0) throw new BoundaryError(faults);
	return names;
}

/**
 * The places of an older list by the names that they have today, each with the one that it had before.
 * @param newer The newer list.
 * @param known Names that people have looked up, by the number of the place.
 * @throws BoundaryError for one that changes nothing.
 */
export function withNamesOfToday<Place extends DividedPlace & { id: number; population: number }>(
	older: readonly Place[],
	newer: readonly DividedPlace[],
	known: ReadonlyMap<string, NameOfToday>,
): Array<Place & { former?: string }> {
	const sameIn = sameFinder(newer);
	const olderIn = sameFinder(older);
	const needed = new Set<string>();
	const named = older.map((place) => {
		const same = sameIn(place);
		const listed = same.some(({ name }) => name === place.name) ? undefined : nearestOf(place, same)?.name;
		// A name that another place nearby has is no new one: the newer list has the city at the spot of its quarter. Of places
		// without people, too many are misplaced to tell.
		const isNew = (name: string) =>
			place.population > 0 &&
			isRenaming(place.name, name) &&
			!olderIn({ ...place, name }).some((other) => other.name === name);
		const found = listed !== undefined && isNew(listed) ? listed : place.name;
		const today = known.get(String(place.id))?.name ?? found;
		if (today !== found) needed.add(String(place.id));
		return today === place.name ? place : { ...place, name: today, former: place.name };
	});
	const unneeded = [...known].filter(([id]) => !id.includes(".") && !needed.has(id));
	if (unneeded.length > 0) throw new BoundaryError(unneeded.map(([, { where }]) => `${where}: ${UNNEEDED}`));
	return named;
}
