import type { Child } from "hono/jsx";
import { asciiDigits } from "../../codes/digits.ts";
import type { ProblemCode } from "../../errors.ts";
import { sentPhone } from "../../forms/credentials.tsx";
import { type Failure, failureOf } from "../../forms/failure.ts";
import { ButtonForm, Form, sentField } from "../../forms/form.tsx";
import type { Visit } from "../../forms/visit.ts";
import { fill } from "../../languages/template.ts";
import { oneTimeCodes } from "../../settings/limits.ts";
import { MINUTE } from "../../time/time.ts";
import { durationText } from "../../web/measures.ts";
import { Submit } from "../../web/parts.tsx";

/** The form field that holds a one-time code. A form without it asks for a code to be sent. */
const CODE_FIELD = "otp";

/** The one-time code of the form in ASCII digits, whatever digits were typed. */
export function sentCode({ form }: Visit): string {
	return asciiDigits(form.get(CODE_FIELD) ?? "").replace(/\D/g, "");
}

/**
 * Sends a one-time code to the phone of the form, or, if the form holds the code, does what it is for.
 * @param wrong The error of a wrong code.
 * @param page The form before or after a code was sent.
 */
export async function byCode(
	visit: Visit,
	wrong: ProblemCode,
	{ send, use }: { send: (phone: string) => Promise<unknown>; use: () => Promise<Response> },
	page: (isSent: boolean, failure?: Failure) => Response,
): Promise<Response> {
	const isEntered = visit.form.has(CODE_FIELD);
	const { code } = visit.words;
	let phone = "";
	try {
		if (isEntered) return await use();
		phone = sentPhone(visit);
		await send(phone);
		return page(true);
	} catch (error) {
		const failure = failureOf(visit, error);
		// The number could be read, so it is valid, but no SMS is sent to it.
		if (phone && failure.code === "INVALID_PHONE") return page(false, { ...failure, message: code.notSent });
		// Somebody who asks too soon for another code can still enter the one before.
		if (!isEntered && failure.code !== "RATE_LIMITED") return page(false, failure);
		return page(true, failure.code === wrong ? { ...failure, field: CODE_FIELD, message: code.wrong } : failure);
	}
}

/** The form to enter a one-time code that was sent, with any further fields, and a button to have another one sent. */
export function CodeForm({
	visit,
	action,
	button,
	failure,
	children,
}: {
	visit: Visit;
	action: string;
	/** The text of the button, which says what is done with the code. */
	button: string;
	failure: Failure | undefined;
	/** More fields. */
	children: Child;
}) {
	const { code } = visit.words;
	const samePhone = { country: visit.form.get("country") ?? "", phone: visit.form.get("phone") ?? "" };
	const minutes = durationText(oneTimeCodes.lifetime / MINUTE, "minute", visit.locale.language);
	return (
		<>
			<p role="status">{fill(code.sent, { phone: `\u2066${samePhone.phone}\u2069`, minutes })}</p>
			<Form visit={visit} action={action} sends={samePhone}>
				{sentField({ visit, failure }, CODE_FIELD, code.label, {
					dir: "ltr",
					inputmode: "numeric",
					autocomplete: "one-time-code",
					maxlength: 20,
				})}
				{children}
				<Submit class="first" text={button} />
			</Form>
			<ButtonForm visit={visit} action={action} sends={samePhone} text={code.again} />
		</>
	);
}
