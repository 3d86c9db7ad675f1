import { lookUpAddresses, resolveAddress } from "../../addresses/actions.ts";
import { askedPublicly } from "../../addresses/public-endpoints.ts";
import { parseCode } from "../../codes/code.ts";
import { unwrapped } from "../../codes/pasted-text.ts";
import { AppError } from "../../errors.ts";
import { presetCountry } from "../../forms/credentials.tsx";
import { type Failure, failureOf, fieldFailure } from "../../forms/failure.ts";
import type { Visit } from "../../forms/visit.ts";
import type { Point } from "../../points/coordinate-text.ts";
import { readPlace } from "../../points/place-text.ts";
import { pointOfShortPlusCode, type ShortPlusCode } from "../../points/plus-code-text.ts";
import { COUNTRY_NAMES, countryName } from "../../zones/naming.ts";

/**
 * A zone that is larger, in degrees, such as one at sea, says too little of where the settlement is: short codes repeat at every degree.
 */
const ZONE_DEGREES_MAX = 0.2;

/**
 * A name as it is compared: in lower case, without accents, apostrophes and other marks, "and" for "&", and without an article in front.
 */
function folded(name: string): string {
	return name
		.normalize("NFD")
		.toLowerCase()
		.replaceAll("&", " and ")
		.replace(/[^\p{L}\p{Nd} -]/gu, "")
		.replace(/[ -]+/g, " ")
		.trim()
		.replace(/^the /, "")
		.replace(/^st /, "saint ");
}

/** What people and maps call countries besides the names of the Unicode CLDR. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
	AE: ["uae", "emirates"],
	BA: ["bosnia"],
	CD: ["democratic republic of the congo", "democratic republic of congo", "dr congo", "drc", "congo drc", "rdc"],
	CF: ["car"],
	CG: ["republic of the congo", "republic of congo", "congo"],
	CI: ["ivory coast"],
	CV: ["cabo verde"],
	CZ: ["czech republic"],
	FM: ["federated states of micronesia"],
	GB: ["uk", "great britain", "england", "scotland", "wales", "northern ireland"],
	GN: ["guinea conakry"],
	GQ: ["equatorial guinea"],
	HK: ["hong kong sar"],
	KP: ["democratic peoples republic of korea"],
	KR: ["republic of korea", "korea"],
	LA: ["lao pdr"],
	MK: ["macedonia"],
	MM: ["burma", "myanmar"],
	MO: ["macau"],
	NL: ["holland"],
	PS: ["palestinian territories", "state of palestine"],
	RU: ["russian federation"],
	SY: ["syrian arab republic"],
	SZ: ["swaziland"],
	TL: ["east timor"],
	TR: ["turkey"],
	TZ: ["united republic of tanzania"],
	US: ["usa", "us", "united states of america", "america"],
	VA: ["holy see"],
	VN: ["viet nam"],
};

/** The country that a text names, in English, in the visitor's language or as people call it. */
function countryNamed(text: string, language: string): string | undefined {
	const wanted = folded(text);
	const isNamed = (code: string) =>
		folded(countryName(code)) === wanted ||
		folded(countryName(code, language)) === wanted ||
		OTHER_NAMES[code]?.includes(wanted);
	return wanted ? Object.keys(COUNTRY_NAMES).find(isNamed) : undefined;
}

/**
 * The point of a short Plus Code beside a settlement, such as `G9FH+QM Lagos, Nigeria`: near the zones that are named after the settlement.
 * The visitor's country counts where none is named. Undefined where no zone is named so, or where several settlements are that lead to
 * different points.
 */
async function nearSettlement(visit: Visit, { code, settlement }: ShortPlusCode) {
	const [name = "", ...others] = settlement.split(",").map((part) => part.trim());
	const named = countryNamed(others.at(-1) ?? "", visit.locale.language);
	const country = named ?? presetCountry(visit);
	if (!country) return undefined;
	const wanted = folded(name);
	if (!wanted) return undefined;
	const isNamed = (title: string) => folded(title) === wanted || folded(title.split(",")[0] ?? "") === wanted;
	const zones = await visit.registry.zones.zonesNamed(country, isNamed);
	const points = zones
		.filter(({ bounds: { south, north } }) => north - south < ZONE_DEGREES_MAX)
		.map(({ bounds: { south, west, north, east } }) =>
			pointOfShortPlusCode(code, { lat: (south + north) / 2, lng: (west + east) / 2 }),
		);
	const [first, ...rest] = points;
	return rest.every(({ lat, lng }) => lat === first?.lat && lng === first.lng) ? first : undefined;
}

/** Where a pasted text says that a place is; or what is wrong with it, and the point the other way round where that would be one. */
type FoundPlace = { point: Point; isOfCode: boolean } | { failure: Failure; exchanged?: Point | undefined };

/** Finds the place that a pasted text names: by its numbers, by the address of its code, or near the settlement of a short Plus Code. */
export async function findPlace(visit: Visit, entered: string): Promise<FoundPlace> {
	const place = readPlace(entered);
	if (place.kind === "point") return { point: place.point, isOfCode: false };
	if (place.kind === "refused") {
		const point = place.short && (await nearSettlement(visit, place.short));
		if (point) return { point, isOfCode: false };
		return { failure: fieldFailure("place", visit.words.refused[place.reason]), exchanged: place.exchanged };
	}
	try {
		const { c, registry, signedIn } = visit;
		const code = parseCode(place.canonical);
		const asked = askedPublicly(c, code, unwrapped(entered));
		// Whoever is not signed in learns what anyone may know, and whoever has a link what that shows. An agent is not about to visit.
		const [found] =
			signedIn && !asked.share
				? await lookUpAddresses(registry, signedIn.caller, [code.canonical])
				: [(await resolveAddress(registry, asked)).address];
		if (!found || found instanceof AppError) throw found;
		return { point: found, isOfCode: true };
	} catch (error) {
		return { failure: { ...failureOf(visit, error), field: "place" } };
	}
}
