/** The form by which an operator finds a person. */
import { displayCode } from "../../codes/code.ts";
import { codeWithoutCountry } from "../../codes/code-guess.ts";
import type { Failure } from "../../forms/failure.ts";
import { ButtonForm, Form, sentField } from "../../forms/form.tsx";
import { Submit } from "../../web/parts.tsx";
import { codesByCountry, likelyCountries } from "../../web/which-code.tsx";
import { OPERATE, type OperatorVisit } from "./operator-page.tsx";

/** Finds a person. It is sent by POST, so that no phone number stands in a URL. */
export function FindForm({ visit, failure }: { visit: OperatorVisit; failure?: Failure | undefined }) {
	return (
		<Form visit={visit} action={`${OPERATE}/accounts/find`}>
			{sentField({ visit, failure }, "who", "Phone number, address code or account id", {
				help: "Such as +234 803 123 4567 or NG\u20111377\u201148215.",
				dir: "ltr",
			})}
			{sentField({ visit, failure }, "reason", "Reason", {
				help: "Why you look for them. It is recorded with your name.",
			})}
			<p class="buttons">
				<Submit class="first" text="Find" />
			</p>
		</Form>
	);
}

/** The codes that the digits of a plate can be, by country: each is a button that looks for it with the reason that was given. */
export function WhichCountry({ visit }: { visit: OperatorVisit }) {
	const { form, c, locale } = visit;
	const found = codeWithoutCountry(form.get("who") ?? "");
	if (!found) return null;
	const reason = form.get("reason") ?? "";
	return (
		<ul class="buttons">
			{codesByCountry(found.digits, locale.language, likelyCountries(c)).map(({ code, label }) => (
				<li>
					<ButtonForm
						visit={visit}
						action={`${OPERATE}/accounts/find`}
						sends={{ who: displayCode(code), reason }}
						text={label}
					/>
				</li>
			))}
		</ul>
	);
}
