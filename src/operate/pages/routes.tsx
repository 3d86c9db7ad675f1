import { displayCode, parseCode } from "../../codes/code.ts";
import { digitsAlone } from "../../codes/code-text.ts";
import { LOCAL_ISSUER } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { keepPrivate } from "../../forms/console-page.tsx";
import { readCookie, writeCookie } from "../../forms/cookies.ts";
import { presetCountry } from "../../forms/credentials.tsx";
import type { Failure } from "../../forms/failure.ts";
import { newRoutes, routesOf } from "../../http/app-env.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { validateBody } from "../../http/validation.ts";
import { logTurnedAway } from "../../limits/suspicious.ts";
import { SECOND } from "../../time.ts";
import { ButtonLine } from "../../web/parts.tsx";
import { codesByCountry } from "../../web/which-code.tsx";
import {
	accountFor,
	agentsAtWork,
	listActs,
	listReports,
	overviewOf,
	pendingPhonesFor,
	zonesOfCountry,
} from "../actions.ts";
import { operatorEndpoints } from "../endpoints.ts";
import { hasOperators, operatorOf } from "../operator-access.ts";
import { zonesQuerySchema } from "../schemas.ts";
import { type Search, searchFor } from "../search.ts";
import { accountPage, FindForm, Links, RecordFacts } from "./account-page.tsx";
import { ActForm, bodyOf } from "./act-form.tsx";
import { reportInSight } from "./decision-page.tsx";
import { actsPage, agentsPage, pendingPhonesPage, reportsPage } from "./list-pages.tsx";
import { failureFor, forOperator, OPERATE, type OperatorVisit, openVisit, operatorPage } from "./operator-page.tsx";
import { overviewPage } from "./overview-page.tsx";
import { LISTED_MAX, zonesPage } from "./zones-page.tsx";

/** Acts or reports of one page. */
const PAGE_ROWS = 20;

/** Where the API of operators is. What it does under a path, the pages do under the same one behind OPERATE. */
const API = "/v1/operator";
const FIND = `${API}/accounts/find`;
const READ = `${API}/addresses/{code}/read`;
const DECIDE = `${API}/reports/{id}/decide`;

/** Tokens that were handed over in a URL. Each counts once there; an isolate forgets them no later than they expire. */
const handedOver = new Set<string>();

/** The form of an act, empty or as it was sent. */
async function actPage(visit: OperatorVisit, endpoint: Endpoint, failure?: Failure): Promise<Response> {
	const { c, form } = visit;
	const subject = Object.values(c.req.param())[0];
	const inSight = endpoint.path === DECIDE && subject ? await reportInSight(visit, subject) : null;
	return operatorPage(visit, {
		title: endpoint.summary,
		failure,
		body: (
			<>
				{inSight ?? (subject ? <p class="secret">{subject}</p> : null)}
				<p>{endpoint.description.replaceAll("`", "")}</p>
				{endpoint.path === FIND ? (
					<FindForm visit={visit} failure={failure} />
				) : (
					<ActForm
						visit={visit}
						endpoint={endpoint}
						action={c.req.path}
						sent={c.req.method === "POST" ? form : new URL(c.req.url).searchParams}
						failure={failure}
					/>
				)}
			</>
		),
	});
}

/** What to enter instead of the digits of a plate without its country. */
function whichCountry(digits: string): string {
	const codes = codesByCountry(digits, "en", undefined).map(({ code, name }) => `${displayCode(code)} (${name})`);
	return `Which country is this code in? Enter one of ${codes.join(", ")}. For a phone number, begin with a plus sign.`;
}

/** Does an act by the endpoint that the API has for it, and shows what came of it. */
async function doAct(visit: OperatorVisit, endpoint: Endpoint): Promise<Response> {
	const { c, form, registry, operator: caller } = visit;
	const { path } = endpoint;
	const isSearch = path === FIND;
	try {
		const digits = isSearch ? digitsAlone(form.get("who") ?? "") : undefined;
		if (digits) throw new AppError("MALFORMED_CODE", whichCountry(digits));
		const sent: Record<string, unknown> & Search = isSearch
			? { ...searchFor(form.get("who") ?? "", presetCountry(visit)), reason: form.get("reason") ?? "" }
			: bodyOf(endpoint, form);
		const body = endpoint.body && validateBody(endpoint.body, sent);
		const params = endpoint.params && validateBody(endpoint.params, c.req.param());
		const query = undefined;
		const done = (await endpoint.handle({ registry, c, caller, params, query, headers: query, body })) as {
			id: string;
			account?: string | null;
			act?: string;
			subject?: string;
			canonical?: string;
			display?: string;
		};
		// It is shown once, where it was asked for: a page to go back to would be read without a reason.
		if (path === READ) {
			const body = (
				<>
					<RecordFacts record={done} />
					<Links
						links={[[`/accounts/${done.account}?code=${done.canonical}`, "Go to its account, to hide or retire it"]]}
					/>
				</>
			);
			return operatorPage(visit, { title: `Address ${done.display}`, body });
		}
		const account = isSearch ? done.id : done.account;
		const code = isSearch
			? sent.code && parseCode(sent.code).canonical
			: /^[A-Z]{2}\d{9}$/.exec(done.subject ?? "")?.[0];
		const parameters = new URLSearchParams({ ...(code && { code }), did: done.act ?? "find" });
		const next = path.startsWith(`${API}/reports/`) ? "/reports" : account ? `/accounts/${account}` : "";
		return c.redirect(`${OPERATE}${next}?${parameters}`, 303);
	} catch (error) {
		const failure = failureFor(visit, error);
		const isOfSearch = isSearch && failure.field !== "reason";
		return actPage(visit, endpoint, isOfSearch ? { ...failure, field: "who" } : failure);
	}
}

/** The form of each act, and doing it, under the path that the API has for it. */
const acts = Object.fromEntries(
	operatorEndpoints
		.filter(({ method }) => method === "post")
		.flatMap((endpoint) => {
			const path = endpoint.path.slice(API.length).replace(/\{(\w+)\}/g, ":$1");
			return [
				[`GET ${path}`, forOperator((visit) => actPage(visit, endpoint))],
				[`POST ${path}`, forOperator((visit) => doAct(visit, endpoint))],
			];
		}),
);

/** What operators do and see, as pages, mounted at /operate. Every act is a plain form, and works without a script. */
export const operatorRoutes = newRoutes()
	.use(async (c, next) => {
		// Nobody learns of pages for operators where there are none.
		if (!hasOperators(c.get("registry"))) return c.notFound();
		return next();
	})
	.use(keepPrivate)
	// The operator of a developer's own machine has no proxy that puts a token into a header: it comes once in the URL that the command
	// line prints.
	.get("/", async (c, next) => {
		const registry = c.get("registry");
		const token = c.req.query("token");
		if (token === undefined || registry.settings.operators?.issuer !== LOCAL_ISSUER) return next();
		// The same browser once more, as by its history.
		if (token === readCookie(c, "operator")) return c.redirect(OPERATE, 303);
		const { expiresAt } = await operatorOf(registry, handedOver.has(token) ? undefined : token);
		handedOver.add(token);
		writeCookie(c, "operator", token, Math.floor((expiresAt - registry.now) / SECOND), "Strict");
		return c.redirect(OPERATE, 303);
	})
	.route(
		"/",
		routesOf({
			...acts,
			"GET /": forOperator(async (visit) => overviewPage(visit, await overviewOf(visit.registry))),
			"GET /acts": forOperator(async (visit) => {
				const asked = new URL(visit.c.req.url).searchParams;
				const { about = "", operator, act, cursor } = Object.fromEntries(asked);
				const concerned = about.startsWith("usr_") ? { account: about } : { subject: about };
				const wanted = { ...concerned, operator, act, cursor, limit: PAGE_ROWS };
				return actsPage(visit, asked, await listActs(visit.registry, wanted));
			}),
			"GET /reports": forOperator(async (visit) => {
				const { all, cursor } = visit.c.req.query();
				const wanted = { limit: PAGE_ROWS, cursor, isWaiting: all === undefined };
				return reportsPage(visit, await listReports(visit.registry, visit.operator, wanted), wanted.isWaiting);
			}),
			"GET /agents": forOperator(async (visit) =>
				agentsPage(visit, await agentsAtWork(visit.registry, visit.operator)),
			),
			"GET /pending-phones": forOperator(async (visit) =>
				pendingPhonesPage(visit, await pendingPhonesFor(visit.registry, visit.operator)),
			),
			"GET /zones": forOperator(({ c }) =>
				c.redirect(`${OPERATE}/zones/${encodeURIComponent(c.req.query("country")?.toUpperCase() ?? "")}`),
			),
			"GET /zones/:country": forOperator(async (visit) => {
				const { country } = validateBody(zonesQuerySchema, visit.c.req.param());
				return zonesPage(visit, country, await zonesOfCountry(visit.registry, country, LISTED_MAX));
			}),
			"GET /accounts/:id": forOperator(async (visit) =>
				accountPage(visit, await accountFor(visit.registry, visit.operator, visit.c.req.param("id") ?? "")),
			),
		}),
	);

operatorRoutes.onError(async (error, c) => {
	const { operators } = c.get("registry").settings;
	const visit = await openVisit(c);
	const failure = failureFor(visit, error);
	if (failure.code === "FORBIDDEN") logTurnedAway(c.get("registry"), "form_refused");
	const isStranger = failure.code === "UNAUTHENTICATED";
	return operatorPage(visit, {
		title: isStranger ? "Sign in as an operator" : "This did not work",
		failure: { ...failure, field: undefined },
		isOutside: isStranger,
		body: isStranger ? (
			<p>
				{operators?.issuer === LOCAL_ISSUER ? (
					<>
						Run <code>npm run --silent registry -- operator-token</code> on this machine, and open the URL that it
						prints. It works once, and you stay signed in for an hour.
					</>
				) : (
					"Load this page again to sign in with your organisation's account. If that does not help, ask whoever runs the registry " +
					"to put /operate behind its identity provider, and you on its list."
				)}
			</p>
		) : (
			<ButtonLine to={OPERATE} text="Back to the overview" />
		),
	});
});
