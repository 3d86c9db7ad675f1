/** The frame of operators' pages: the visit, and what all pages have in common. They are in English only. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { acts } from "../../acts/acts.ts";
import type { Operator } from "../../acts/identity.ts";
import { LOCAL_ISSUER } from "../../acts/identity.ts";
import { problemTable } from "../../errors.ts";
import { toAppError } from "../../failures.ts";
import { privateHeaders } from "../../forms/console-page.tsx";
import { consoleStyles, pinStyles } from "../../forms/console-styles.ts";
import { readCookie } from "../../forms/cookies.ts";
import type { Failure } from "../../forms/failure.ts";
import { FailureSummary, Notice } from "../../forms/form.tsx";
import { formToken } from "../../forms/form-guard.ts";
import { readForm, type Visit } from "../../forms/visit.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { readCredential } from "../../http/authorization.ts";
import { logRefusal } from "../../limits/suspicious.ts";
import { inline } from "../../web/inline.ts";
import { htmlResponse } from "../../web/layout.tsx";
import { englishOf } from "../../web/locale.ts";
import { Masthead, pageLayout } from "../../web/page.tsx";
import { pageStyles, streetStyles } from "../../web/styles.ts";
import { fieldLabel } from "../act-fields.ts";
import { ACCESS_HEADER, operatorOf } from "../operator-access.ts";
import { zoneMapStyles } from "./zone-map.tsx";

/** Where the pages are. */
export const OPERATE = "/operate";

/** A visit of anyone, as far as the frame of a page needs it. */
export async function openVisit(c: Context<AppEnv>, form = new URLSearchParams()): Promise<Visit> {
	const registry = c.get("registry");
	const locale = await englishOf(c);
	const { console: words } = locale;
	return { c, registry, locale, words, signedIn: undefined, formToken: formToken(c), form };
}

/** A visit of an operator. */
export interface OperatorVisit extends Visit {
	operator: Operator;
}

/** A handler of a page for operators. Others are refused before anything that they sent is read. */
export function forOperator(handle: (visit: OperatorVisit) => Response | Promise<Response>) {
	return async (c: Context<AppEnv>) => {
		const registry = c.get("registry");
		const sent = readCredential(c.req.header("Authorization"), c.req.header(ACCESS_HEADER));
		const isLocal = registry.settings.operators?.issuer === LOCAL_ISSUER;
		const operator = await operatorOf(registry, sent?.text ?? (isLocal ? readCookie(c, "operator") : undefined));
		return handle({ ...(await openVisit(c, await readForm(c))), operator });
	};
}

/** How an error is shown to operators: the API's message, at its field. */
export function failureFor({ c, registry }: Visit, error: unknown): Failure {
	const refusal = toAppError(error, c.var.requestId);
	logRefusal(registry, refusal);
	const { code, detail, headers, errors } = refusal;
	const [first] = errors ?? [];
	return {
		field: first?.path || undefined,
		message: first?.message ?? detail,
		status: problemTable[code].status,
		headers,
		code,
	};
}

const styles = inline(`${pageStyles.text}${consoleStyles}
.site,main{max-width:48rem}
@supports selector(:has(a)){form:has([value=retire]) .field:has(#successor){display:none}form:has([value=retire]:checked) .field:has(#successor){display:block}}
.facts{grid-template-columns:repeat(auto-fit,minmax(min(11rem,100%),1fr))}
.cards{grid-template-columns:none}
section .cards{gap:0}
section .cards li{padding-inline:0;border-width:1px 0 0;border-radius:0}
section .cards li:first-child{border:0;padding-top:0}
.acts a{margin-inline-end:1rem;display:inline-flex;align-items:center;min-height:2.75rem}
table{width:100%;border-collapse:collapse}
th,td{text-align:start;padding:.375rem .5rem .375rem 0;border-bottom:1px solid var(--line)}
th+*,td+td{text-align:end}
tbody th{overflow-wrap:anywhere}
th a{display:inline-flex;align-items:center;min-height:2.75rem;min-width:2.75rem}
${zoneMapStyles}${pinStyles}${streetStyles}`);

/** What a page for operators consists of. */
interface OperatorPage {
	title: string;
	body: Child;
	/** What was wrong with the form that led here. */
	failure?: Failure | undefined;
	/** Whether the page is for somebody who is not an operator, so that it has no links. */
	isOutside?: boolean;
}

/** Answers a page for operators. */
export function operatorPage(visit: Visit, { title, body, failure, isOutside }: OperatorPage): Response {
	const { c, locale } = visit;
	const { path } = c.req;
	// The name of an act that led here.
	const done = failure ? undefined : acts.find(({ name }) => name === c.req.query("did"))?.done;
	const links = ["reports", "agents", "acts"].map((name) => {
		const target = `${OPERATE}/${name}`;
		return [target, fieldLabel(name), target === path] as const;
	});
	const layout = pageLayout({
		locale,
		title: `${failure ? "Error: " : ""}${title}`,
		description: title,
		path,
		previewed: false,
		styles,
		body: (
			<>
				<FailureSummary visit={visit} failure={failure} />
				<Notice text={done && `${done} Recorded with your name and reason.`} />
				<h1>{title}</h1>
				{body}
			</>
		),
	});
	const header = <Masthead home={OPERATE} name={locale.siteName} links={isOutside ? [] : links} />;
	return htmlResponse(
		c,
		{ ...layout, header, footer: null },
		{
			status: (failure?.status ?? 200) as ContentfulStatusCode,
			headers: { ...failure?.headers, ...privateHeaders },
		},
	);
}
