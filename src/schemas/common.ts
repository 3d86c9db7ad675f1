/** The building blocks of the API's schemas. */

import * as z from "zod/mini";
import { NOT_IN_LINE } from "../codes/line-characters.ts";
import { lazy } from "./lazy.ts";

/**
 * A schema with what the OpenAPI document says of it: a description, an example, and in `more` the limits that its checks do not express.
 */
export function described<Schema extends z.ZodMiniType>(
	schema: Schema,
	description: string,
	example?: unknown,
	more: z.core.GlobalMeta = {},
): Schema {
	return schema.with(z.meta({ description, ...(example === undefined ? {} : { examples: [example] }), ...more }));
}

/** A list of at most `maxItems`. */
export function arrayOf<Item extends z.ZodMiniType>(item: Item, maxItems: number, description?: string) {
	return z.array(item).with(z.meta({ maxItems, ...(description && { description }) }));
}

/** An id with the prefix of its kind, such as that of an account (`usr`). */
export function identifier(prefix: string, description: string) {
	return described(z.string(), description, `${prefix}_7dN3kq0vXW2mZrB8cT5yLa`, { maxLength: 64 });
}

/** The query parameter for the number of entries on a page. */
export function pageSize(max: number, usual: number, description: string) {
	const digits = new RegExp(`^\\d{1,${String(max).length}}$`);
	const text = z.string().with(z.regex(digits, `Send a number from 1 to ${max}.`));
	const size = z.pipe(z.pipe(text, z.transform(Number)), z.int().with(z.gte(1), z.lte(max)));
	return described(z._default(size, usual), description);
}

/** The name of a schema among the components of the OpenAPI document, alone or with further metadata. */
type Name = string | ({ id: string } & z.core.GlobalMeta);

/** A schema with a name. It is made when first needed. */
export function named<Schema extends z.ZodMiniType>(name: Name, make: () => Schema): () => Schema {
	const meta = typeof name === "string" ? { id: name } : name;
	return lazy(() => make().register(z.globalRegistry, ...([meta] as never)));
}

/** A named object of a request. It rejects unknown fields. */
export function sent<Shape extends z.core.$ZodLooseShape>(name: Name, shape: () => Shape) {
	return named(name, () => z.strictObject(shape()));
}

/** A named object of an answer. */
export function answered<Shape extends z.core.$ZodLooseShape>(name: Name, shape: () => Shape) {
	return named(name, () => z.object(shape()));
}

/** One line of text that a person wrote, in NFC, of at most `charactersMax` Unicode code points. */
export function lineOfText(charactersMax: number) {
	return z.string().with(
		z.normalize("NFC"),
		z.refine((text) => Array.from(text).length <= charactersMax, `Send at most ${charactersMax} characters.`),
		z.refine((text) => !NOT_IN_LINE.test(text), "Control characters and line breaks are not allowed."),
	);
}

/** A time as every answer writes it: ISO 8601, UTC, with milliseconds. */
export const timeSchema = lazy(() => {
	const example = "2026-11-21T09:30:00.000Z";
	const error = `Send a time as the registry writes it, such as ${example}.`;
	return z.iso.datetime({ precision: 3, error }).with(z.meta({ examples: [example] }));
});

/** A time, or null if it has not happened. */
export const timeOrNullSchema = lazy(() => z.nullable(timeSchema()).with(z.meta({ examples: [null] })));
