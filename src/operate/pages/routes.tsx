import type { Child } from "hono/jsx";
import { type Act, pathOf, reasonAlone, type Target } from "../../acts/act.ts";
import { acts } from "../../acts/acts.ts";
import { LOCAL_ISSUER } from "../../acts/identity.ts";
import { report } from "../../acts/report-acts.ts";
import { displayCode, isCanonical, parseCode } from "../../codes/code.ts";
import { codeWithoutCountry } from "../../codes/code-guess.ts";
import { AppError } from "../../errors.ts";
import { keepPrivate } from "../../forms/console-page.tsx";
import { readCookie, writeCookie } from "../../forms/cookies.ts";
import { presetCountry } from "../../forms/credentials.tsx";
import type { Failure } from "../../forms/failure.ts";
import { newRoutes, routesOf } from "../../http/app-env.ts";
import { validateBody } from "../../http/validation.ts";
import { logTurnedAway } from "../../limits/suspicious.ts";
import { SECOND } from "../../time/time.ts";
import { ButtonLine, CodeLine } from "../../web/parts.tsx";
import { bodyOf, fieldLabel } from "../act-fields.ts";
import {
	accountFor,
	agentsAtWork,
	findAccount,
	listActs,
	listAllReports,
	overviewOf,
	pendingPhonesFor,
	runAct,
	zonesOfCountry,
} from "../actions.ts";
import { hasOperators, operatorOf } from "../operator-access.ts";
import { findRequestSchema, zonesQuerySchema } from "../schemas.ts";
import { searchFor } from "../search.ts";
import { operatedAccountPage } from "./account-page.tsx";
import { ActForm, Links } from "./act-form.tsx";
import { reportInSight } from "./decision-page.tsx";
import { FindForm, WhichCountry } from "./find-form.tsx";
import { actsPage, agentsPage, pendingPhonesPage, reportsPage } from "./list-pages.tsx";
import { failureFor, forOperator, OPERATE, type OperatorVisit, openVisit, operatorPage } from "./operator-page.tsx";
import { overviewPage } from "./overview-page.tsx";
import { accountLinks, RecordFacts } from "./record-parts.tsx";
import { LISTED_MAX, zonesPage } from "./zones-page.tsx";

/** Acts or reports of one page. */
const PAGE_ROWS = 20;

/** Tokens that were handed over in a URL. Each counts once there; an isolate forgets them no later than they expire. */
const handedOver = new Set<string>();

/** What is acted on, as people know it. */
async function inSightOf(visit: OperatorVisit, { on }: Act, subject: string): Promise<Child> {
	if (on.name === "account") return <p>{(await accountLinks(visit, [subject]))(subject)}</p>;
	if (isCanonical(subject)) return <CodeLine canonical={subject} />;
	return (on.name === "report" ? await reportInSight(visit, subject) : null) ?? <p class="secret">{subject}</p>;
}

/** The form of an act, empty or as it was sent. */
async function actPage(visit: OperatorVisit, act: Act, failure?: Failure): Promise<Response> {
	const { c, form } = visit;
	const subject = Object.values(c.req.param())[0] ?? "";
	const sent = c.req.method === "POST" ? form : new URL(c.req.url).searchParams;
	return operatorPage(visit, {
		title: act.summary,
		failure,
		body: (
			<>
				{await inSightOf(visit, act, subject)}
				<p>{act.description.replaceAll("`", "")}</p>
				<ActForm visit={visit} act={act} sent={sent} failure={failure} />
			</>
		),
	});
}

/** Does an act, and shows what came of it. */
async function doAct(visit: OperatorVisit, act: Act): Promise<Response> {
	const { c, form, registry, operator } = visit;
	try {
		const body = validateBody(
			act.body ?? reasonAlone,
			bodyOf(act, ({ name }) => form.getAll(name)),
		);
		const params = validateBody(act.on.params, c.req.param());
		const { found, row } = await runAct(registry, act, operator, params, body);
		const code = isCanonical(row.subject) ? row.subject : "";
		const account = `/accounts/${row.userId}${code && `?code=${code}`}`;
		// It is shown once, where it was asked for: a page to go back to would be read without a reason.
		if (!act.done && act.answers) {
			const record = await act.answers.read(registry, found);
			const body = (
				<>
					<RecordFacts record={record} />
					<Links links={[[account, "Open its account to hide or retire it"]]} />
				</>
			);
			return operatorPage(visit, {
				title: `${fieldLabel(act.on.name)} ${code ? displayCode(code) : row.subject}`,
				body,
			});
		}
		const next = act.on === (report as Target) ? "/reports" : row.userId ? account : "/";
		const url = new URL(OPERATE + next, c.req.url);
		url.searchParams.set("did", act.name);
		return c.redirect(url.pathname + url.search, 303);
	} catch (error) {
		return actPage(visit, act, failureFor(visit, error));
	}
}

/** The form of each act, and doing it, under the path that the API has for it. */
const formsOfActs = Object.fromEntries(
	acts.flatMap((act) => {
		const path = `/${pathOf(act).replace(/\{(\w+)\}/g, ":$1")}`;
		return [
			[`GET ${path}`, forOperator((visit) => actPage(visit, act))],
			[`POST ${path}`, forOperator((visit) => doAct(visit, act))],
		];
	}),
);

function findPage(visit: OperatorVisit, failure?: Failure): Response {
	const body = (
		<>
			<WhichCountry visit={visit} />
			<FindForm visit={visit} failure={failure} />
		</>
	);
	return operatorPage(visit, { title: "Find a person", failure, body });
}

/** Finds a person, and goes to their account. */
async function find(visit: OperatorVisit): Promise<Response> {
	const { c, form, registry, operator } = visit;
	const who = form.get("who") ?? "";
	try {
		if (codeWithoutCountry(who)) {
			const { whichCountry } = visit.locale.messages;
			throw new AppError("MALFORMED_CODE", `${whichCountry} For a phone number, begin with a plus sign.`);
		}
		const sent = { ...searchFor(who, presetCountry(visit)), reason: form.get("reason") ?? "" };
		const { reason, ...search } = validateBody(findRequestSchema, sent);
		const { user } = await findAccount(registry, { operator, reason }, search);
		const code = search.code && `?code=${parseCode(search.code).canonical}`;
		return c.redirect(`${OPERATE}/accounts/${user.id}${code ?? ""}`, 303);
	} catch (error) {
		const failure = failureFor(visit, error);
		return findPage(visit, failure.field === "reason" ? failure : { ...failure, field: "who" });
	}
}

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
			...formsOfActs,
			"GET /accounts/find": forOperator((visit) => findPage(visit)),
			"POST /accounts/find": forOperator(find),
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
				return reportsPage(visit, await listAllReports(visit.registry, visit.operator, wanted), wanted.isWaiting);
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
				operatedAccountPage(visit, await accountFor(visit.registry, visit.operator, visit.c.req.param("id") ?? "")),
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
