/** The form of an act, made of the schema that the API takes it by, so that no act is described twice. */
import * as z from "zod/mini";
import type { Failure } from "../../forms/failure.ts";
import { Field, Form } from "../../forms/form.tsx";
import type { Visit } from "../../forms/visit.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { Choice, Submit, Wrong } from "../../web/parts.tsx";

/** A field of an act. */
interface ActField {
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
	const options = definition.type === "boolean" ? ["true", "false"] : Object.values(entries ?? {});
	const kind = definition.element
		? "choices"
		: options.length > 0
			? "choice"
			: definition.type === "number"
				? "number"
				: "text";
	return { name, help, kind, isOptional, options };
}

/** The fields of the form of an act. */
export function fieldsOf({ body }: Endpoint): ActField[] {
	const { shape = {} } = (body?.() ?? {}) as { shape?: Record<string, z.ZodMiniType> };
	return Object.entries(shape).map(([name, schema]) => fieldOf(name, schema));
}

/** What the API would be sent for a form: an empty number is null, and another empty field is left out where it may be. */
export function bodyOf(endpoint: Endpoint, form: URLSearchParams): Record<string, unknown> {
	const sentFor = ({ name, kind, isOptional, options }: ActField) => {
		const text = form.get(name)?.trim() ?? "";
		if (kind === "choices") return form.getAll(name);
		if (kind === "number") return text === "" ? null : Number(text);
		if (options[0] === "true") return text === "true";
		return text === "" && isOptional ? undefined : text;
	};
	return Object.fromEntries(fieldsOf(endpoint).map((field) => [field.name, sentFor(field)]));
}

/** `new_addresses_per_day` as a label. */
export function labelOf(name: string): string {
	return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
}

function ActInput({ field, sent, failure }: { field: ActField; sent: URLSearchParams; failure: Failure | undefined }) {
	const { name, help, kind, options } = field;
	const label = labelOf(name);
	if (kind === "text" || kind === "number") {
		const shown = { name, label, help, value: sent.get(name) ?? "", failure };
		return <Field {...shown} inputmode={kind === "number" ? "numeric" : "text"} />;
	}
	return (
		<fieldset id={name}>
			<legend>{label}</legend>
			<Wrong name={name} text={failure?.field === name ? failure.message : undefined} />
			{help ? <p class="help">{help}</p> : null}
			{options.map((option) => (
				<Choice
					type={kind === "choice" ? "radio" : "checkbox"}
					name={name}
					value={option}
					checked={sent.getAll(name).includes(option)}
				>
					{option}
				</Choice>
			))}
		</fieldset>
	);
}

/** What a button does where a link has filled the form in, by the act and the role. */
const BUTTONS: Record<string, string> = {
	"setAccountRole agent": "Make this account an agent",
	"setAccountRole user": "End its role as agent",
};

/**
 * The form of an act.
 * @param sent What the fields hold at first.
 */
export function ActForm({
	visit,
	endpoint,
	action,
	sent,
	failure,
}: {
	visit: Visit;
	endpoint: Endpoint;
	action: string;
	sent: URLSearchParams;
	failure?: Failure | undefined;
}) {
	return (
		<Form visit={visit} action={action}>
			{fieldsOf(endpoint).map((field) => (
				<ActInput field={field} sent={sent} failure={failure} />
			))}
			<p class="buttons">
				<Submit class="first" text={BUTTONS[`${endpoint.id} ${sent.get("role")}`] ?? endpoint.summary} />
			</p>
		</Form>
	);
}
