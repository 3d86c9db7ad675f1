import type { Context } from "hono";
import { verifyAccessToken } from "../accounts/access-token.ts";
import { login, register } from "../accounts/accounts.ts";
import { accountStore, passwordLimits, signInLimits } from "../accounts/authentication.ts";
import { accountContext, loginThrottleOf, newAccountLimit, sessionStart } from "../accounts/endpoints.ts";
import type { TokenPair } from "../accounts/session.ts";
import { findWebSession, openWebSession, type WebSession } from "../accounts/web-session.ts";
import type { AppEnv } from "../http/app-env.ts";
import { withinLimits } from "../http/endpoint.ts";
import { SECOND } from "../time.ts";
import { writeCookie } from "./cookies.ts";
import { sentPhone } from "./credentials.tsx";
import type { Visit } from "./visit.ts";

/** Opens the session of a fresh pair of tokens to this browser. The tokens themselves are dropped: a browser never holds them. */
export async function openToBrowser(c: Context<AppEnv>, { access }: TokenPair, isKept: boolean): Promise<WebSession> {
	const terms = sessionStart(c);
	const claims = await verifyAccessToken(access, terms.signingSecrets, terms.now);
	if (!claims) throw new Error("A fresh access token does not verify");
	const store = accountStore(c);
	const token = await openWebSession(store, claims.sessionId, isKept, terms);
	// The session itself ends sooner when it is not used.
	writeCookie(c, "session", token, isKept ? terms.lifetime / SECOND : undefined);
	const opened = await findWebSession(store, token, terms);
	if (!opened) throw new Error("A fresh session is not found");
	return opened;
}

/**
 * Signs in with what the form holds: `country`, `phone`, `password`, `keep`; opens an account first where `isNew`.
 * @throws AppError as `register` and `login` do; RATE_LIMITED.
 */
export async function signIn(visit: Visit, isNew: boolean): Promise<WebSession> {
	const { c, form } = visit;
	return withinLimits(c, isNew ? passwordLimits : signInLimits, async () => {
		const phone = await sentPhone(visit);
		const password = form.get("password") ?? "";
		const tokens = isNew
			? await register(accountContext(c), newAccountLimit(c), phone, password)
			: await login(accountContext(c), loginThrottleOf(c), phone, password);
		return openToBrowser(c, tokens, form.get("keep") === "yes");
	});
}
