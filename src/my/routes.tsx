import { AppError } from "../errors.ts";
import { consolePage, keepPrivate } from "../forms/console-page.tsx";
import { failureOf } from "../forms/failure.ts";
import { FOREIGN_FORM, pathTo, readVisit, type Visit } from "../forms/visit.ts";
import { newRoutes } from "../http/app-env.ts";
import { logTurnedAway } from "../limits/suspicious.ts";
import { ButtonLine, LinkItems } from "../web/parts.tsx";
import { forgotRoutes } from "./account/forgot-routes.tsx";
import { phoneRoutes } from "./account/phone-routes.tsx";
import { accountRoutes } from "./account/routes.tsx";
import { ownAddressRoutes } from "./addresses/routes.tsx";
import { attestRoutes } from "./attest/routes.tsx";
import { newAddressRoutes } from "./create/routes.tsx";
import { fileRoutes } from "./file/routes.tsx";
import { keyRoutes } from "./keys/routes.tsx";

/** Links to all that the holder of a suspended account can do. */
function OwnData({ visit }: { visit: Visit }) {
	const { exportTitle, deleteTitle } = visit.words.account;
	return (
		<section>
			<ul class="doors">
				<LinkItems
					links={[
						[pathTo(visit, "/my/account/export"), exportTitle],
						[pathTo(visit, "/my/account/delete"), deleteTitle],
					]}
				/>
			</ul>
		</section>
	);
}

/** The web console, mounted at /my. Every step is a plain form, and works without a script. */
export const consoleRoutes = newRoutes()
	.use(keepPrivate)
	.route("/file", fileRoutes)
	.route("/new", newAddressRoutes)
	.route("/keys", keyRoutes)
	.route("/attest", attestRoutes)
	.route("/forgot", forgotRoutes)
	.route("/account/phone", phoneRoutes)
	.route("/", accountRoutes)
	.route("/", ownAddressRoutes);

consoleRoutes.onError(async (error, c) => {
	// Without the form, because that may be what was refused.
	const visit = await readVisit(c, new URLSearchParams());
	const failure = failureOf(visit, error);
	const isForeignForm = error instanceof AppError && error.detail === FOREIGN_FORM;
	const message = isForeignForm ? visit.words.errors.form : failure.message;
	if (c.req.method === "POST" && failure.code === "FORBIDDEN") logTurnedAway(c.get("registry"), "form_refused");
	return consolePage(visit, {
		title: message,
		hasHeading: true,
		failure: { ...failure, field: undefined, message },
		body:
			visit.signedIn && failure.code === "ACCOUNT_SUSPENDED" ? (
				<OwnData visit={visit} />
			) : (
				<ButtonLine to={pathTo(visit, "/my")} text={visit.words.list.title} />
			),
	});
});
