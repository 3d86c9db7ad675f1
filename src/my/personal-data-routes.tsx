import { confirmPassword } from "../accounts/accounts.ts";
import { passwordLimitsOf } from "../accounts/authentication.ts";
import { accountContext, loginThrottleOf } from "../accounts/endpoints.ts";
import { withinLimits } from "../http/endpoint.ts";
import { newRoutes } from "../http/routes.ts";
import { closeAccountOf, exportOf } from "../personal-data/endpoints.ts";
import { confirmedPage } from "./account-pages.tsx";
import { clearCookie } from "./cookies.ts";
import { type Failure, failureOf } from "./failure.ts";
import { signInPage } from "./sign-in-pages.tsx";
import { durationText } from "./times.ts";
import { forAnyone, forSignedIn, goTo, type SignedInVisit, type Visit } from "./visit.ts";

function exportPage(visit: SignedInVisit, failure?: Failure): Response {
	const { exportTitle: title, exportText: text, exportButton: button } = visit.words.account;
	return confirmedPage(visit, { path: "/my/account/export", title, text, button }, failure);
}

/** Everything held on the visitor, as a file to save. */
async function download(visit: SignedInVisit): Promise<Response> {
	const { c, form, signedIn } = visit;
	try {
		await withinLimits(c, passwordLimitsOf(signedIn.user.id), () =>
			confirmPassword(accountContext(c), signedIn.caller, loginThrottleOf(c), form.get("password") ?? ""),
		);
		const data = await exportOf(c, signedIn.user.id);
		return c.json(data, 200, { "Content-Disposition": `attachment; filename="${data.exported_at.slice(0, 10)}.json"` });
	} catch (error) {
		return exportPage(visit, failureOf(visit, error));
	}
}

/** How long a deleted account can come back, in words. */
function daysUntilErasure({ c, locale }: Visit): string {
	return durationText(c.var.config.limits.ACCOUNT_ERASURE_DAYS, "day", locale.language);
}

function deletePage(visit: SignedInVisit, failure?: Failure): Response {
	const { deleteTitle: title, deleteText, deleteButton: button } = visit.words.account;
	const text = deleteText(daysUntilErasure(visit));
	return confirmedPage(visit, { path: "/my/account/delete", title, text, button, isDanger: true }, failure);
}

async function deleteAccount(visit: SignedInVisit): Promise<Response> {
	const { c, form, signedIn } = visit;
	try {
		await withinLimits(c, passwordLimitsOf(signedIn.user.id), () =>
			closeAccountOf(c, signedIn.caller, form.get("password") ?? ""),
		);
	} catch (error) {
		return deletePage(visit, failureOf(visit, error));
	}
	for (const name of ["session", "draft"] as const) clearCookie(c, name);
	return goTo(visit, "/my/deleted");
}

/** What is held on a person: their copy of it, and its deletion. Mounted at /my. */
export const personalDataRoutes = newRoutes()
	.get(
		"/account/export",
		forSignedIn((visit) => exportPage(visit)),
	)
	.post("/account/export", forSignedIn(download))
	.get(
		"/account/delete",
		forSignedIn((visit) => deletePage(visit)),
	)
	.post("/account/delete", forSignedIn(deleteAccount))
	.get(
		"/deleted",
		forAnyone((visit) => signInPage(visit, false, undefined, visit.words.account.deleted(daysUntilErasure(visit)))),
	);
