/** The fields of an act, read from the schema of its body, so that no form and no command describes them again. */
import * as z from "zod/mini";
import { type Act, reasonAlone } from "../acts/act.ts";

/** A field of an act. */
export interface ActField {
	name: string;
	help: string | undefined;
	kind: "text" | "number" | "choice" | "choices";
	/** Whether it may be left empty. */
	isOptional: boolean;
	options: string[];
}

/** As much of a schema's definition as forms look at (zod's `_zod.def`). */
interface Definition {
	type: string;
	innerType?: z.ZodMiniType;
	element?: z.ZodMiniType;
	entries?: Record<string, string>;
}

const definitionOf = (schema: z.ZodMiniType) => schema._zod.def as unknown as Definition;

function fieldOf(name: string, schema: z.ZodMiniType): ActField {
	let help: string | undefined;
	let inner = schema;
	let definition = definitionOf(inner);
	for (;;) {
		help ??= z.globalRegistry.get(inner)?.description?.replaceAll("`", "");
		if (!definition.innerType) break;
		inner = definition.innerType;
		definition = definitionOf(inner);
	}
	const isOptional = inner !== schema;
	const entries = (definition.element ? definitionOf(definition.element) : definition).entries;
	const options = Object.values(entries ?? {});
	const kind = definition.element
		? "choices"
		: options.length > 0
			? "choice"
			: definition.type === "number"
				? "number"
				: "text";
	return { name, help, kind, isOptional, options };
}

/** What an act takes, its reason too. */
export function fieldsOf({ body = reasonAlone }: Act): ActField[] {
	const { shape = {} } = body() as { shape?: Record<string, z.ZodMiniType> };
	return Object.entries(shape).map(([name, schema]) => fieldOf(name, schema));
}

/**
 * The body of a request for an act: an empty number is null, and another empty field is left out where it may be.
 * @param given All that was given for a field.
 */
export function bodyOf(act: Act, given: (field: ActField) => string[]): Record<string, unknown> {
	const sentFor = (field: ActField) => {
		const { kind, isOptional } = field;
		const texts = given(field);
		const text = texts[0]?.trim() ?? "";
		if (kind === "choices") return texts;
		if (kind === "number") return text === "" ? null : Number(text);
		return text === "" && isOptional ? undefined : text;
	};
	return Object.fromEntries(fieldsOf(act).map((field) => [field.name, sentFor(field)]));
}

/** `new_addresses_per_day` as a label. */
export function fieldLabel(name: string): string {
	return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
}
