import type { Child } from "hono/jsx";
import { asciiDigits } from "../digits.ts";
import type { Failure } from "./failure.ts";
import { Field, Form } from "./form.tsx";
import { durationText } from "./times.ts";
import type { Visit } from "./visit.ts";

/** The field of a form that holds a one-time code. A form without it asks for one to be sent. */
export const CODE_FIELD = "otp";

/** The digits of the one-time code of the form, in whichever digits they were typed. */
export function sentCode({ form }: Visit): string {
	return asciiDigits(form.get(CODE_FIELD) ?? "").replace(/\D/g, "");
}

/** The phone number again, as it was typed. */
function SamePhone({ visit: { form } }: { visit: Visit }) {
	return (
		<>
			{["country", "phone"].map((name) => (
				<input type="hidden" name={name} value={form.get(name) ?? ""} />
			))}
		</>
	);
}

/** What a one-time code is entered in, after it was sent, with what else the form needs, and the way to have another one sent. */
export function CodeForm({
	visit,
	action,
	button,
	failure,
	children,
}: {
	visit: Visit;
	action: string;
	/** What is done with the code. */
	button: string;
	failure: Failure | undefined;
	/** More fields. */
	children: Child;
}) {
	const { code } = visit.words;
	const minutes = durationText(visit.c.var.config.limits.OTP_LIFETIME_MINUTES, "minute", visit.locale.language);
	return (
		<>
			<p role="status">{code.sent(`\u2066${visit.form.get("phone")}\u2069`, minutes)}</p>
			<Form visit={visit} action={action}>
				<SamePhone visit={visit} />
				<Field
					name={CODE_FIELD}
					label={code.label}
					dir="ltr"
					inputmode="numeric"
					autocomplete="one-time-code"
					maxlength={20}
					failure={failure}
				/>
				{children}
				<button type="submit" class="first">
					{button}
				</button>
			</Form>
			<Form visit={visit} action={action}>
				<SamePhone visit={visit} />
				<button type="submit">{code.again}</button>
			</Form>
		</>
	);
}
