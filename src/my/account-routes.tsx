import { changePassword } from "../accounts/accounts.ts";
import { accountStore, passwordLimitsOf } from "../accounts/authentication.ts";
import { accountContext, loginThrottleOf } from "../accounts/endpoints.ts";
import { createRecoveryCode } from "../accounts/recovery.ts";
import { endOwnSession, endSession } from "../accounts/session.ts";
import { withinLimits } from "../http/endpoint.ts";
import { newRoutes } from "../http/routes.ts";
import { accountPage, confirmedPage, passwordPage, recoveryCodePage, sessionsPage } from "./account-pages.tsx";
import { clearCookie } from "./cookies.ts";
import { type Failure, failureOf } from "./failure.ts";
import { SIGNED_UP } from "./page.tsx";
import { nextOf, signInPage } from "./sign-in-pages.tsx";
import { openToBrowser, signIn } from "./signing-in.ts";
import { forAnyone, forSignedIn, goTo, type SignedInVisit, type Visit } from "./visit.ts";

/** Signs in or opens an account, and goes on to where the visitor wanted to be. */
async function enter(visit: Visit, isNew: boolean): Promise<Response> {
	try {
		await signIn(visit, isNew);
	} catch (error) {
		const failure = failureOf(visit, error);
		return signInPage(visit, isNew && failure.code !== "PHONE_TAKEN", failure);
	}
	const next = nextOf(visit);
	return visit.c.redirect(isNew ? `${next}${next.includes("?") ? "&" : "?"}did=${SIGNED_UP}` : next, 303);
}

/** Signing in and out, and the account. Mounted at /my. */
export const accountRoutes = newRoutes()
	.get(
		"/sign-in",
		forAnyone((visit) => (visit.signedIn ? goTo(visit, "/my") : signInPage(visit, false))),
	)
	.post(
		"/sign-in",
		forAnyone((visit) => enter(visit, false)),
	)
	.get(
		"/sign-up",
		forAnyone((visit) => (visit.signedIn ? goTo(visit, "/my") : signInPage(visit, true))),
	)
	.post(
		"/sign-up",
		forAnyone((visit) => enter(visit, true)),
	)
	.post(
		"/sign-out",
		forAnyone(async (visit) => {
			const { c, signedIn, now } = visit;
			if (signedIn) await endSession(accountStore(c), signedIn.session.id, now);
			for (const name of ["session", "draft", "form"] as const) clearCookie(c, name);
			c.header("Clear-Site-Data", '"cookies", "storage"');
			return goTo(visit, "/");
		}),
	)
	.get(
		"/account",
		forSignedIn((visit) => accountPage(visit, noticeOf(visit))),
	)
	.get(
		"/account/recovery",
		forSignedIn((visit) => recoveryPage(visit)),
	)
	.post("/account/recovery", forSignedIn(makeRecoveryCode))
	.get("/account/sessions", forSignedIn(showSessions))
	.post(
		"/account/sessions",
		forSignedIn(async (visit) => {
			const { c, form, signedIn, now } = visit;
			await endOwnSession(accountStore(c), signedIn.caller, form.get("session") ?? "", now);
			return goTo(visit, "/my/account/sessions", { did: "ended" });
		}),
	)
	.get(
		"/account/password",
		forSignedIn((visit) => passwordPage(visit)),
	)
	.post(
		"/account/password",
		forSignedIn(async (visit) => {
			const { c, form, signedIn } = visit;
			const current = form.get("current") ?? "";
			const wanted = form.get("password") ?? "";
			try {
				const tokens = await withinLimits(c, passwordLimitsOf(signedIn.user.id), () =>
					changePassword(accountContext(c), signedIn.caller, loginThrottleOf(c), current, wanted),
				);
				await openToBrowser(c, tokens, (signedIn.session.idleMilliseconds ?? 0) > 86_400_000);
			} catch (error) {
				const failure = failureOf(visit, error);
				return passwordPage(visit, failure.code === "INVALID_CREDENTIALS" ? { ...failure, field: "current" } : failure);
			}
			return goTo(visit, "/my/account", { did: "password" });
		}),
	);

function recoveryPage(visit: SignedInVisit, failure?: Failure): Response {
	const { recoveryTitle: title, recoveryText: text, recoveryMake: button } = visit.words.account;
	return confirmedPage(visit, { path: "/my/account/recovery", title, text, button }, failure);
}

async function makeRecoveryCode(visit: SignedInVisit): Promise<Response> {
	const { c, form, signedIn } = visit;
	try {
		const password = form.get("password") ?? "";
		const code = await withinLimits(c, passwordLimitsOf(signedIn.user.id), () =>
			createRecoveryCode(accountContext(c), signedIn.caller, loginThrottleOf(c), password),
		);
		return recoveryCodePage(visit, code);
	} catch (error) {
		return recoveryPage(visit, failureOf(visit, error));
	}
}

async function showSessions(visit: SignedInVisit): Promise<Response> {
	const { c, signedIn, now, words } = visit;
	const [sessions] = await signedIn.caller.runAs((userId) => [accountStore(c).liveSessions({ userId, now })]);
	return sessionsPage(visit, sessions, c.req.query("did") === "ended" ? words.account.ended : undefined);
}

function noticeOf({ c, words }: Visit): string | undefined {
	const notices: Record<string, string> = { password: words.account.changed, phone: words.account.phoneChanged };
	return notices[c.req.query("did") ?? ""];
}
