import { changePassword, createRecoveryCode, listSessions } from "../../accounts/actions.ts";
import { passwordLimitsOf } from "../../accounts/authentication.ts";
import { answerPendingPhone, objectToClaim, ownAccount } from "../../accounts/phone-pending-actions.ts";
import { endOwnSession, endSession } from "../../accounts/session.ts";
import { SIGNED_UP } from "../../forms/console-page.tsx";
import { clearCookie } from "../../forms/cookies.ts";
import { type Failure, failureOf } from "../../forms/failure.ts";
import { forAnyone, forSignedIn, goTo, type SignedInVisit, safeNext, type Visit } from "../../forms/visit.ts";
import { newRoutes } from "../../http/app-env.ts";
import { withinLimits } from "../../http/endpoint.ts";
import { fill } from "../../languages/template.ts";
import { accountPage, confirmedPage, passwordPage, recoveryCodePage, sessionsPage } from "./account-pages.tsx";
import { nextOf, signInPage } from "./sign-in-pages.tsx";
import { openToBrowser, signIn } from "./signing-in.ts";

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
			const { c, signedIn } = visit;
			if (signedIn) await endSession(c.get("registry"), signedIn.session.id);
			for (const name of ["session", "draft", "form"] as const) clearCookie(c, name);
			c.header("Clear-Site-Data", '"cookies", "storage"');
			return goTo(visit, "/");
		}),
	)
	.get(
		"/account",
		forSignedIn(async (visit) => accountPage(visit, await own(visit), noticeOf(visit))),
	)
	.post("/account/pending-phone", forSignedIn(answerPhone))
	.post(
		"/account/phone-claimed",
		forSignedIn(async (visit) => {
			await objectToClaim(visit.registry, visit.signedIn.caller);
			return goTo(visit, "/my/account");
		}),
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
			const { c, form, signedIn } = visit;
			await endOwnSession(c.get("registry"), signedIn.caller, form.get("session") ?? "");
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
				const tokens = await withinLimits(c.get("registry"), passwordLimitsOf(signedIn.user.id), () =>
					changePassword(c.get("registry"), signedIn.caller, current, wanted),
				);
				await openToBrowser(c, tokens, (signedIn.session.idleMilliseconds ?? 0) > 86_400_000);
			} catch (error) {
				const failure = failureOf(visit, error);
				return passwordPage(visit, failure.code === "INVALID_CREDENTIALS" ? { ...failure, field: "current" } : failure);
			}
			return goTo(visit, "/my/account", { did: "password" });
		}),
	);

function own({ registry, signedIn }: SignedInVisit) {
	return ownAccount(registry, signedIn.caller);
}

/** Accepts or declines the number that an agent attested. */
async function answerPhone(visit: SignedInVisit): Promise<Response> {
	const { registry, form, signedIn } = visit;
	const answer = { accepts: form.get("accept") !== "no", password: form.get("password") ?? "" };
	try {
		const { pending } = await withinLimits(registry, passwordLimitsOf(signedIn.user.id), () =>
			answerPendingPhone(registry, signedIn.caller, answer),
		);
		return goTo(visit, "/my/account", answer.accepts && !pending ? { did: "phone" } : {});
	} catch (error) {
		const failure = failureOf(visit, error);
		const { pending } = await own(visit);
		if (!pending) return goTo(visit, "/my/account");
		const { pendingTitle: title, pendingText, pendingAccept: button } = visit.words.account;
		// Pages of errors hold no whole number.
		const text = fill(pendingText, { phone: `\u2066…${pending.phone.slice(-3)}\u2069` });
		return confirmedPage(visit, { path: "/my/account/pending-phone", title, text, button }, failure);
	}
}

function recoveryPage(visit: SignedInVisit, failure?: Failure): Response {
	const { recoveryTitle: title, recoveryText: text, recoveryMake: button } = visit.words.account;
	const asked = visit.form.get("next") ?? visit.c.req.query("next");
	const next = asked && safeNext(asked);
	return confirmedPage(visit, { path: "/my/account/recovery", title, text, button, next }, failure);
}

async function makeRecoveryCode(visit: SignedInVisit): Promise<Response> {
	const { c, form, signedIn } = visit;
	try {
		const password = form.get("password") ?? "";
		const code = await withinLimits(c.get("registry"), passwordLimitsOf(signedIn.user.id), () =>
			createRecoveryCode(c.get("registry"), signedIn.caller, password),
		);
		return recoveryCodePage(visit, code, safeNext(form.get("next")));
	} catch (error) {
		return recoveryPage(visit, failureOf(visit, error));
	}
}

async function showSessions(visit: SignedInVisit): Promise<Response> {
	const { c, signedIn, words } = visit;
	const sessions = await listSessions(c.get("registry"), signedIn.caller);
	return sessionsPage(visit, sessions, c.req.query("did") === "ended" ? words.account.ended : undefined);
}

function noticeOf({ c, words }: Visit): string | undefined {
	const notices: Record<string, string> = { password: words.account.changed, phone: words.account.phoneChanged };
	return notices[c.req.query("did") ?? ""];
}
