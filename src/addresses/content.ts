import { sha256Hex } from "../crypto/hash.ts";
import type { addresses } from "../db/schema.ts";
import { perField, TEXT_FIELDS, type TextField } from "./texts.ts";

type Row = typeof addresses.$inferSelect;

/** What an agent attests, until one of it changes: the point in degrees (WGS 84), the entrance, and the texts in NFC. */
export const ATTESTED_FIELDS = ["lat", "lng", "entrance", ...TEXT_FIELDS] as const;

export type AttestedField = (typeof ATTESTED_FIELDS)[number];

/** The columns of an address that its owner fills in and may change. */
export const CONTENT_FIELDS = [...ATTESTED_FIELDS, "visibility"] as const;

export type ContentField = (typeof CONTENT_FIELDS)[number];

/** What an owner fills in of an address. */
export type Content = Pick<Row, ContentField>;

/** A record with one entry for each field that an owner fills in. */
export function perContentField<Value>(value: (field: ContentField) => Value): Record<ContentField, Value> {
	return perField(CONTENT_FIELDS, value);
}

/** What an owner has filled in of an address, without the rest of it. */
export function contentOf<Source extends Record<ContentField, unknown>>(source: Source): Pick<Source, ContentField> {
	return perContentField((field) => source[field]) as Pick<Source, ContentField>;
}

/** What an owner may wish beside the content: a choice among what the registry offers. */
export interface Wishes {
	/** One of the localities that are offered for the point; without it, the first of them. */
	locality?: string | undefined;
}

/** All that somebody may write about an address, at whatever length. */
export function textsOf(address: { [Field in TextField | "externalId"]?: string | null | undefined }) {
	return [...TEXT_FIELDS.map((field) => address[field]), address.externalId];
}

/** What a text was before a change, under the name that the API gives it, such as `previous_label`. */
export function previously<Field extends TextField, Value>(field: Field, value: Value) {
	return { [`previous_${field}`]: value } as { [Name in Field as `previous_${Name}`]: Value };
}

/** The fields that every request had before there were others, in the order in which they are hashed. */
const FIRST_FIELDS = ["lat", "lng", "label"] as const;

/**
 * SHA-256 of the content that a request asks to mint, by which a repeated request is known. A field that came later is hashed
 * only where it is filled in, so that the hash of a request does not change when another field is added.
 */
export function contentHash(content: Content & Pick<Wishes, "locality">): string {
	const isFirst = (field: string) => FIRST_FIELDS.some((first) => first === field);
	const later = Object.entries({ ...contentOf(content), locality: content.locality ?? "" })
		.filter(([field, value]) => !isFirst(field) && value !== "" && value !== null && value !== "public")
		.sort(([a], [b]) => (a < b ? -1 : 1));
	return sha256Hex(JSON.stringify([...FIRST_FIELDS.map((field) => content[field]), ...later]));
}
