/** The texts of an address. The browser and the package read this list too, so it stands by itself. */

/** A text that an owner may write about an address, and that everyone who has the code can read. */
interface Text {
	/** How long it may be, in Unicode code points. */
	charactersMax: number;
	/** What the documentation of the API says of it. */
	description: string;
	example: string;
}

/**
 * The texts that an owner may write, by the column that holds each. The one list of them: what is asked for by API, console and file of
 * points, shown, changed, exported and recorded in the history follows it. The compiler names the two places that a new one is missing
 * from: the columns of src/db/schema.ts, and what each language calls it.
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

/** The texts of an address below its label, which stands for it in lists and on signs. */
export function textsBelowLabel(address: Record<TextField, string>): string[] {
	return TEXT_FIELDS.filter((field) => field !== "label").map((field) => address[field]);
}

/** What an owner may say of an address besides its point, in the order in which it is told. */
export const FURTHER_FIELDS = [...TEXT_FIELDS, "entrance", "visibility", "locality"] as const;

/** A record with one entry for each of some fields. */
export function perField<Field extends string, Value>(fields: readonly Field[], value: (field: Field) => Value) {
	return Object.fromEntries(fields.map((field) => [field, value(field)])) as Record<Field, Value>;
}

/** A record with one entry for each text. */
export function perText<Value>(value: (field: TextField) => Value): Record<TextField, Value> {
	return perField(TEXT_FIELDS, value);
}
