import type { Child } from "hono/jsx";
import type { Template } from "../languages/template.ts";
import { Field, type FieldFailure, type FieldProps } from "../web/fields.tsx";
import { Hidden, Submit } from "../web/parts.tsx";
import { FORM_TOKEN_FIELD } from "./form-guard.ts";
import { pathTo, type Visit } from "./visit.ts";

interface FormProps {
	visit: Visit;
	action: string;
	id?: string;
	hidden?: boolean;
	/** Texts that a script shows, as data attributes. */
	texts?: Record<string, string | Template<string>>;
	/** Hidden values, sent besides the fields. */
	sends?: Parameters<typeof Hidden>[0]["values"] | undefined;
	children?: Child;
}

/** A form of the console. It is sent by POST to a console page, and carries the browser's form token. */
export function Form({ visit, action, id, hidden, texts = {}, sends = {}, children }: FormProps) {
	const data = Object.fromEntries(Object.entries(texts).map(([name, text]) => [`data-${name}`, text]));
	return (
		<form method="post" action={pathTo(visit, action)} id={id} hidden={hidden} novalidate {...data}>
			<Hidden values={{ ...sends, [FORM_TOKEN_FIELD]: visit.formToken }} />
			{children}
		</form>
	);
}

/** A form with one button only. */
export function ButtonForm({
	visit,
	action,
	sends,
	...button
}: Pick<FormProps, "visit" | "action" | "sends"> & Parameters<typeof Submit>[0]) {
	return (
		<Form visit={visit} action={action} sends={sends}>
			<Submit {...button} />
		</Form>
	);
}

/** The properties that every part of a form gets. */
export interface FormPart {
	visit: Visit;
	failure: FieldFailure | undefined;
}

/** A field filled with what was last sent in it. */
export function sentField({ visit, failure }: FormPart, name: string, label: string, more: Partial<FieldProps> = {}) {
	return <Field name={name} label={label} value={visit.form.get(name) ?? ""} failure={failure} {...more} />;
}

/** A password field, with a button to show the password where scripts run. */
export function PasswordField({ visit, ...props }: FieldProps & { visit: Visit }) {
	const { show, hide } = visit.words.signIn;
	return (
		<Field {...props} type="password" dir="ltr" maxlength={300}>
			<button type="button" class="small" hidden data-shows={props.name} data-hide={hide}>
				{show}
			</button>
		</Field>
	);
}

/**
 * Says at the top what is wrong, with a link to the field. The browser moves the focus to it.
 * @param isAll Whether the page says nothing else, so that this is its heading.
 */
export function FailureSummary({
	visit,
	failure,
	isAll = false,
}: {
	visit: Visit;
	failure: FieldFailure | undefined;
	isAll?: boolean;
}) {
	if (!failure) return null;
	return (
		<div class="summary" role="alert" tabindex={-1} id="problem" autofocus>
			<p>
				<strong>{visit.words.problem}</strong>
			</p>
			{isAll ? (
				<h1>{failure.message}</h1>
			) : (
				<p>{failure.field ? <a href={`#${failure.field}`}>{failure.message}</a> : failure.message}</p>
			)}
		</div>
	);
}

/** Says what has just been done. The browser moves the focus to it. */
export function Notice({ text }: { text: string | undefined }) {
	if (!text) return null;
	return (
		<p class="notice" role="status" tabindex={-1} autofocus>
			{text}
		</p>
	);
}
