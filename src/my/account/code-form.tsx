import type { Child } from "hono/jsx";
import { asciiDigits } from "../../codes/digits.ts";
import type { Failure } from "../../forms/failure.ts";
import { Field, Form } from "../../forms/form.tsx";
import type { Visit } from "../../forms/visit.ts";
import { fill } from "../../languages/template.ts";
import { oneTimeCodes } from "../../limits/policy.ts";
import { MINUTE } from "../../time.ts";
import { durationText } from "../../web/measures.ts";

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
	const minutes = durationText(oneTimeCodes.lifetime / MINUTE, "minute", visit.locale.language);
	return (
		<>
			<p role="status">{fill(code.sent, { phone: `\u2066${visit.form.get("phone")}\u2069`, minutes })}</p>
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
