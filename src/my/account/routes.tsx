import { changePassword, createRecoveryCode, listSessions } from "../../accounts/actions.ts";
import { answerPendingPhone, objectToClaim, ownAccount } from "../../accounts/phone-pending-actions.ts";
import { endOwnSession, endSession } from "../../accounts/session.ts";
import { SIGNED_UP } from "../../forms/console-page.tsx";
import { clearCookie } from "../../forms/cookies.ts";
import { attempt, type Failure, failureOf } from "../../forms/failure.ts";
import { forAnyone, forSignedIn, goTo, type SignedInVisit, safeNext, type Visit } from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import { fill } from "../../languages/template.ts";
import { accountPage, confirmedPage, passwordPage, recoveryCodePage, sessionsPage } from "./account-pages.tsx";
import { nextOf, signInPage } from "./sign-in-pages.tsx";
import { openToBrowser, signIn, withPassword } from "./signing-in.ts";

/** Signing in and out, and the account. Mounted at /my. */
export const accountRoutes = routesOf({
	"GET /sign-in": forAnyone((visit) => (visit.signedIn ? goTo(visit, "/my") : signInPage(visit, false))),
	"POST /sign-in": forAnyone((visit) => enter(visit, false)),
	"GET /sign-up": forAnyone((visit) => (visit.signedIn ? goTo(visit, "/my") : signInPage(visit, true))),
	"POST /sign-up": forAnyone((visit) => enter(visit, true)),
	"POST /sign-out": forAnyone(async (visit) => {
		const { c, registry, signedIn } = visit;
		if (signedIn) await endSession(registry, signedIn.session.id);
		for (const name of ["session", "draft", "form"] as const) clearCookie(c, name);
		c.header("Clear-Site-Data", '"cookies", "storage"');
		return goTo(visit, "/");
	}),
	"GET /account": forSignedIn(async (visit) => {
		const { changed, phoneChanged } = visit.words.account;
		const notices: Record<string, string> = { password: changed, phone: phoneChanged };
		return accountPage(visit, await own(visit), notices[visit.c.req.query("did") ?? ""]);
	}),
	"POST /account/pending-phone": forSignedIn(answerPhone),
	"POST /account/phone-claimed": forSignedIn(async (visit) => {
		await objectToClaim(visit.registry, visit.signedIn.caller);
		return goTo(visit, "/my/account");
	}),
	"GET /account/recovery": forSignedIn((visit) => recoveryPage(visit)),
	"POST /account/recovery": forSignedIn((visit) =>
		attempt(
			visit,
			async () => {
				const { registry, form, signedIn } = visit;
				const code = await withPassword(visit, (password) => createRecoveryCode(registry, signedIn.caller, password));
				return recoveryCodePage(visit, code, safeNext(form.get("next")));
			},
			(failure) => recoveryPage(visit, failure),
		),
	),
	"GET /account/sessions": forSignedIn(async (visit) => {
		const { c, registry, signedIn, words } = visit;
		const notice = c.req.query("did") === "ended" ? words.account.ended : undefined;
		return sessionsPage(visit, await listSessions(registry, signedIn.caller), notice);
	}),
	"POST /account/sessions": forSignedIn(async (visit) => {
		const { registry, form, signedIn } = visit;
		await endOwnSession(registry, signedIn.caller, form.get("session") ?? "");
		return goTo(visit, "/my/account/sessions", { did: "ended" });
	}),
	"GET /account/password": forSignedIn((visit) => passwordPage(visit)),
	"POST /account/password": forSignedIn((visit) =>
		attempt(
			visit,
			async () => {
				const { c, registry, form, signedIn } = visit;
				const tokens = await withPassword(visit, (wanted) =>
					changePassword(registry, signedIn.caller, form.get("current") ?? "", wanted),
				);
				await openToBrowser(c, tokens, (signedIn.session.idleMilliseconds ?? 0) > 86_400_000);
				return goTo(visit, "/my/account", { did: "password" });
			},
			(failure) =>
				passwordPage(visit, failure.code === "INVALID_CREDENTIALS" ? { ...failure, field: "current" } : failure),
		),
	),
});

/** Signs in or opens an account, and goes on to where the visitor wanted to be. */
function enter(visit: Visit, isNew: boolean): Promise<Response> {
	return attempt(
		visit,
		async () => {
			await signIn(visit, isNew);
			const next = nextOf(visit);
			return visit.c.redirect(isNew ? `${next}${next.includes("?") ? "&" : "?"}did=${SIGNED_UP}` : next, 303);
		},
		(failure) => signInPage(visit, isNew && failure.code !== "PHONE_TAKEN", failure),
	);
}

function own({ registry, signedIn }: SignedInVisit) {
	return ownAccount(registry, signedIn.caller);
}

/** Accepts or declines the number that an agent attested. */
async function answerPhone(visit: SignedInVisit): Promise<Response> {
	const { registry, form, signedIn } = visit;
	const accepts = form.get("accept") !== "no";
	try {
		const { pending } = await withPassword(visit, (password) =>
			answerPendingPhone(registry, signedIn.caller, { accepts, password }),
		);
		return goTo(visit, "/my/account", accepts && !pending ? { did: "phone" } : {});
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
