import { confirmPassword } from "../../accounts/actions.ts";
import { passwordLimitsOf } from "../../accounts/authentication.ts";
import { clearCookie } from "../../forms/cookies.ts";
import { type Failure, failureOf } from "../../forms/failure.ts";
import { forAnyone, forSignedIn, goTo, type SignedInVisit, type Visit } from "../../forms/visit.ts";
import { newRoutes } from "../../http/app-env.ts";
import { withinLimits } from "../../http/endpoint.ts";
import { fill } from "../../languages/template.ts";
import { closeAccount, exportOf } from "../../personal-data/actions.ts";
import { durationText } from "../../web/measures.ts";
import { confirmedPage } from "./account-pages.tsx";
import { signInPage } from "./sign-in-pages.tsx";

function exportPage(visit: SignedInVisit, failure?: Failure): Response {
	const { exportTitle: title, exportText: text, exportButton: button } = visit.words.account;
	return confirmedPage(visit, { path: "/my/account/export", title, text, button }, failure);
}

/** Everything held about the visitor, as a file to save. */
async function download(visit: SignedInVisit): Promise<Response> {
	const { c, form, signedIn } = visit;
	try {
		await withinLimits(c.get("registry"), passwordLimitsOf(signedIn.user.id), () =>
			confirmPassword(c.get("registry"), signedIn.ownDataCaller, form.get("password") ?? ""),
		);
		const data = await exportOf(c.get("registry"), signedIn.user.id);
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
	const text = fill(deleteText, { days: daysUntilErasure(visit) });
	return confirmedPage(visit, { path: "/my/account/delete", title, text, button, isDanger: true }, failure);
}

async function deleteAccount(visit: SignedInVisit): Promise<Response> {
	const { c, form, signedIn } = visit;
	try {
		await withinLimits(c.get("registry"), passwordLimitsOf(signedIn.user.id), () =>
			closeAccount(c.get("registry"), signedIn.ownDataCaller, form.get("password") ?? ""),
		);
	} catch (error) {
		return deletePage(visit, failureOf(visit, error));
	}
	for (const name of ["session", "draft"] as const) clearCookie(c, name);
	return goTo(visit, "/my/deleted");
}

/** What is held about a person: their copy of it, and its deletion. Mounted at /my. */
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
		forAnyone((visit) =>
			signInPage(visit, false, undefined, fill(visit.words.account.deleted, { days: daysUntilErasure(visit) })),
		),
	);
