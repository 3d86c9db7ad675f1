import { callLimitOf, passwordLimitsOf } from "../../accounts/authentication.ts";
import { requestCode, verifyPhone } from "../../accounts/phone-actions.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { ConfirmingPasswordField, PhoneFields, presetCountry, sentPhone } from "../../forms/credentials.tsx";
import { type Failure, failureOf } from "../../forms/failure.ts";
import { Form } from "../../forms/form.tsx";
import { forSignedIn, goTo, pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { newRoutes } from "../../http/app-env.ts";
import { withinLimits } from "../../http/endpoint.ts";
import { CODE_FIELD, CodeForm, sentCode } from "./code-form.tsx";

const PATH = "/my/account/phone";

/** The page of the account's phone number, before or after a code was sent to the one of the form. */
function phonePage(visit: SignedInVisit, isSent: boolean, failure?: Failure): Response {
	const { account, code, cancel } = visit.words;
	const { identity } = visit.locale;
	return consolePage(visit, {
		title: account.phoneTitle,
		failure,
		body: (
			<section>
				{isSent ? (
					<CodeForm visit={visit} action={PATH} button={account.phoneTitle} failure={failure}>
						<ConfirmingPasswordField visit={visit} failure={failure} />
					</CodeForm>
				) : visit.c.var.config.otpGateway ? (
					<>
						<p>{account.phoneText}</p>
						<Form visit={visit} action={PATH}>
							<PhoneFields visit={visit} country={presetCountry(visit)} failure={failure} />
							<button type="submit" class="first">
								{code.send}
							</button>
						</Form>
					</>
				) : (
					<>
						<p>{account.phoneNoSms}</p>
						{identity.operatorContact ? (
							<p>
								<a href={identity.operatorContact}>{identity.operatorContact.replace(/^(mailto:|https:\/\/)/, "")}</a>
							</p>
						) : null}
					</>
				)}
				<p class="way">
					<a href={pathTo(visit, "/my/account")}>{cancel}</a>
				</p>
			</section>
		),
	});
}

/** Sends a one-time code to the phone of the form, or, where the form holds the code, makes the number the account's. */
async function changePhone(visit: SignedInVisit): Promise<Response> {
	const { c, form, signedIn, words } = visit;
	const { caller } = signedIn;
	const userId = signedIn.user.id;
	try {
		if (!form.has(CODE_FIELD)) {
			await callLimitOf(userId)(c.get("registry"));
			await requestCode(c.get("registry"), caller, await sentPhone(visit));
			return phonePage(visit, true);
		}
		await withinLimits(c.get("registry"), passwordLimitsOf(userId), async () => {
			const proof = { phone: await sentPhone(visit), code: sentCode(visit), password: form.get("password") ?? "" };
			await verifyPhone(c.get("registry"), caller, proof);
		});
	} catch (error) {
		const failure = failureOf(visit, error);
		// Whoever asks too soon for another code can still enter the one before.
		if (!form.has(CODE_FIELD) && failure.code !== "RATE_LIMITED") return phonePage(visit, false, failure);
		const isWrong = failure.code === "INVALID_REQUEST";
		return phonePage(visit, true, isWrong ? { ...failure, field: CODE_FIELD, message: words.code.wrong } : failure);
	}
	return goTo(visit, "/my/account", { did: "phone" });
}

/** The phone number of an account. Mounted at /my/account/phone. */
export const phoneRoutes = newRoutes()
	.get(
		"/",
		forSignedIn((visit) => phonePage(visit, false)),
	)
	.post("/", forSignedIn(changePhone));
