import {
	changePassword,
	confirmPassword,
	createRecoveryCode,
	listSessions,
	newRecoveryCodeOf,
} from "../../accounts/actions.ts";
import { callLimitOf } from "../../accounts/bearer-auth.ts";
import { answerPendingPhone, objectToClaim, ownAccount } from "../../accounts/phone-pending-actions.ts";
import { endOwnSession, endSession, isJustSignedIn } from "../../accounts/session.ts";
import { evenSuspended } from "../../accounts/web-session.ts";
import { ownAmong } from "../../addresses/actions.ts";
import { clearCookie } from "../../forms/cookies.ts";
import { attempt, type Failure, failureOf } from "../../forms/failure.ts";
import {
	CARRIED_FIELD,
	forAnyone,
	forEvenSuspended,
	forSignedIn,
	goTo,
	type SignedInVisit,
	safeNext,
	type Visit,
} from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import { withinLimits } from "../../http/endpoint.ts";
import { fill } from "../../languages/template.ts";
import { closeAccount } from "../../personal-data/closing-actions.ts";
import { exportOf } from "../../personal-data/export-actions.ts";
import { DAY, timestamp } from "../../time/time.ts";
import { durationText } from "../../web/measures.ts";
import { accountPage, confirmedPage, passwordPage, recoveryCodePage, sessionsPage } from "./account-pages.tsx";
import { nextOf, signInPage } from "./sign-in-pages.tsx";
import { openToBrowser, signIn, withPassword } from "./signing-in.ts";

/** Signing in and out, the account, and the export and deletion of its holder's data. Mounted at /my. */
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
	"GET /account": forSignedIn(async (visit) => accountPage(visit, await own(visit))),
	"POST /account/pending-phone": forSignedIn(answerPhone),
	"POST /account/phone-claimed": forSignedIn(async (visit) => {
		await objectToClaim(visit.registry, visit.signedIn.caller);
		return goTo(visit, "/my/account");
	}),
	...formRoutes("/account/recovery", recoveryPage, makeRecoveryCode),
	...formRoutes(
		"/account/export",
		exportPage,
		async (visit) => {
			const { c, registry } = visit;
			const { caller } = evenSuspended(registry, visit.signedIn);
			await withPassword(visit, (password) => confirmPassword(registry, caller, password));
			const file = `attachment; filename="${timestamp(registry.now).slice(0, 10)}.json"`;
			const headers = { "Content-Type": "application/json", "Content-Disposition": file };
			return c.body(await exportOf(registry, caller), 200, headers);
		},
		forEvenSuspended,
	),
	...formRoutes(
		"/account/delete",
		deletePage,
		async (visit) => {
			const { c, registry } = visit;
			const { caller } = evenSuspended(registry, visit.signedIn);
			await withPassword(visit, (password) => closeAccount(registry, caller, password));
			for (const name of ["session", "draft"] as const) clearCookie(c, name);
			return goTo(visit, "/my/deleted");
		},
		forEvenSuspended,
	),
	"GET /deleted": forAnyone((visit) =>
		signInPage(visit, false, undefined, fill(visit.words.account.deleted, { days: daysUntilErasure(visit) })),
	),
	"GET /account/sessions": forSignedIn(async (visit) =>
		sessionsPage(visit, await listSessions(visit.registry, visit.signedIn.caller)),
	),
	"POST /account/sessions": forSignedIn(async (visit) => {
		const { registry, form, signedIn } = visit;
		await endOwnSession(registry, signedIn.caller, form.get("session") ?? "");
		return goTo(visit, "/my/account/sessions", { did: "ended" });
	}),
	...formRoutes("/account/password", changePasswordPage, async (visit) => {
		const { c, registry, form, signedIn } = visit;
		const tokens = await withPassword(visit, (wanted) =>
			changePassword(registry, signedIn.caller, form.get("current") ?? "", wanted),
		);
		await openToBrowser(c, tokens, (signedIn.session.idleMilliseconds ?? 0) > DAY);
		return goTo(visit, "/my/account", { did: "password" });
	}),
});

/** The routes of a form: its page, and its action. If the action fails, the page is shown again with what is wrong. */
function formRoutes<Path extends `/${string}`>(
	path: Path,
	page: (visit: SignedInVisit, failure?: Failure) => Response,
	act: (visit: SignedInVisit) => Promise<Response>,
	admitting = forSignedIn,
) {
	return {
		[`GET ${path}` as const]: admitting((visit) => page(visit)),
		[`POST ${path}` as const]: admitting((visit) =>
			attempt(
				visit,
				() => act(visit),
				(failure) => page(visit, failure),
			),
		),
	};
}

/** Signs in or opens an account, and goes on to where the visitor wanted to be, with the form that they had sent there. */
function enter(visit: Visit, isNew: boolean): Response | Promise<Response> {
	const { c, form, words } = visit;
	const sentTo = c.req.query("for");
	if (sentTo) {
		const carried = new URLSearchParams({ [CARRIED_FIELD]: `${sentTo}?${form}` });
		return signInPage({ ...visit, form: carried }, isNew, undefined, words.signIn.needed);
	}
	return attempt(
		visit,
		async () => {
			const { did } = await signIn(visit, isNew);
			const [path] = form.get(CARRIED_FIELD)?.split("?") ?? [];
			if (path) return c.redirect(safeNext(path), 307);
			const next = nextOf(visit);
			return c.redirect(did ? `${next}${next.includes("?") ? "&" : "?"}did=${did}` : next, 303);
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
		// Error pages show no complete phone number.
		const text = fill(pendingText, { phone: `\u2066…${pending.phone.slice(-3)}\u2069` });
		return confirmedPage(visit, { path: "/my/account/pending-phone", title, text, button }, failure);
	}
}

/**
 * Makes a recovery code, and shows it with the sign of the address whose page asked for it. A visitor who has just signed in needs no
 * password.
 */
async function makeRecoveryCode(visit: SignedInVisit): Promise<Response> {
	const { registry, form, signedIn } = visit;
	const isTyped = form.has("password");
	if (!isTyped && !isJustSignedIn(registry, signedIn.session)) return recoveryPage(visit);
	const code = isTyped
		? await withPassword(visit, (password) => createRecoveryCode(registry, signedIn.caller, password))
		: await withinLimits(registry, [callLimitOf(signedIn.session)], () =>
				newRecoveryCodeOf(registry, signedIn.caller, signedIn.user),
			);
	const next = safeNext(form.get("next"));
	const [, named] = /^\/my\/([A-Z]{2}\d{9})\b/.exec(next) ?? [];
	const [address] = named ? await ownAmong(registry, signedIn.caller, [named]) : [];
	return recoveryCodePage(visit, code, next, address);
}

function recoveryPage(visit: SignedInVisit, failure?: Failure): Response {
	const { recoveryTitle: title, recoveryText: text, recoveryMake: button } = visit.words.account;
	const asked = visit.form.get("next") ?? visit.c.req.query("next");
	const next = asked && safeNext(asked);
	return confirmedPage(visit, { path: "/my/account/recovery", title, text, button, next }, failure);
}

function exportPage(visit: SignedInVisit, failure?: Failure): Response {
	const { exportTitle: title, exportText: text, exportButton: button } = visit.words.account;
	return confirmedPage(visit, { path: "/my/account/export", title, text, button }, failure);
}

/** How long a deleted account can be opened again, in words. */
function daysUntilErasure({ c, locale }: Visit): string {
	return durationText(c.var.config.numbers.ACCOUNT_ERASURE_DAYS, "day", locale.language);
}

function deletePage(visit: SignedInVisit, failure?: Failure): Response {
	const { deleteTitle: title, deleteText, deleteButton: button } = visit.words.account;
	const text = fill(deleteText, { days: daysUntilErasure(visit) });
	return confirmedPage(visit, { path: "/my/account/delete", title, text, button, isDanger: true }, failure);
}

function changePasswordPage(visit: SignedInVisit, failure?: Failure): Response {
	return passwordPage(visit, failure?.code === "INVALID_CREDENTIALS" ? { ...failure, field: "current" } : failure);
}
