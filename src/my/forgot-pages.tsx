import type { Child } from "hono/jsx";
import { CodeForm } from "./code-form.tsx";
import { NewPasswordField, PhoneFields, presetCountry } from "./credentials.tsx";
import type { Failure } from "./failure.ts";
import { Field, Form } from "./form.tsx";
import { consolePage } from "./page.tsx";
import { pathTo, type Visit } from "./visit.ts";

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
				<button type="submit" class="first">
					{code.send}
				</button>
			</Form>
			<p class="way">
				<a href={pathTo(visit, "/my/forgot/recovery")}>{forgot.haveRecoveryCode}</a>
			</p>
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
			<NewPasswordField visit={visit} failure={failure} />
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
				<Field name="recovery_code" label={forgot.code} dir="ltr" maxlength={64} failure={failure} />
				<NewPasswordField visit={visit} failure={failure} />
				<button type="submit" class="first">
					{forgot.button}
				</button>
			</Form>
		</>,
	);
}
