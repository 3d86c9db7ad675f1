/**
 * The columns of an address that its owner fills in and may change. The one list of them: what is asked for, inserted, changed and hashed for a
 * retry follows it, in this order. Degrees (WGS 84); text in NFC.
 */
export const CONTENT_FIELDS = ["lat", "lng", "label"] as const;

export type ContentField = (typeof CONTENT_FIELDS)[number];

/** A record with one entry for each field that an owner fills in. */
export function perContentField<Value>(value: (field: ContentField) => Value): Record<ContentField, Value> {
	return Object.fromEntries(CONTENT_FIELDS.map((field) => [field, value(field)])) as Record<ContentField, Value>;
}

/** What an owner has filled in of an address, without the rest of it. */
export function contentOf<Source extends Record<ContentField, unknown>>(source: Source): Pick<Source, ContentField> {
	return perContentField((field) => source[field]) as Pick<Source, ContentField>;
}
