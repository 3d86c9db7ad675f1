/** What pages show of an address, in the words of a locale. */
import { type PublicAddress, qrUrl, whereabouts } from "../addresses/address-record.ts";
import { textsBelowLabel } from "../addresses/texts.ts";
import type { StreetSketch } from "../basemap/sketch.ts";
import { displayCode, partsOf } from "../codes/code.ts";
import { plusCode } from "../codes/plus-code.ts";
import { type Language, languages } from "../languages/languages.ts";
import { fill } from "../languages/template.ts";
import { isolated, plainLabel } from "../print/label-for-display.ts";
import { countryName } from "../zones/naming.ts";
import { timeZoneOf } from "../zones/time-zones.ts";
import type { Locale } from "./locale.ts";
import { dateText, lengthText } from "./measures.ts";

/**
 * Decimal places of coordinates as people read them: 0.000001 degree is about 11 cm. All of them are shown, so that nobody takes
 * `6.5` for a rough value.
 */
const COORDINATE_DECIMALS = 6;

function degrees(value: number): string {
	// Adding zero turns -0 into 0.
	return (Number(value.toFixed(COORDINATE_DECIMALS)) + 0).toFixed(COORDINATE_DECIMALS);
}

/** The unit that a page was asked for. */
export interface AskedUnit {
	/** The unit as links carry it. */
	unit: string;
	/** Its name in the words of its owner, or else of whoever asked. */
	name: string;
	/** The owner's label for it; undefined if the owner has not named the unit. */
	label: string | undefined;
}

/**
 * What the pages show of an address, in the words of a locale. Every text runs in its own direction: codes and numbers run
 * left to right, names as they are written.
 */
export interface AddressView {
	canonical: string;
	display: string;
	label: string;
	/** Further texts of the owner, such as the way from the road to the door. */
	texts: string[];
	zone: string;
	zoneName: string;
	/** The settlement that a person there would name. */
	locality: string;
	/** Its region and the country. */
	beyond: string;
	/** Locality and region, and the same with the country, for a line of plain text. */
	place: string;
	placeAndCountry: string;
	/** The unit that the page was asked for. */
	unit: AskedUnit | undefined;
	coordinates: { lat: string; lng: string };
	/** Where navigation leads: the entrance, or else the point. */
	target: { lat: string; lng: string };
	plusCode: string;
	/** Whether it is private, so that its sign on the street says no more than it must. */
	isPrivate: boolean;
	level: number;
	/** What has been attested, in words. */
	verification: string;
	/** The verification in a word or two. */
	shortVerification: string;
	url: string;
}

/** The time zone of an address. */
export function timeZoneAt({ canonical, lng }: Pick<PublicAddress, "canonical" | "lng">): string {
	return timeZoneOf(partsOf(canonical).country, lng);
}

/**
 * What an agent has attested of an address, when, and whether it has changed since, in words.
 * @param isOfUnit Whether this is for the page of a unit: agents attest only the building.
 */
export function verificationText(
	{
		verificationLevel,
		verifiedAt,
		...place
	}: Pick<PublicAddress, "verificationLevel" | "verifiedAt" | "canonical" | "lng">,
	{ messages, language }: Locale,
	isOfUnit = false,
): string {
	// The person whom an agent identified may live behind another door.
	const level = isOfUnit ? Math.min(verificationLevel, 2) : verificationLevel;
	if (verifiedAt === null) return messages.verificationLevels[level] ?? messages.verificationLevels[0];
	const date = dateText(verifiedAt, language, timeZoneAt(place), "long");
	const verifiedOn = isOfUnit ? messages.buildingVerifiedOn : messages.verifiedOn;
	return fill(verifiedOn[level] ?? verifiedOn[0], { date });
}

/** What has been attested, in a word or two: the part of the whole sentence before its colon. */
export function shortVerification({ messages }: Pick<Locale, "messages">, level: number): string {
	const levels = messages.verificationLevels;
	return (levels[level] ?? levels[0]).split(/\s?:/)[0] ?? "";
}

/** Names in one line of plain text, the narrowest first, each in its own direction. */
export function inOneLine(names: string[], language: Language): string {
	return [...new Set(names)].map(isolated).join(`${languages[language].comma} `);
}

export function viewOf(address: PublicAddress, locale: Locale, origin: string, unit?: AskedUnit): AddressView {
	const { language } = locale;
	const { canonical, lat, lng, zoneName } = address;
	const { country: letters, zone } = partsOf(canonical);
	const country = countryName(letters, language);
	const [locality = country, ...regions] = whereabouts(address);
	const url = qrUrl(canonical, origin);
	return {
		canonical,
		display: displayCode(canonical),
		label: plainLabel(address.label),
		texts: textsBelowLabel(address).map(plainLabel),
		zone,
		zoneName,
		locality,
		beyond: inOneLine(
			[...regions, country].filter((name) => name !== locality),
			language,
		),
		place: inOneLine([locality, ...regions], language),
		placeAndCountry: inOneLine([locality, ...regions, country], language),
		unit,
		coordinates: { lat: degrees(lat), lng: degrees(lng) },
		target: { lat: degrees(address.entrance?.lat ?? lat), lng: degrees(address.entrance?.lng ?? lng) },
		plusCode: plusCode(lat, lng),
		isPrivate: address.visibility === "private",
		level: address.verificationLevel,
		verification: verificationText(address, locale, unit !== undefined),
		shortVerification: shortVerification(locale, address.verificationLevel),
		url: unit ? `${url}?unit=${encodeURIComponent(unit.unit)}` : url,
	};
}

/**
 * Links that start navigation to a point. Each opens the application where the device has it, else its web page; the most
 * widespread first.
 */
export function directions({ target: { lat, lng }, display }: AddressView): [name: string, link: string][] {
	return [
		["Google Maps", `https://www.google.com/maps/dir/?api=1&destination=${lat}%2C${lng}`],
		["Apple Maps", `https://maps.apple.com/?daddr=${lat}%2C${lng}`],
		["Waze", `https://waze.com/ul?ll=${lat}%2C${lng}&navigate=yes`],
		["OpenStreetMap", `https://www.openstreetmap.org/directions?to=${lat}%2C${lng}`],
		[
			"Uber",
			// Without a name the application shows no destination (developer.uber.com, the FAQ of deep links).
			`https://m.uber.com/ul/?action=setPickup&pickup=my_location&dropoff%5Blatitude%5D=${lat}&dropoff%5Blongitude%5D=${lng}&dropoff%5Bnickname%5D=${display}`,
		],
	];
}

/**
 * What is near a point, such as "140 m north of Fadeyi Bus Stop". The distance is left out unless the point is known more accurately
 * than that, because it would say more than is known.
 * @param accuracy The accuracy of the point in metres, which only a device tells that has just measured it. Addresses do not store it, so
 * their pages say "near Fadeyi Bus Stop".
 */
export function nearbyText(
	{ nearby }: StreetSketch,
	{ messages, language }: Locale,
	accuracy = Number.POSITIVE_INFINITY,
): string | undefined {
	if (!nearby) return undefined;
	const name = isolated(plainLabel(nearby.name));
	const metres = Math.max(10, Math.round(nearby.metres / 10) * 10);
	if (accuracy >= metres) return fill(messages.near, { name });
	const distance = lengthText(metres, language);
	return fill(messages.nearby, { distance, direction: messages.compass[nearby.direction], name });
}

/** The code as it is copied and sent, with its unit. */
export function codeText({ display, unit }: Pick<AddressView, "display" | "unit">): string {
	return unit ? `${display} / ${unit.name}` : display;
}

/** The query that the pages of an address pass on to one another: the language, the unit, and the token of a link to a private address. */
export function carriedQuery({ query }: Locale, share: string | undefined, unit?: AskedUnit): string {
	const carried = new URLSearchParams(query);
	if (unit) carried.set("unit", unit.unit);
	if (share) carried.set("share", share);
	return carried.size > 0 ? `?${carried}` : "";
}
