import type * as z from "zod";
import { displayCode } from "./code.ts";
import { plusCode } from "./plus-code.ts";
import type { addressSchema, attestationSchema, publicAddressSchema } from "./schemas.ts";
import type { Address, Attestation } from "./store.ts";

const countryNames = new Map<string, Intl.DisplayNames>();

/** The name of a country (ISO 3166-1 alpha-2, or XK for Kosovo) in a language (ISO 639-1), from the runtime's CLDR. */
export function countryName(country: string, language = "en"): string {
	const names = countryNames.get(language) ?? new Intl.DisplayNames([language], { type: "region" });
	countryNames.set(language, names);
	return names.of(country) ?? country;
}

/** What anyone may know of an address. Its owner is no part of it. */
export function publicRecord(address: Address): z.infer<typeof publicAddressSchema> {
	const { canonical, lat, lng } = address;
	const country = canonical.slice(0, 2);
	return {
		canonical,
		display: displayCode(canonical),
		country,
		country_name: countryName(country),
		zone: canonical.slice(2, 6),
		zone_name: address.zoneName,
		lat,
		lng,
		plus_code: plusCode(lat, lng),
		label: address.label,
		verification_level: address.verificationLevel,
		created_at: new Date(address.createdAt).toISOString(),
	};
}

/** Where the QR code of an address leads. */
export function qrUrl(canonical: string, origin: string): string {
	return `${origin}/a/${canonical}`;
}

/** What a signed-in caller gets of an address. */
export function addressRecord(address: Address, callerId: string, origin: string): z.infer<typeof addressSchema> {
	return {
		...publicRecord(address),
		qr_url: qrUrl(address.canonical, origin),
		qr_svg_url: `${origin}/v1/addresses/${address.canonical}/qr.svg`,
		owned: address.ownerId === callerId,
	};
}

/** What an agent gets of an attestation they made. */
export function attestationRecord(attestation: Attestation, address: Address): z.infer<typeof attestationSchema> {
	const { id, canonical, level, note, createdAt } = attestation;
	return {
		id,
		canonical,
		level,
		note,
		verification_level: address.verificationLevel,
		created_at: new Date(createdAt).toISOString(),
	};
}
