import { callLimitOf } from "../../accounts/bearer-auth.ts";
import { requestCode, verifyPhone } from "../../accounts/phone-actions.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { ConfirmingPasswordField, PhoneFields, presetCountry, sentPhone } from "../../forms/credentials.tsx";
import type { Failure } from "../../forms/failure.ts";
import { Form } from "../../forms/form.tsx";
import { forSignedIn, goTo, pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import { Submit, Way } from "../../web/parts.tsx";
import { byCode, CodeForm, sentCode } from "./code-form.tsx";
import { withPassword } from "./signing-in.ts";

const PATH = "/my/account/phone";

/** The page to change the account's phone number, before or after a code was sent to the number of the form. */
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
							<Submit class="first" text={code.send} />
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
				<Way to={pathTo(visit, "/my/account")} text={cancel} />
			</section>
		),
	});
}

/** The phone number of an account. Mounted at /my/account/phone. */
export const phoneRoutes = routesOf({
	"GET /": forSignedIn((visit) => phonePage(visit, false)),
	"POST /": forSignedIn((visit) => {
		const { registry, signedIn } = visit;
		const { caller, session } = signedIn;
		const send = async (phone: string) => {
			await callLimitOf(session)(registry);
			await requestCode(registry, caller, phone);
		};
		const use = async () => {
			await withPassword(visit, async (password) =>
				verifyPhone(registry, caller, { phone: sentPhone(visit), code: sentCode(visit), password }),
			);
			return goTo(visit, "/my/account", { did: "phone" });
		};
		return byCode(visit, "INVALID_REQUEST", { send, use }, (isSent, failure) => phonePage(visit, isSent, failure));
	}),
});
