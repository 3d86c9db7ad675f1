import { authCallLimit, passwordLimits } from "../accounts/authentication.ts";
import { askingNetwork, codeContext, sendingForNetwork } from "../accounts/code-context.ts";
import { accountContext, loginThrottleOf } from "../accounts/endpoints.ts";
import { resetByOneTimeCode } from "../accounts/holder-endpoints.ts";
import { requestCodeSignedOut } from "../accounts/one-time-codes.ts";
import { resetPassword } from "../accounts/recovery.ts";
import { withinLimits } from "../http/endpoint.ts";
import { newRoutes } from "../http/routes.ts";
import { CODE_FIELD, sentCode } from "./code-form.tsx";
import { sentPhone } from "./credentials.tsx";
import { failureOf } from "./failure.ts";
import { askForCodePage, enterCodePage, recoveryPage } from "./forgot-pages.tsx";
import { openToBrowser } from "./signing-in.ts";
import { forAnyone, goTo, type Visit } from "./visit.ts";

/** Sends a one-time code to the phone of the form, or, where the form holds the code, sets a new password by it and signs in. */
async function resetBySms(visit: Visit): Promise<Response> {
	const { c, form, words } = visit;
	try {
		if (!form.has(CODE_FIELD)) {
			await authCallLimit(c);
			await requestCodeSignedOut(codeContext(c), sendingForNetwork(c), askingNetwork(c), await sentPhone(visit));
			return enterCodePage(visit);
		}
		const tokens = await withinLimits(c, passwordLimits, async () =>
			resetByOneTimeCode(c, await sentPhone(visit), sentCode(visit), form.get("password") ?? ""),
		);
		await openToBrowser(c, tokens, false);
	} catch (error) {
		const failure = failureOf(visit, error);
		// Whoever asks too soon for another code can still enter the one before.
		if (!form.has(CODE_FIELD) && failure.code !== "RATE_LIMITED") return askForCodePage(visit, failure);
		const isWrong = failure.code === "INVALID_CREDENTIALS";
		return enterCodePage(visit, isWrong ? { ...failure, field: CODE_FIELD, message: words.code.wrong } : failure);
	}
	return goTo(visit, "/my/account", { did: "password" });
}

/** Sets a new password by the recovery code, and signs in. */
async function resetByRecoveryCode(visit: Visit): Promise<Response> {
	const { c, form, words } = visit;
	try {
		const [code, password] = [form.get("recovery_code") ?? "", form.get("password") ?? ""];
		const tokens = await withinLimits(c, passwordLimits, async () =>
			resetPassword(accountContext(c), loginThrottleOf(c), { phone: await sentPhone(visit), code, password }),
		);
		await openToBrowser(c, tokens, false);
	} catch (error) {
		const failure = failureOf(visit, error);
		const isWrong = failure.code === "INVALID_CREDENTIALS";
		return recoveryPage(visit, isWrong ? { ...failure, field: "recovery_code", message: words.forgot.wrong } : failure);
	}
	return goTo(visit, "/my/account", { did: "password" });
}

/** Getting back in after a forgotten password: by SMS where the registry sends it, and by the recovery code. Mounted at /my/forgot. */
export const forgotRoutes = newRoutes()
	.get(
		"/",
		forAnyone((visit) => (visit.c.var.config.otpGateway ? askForCodePage(visit) : recoveryPage(visit))),
	)
	.post("/sms", forAnyone(resetBySms))
	.get(
		"/recovery",
		forAnyone((visit) => recoveryPage(visit)),
	)
	.post("/recovery", forAnyone(resetByRecoveryCode));
