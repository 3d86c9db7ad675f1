import type { Child } from "hono/jsx";
import { consolePage } from "../../forms/console-page.tsx";
import { NewPasswordField, PhoneFields, presetCountry } from "../../forms/credentials.tsx";
import type { Failure } from "../../forms/failure.ts";
import { Field, Form } from "../../forms/form.tsx";
import { pathTo, type Visit } from "../../forms/visit.ts";
import { Choice, Submit, Way } from "../../web/parts.tsx";
import { CodeForm } from "./code-form.tsx";

/** The field by which all API keys are revoked with the password. */
export const REVOKE_KEYS_FIELD = "revoke_keys";

/** What sets the new password, and revokes the keys that somebody else may have made. */
function NewPassword({ visit, failure }: { visit: Visit; failure: Failure | undefined }) {
	return (
		<>
			<NewPasswordField visit={visit} failure={failure} />
			<Choice type="checkbox" name={REVOKE_KEYS_FIELD} value="yes" checked={visit.form.has(REVOKE_KEYS_FIELD)}>
				{visit.words.forgot.revokeKeys}
			</Choice>
		</>
	);
}

function forgotPage(visit: Visit, failure: Failure | undefined, body: Child): Response {
	return consolePage(visit, { title: visit.words.forgot.title, failure, body: <section>{body}</section> });
}

/** Getting back in by a one-time code: the phone that it is to be sent to. */
export function askForCodePage(visit: Visit, failure?: Failure): Response {
	const { forgot, code } = visit.words;
	return forgotPage(
		visit,
		failure,
		<>
			<p>{forgot.bySms}</p>
			<Form visit={visit} action="/my/forgot/sms">
				<PhoneFields visit={visit} country={presetCountry(visit)} failure={failure} />
				<Submit class="first" text={code.send} />
			</Form>
			<Way to={pathTo(visit, "/my/forgot/recovery")} text={forgot.haveRecoveryCode} />
		</>,
	);
}

/** Getting back in by a one-time code, once it was sent to the phone of the form. */
export function enterCodePage(visit: Visit, failure?: Failure): Response {
	const { forgot } = visit.words;
	return forgotPage(
		visit,
		failure,
		<CodeForm visit={visit} action="/my/forgot/sms" button={forgot.button} failure={failure}>
			<NewPassword visit={visit} failure={failure} />
		</CodeForm>,
	);
}

/** Getting back in with the recovery code. */
export function recoveryPage(visit: Visit, failure?: Failure): Response {
	const { forgot } = visit.words;
	return forgotPage(
		visit,
		failure,
		<>
			<p>{forgot.text}</p>
			<Form visit={visit} action="/my/forgot/recovery">
				<PhoneFields visit={visit} country={presetCountry(visit)} failure={failure} />
				<Field
					name="recovery_code"
					label={visit.words.account.recoveryTitle}
					dir="ltr"
					maxlength={64}
					failure={failure}
				/>
				<NewPassword visit={visit} failure={failure} />
				<Submit class="first" text={forgot.button} />
			</Form>
		</>,
	);
}
