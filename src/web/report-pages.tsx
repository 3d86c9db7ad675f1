import type { Context } from "hono";
import { resolveAddress } from "../addresses/actions.ts";
import { publicRequestOf } from "../addresses/public-endpoints.ts";
import { type AddressCode, parseCode } from "../codes/code.ts";
import { AppError } from "../errors.ts";
import { toAppError } from "../failures.ts";
import { type AppEnv, newRoutes } from "../http/app-env.ts";
import { readFields } from "../http/form.ts";
import { isSentFromHere } from "../http/origin.ts";
import { fill } from "../languages/template.ts";
import { readPastedLocation } from "../points/pasted-location.ts";
import type { Point } from "../points/point.ts";
import { plainLabel } from "../print/label-for-display.ts";
import { reportAddress, reportById } from "../reports/actions.ts";
import { newReportSchema, REPORT_CHARACTERS_MAX, REPORT_KINDS } from "../reports/schemas.ts";
import { REPORTS_RETENTION } from "../settings/retention.ts";
import { DAY } from "../time/time.ts";
import { Choice, Choices, Field, type FieldFailure, Labelled, Wrong } from "./fields.tsx";
import { inline } from "./inline.ts";
import { type Locale, localeOf } from "./locale.ts";
import { refusalText } from "./location-refusal.ts";
import { dateText, durationText } from "./measures.ts";
import { explanationOf, mistakePage } from "./mistake-page.tsx";
import { pageResponse } from "./page.tsx";
import { CodeLine, Submit } from "./parts.tsx";
import { fieldStyles, pageStyles } from "./styles.ts";

const styles = inline(`${pageStyles.text}${fieldStyles}textarea{min-height:6rem}
form .first{margin-top:1rem}
`);

/** Why what was sent cannot be stored. */
interface Fault extends FieldFailure {
	status: 400 | 429;
}

/** The form of a report, filled in with whatever was sent before. */
async function formPage(c: Context<AppEnv>, { canonical }: AddressCode, form?: URLSearchParams, fault?: Fault) {
	const locale = await localeOf(c);
	const { messages, console: words, query } = locale;
	const { report } = messages;
	const path = `/a/${canonical}/report`;
	return pageResponse(c, {
		locale,
		title: `${fault ? `${words.errorPrefix}: ` : ""}${report.title}`,
		description: report.lead,
		path,
		styles,
		status: fault?.status ?? 200,
		// With no-referrer, browsers would send `Origin: null` with the form.
		headers: { "Cache-Control": "no-store", "Referrer-Policy": "same-origin" },
		previewed: false,
		body: (
			<section>
				<h1>{report.title}</h1>
				<CodeLine canonical={canonical} />
				<p>{report.lead}</p>
				<Wrong failure={fault} isRead />
				<form method="post" action={path + query}>
					<Choices name="kind" legend={report.title} isUnseen failure={fault} isRead>
						{REPORT_KINDS.map((kind) => (
							<Choice name="kind" value={kind} required checked={form?.get("kind") === kind}>
								{report.kinds[kind]}
							</Choice>
						))}
					</Choices>
					<Labelled
						name="text"
						label={`${report.text} ${words.optional}`}
						help={report.textHelp}
						failure={fault}
						isRead
						control={(attributes) => (
							<textarea {...attributes} dir="auto" maxlength={REPORT_CHARACTERS_MAX}>
								{form?.get("text")}
							</textarea>
						)}
					/>
					<Field
						name="point"
						label={`${report.point} ${words.optional}`}
						help={report.pointHelp}
						value={form?.get("point") ?? ""}
						dir="ltr"
						failure={fault}
						isRead
					/>
					<Submit class="first" text={report.send} />
				</form>
			</section>
		),
	});
}

/** The point that an entry gives, or that of the public address whose code it holds; or else what is wrong with it. */
async function pointOf(
	c: Context<AppEnv>,
	entered: string,
	{ messages, console: words }: Locale,
): Promise<Point | string> {
	const place = readPastedLocation(entered);
	if (place.kind === "point") return place.point;
	if (place.kind === "refused") return refusalText(place, words.refused);
	try {
		const { lat, lng } = (await resolveAddress(c.get("registry"), publicRequestOf(c, parseCode(place.canonical))))
			.address;
		return { lat, lng };
	} catch (error) {
		return explanationOf(toAppError(error, c.var.requestId), messages).title;
	}
}

/** The report that a form holds, or what is wrong with it. */
async function reportOf(c: Context<AppEnv>, form: URLSearchParams, locale: Locale) {
	const { messages } = locale;
	const fault = (field: string, message: string): Fault => ({ field, message, status: 400 });
	const entered = form.get("point")?.trim();
	const point = entered ? await pointOf(c, entered, locale) : null;
	if (typeof point === "string") return fault("point", point);
	// A field of several lines can hold line breaks, which are never stored.
	const text = form.get("text")?.replace(/\s+/g, " ").trim() ?? "";
	const read = newReportSchema().safeParse({ kind: form.get("kind"), text });
	if (read.success) return { kind: read.data.kind, text: read.data.text, point };
	const isKind = read.error.issues.some(({ path }) => path[0] === "kind");
	return isKind ? fault("kind", messages.report.choose) : fault("text", messages.report.tooLong);
}

/** Refuses as a look-up does, except a private address, which takes reports and shows nothing. */
async function assertReportable(c: Context<AppEnv>, code: AddressCode): Promise<void> {
	try {
		await resolveAddress(c.get("registry"), publicRequestOf(c, code));
	} catch (error) {
		if (!(error instanceof AppError && error.code === "ADDRESS_PRIVATE")) throw error;
	}
}

/** Reporting an address, and reading what was decided: forms that need no account and no script. Mounted at /. */
export const reportRoutes = newRoutes()
	.get("/a/:code/report", async (c) => {
		const code = parseCode(c.req.param("code"));
		await assertReportable(c, code);
		return formPage(c, code);
	})
	.post("/a/:code/report", async (c) => {
		const code = parseCode(c.req.param("code"));
		if (!isSentFromHere(c)) throw new AppError("FORBIDDEN", "This form was not sent from a page of this registry.");
		const form = await readFields(c);
		const locale = await localeOf(c);
		const report = await reportOf(c, form, locale);
		if ("field" in report) return formPage(c, code, form, report);
		try {
			const id = await reportAddress(c.get("registry"), code, report);
			return c.redirect(`/reports/${id}${locale.query}`, 303);
		} catch (error) {
			if (!(error instanceof AppError && error.code === "QUOTA_EXCEEDED")) throw error;
			return formPage(c, code, form, { field: undefined, message: locale.messages.report.enough, status: 429 });
		}
	})
	.get("/reports/:id", async (c) => {
		const { kind, createdAt, decision, reason } = await reportById(c.get("registry"), c.req.param("id"));
		const locale = await localeOf(c);
		const { report } = locale.messages;
		return pageResponse(c, {
			locale,
			title: report.yours,
			description: report.yours,
			path: c.req.path,
			headers: { "Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer" },
			previewed: false,
			body: (
				<section>
					<h1>{report.yours}</h1>
					<p>
						{report.kinds[kind]} <span class="kind">{dateText(createdAt, locale.language)}</span>
					</p>
					<p>
						<strong>{decision === null ? report.waiting : report.decisions[decision]}</strong>
					</p>
					{reason ? (
						<p>
							{report.reason}: <bdi>{plainLabel(reason)}</bdi>
						</p>
					) : null}
					<p>{fill(report.keep, { days: durationText(REPORTS_RETENTION / DAY, "day", locale.language) })}</p>
				</section>
			),
		});
	});

reportRoutes.onError(async (error, c) => {
	const problem = toAppError(error, c.var.requestId);
	return pageResponse(c, mistakePage(problem, c.req.param("code") ?? "", await localeOf(c)));
});
