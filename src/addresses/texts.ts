/** The texts of an address. The browser and the package read this list too, so this file imports nothing. */

/** A text that an owner may write about an address, and that everyone who has the code can read. */
interface Text {
	/** The most characters that it may have, in Unicode code points. */
	charactersMax: number;
	/** The description in the documentation of the API. */
	description: string;
	example: string;
}

/**
 * The texts that an owner may write, by column. This is the only list of them: API, console, file of points, pages, exports and history
 * all follow it. For a new text, the compiler names the two places that lack it: the columns of src/db/schema.ts, and its name in each
 * language.
 */
export const TEXTS = {
	label: {
		charactersMax: 200,
		description:
			"What people call the place, in one line of text. It is public, unless the address is private: everyone who has the code can read it. Leave out what a stranger at the door should not know.",
		example: "Blue gate, behind the mosque",
	},
	directions: {
		charactersMax: 300,
		description: "How to get from the road to the door, in one line of text. It is public, as the label is.",
		example: "Second gate after the borehole; ring the bell",
	},
} as const satisfies Record<string, Text>;

export type TextField = keyof typeof TEXTS;

export const TEXT_FIELDS = Object.keys(TEXTS) as TextField[];

/** The texts of an address other than its label, which stands for the address in lists and on signs. */
export function textsBelowLabel(address: Record<TextField, string>): string[] {
	return TEXT_FIELDS.filter((field) => field !== "label").map((field) => address[field]);
}

/** The fields that an owner may fill in besides the point, in the order in which they are listed. */
export const FURTHER_FIELDS = [...TEXT_FIELDS, "entrance", "visibility", "locality"] as const;

/** A record with one entry for each of some fields. */
export function perField<Field extends string, Value>(fields: readonly Field[], value: (field: Field) => Value) {
	return Object.fromEntries(fields.map((field) => [field, value(field)])) as Record<Field, Value>;
}

/** A record with one entry for each text. */
export function perText<Value>(value: (field: TextField) => Value): Record<TextField, Value> {
	return perField(TEXT_FIELDS, value);
}
