import type { ValueOf } from "../lazy.ts";
import { countryName } from "../zones/naming.ts";
import type { attestationSchema } from "./attestation-schemas.ts";
import { displayCode, partsOf } from "./code.ts";
import type { HistoryEvent } from "./own-addresses.ts";
import { plusCode } from "./plus-code.ts";
import type { addressSchema, featureSchema, historySchema, publicAddressSchema } from "./schemas.ts";
import type { Address, Attestation } from "./store.ts";

/** The fields of an address that anyone may know. The one list of them: the type and the copy below follow it. */
export const PUBLIC_FIELDS = [
	"canonical",
	"zoneName",
	"lat",
	"lng",
	"label",
	"verificationLevel",
	"version",
	"createdAt",
] as const satisfies (keyof Address)[];

/** All that anyone may know of an address. */
export type PublicAddress = Pick<Address, (typeof PUBLIC_FIELDS)[number]>;

/** The public view of an address. */
export function publicRecord(address: PublicAddress): ValueOf<typeof publicAddressSchema> {
	const { canonical, lat, lng } = address;
	const { country, zone } = partsOf(canonical);
	return {
		canonical,
		display: displayCode(canonical),
		country,
		country_name: countryName(country),
		zone,
		zone_name: address.zoneName,
		lat,
		lng,
		plus_code: plusCode(lat, lng),
		label: address.label,
		verification_level: address.verificationLevel,
		created_at: new Date(address.createdAt).toISOString(),
	};
}

/** The address that a public view was made of; undefined where the value is no public view. `version` is the address's own. */
export function addressOfRecord(value: unknown, version: number): PublicAddress | undefined {
	if (typeof value !== "object" || value === null || !Number.isInteger(version)) return undefined;
	const { canonical, zone_name, lat, lng, label, verification_level, created_at } = value as Partial<
		ReturnType<typeof publicRecord>
	>;
	const address = {
		canonical,
		zoneName: zone_name,
		lat,
		lng,
		label,
		verificationLevel: verification_level,
		version,
		createdAt: Date.parse(created_at ?? ""),
	};
	return Object.values(address).some((part) => part === undefined || Number.isNaN(part))
		? undefined
		: (address as PublicAddress);
}

/** The public view as a GeoJSON Feature (RFC 7946), which puts longitude first. */
export function geoJsonFeature(address: PublicAddress): ValueOf<typeof featureSchema> {
	const { lat, lng, ...properties } = publicRecord(address);
	return { type: "Feature", id: address.canonical, geometry: { type: "Point", coordinates: [lng, lat] }, properties };
}

/** Where the QR code of an address leads. */
export function qrUrl(canonical: string, origin: string): string {
	return `${origin}/a/${canonical}`;
}

/** What a signed-in caller gets of an address. */
export function addressRecord(address: Address, callerId: string, origin: string): ValueOf<typeof addressSchema> {
	return {
		...publicRecord(address),
		qr_url: qrUrl(address.canonical, origin),
		qr_svg_url: `${origin}/v1/addresses/${address.canonical}/qr.svg`,
		owned: address.ownerId === callerId,
	};
}

/** What an owner gets of one event in the history of an address. */
export function historyRecord(event: HistoryEvent): ValueOf<typeof historySchema>["data"][number] {
	const { at, change, previousLabel, previousLat, previousLng, level, successor } = event;
	return {
		at: new Date(at).toISOString(),
		change,
		previous_label: previousLabel,
		previous_lat: previousLat,
		previous_lng: previousLng,
		level,
		successor,
	};
}

/** What an agent gets of an attestation they made. */
export function attestationRecord(attestation: Attestation, address: Address): ValueOf<typeof attestationSchema> {
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
