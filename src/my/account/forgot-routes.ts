import { resetPassword } from "../../accounts/actions.ts";
import { authCallLimit, passwordLimits } from "../../accounts/authentication.ts";
import { requestCodeSignedOut, resetProved } from "../../accounts/phone-actions.ts";
import type { TokenPair } from "../../accounts/session.ts";
import { sentPhone } from "../../forms/credentials.tsx";
import { attempt } from "../../forms/failure.ts";
import { forAnyone, goTo, type Visit } from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import { withinLimits } from "../../http/endpoint.ts";
import { byCode, sentCode } from "./code-form.tsx";
import { askForCodePage, enterCodePage, REVOKE_KEYS_FIELD, recoveryPage } from "./forgot-pages.tsx";
import { openToBrowser } from "./signing-in.ts";

/** What is reset: the password of a phone. */
interface NewPassword {
	phone: string;
	password: string;
	revokesKeys: boolean;
}

/** Sets the new password of the form, and signs in. */
async function reset(visit: Visit, set: (wanted: NewPassword) => Promise<TokenPair>): Promise<Response> {
	const { c, registry, form } = visit;
	const tokens = await withinLimits(registry, passwordLimits, async () => {
		const [password, revokesKeys] = [form.get("password") ?? "", form.has(REVOKE_KEYS_FIELD)];
		return set({ phone: await sentPhone(visit), password, revokesKeys });
	});
	await openToBrowser(c, tokens, false);
	// With the keys before their eyes, which somebody else may have made.
	return goTo(visit, "/my/keys", { did: "password" });
}

/** Sends a one-time code to the phone of the form, or, where the form holds the code, sets a new password by it and signs in. */
function resetBySms(visit: Visit): Promise<Response> {
	const { registry } = visit;
	const send = async () => {
		await authCallLimit(registry);
		await requestCodeSignedOut(registry, await sentPhone(visit));
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

/** Getting back in after a forgotten password: by SMS where the registry sends it, and by the recovery code. Mounted at /my/forgot. */
export const forgotRoutes = routesOf({
	"GET /": forAnyone((visit) => (visit.c.var.config.otpGateway ? askForCodePage(visit) : recoveryPage(visit))),
	"POST /sms": forAnyone(resetBySms),
	"GET /recovery": forAnyone((visit) => recoveryPage(visit)),
	"POST /recovery": forAnyone(resetByRecoveryCode),
});
