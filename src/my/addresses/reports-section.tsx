import { Form } from "../../forms/form.tsx";
import type { SignedInVisit } from "../../forms/visit.ts";
import { plainLabel } from "../../print/label-for-display.ts";
import type { Report } from "../../reports/actions.ts";
import { REPORT_CHARACTERS_MAX } from "../../reports/schemas.ts";
import { Field } from "../../web/fields.tsx";
import { dateText } from "../../web/measures.ts";
import { Submit, Written } from "../../web/parts.tsx";
import { pointText } from "../create/where-page.tsx";

/** The reports about one of the visitor's addresses, newest first. While a report waits for a decision, the owner can answer it. */
export function ReportsSection({ visit, reports }: { visit: SignedInVisit; reports: Report[] }) {
	const { words, locale } = visit;
	const { report: told } = locale.messages;
	if (reports.length === 0) return null;
	return (
		<section id="reports">
			<h2>{words.reports.title}</h2>
			{reports.map(({ id, canonical, kind, point, text, textShownAt, createdAt, answer, decision, reason }) => (
				<div class="field">
					<p>
						<strong>{told.kinds[kind]}</strong>{" "}
						<span class="kind">{dateText(createdAt, locale.language).replaceAll(" ", "\u00a0")}</span>
					</p>
					{point ? (
						<p>
							{words.reports.place}: <bdi dir="ltr">{pointText(point)}</bdi>
						</p>
					) : null}
					{text && textShownAt === null ? <p class="kind">{words.reports.unread}</p> : null}
					{text && textShownAt !== null ? <Written text={plainLabel(text)} /> : null}
					{decision === null ? (
						<Form visit={visit} action={`/my/${canonical}/reports/${id}`}>
							<Field
								name={id}
								label={words.reports.answer}
								help={words.reports.help}
								value={answer}
								maxlength={REPORT_CHARACTERS_MAX}
							/>
							<Submit text={words.reports.send} />
						</Form>
					) : (
						<p>
							{told.decisions[decision]} {told.reason}: <bdi>{plainLabel(reason)}</bdi>
						</p>
					)}
				</div>
			))}
		</section>
	);
}
