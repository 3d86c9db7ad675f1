import { presetCountry } from "../../forms/credentials.tsx";
import type { Visit } from "../../forms/visit.ts";
import { type PlaceText, pointOfShortPlusCode, readPlace, type ShortPlusCode } from "../../points/place-text.ts";
import { COUNTRY_NAMES, countryName } from "../../zones/naming.ts";

/**
 * A zone that is larger, in degrees, such as one at sea, says too little of where the settlement is: short codes repeat at every degree.
 */
const ZONE_DEGREES_MAX = 0.2;

/** A name as it is compared: without accents, in lower case. */
function folded(name: string): string {
	return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
}

/** The country that a text names, in English or in the visitor's language. */
function countryNamed(text: string, language: string): string | undefined {
	const wanted = folded(text);
	return Object.keys(COUNTRY_NAMES).find(
		(code) => folded(countryName(code)) === wanted || folded(countryName(code, language)) === wanted,
	);
}

/**
 * The point of a short Plus Code beside a settlement, such as `G9FH+QM Lagos, Nigeria`: near the zones that are named after the settlement.
 * The visitor's country counts where none is named. Undefined where no zone is named so, or where several settlements are that lead to
 * different points.
 */
async function nearSettlement(visit: Visit, { code, settlement }: ShortPlusCode) {
	const [name = "", ...others] = settlement.split(/\s*,\s*/);
	const named = countryNamed(others.at(-1) ?? "", visit.locale.language);
	const country = named ?? presetCountry(visit);
	if (!country) return undefined;
	const wanted = folded(name);
	const isNamed = (title: string) => {
		const found = folded(title);
		return found === wanted || found.startsWith(`${wanted}, `);
	};
	const zones = await visit.registry.zones.zonesNamed(country, isNamed);
	const points = zones
		.filter(({ bounds: { south, north } }) => north - south < ZONE_DEGREES_MAX)
		.map(({ bounds: { south, west, north, east } }) =>
			pointOfShortPlusCode(code, { lat: (south + north) / 2, lng: (west + east) / 2 }),
		);
	const [first, ...rest] = points;
	return rest.every(({ lat, lng }) => lat === first?.lat && lng === first.lng) ? first : undefined;
}

/** What a pasted text says of a place, as `readPlace` reads it, and by the zone index where it is a short Plus Code. */
export async function findPlace(visit: Visit, entered: string): Promise<PlaceText> {
	const place = readPlace(entered);
	const point = place.kind === "refused" && place.short && (await nearSettlement(visit, place.short));
	return point ? { kind: "point", point } : place;
}
