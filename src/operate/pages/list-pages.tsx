/** The lists that operators read: reports, agents, numbers that wait, and acts. */

import type { PendingPhone } from "../../accounts/phone-pending-store.ts";
import { report as reportTarget } from "../../acts/report-acts.ts";
import { displayCode } from "../../codes/code.ts";
import { Field } from "../../web/fields.tsx";
import { ButtonLine, Section } from "../../web/parts.tsx";
import { fieldLabel } from "../act-fields.ts";
import type { AgentAtWork, OperatorAct, Paged, Report } from "../actions.ts";
import { type Link, Links, linksTo } from "./act-form.tsx";
import { OPERATE, type OperatorVisit, operatorPage } from "./operator-page.tsx";
import { ActList, accountLinks, Cards, concernedBy, Facts, PendingPhoneCard, when } from "./record-parts.tsx";

/** What acts can be looked for by. */
const FILTERS = {
	about: ["About", "An account id, a key id or an address code. To search by phone number, find the person first."],
	operator: ["Operator", "Their name, as shown with their acts."],
	act: ["Act", "Such as suspend, restore, role or retire."],
} as const;

/** Who did what, newest first. */
export async function actsPage(
	visit: OperatorVisit,
	asked: URLSearchParams,
	{ rows, nextCursor }: Paged<OperatorAct>,
): Promise<Response> {
	const linkTo = await accountLinks(
		visit,
		rows.map(({ userId }) => userId),
	);
	const older = new URLSearchParams([...asked].filter(([name, value]) => name in FILTERS && value !== ""));
	if (nextCursor) older.set("cursor", nextCursor);
	return operatorPage(visit, {
		title: "Acts of operators",
		body: (
			<>
				<ActList acts={rows} linkTo={linkTo} />
				{nextCursor ? <ButtonLine to={`${OPERATE}/acts?${older}`} text="Older acts" /> : null}
				<Section title="Search acts">
					<form>
						{Object.entries(FILTERS).map(([name, [label, help]]) => (
							// Logs show a query, and must show no phone number: nothing here begins with a digit or a plus sign.
							<Field
								{...{ name, label, help }}
								value={asked.get(name) ?? ""}
								pattern="[A-Za-z].*"
								maxlength={320}
								dir="ltr"
							/>
						))}
						<p class="buttons">
							<button type="submit">Search acts</button>
						</p>
					</form>
				</Section>
			</>
		),
	});
}

/** Agents with what they did last. */
export function agentsPage(visit: OperatorVisit, agents: AgentAtWork[]): Response {
	return operatorPage(visit, {
		title: "Agents",
		body: (
			<Cards
				cards={agents.map(({ id, phone, suspendedAt, attested, attestedAt, lately, readAt }) => (
					<>
						<a href={`${OPERATE}/accounts/${id}`} title={id}>
							{phone ?? "Agent without a number"}
						</a>
						<Facts
							facts={{
								Suspended: suspendedAt && when(suspendedAt),
								"Last attested": attested && attestedAt && `${displayCode(attested)}, ${when(attestedAt)}`,
								"Attested in the last 24 hours": lately,
								"Last read a private address": readAt && when(readAt),
							}}
						/>
					</>
				))}
			/>
		),
	});
}

/** Numbers that their accounts have accepted and that another account has. */
export async function pendingPhonesPage(visit: OperatorVisit, pending: PendingPhone[]): Promise<Response> {
	const linkTo = await accountLinks(visit, pending.flatMap(concernedBy));
	return operatorPage(visit, {
		title: "Pending phone numbers",
		body: (
			<>
				<p>
					An agent attested these numbers and their holders accepted them, but another account has them. A number moves
					only if you decide so. The account that has the number is shown the claim. Its silence is not consent.
				</p>
				{pending.length === 0 ? <p>None.</p> : null}
				{pending.map((one) => (
					<section>
						<PendingPhoneCard pending={one} linkTo={linkTo} />
					</section>
				))}
			</>
		),
	});
}

/** What people reported about addresses, newest first. */
export function reportsPage(visit: OperatorVisit, { rows, nextCursor }: Paged<Report>, isWaiting: boolean): Response {
	const older = new URLSearchParams({ ...(isWaiting ? {} : { all: "1" }), cursor: nextCursor ?? "" });
	return operatorPage(visit, {
		title: isWaiting ? "Waiting reports" : "Reports",
		body: (
			<>
				<Cards cards={rows.map((report) => ReportCard({ report }))} />
				<Links
					links={[
						...(nextCursor ? [[`/reports?${older}`, "Older reports"] as Link] : []),
						isWaiting ? ["/reports?all=1", "All reports of the last 90 days"] : ["/reports", "Only waiting reports"],
					]}
				/>
			</>
		),
	});
}

/**
 * All that is known of a report, with what can be done about it.
 * @param here The path of the page, to which it has no link.
 */
export function ReportCard({ report, here }: { report: Report; here?: string }) {
	const { canonical, kind, text, point, createdAt, answer, decision, reason, decidedAt } = report;
	return (
		<>
			<strong>{fieldLabel(kind)}</strong>
			<a href={`/a/${canonical}`}>{displayCode(canonical)}</a>
			<span>{`Reported ${when(createdAt)}`}</span>
			{text ? (
				<span class="entered" dir="auto">
					{text}
				</span>
			) : null}
			{point ? <span>{`Reported position: ${point.lat}, ${point.lng}`}</span> : null}
			{answer ? (
				<span class="entered">
					The owner answers: <bdi>{answer}</bdi>
				</span>
			) : null}
			{decision !== null && decidedAt !== null ? (
				<span>{`Decided ${when(decidedAt)}: ${decision}. “${reason}”`}</span>
			) : null}
			<Links
				links={[
					...linksTo(reportTarget, report).filter(([path]) => OPERATE + path !== here),
					[`/addresses/${canonical}/read`, "Read the address"],
				]}
			/>
		</>
	);
}
