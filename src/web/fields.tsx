/** The kit of forms, for public pages, the console and operators' pages: fields with what is wrong with them, choices, and their looks. */
import type { Child } from "hono/jsx";

/** What is wrong with a form. */
export interface FieldFailure {
	/** The name of the field at fault; undefined when it is none of them. */
	field: string | undefined;
	message: string;
}

/** What is wrong with a field or with the whole form, if anything. */
export function Wrong({
	name,
	failure,
	isRead,
}: {
	name?: string;
	failure: FieldFailure | undefined;
	isRead?: boolean;
}) {
	return failure && failure.field === name ? (
		<p class="wrong" role={isRead ? "alert" : undefined} id={`${name ?? "form"}-error`}>
			{failure.message}
		</p>
	) : null;
}

/** Attributes that tie a field's control to its label, its help and what is wrong with it. */
interface ControlAttributes {
	id: string;
	name: string;
	"aria-invalid": "true" | undefined;
	"aria-describedby": string | undefined;
}

interface LabelledProps {
	name: string;
	label: string;
	help?: string | undefined;
	failure?: FieldFailure | undefined;
	/** Whether a fault is read out where it stands: on a page that has no summary of it at its top. */
	isRead?: boolean;
	/** Examples and counters that follow the field. */
	children?: Child;
}

/** A field with its label, help and, above its control, what is wrong with it. */
export function Labelled({
	name,
	label,
	help,
	failure,
	isRead = false,
	control,
	children,
}: LabelledProps & { control: (attributes: ControlAttributes) => Child }) {
	const isWrong = failure?.field === name;
	return (
		<div class="field">
			<label for={name}>{label}</label>
			<Wrong name={name} failure={failure} isRead={isRead} />
			{control({
				id: name,
				name,
				"aria-invalid": isWrong ? "true" : undefined,
				"aria-describedby": [isWrong && `${name}-error`, help && `${name}-help`].filter(Boolean).join(" ") || undefined,
			})}
			{help ? (
				<p class="help" id={`${name}-help`}>
					{help}
				</p>
			) : null}
			{children}
		</div>
	);
}

export interface FieldProps extends LabelledProps {
	value?: string | undefined;
	type?: "text" | "tel" | "password";
	autocomplete?: string;
	inputmode?: "text" | "numeric" | "tel";
	maxlength?: number;
	pattern?: string;
	dir?: "ltr" | "auto";
	autofocus?: boolean;
}

/** A field for one line of text. */
export function Field({ value, type = "text", maxlength = 2000, dir = "auto", ...props }: FieldProps) {
	const { autocomplete = "off", inputmode, pattern, autofocus, ...labelled } = props;
	const isProse = type === "text" && dir === "auto";
	return (
		<Labelled
			{...labelled}
			control={(attributes) => (
				<input
					{...attributes}
					{...{ type, value, dir, maxlength, autocomplete, inputmode, pattern, autofocus }}
					spellcheck={isProse ? undefined : false}
					autocapitalize={isProse ? undefined : "none"}
				/>
			)}
		/>
	);
}

/** One of several answers, or, as a checkbox, an optional extra. */
export function Choice({
	type = "radio",
	children,
	...input
}: {
	type?: "radio" | "checkbox";
	name: string;
	value: string;
	checked: boolean;
	required?: boolean;
	children?: Child;
}) {
	return (
		<label class="choice">
			<input type={type} {...input} />
			<span>{children}</span>
		</label>
	);
}

/** Several choices under a name, with what is wrong with them. */
export function Choices({
	name,
	legend,
	isUnseen = false,
	help,
	failure,
	isRead = false,
	children,
}: Omit<LabelledProps, "label"> & { legend: string; isUnseen?: boolean }) {
	return (
		<fieldset id={name} aria-describedby={failure?.field === name ? `${name}-error` : undefined}>
			<legend class={isUnseen ? "unseen" : undefined}>{legend}</legend>
			<Wrong name={name} failure={failure} isRead={isRead} />
			{help ? <p class="help">{help}</p> : null}
			{children}
		</fieldset>
	);
}
