/** Makes the names of a country's settlements from GeoNames' names: without remarks, and each unique in its division. */

import { squaredKm } from "./earth.ts";
import type { Nearby } from "./nearby.ts";
import { SECTION, type Settlement } from "./settlements.ts";

/** A settlement under a name that is unique in its division. */
export interface NamedPlace extends Settlement {
	title: string;
	/** what its people call it; others may have the same name */
	plain: string;
	/** GeoNames id of the city that it is a section of */
	cityId: number | undefined;
}

/** Entries that are no settlements: a radio amateur's house by its call sign, a private weather station, a church. */
const NO_SETTLEMENT = /\b[A-Z]{1,2}\d[A-Z]{2,3}\b|\bpws\b|weather station|^[EÉ]glise\b/u;
/** Names of what is no settlement either, unless the list counts people there: Melbourne Airport is a suburb too. */
const NO_HOME = /\b(air(port|field|strip)|aerodrome|air ?force base|aeropuerto|power station|project site camp)$/iu;
/** How far around a section its city is searched for, and around a place of a common name a better known one, in kilometres. */
const CITY_KM = 30;
const REFERENCE_KM = 60;
/** How far away a larger place is searched for if none is near, in kilometres. */
const FAR_REFERENCE_KM = 250;

/** The parts of a name, without remarks: "Zürich (Kreis 3) / Sihlfeld" is Zürich, and in it Sihlfeld. */
export function nameParts(name: string): { place: string; city?: string } {
	const [head = "", tail] = name.split(/\s*\/\s*/u);
	const plain = (text: string) => text.replace(/\s*[([].*$/u, "").trim();
	const kreis = /^(.+) \((Kreis \d+)\)$/u.exec(head);
	if (tail !== undefined) {
		// These are two names of one place if the first is not a city's.
		const section = plain(tail);
		return section === plain(head) || section === "" ? { place: plain(head) } : { city: plain(head), place: section };
	}
	if (kreis) return { city: kreis[1]!, place: kreis[2]! };
	const short = plain(head) || head;
	const commas = short.split(/\s*,\s*/u).filter((part) => /\p{Script=Latin}/u.test(part));
	const place = commas.length > 2 ? commas[0]! : commas.join(", ");
	return { place: (place || short).replace(/(\p{L})\d$/u, "$1") };
}

/** Larger first; GeoNames' number settles a tie. */
export function isLarger(a: Settlement, b: Settlement): boolean {
	return a.population > b.population || (a.population === b.population && a.id < b.id);
}

/** The best known of the places around: large ones count from farther away. */
function bestKnown(around: readonly Settlement[], { x, y }: Settlement): Settlement | undefined {
	let best: Settlement | undefined;
	let most = 0;
	for (const place of around) {
		const weight = place.population / (squaredKm(x, y, place.x, place.y) + 25);
		if (weight > most || (weight === most && best && isLarger(place, best))) [best, most] = [place, weight];
	}
	return best;
}

/**
 * The settlements of one country under unique titles. A section has its city's name too: "Nairobi, Kibera". Of places in one division that
 * share a name, the largest has it alone, and others are like "San Antonio near Tarija".
 */
export function namePlaces(settlements: readonly Settlement[], nearby: Nearby<Settlement>): NamedPlace[] {
	const lived = settlements.filter(
		({ name, population }) => !NO_SETTLEMENT.test(name) && (population > 0 || !NO_HOME.test(name)),
	);
	const inOrder = [...lived].sort((a, b) => (isLarger(a, b) ? -1 : 1));
	const taken = new Set<string>();
	const partsOf = new Map(settlements.map((settlement) => [settlement, nameParts(settlement.name)]));
	return inOrder.map((settlement): NamedPlace => {
		const { place, city } = partsOf.get(settlement)!;
		const around = (reach: number) =>
			nearby(settlement.x, settlement.y, reach).filter(
				(other) => other.featureCode !== SECTION && isLarger(other, settlement) && partsOf.get(other)!.place !== place,
			);
		const isSection = settlement.featureCode === SECTION;
		// A line between regions ends a city: beyond it, people do not say its name, and no sign must bear both.
		const isOfRegion = ({ region }: Settlement) => region === settlement.region;
		const nearest = isSection ? bestKnown(around(CITY_KM).filter(isOfRegion), settlement) : undefined;
		const parent = city ?? nearest?.name;
		let title =
			parent && city !== undefined ? `${city}, ${place}` : parent ? `${nameParts(parent).place}, ${place}` : place;
		const ownName = () => `${settlement.region}\n${title.toLowerCase()}`;
		if (taken.has(ownName())) {
			const reference = bestKnown(around(REFERENCE_KM), settlement) ?? bestKnown(around(FAR_REFERENCE_KM), settlement);
			if (reference) title = `${title} near ${nameParts(reference.name).place}`;
		}
		taken.add(ownName());
		return { ...settlement, title, plain: place, cityId: nearest?.id };
	});
}
