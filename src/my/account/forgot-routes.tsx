import type { Child } from "hono/jsx";
import { type PasswordReset, resetPassword, type SignedIn } from "../../accounts/actions.ts";
import { authCallLimit, passwordLimits } from "../../accounts/bearer-auth.ts";
import { requestCodeSignedOut, resetProved } from "../../accounts/phone-actions.ts";
import { consolePage, RESET } from "../../forms/console-page.tsx";
import { NewPasswordField, PhoneFields, presetCountry, sentPhone } from "../../forms/credentials.tsx";
import { attempt, type Failure } from "../../forms/failure.ts";
import { Form, sentField } from "../../forms/form.tsx";
import { forAnyone, goTo, pathTo, type Visit } from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import { withinLimits } from "../../http/endpoint.ts";
import { listKeys } from "../../keys/actions.ts";
import { Choice } from "../../web/fields.tsx";
import { Submit, Way } from "../../web/parts.tsx";
import { byCode, CodeForm, sentCode } from "./code-form.tsx";
import { didOf, openToBrowser } from "./signing-in.ts";

/** The field that asks to revoke all API keys when the password is set. */
const REVOKE_KEYS_FIELD = "revoke_keys";

/** The fields for a new password, and for revoking the keys that somebody else may have made. */
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

/** Whom to ask without either code: the operator, if they publish a contact. */
function OperatorContact({ visit }: { visit: Visit }) {
	const { operatorContact } = visit.locale.identity;
	if (!operatorContact) return null;
	const shown = operatorContact.replace(/^(mailto:|https:\/\/)/, "");
	return (
		<p>
			{visit.words.forgot.byOperator} <a href={operatorContact}>{shown}</a>
		</p>
	);
}

function forgotPage(visit: Visit, failure: Failure | undefined, body: Child): Response {
	return consolePage(visit, { title: visit.words.forgot.title, failure, body: <section>{body}</section> });
}

/** The page that asks for the phone to which a one-time code is sent. */
function askForCodePage(visit: Visit, failure?: Failure): Response {
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
			<OperatorContact visit={visit} />
		</>,
	);
}

/** The page to enter the one-time code, once it was sent to the phone of the form. */
function enterCodePage(visit: Visit, failure?: Failure): Response {
	const { forgot } = visit.words;
	return forgotPage(
		visit,
		failure,
		<CodeForm visit={visit} action="/my/forgot/sms" button={forgot.button} failure={failure}>
			<NewPassword visit={visit} failure={failure} />
		</CodeForm>,
	);
}

/** The page to get back in with the recovery code. */
function recoveryPage(visit: Visit, failure?: Failure): Response {
	const { forgot } = visit.words;
	return forgotPage(
		visit,
		failure,
		<>
			<p>{forgot.text}</p>
			<OperatorContact visit={visit} />
			<Form visit={visit} action="/my/forgot/recovery">
				<PhoneFields visit={visit} country={presetCountry(visit)} failure={failure} />
				{sentField({ visit, failure }, "recovery_code", visit.words.account.recoveryTitle, {
					dir: "ltr",
					maxlength: 64,
				})}
				<NewPassword visit={visit} failure={failure} />
				<Submit class="first" text={forgot.button} />
			</Form>
		</>,
	);
}

/** Sets the new password of the form and signs in, even to a suspended account. The pages then say what it may still do. */
async function reset(visit: Visit, set: (wanted: PasswordReset) => Promise<SignedIn>): Promise<Response> {
	const { c, registry, form } = visit;
	const tokens = await withinLimits(registry, passwordLimits, async () => {
		const [password, revokesKeys] = [form.get("password") ?? "", form.has(REVOKE_KEYS_FIELD)];
		return set({ phone: sentPhone(visit), password, revokesKeys, isEvenSuspended: true });
	});
	const { caller, user } = await openToBrowser(c, tokens, false);
	const keys = user.suspendedAt === null ? await listKeys(registry, caller) : [];
	// Shows the keys, if there are any, because somebody else may have made them.
	return goTo(visit, keys.length > 0 ? "/my/keys" : "/my", { did: didOf(tokens, RESET) });
}

/** Sends a one-time code to the phone of the form, or, if the form holds the code, sets a new password and signs in. */
function resetBySms(visit: Visit): Promise<Response> {
	const { registry } = visit;
	const send = async (phone: string) => {
		await authCallLimit(registry);
		await requestCodeSignedOut(registry, phone);
	};
	const use = () => reset(visit, (wanted) => resetProved(registry, { ...wanted, otp: sentCode(visit) }));
	return byCode(visit, "INVALID_CREDENTIALS", { send, use }, (isSent, failure) =>
		isSent ? enterCodePage(visit, failure) : askForCodePage(visit, failure),
	);
}

/** Sets a new password by the recovery code, and signs in. */
function resetByRecoveryCode(visit: Visit): Promise<Response> {
	const { registry, form, words } = visit;
	const code = form.get("recovery_code") ?? "";
	return attempt(
		visit,
		() => reset(visit, (wanted) => resetPassword(registry, { ...wanted, code })),
		(failure) => {
			const isWrong = failure.code === "INVALID_CREDENTIALS";
			const wrong = { ...failure, field: "recovery_code", message: words.forgot.wrong };
			return recoveryPage(visit, isWrong ? wrong : failure);
		},
	);
}

/** Getting back in after a forgotten password: by SMS if the registry sends it, and by the recovery code. Mounted at /my/forgot. */
export const forgotRoutes = routesOf({
	"GET /": forAnyone((visit) => (visit.c.var.config.otpGateway ? askForCodePage(visit) : recoveryPage(visit))),
	"POST /sms": forAnyone(resetBySms),
	"GET /recovery": forAnyone((visit) => recoveryPage(visit)),
	"POST /recovery": forAnyone(resetByRecoveryCode),
});
