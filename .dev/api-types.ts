/** Prints the schemas of the OpenAPI document as TypeScript, for the typed client (src/client). */
import type { JsonObject } from "../src/docs/openapi.ts";

type Schemas = { readonly [name: string]: JsonObject };

const primitives: { readonly [type: string]: string } = {
	string: "string",
	integer: "number",
	number: "number",
	boolean: "boolean",
	null: "null",
};

/** The type of what a schema describes. Answers may gain fields, so an object is not closed. @throws Error for a keyword that no schema here has. */
function typeOf(schema: JsonObject): string {
	if (typeof schema.$ref === "string") return schema.$ref.split("/").at(-1) ?? "";
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
	const variants = (schema.anyOf ?? (schema.type ? undefined : schema.oneOf)) as JsonObject[] | undefined;
	if (variants) return variants.map(typeOf).join(" | ");
	if (Array.isArray(schema.prefixItems)) return `[${schema.prefixItems.map(typeOf).join(", ")}]`;
	if (schema.type === "array") return `Array<${typeOf(schema.items as JsonObject)}>`;
	if (schema.type === "object" && !schema.properties)
		return `Record<string, ${typeOf((schema.additionalProperties ?? { type: "null" }) as JsonObject)}>`;
	if (schema.type === "object") return objectType(schema);
	const names = [schema.type].flat().map((type) => primitives[String(type)]);
	if (names.includes(undefined)) throw new Error(`No type is known for ${JSON.stringify(schema)}`);
	return names.join(" | ");
}

function objectType({ properties = {}, required = [] }: JsonObject): string {
	const fields = Object.entries(properties as Schemas).map(([name, property]) => {
		const text = property.description ? `\n/** ${String(property.description).replaceAll("*/", "*\\/")} */\n` : "";
		return `${text}${name}${(required as string[]).includes(name) ? "" : "?"}: ${typeOf(property)};`;
	});
	return `{ ${fields.join(" ")} }`;
}

/** A module that exports one type for each schema, by its name. */
export function apiTypes(schemas: Schemas): string {
	return Object.entries(schemas)
		.map(([name, schema]) => {
			const text = schema.description ? `/** ${String(schema.description)} */\n` : "";
			return `${text}export type ${name} = ${typeOf(schema)};\n`;
		})
		.join("\n");
}
