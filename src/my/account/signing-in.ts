import type { Context } from "hono";
import { verifyAccessToken } from "../../accounts/access-token.ts";
import { login, register, type SignedIn } from "../../accounts/actions.ts";
import { passwordLimits, passwordLimitsOf, signInLimits } from "../../accounts/bearer-auth.ts";
import { sessionLifetime, type TokenPair } from "../../accounts/session.ts";
import { findWebSession, openWebSession, type WebSession } from "../../accounts/web-session.ts";
import { SIGNED_UP } from "../../forms/console-page.tsx";
import { writeCookie } from "../../forms/cookies.ts";
import { sentPhone } from "../../forms/credentials.tsx";
import type { SignedInVisit, Visit } from "../../forms/visit.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { withinLimits } from "../../http/endpoint.ts";
import { SECOND } from "../../time/time.ts";

/** Opens the session of a new pair of tokens to this browser. The tokens are dropped: a browser never holds them. */
export async function openToBrowser(
	c: Context<AppEnv>,
	{ access }: TokenPair,
	isRemembered: boolean,
): Promise<WebSession> {
	const registry = c.get("registry");
	const claims = await verifyAccessToken(access, registry.settings.signingSecrets, registry.now);
	if (!claims) throw new Error("A fresh access token does not verify");
	const token = await openWebSession(registry, claims.sessionId, isRemembered);
	// The session itself ends sooner if it is not used.
	writeCookie(c, "session", token, isRemembered ? sessionLifetime(registry) / SECOND : undefined);
	const opened = await findWebSession(registry, token);
	if (!opened) throw new Error("A fresh session is not found");
	return opened;
}

/** The `?did=` of the page after a sign-in: "reopened" if that opened a closed account again, else `usual`. */
export function didOf<Usual>({ user }: SignedIn, usual: Usual): Usual | "reopened" {
	return user.eraseAt === null ? usual : "reopened";
}

/**
 * Signs in with the form's `country`, `phone`, `password` and `keep`. If `isNew`, it opens an account first.
 * @throws AppError As `register` and `login` do, but not for a suspended account; RATE_LIMITED.
 */
export async function signIn(visit: Visit, isNew: boolean): Promise<{ signedIn: WebSession; did: string | undefined }> {
	const { c, registry, form } = visit;
	return withinLimits(registry, isNew ? passwordLimits : signInLimits, async () => {
		const phone = sentPhone(visit);
		const password = form.get("password") ?? "";
		// A suspended account may sign in: all pages say that it is suspended, except those to export and delete its data.
		const tokens = await (isNew ? register(registry, phone, password) : login(registry, phone, password, true));
		const signedIn = await openToBrowser(c, tokens, form.get("keep") === "yes");
		return { signedIn, did: didOf(tokens, isNew ? SIGNED_UP : undefined) };
	});
}

/** Does something with the password of the form, within the limits on password tries. */
export function withPassword<Result>(
	{ registry, form, signedIn }: SignedInVisit,
	act: (password: string) => Promise<Result>,
): Promise<Result> {
	return withinLimits(registry, passwordLimitsOf(signedIn.session), () => act(form.get("password") ?? ""));
}
