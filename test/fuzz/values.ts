/** Draws values from JSON schemas: such as they ask for, such as nearly do, and such as nobody means well with. */

import { vectors } from "../support/vectors.ts";

/** What is read of a JSON schema of the OpenAPI document. */
export interface Schema {
	$ref?: string;
	type?: string | string[];
	enum?: unknown[];
	const?: unknown;
	examples?: unknown[];
	properties?: { [name: string]: Schema };
	required?: string[];
	items?: Schema;
	minItems?: number;
	maxItems?: number;
	minLength?: number;
	maxLength?: number;
	minimum?: number;
	maximum?: number;
	anyOf?: Schema[];
	oneOf?: Schema[];
	allOf?: Schema[];
}

/** A number from 0 up to 1. */
export type Random = () => number;

export function pick<Item>(random: Random, items: readonly Item[]): Item {
	const item = items[Math.floor(random() * items.length)];
	if (item === undefined && items.length === 0) throw new Error("There is nothing to pick from");
	return item as Item;
}

export function integerUpTo(random: Random, most: number): number {
	return Math.floor(random() * (most + 1));
}

const HOSTILE_TEXTS = vectors<[string]>("hostile-texts").map(([text]) => text);

const HOSTILE_VALUES: unknown[] = [
	...JSON.parse(
		"[null, true, false, 0, -0, -1, 1.5, 5e-324, 1.7976931348623157e308, 9007199254740992, -9223372036854775808]",
	),
	...JSON.parse('[[], {}, [[]], { "__proto__x": 1 }, [null], { "length": 1e9 }]'),
	...JSON.parse('[{ "toString": 1, "valueOf": 2, "constructor": 3 }]'),
];

/** A text that nobody means well with. */
export function hostileText(random: Random): string {
	return pick(random, HOSTILE_TEXTS);
}

function hostileValue(random: Random): unknown {
	return random() < 0.5 ? hostileText(random) : pick(random, HOSTILE_VALUES);
}

function textOf({ minLength = 0, maxLength = 40 }: Schema, random: Random): string {
	const length = minLength + integerUpTo(random, Math.max(0, Math.min(maxLength, minLength + 40) - minLength));
	return Array.from({ length }, () => pick(random, [..."abcXYZ0189 -_.é漢😀"])).join("");
}

function numberOf({ minimum = -1_000, maximum = 1_000 }: Schema, random: Random): number {
	return pick(random, [minimum, maximum, minimum + random() * (maximum - minimum)]);
}

/** What a draw needs beside the schema. */
export interface Draw {
	random: Random;
	resolve: (ref: string) => Schema;
	/** A fitting value for a field of this name, such as a phone number; undefined where the schema says enough. */
	known: (field: string) => unknown;
}

/** A value that a schema takes, as far as a schema can say so. */
export function validValue(schema: Schema, draw: Draw, field = ""): unknown {
	const { random } = draw;
	if (schema.$ref) return validValue(draw.resolve(schema.$ref), draw, field);
	const known = draw.known(field);
	if (known !== undefined && random() < 0.8) return known;
	if (schema.const !== undefined) return schema.const;
	if (schema.enum) return pick(random, schema.enum);
	const alternatives = schema.anyOf ?? schema.oneOf;
	if (alternatives) return validValue(pick(random, alternatives), draw, field);
	if (schema.examples?.length && random() < 0.6) return pick(random, schema.examples);
	const type = Array.isArray(schema.type) ? pick(random, schema.type) : schema.type;
	switch (type) {
		case "string":
			return textOf(schema, random);
		case "integer":
			return Math.round(numberOf(schema, random));
		case "number":
			return numberOf(schema, random);
		case "boolean":
			return random() < 0.5;
		case "null":
			return null;
		case "array": {
			const { minItems = 0, maxItems = minItems + 3, items = {} } = schema;
			const length = minItems + integerUpTo(random, Math.min(maxItems, minItems + 4) - minItems);
			return Array.from({ length }, () => validValue(items, draw, field));
		}
		default: {
			const required = new Set(schema.required);
			return Object.fromEntries(
				Object.entries(schema.properties ?? {})
					.filter(([name]) => required.has(name) || random() < 0.5)
					.map(([name, property]) => [name, validValue(property, draw, name)]),
			);
		}
	}
}

/** A value with one thing wrong: a field too many, too few, of another type or out of range. */
export function nearlyValid(value: unknown, random: Random): unknown {
	if (Array.isArray(value)) {
		const changed = [...value];
		if (random() < 0.3) return Array.from({ length: 101 }, () => value[0] ?? null);
		changed[integerUpTo(random, Math.max(0, value.length - 1))] = hostileValue(random);
		return changed;
	}
	if (typeof value !== "object" || value === null) return hostileValue(random);
	const fields = Object.keys(value);
	const changed: Record<string, unknown> = { ...value };
	const chosen = pick(random, [...fields, "unknown_field"]);
	const kind = random();
	if (kind < 0.25) delete changed[chosen];
	else if (kind < 0.4) changed[pick(random, ["unknown_field", "__proto__", "constructor", "Label", ""])] = 1;
	else changed[chosen] = hostileValue(random);
	return changed;
}

/** The text of a body: mostly JSON, sometimes broken in a way that a parser may trip over. */
export function bodyText(value: unknown, random: Random): string {
	const json = JSON.stringify(value) ?? "null";
	if (random() < 0.85) return json;
	return pick(random, [
		"",
		"{",
		"null",
		"[]",
		'"text"',
		`\ufeff${json}`,
		`${json}${json}`,
		json.slice(0, -1),
		json.replace("{", '{"lat":1e400,'),
		json.replace("}", ',"lat":6.6}'),
		json.replace("{", '{"\\u0000":1,'),
		"[".repeat(4_000),
		`${'{"a":'.repeat(1_500)}1${"}".repeat(1_500)}`,
		" ".repeat(17_000),
		`{"label":"${"x".repeat(17_000)}"}`,
		`{"codes":[${'"NG-0421-58212",'.repeat(5_000)}"NG"]}`,
		json.replaceAll('"', "'"),
	]);
}
