import { resetPassword } from "../../accounts/actions.ts";
import { authCallLimit, passwordLimits } from "../../accounts/authentication.ts";
import { requestCodeSignedOut, resetProved } from "../../accounts/phone-actions.ts";
import { sentPhone } from "../../forms/credentials.tsx";
import { failureOf } from "../../forms/failure.ts";
import { forAnyone, goTo, type Visit } from "../../forms/visit.ts";
import { newRoutes } from "../../http/app-env.ts";
import { withinLimits } from "../../http/endpoint.ts";
import { CODE_FIELD, sentCode } from "./code-form.tsx";
import { askForCodePage, enterCodePage, REVOKE_KEYS_FIELD, recoveryPage } from "./forgot-pages.tsx";
import { openToBrowser } from "./signing-in.ts";

/** Sends a one-time code to the phone of the form, or, where the form holds the code, sets a new password by it and signs in. */
async function resetBySms(visit: Visit): Promise<Response> {
	const { c, form, words } = visit;
	const registry = c.get("registry");
	try {
		if (!form.has(CODE_FIELD)) {
			await authCallLimit(registry);
			await requestCodeSignedOut(registry, await sentPhone(visit));
			return enterCodePage(visit);
		}
		const tokens = await withinLimits(registry, passwordLimits, async () =>
			resetProved(registry, {
				phone: await sentPhone(visit),
				otp: sentCode(visit),
				password: form.get("password") ?? "",
				revokesKeys: form.has(REVOKE_KEYS_FIELD),
			}),
		);
		await openToBrowser(c, tokens, false);
	} catch (error) {
		const failure = failureOf(visit, error);
		// Whoever asks too soon for another code can still enter the one before.
		if (!form.has(CODE_FIELD) && failure.code !== "RATE_LIMITED") return askForCodePage(visit, failure);
		const isWrong = failure.code === "INVALID_CREDENTIALS";
		return enterCodePage(visit, isWrong ? { ...failure, field: CODE_FIELD, message: words.code.wrong } : failure);
	}
	// With the keys before their eyes, which somebody else may have made.
	return goTo(visit, "/my/keys", { did: "password" });
}

/** Sets a new password by the recovery code, and signs in. */
async function resetByRecoveryCode(visit: Visit): Promise<Response> {
	const { c, form, words } = visit;
	const registry = c.get("registry");
	try {
		const [code, password] = [form.get("recovery_code") ?? "", form.get("password") ?? ""];
		const tokens = await withinLimits(registry, passwordLimits, async () =>
			resetPassword(registry, {
				phone: await sentPhone(visit),
				code,
				password,
				revokesKeys: form.has(REVOKE_KEYS_FIELD),
			}),
		);
		await openToBrowser(c, tokens, false);
	} catch (error) {
		const failure = failureOf(visit, error);
		const isWrong = failure.code === "INVALID_CREDENTIALS";
		return recoveryPage(visit, isWrong ? { ...failure, field: "recovery_code", message: words.forgot.wrong } : failure);
	}
	// With the keys before their eyes, which somebody else may have made.
	return goTo(visit, "/my/keys", { did: "password" });
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
