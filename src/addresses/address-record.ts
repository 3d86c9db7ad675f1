import { displayCode, partsOf } from "../codes/code.ts";
import { plusCode } from "../codes/plus-code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import type { ValueOf } from "../schemas/lazy.ts";
import { timestamp, timestampOrNull } from "../time/time.ts";
import { countryName, placeWords } from "../zones/naming.ts";
import type { attestationSchema } from "./attestation-schemas.ts";
import { CONTENT_FIELDS } from "./content.ts";
import { entityTag } from "./entity-tag.ts";
import type { addressSchema, featureSchema, publicAddressSchema } from "./schemas.ts";
import type { Address, Attestation, PrivateRead, Unit } from "./store.ts";
import { perText } from "./texts.ts";

/** The fields of an address that anyone may read. This is the only list of them: the type and the copy below follow it. */
export const PUBLIC_FIELDS = [
	"canonical",
	"zoneName",
	"region",
	"locality",
	...CONTENT_FIELDS,
	"verificationLevel",
	"verifiedAt",
	"version",
	"createdAt",
	"updatedAt",
] as const satisfies (keyof Address)[];

/** Everything that anyone may read of an address. */
export type PublicAddress = Pick<Address, (typeof PUBLIC_FIELDS)[number]>;

/** When an address last changed, as the API writes it. No other change of that address has the same time. */
export function updatedAt({ updatedAt, createdAt }: Pick<Address, "updatedAt" | "createdAt">): string {
	return timestamp(updatedAt ?? createdAt);
}

/**
 * How long before the time that a reader names a change still counts as unseen, in milliseconds. Their clock may differ from ours, and
 * answers take time.
 */
const CLOCK_MARGIN = 60_000;

/**
 * Whether a reader who last got an answer at `since` still has the current address. Never true of a private address, since its reader may
 * have lost the right to it.
 */
export function isUnchangedSince({ visibility, updatedAt, createdAt }: PublicAddress, since: number): boolean {
	return visibility === "public" && (updatedAt ?? createdAt) < since - CLOCK_MARGIN;
}

/** The place of an address as signs, cards and pages name it: its locality and region, and `TEST` in front for a sandbox address. */
export function whereabouts({
	canonical,
	locality,
	region,
}: Pick<Address, "canonical" | "locality" | "region">): string[] {
	const words = placeWords(locality, region);
	return isSandboxCode(canonical) ? ["TEST", ...words] : words;
}

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
		region: address.region,
		locality: address.locality,
		lat,
		lng,
		plus_code: plusCode(lat, lng),
		entrance: address.entrance,
		...perText((field) => address[field]),
		verification_level: address.verificationLevel,
		verified_at: timestampOrNull(address.verifiedAt),
		visibility: address.visibility,
		created_at: timestamp(address.createdAt),
		updated_at: updatedAt(address),
		...(isSandboxCode(canonical) && { test: true as const }),
	};
}

/** Rebuilds the address from its public view; undefined where the value is not one. `version` is the version of the address. */
export function addressOfRecord(value: unknown, version: number): PublicAddress | undefined {
	if (typeof value !== "object" || value === null || !Number.isInteger(version)) return undefined;
	const record = value as Partial<ReturnType<typeof publicRecord>>;
	const address: { [Field in keyof PublicAddress]: PublicAddress[Field] | undefined } = {
		lat: record.lat,
		lng: record.lng,
		entrance: record.entrance,
		...perText((field) => record[field]),
		canonical: record.canonical,
		zoneName: record.zone_name,
		region: record.region,
		locality: record.locality,
		visibility: record.visibility,
		verificationLevel: record.verification_level,
		verifiedAt: typeof record.verified_at === "string" ? Date.parse(record.verified_at) : record.verified_at,
		version,
		createdAt: Date.parse(record.created_at ?? ""),
		updatedAt: Date.parse(record.updated_at ?? ""),
	};
	return isComplete<PublicAddress>(address) ? address : undefined;
}

/** Whether no part of a value is missing. */
function isComplete<Whole extends object>(value: { [Part in keyof Whole]: Whole[Part] | undefined }): value is Whole {
	return Object.values(value).every((part) => part !== undefined && !Number.isNaN(part));
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

/** The record of an address for a signed-in caller. */
export function addressRecord(address: Address, callerId: string, origin: string): ValueOf<typeof addressSchema> {
	return Object.assign(
		publicRecord(address),
		{
			qr_url: qrUrl(address.canonical, origin),
			qr_svg_url: `${origin}/v1/addresses/${address.canonical}/qr.svg`,
		},
		address.ownerId === callerId ? { owned: true, external_id: address.externalId } : { owned: false },
	);
}

/** The ETag of that record. */
export function recordTag(address: Address, callerId: string, origin: string): Promise<string> {
	return entityTag(address.version, "record", JSON.stringify(addressRecord(address, callerId, origin)));
}

/** The record of a unit, for anyone who may see its address. */
export type UnitRecord = Pick<Unit, "unit" | "name" | "label">;

export function unitRecord({ unit, name, label }: UnitRecord): UnitRecord {
	return { unit, name: name || unit, label };
}

/** The record of an attestation, for the agent who made it. */
export function attestationRecord(attestation: Attestation, address: Address): ValueOf<typeof attestationSchema> {
	const { id, canonical, level, note, createdAt } = attestation;
	return {
		id,
		canonical,
		level,
		note,
		verification_level: address.verificationLevel,
		created_at: timestamp(createdAt),
	};
}

/** The record of an attestation with the agent's position, for operators and for the agent's own export. */
export function visitRecord(
	visit: Pick<Attestation, "canonical" | "level" | "note" | "position" | "distance" | "createdAt">,
) {
	const { canonical, level, note, position, distance, createdAt } = visit;
	return {
		canonical,
		level,
		note,
		position: position && { lat: position.lat, lng: position.lng, accuracy_m: position.accuracy },
		distance_m: distance,
		created_at: timestamp(createdAt),
	};
}

/** The record of an agent's reading of a private address, for operators and for the agent's own export. */
export function privateReadRecord({ canonical, readAt }: Pick<PrivateRead, "canonical" | "readAt">) {
	return { canonical, read_at: timestamp(readAt) };
}
