import { sha256Hex } from "../crypto/hash.ts";
import type { addresses } from "../db/schema.ts";
import { perField, TEXT_FIELDS, type TextField } from "./texts.ts";

type Row = typeof addresses.$inferSelect;

/** The fields that an attestation covers until one of them changes: the point in degrees (WGS 84), the entrance, and the texts in NFC. */
export const ATTESTED_FIELDS = ["lat", "lng", "entrance", ...TEXT_FIELDS] as const;

export type AttestedField = (typeof ATTESTED_FIELDS)[number];

/** The columns of an address that its owner fills in and may change. */
export const CONTENT_FIELDS = [...ATTESTED_FIELDS, "visibility"] as const;

export type ContentField = (typeof CONTENT_FIELDS)[number];

/** The values of an address that its owner fills in. */
export type Content = Pick<Row, ContentField>;

/** Only the values of an address that its owner fills in. */
export function contentOf<Source extends Record<ContentField, unknown>>(source: Source): Pick<Source, ContentField> {
	return perField(CONTENT_FIELDS, (field) => source[field]) as Pick<Source, ContentField>;
}

/** Choices that an owner may make among what the registry offers, besides the content. */
export interface Wishes {
	/** One of the localities offered for the point; the first of them is used if it is left out. */
	locality?: string | undefined;
}

/** All free texts of an address, including the external id, in whatever length they have. */
export function textsOf(address: { [Field in TextField | "externalId"]?: string | null | undefined }) {
	return [...TEXT_FIELDS.map((field) => address[field]), address.externalId];
}

/** The value of a text before a change, under the name that the API gives it, such as `previous_label`. */
export function previously<Field extends TextField, Value>(field: Field, value: Value) {
	return { [`previous_${field}`]: value } as { [Name in Field as `previous_${Name}`]: Value };
}

/** The fields that requests had from the beginning, in the order in which they are hashed. */
const FIRST_FIELDS = ["lat", "lng", "label"] as const;

/**
 * SHA-256 of the content that a request asks to mint, by which a repeated request is recognised. A field added later is hashed only where
 * it is filled in, so that adding fields does not change the hash of older requests.
 */
export function contentHash(content: Content & Pick<Wishes, "locality">): string {
	const isFirst = (field: string) => FIRST_FIELDS.some((first) => first === field);
	const later = Object.entries({ ...contentOf(content), locality: content.locality ?? "" })
		.filter(([field, value]) => !isFirst(field) && value !== "" && value !== null && value !== "public")
		.sort(([a], [b]) => (a < b ? -1 : 1));
	return sha256Hex(JSON.stringify([...FIRST_FIELDS.map((field) => content[field]), ...later]));
}
