import { confirmPassword } from "../../accounts/actions.ts";
import { clearCookie } from "../../forms/cookies.ts";
import { attempt, type Failure } from "../../forms/failure.ts";
import { forAnyone, forSignedIn, goTo, type SignedInVisit, type Visit } from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import { fill } from "../../languages/template.ts";
import { closeAccount, exportOf } from "../../personal-data/actions.ts";
import { durationText } from "../../web/measures.ts";
import { confirmedPage } from "./account-pages.tsx";
import { signInPage } from "./sign-in-pages.tsx";
import { withPassword } from "./signing-in.ts";

function exportPage(visit: SignedInVisit, failure?: Failure): Response {
	const { exportTitle: title, exportText: text, exportButton: button } = visit.words.account;
	return confirmedPage(visit, { path: "/my/account/export", title, text, button }, failure);
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

/** What is held about a person: their copy of it, as a file to save, and its deletion. Mounted at /my. */
export const personalDataRoutes = routesOf({
	"GET /account/export": forSignedIn((visit) => exportPage(visit)),
	"POST /account/export": forSignedIn((visit) =>
		attempt(
			visit,
			async () => {
				const { c, registry, signedIn } = visit;
				await withPassword(visit, (password) => confirmPassword(registry, signedIn.ownDataCaller, password));
				const data = await exportOf(registry, signedIn.user.id);
				const file = `attachment; filename="${data.exported_at.slice(0, 10)}.json"`;
				return c.json(data, 200, { "Content-Disposition": file });
			},
			(failure) => exportPage(visit, failure),
		),
	),
	"GET /account/delete": forSignedIn((visit) => deletePage(visit)),
	"POST /account/delete": forSignedIn((visit) =>
		attempt(
			visit,
			async () => {
				const { c, registry, signedIn } = visit;
				await withPassword(visit, (password) => closeAccount(registry, signedIn.ownDataCaller, password));
				for (const name of ["session", "draft"] as const) clearCookie(c, name);
				return goTo(visit, "/my/deleted");
			},
			(failure) => deletePage(visit, failure),
		),
	),
	"GET /deleted": forAnyone((visit) =>
		signInPage(visit, false, undefined, fill(visit.words.account.deleted, { days: daysUntilErasure(visit) })),
	),
});
