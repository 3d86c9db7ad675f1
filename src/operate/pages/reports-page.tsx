import { displayCode } from "../../codes/code.ts";
import type { Paged, Report } from "../actions.ts";
import { Cards, type Link, Links, when } from "./account-page.tsx";
import { type OperatorVisit, operatorPage } from "./operator-page.tsx";

/** What people reported about addresses, newest first. */
export function reportsPage(visit: OperatorVisit, { rows, nextCursor }: Paged<Report>, isWaiting: boolean): Response {
	const older = new URLSearchParams({ ...(isWaiting ? {} : { all: "1" }), cursor: nextCursor ?? "" });
	return operatorPage(visit, {
		title: isWaiting ? "Reports that wait" : "Reports",
		body: (
			<>
				<Cards cards={rows.map((report) => ReportCard({ report }))} />
				<Links
					links={[
						...(nextCursor ? [[`/reports?${older}`, "Older reports"] as Link] : []),
						isWaiting ? ["/reports?all=1", "All reports of the last 90 days"] : ["/reports", "Only those that wait"],
					]}
				/>
			</>
		),
	});
}

function ReportCard({ report }: { report: Report }) {
	const { id, canonical, kind, text, point, createdAt, textShownAt, answer, decision, reason, decidedAt } = report;
	const path = `/reports/${id}`;
	return (
		<>
			<strong>{kind.replaceAll("_", " ")}</strong>
			<a href={`/a/${canonical}`}>{displayCode(canonical)}</a>
			<span>{`Reported ${when(createdAt)}`}</span>
			{text ? (
				<span class="entered" dir="auto">
					{text}
				</span>
			) : null}
			{point ? <span>{`It should be at ${point.lat}, ${point.lng}`}</span> : null}
			{answer ? (
				<span class="entered">
					The holder answers: <bdi>{answer}</bdi>
				</span>
			) : null}
			{decision !== null && decidedAt !== null ? (
				<span>{`Decided ${when(decidedAt)}: ${decision}. “${reason}”`}</span>
			) : null}
			<Links
				links={[
					[`/addresses/${canonical}/read`, "Read the address"],
					...(decision === null ? [[`${path}/decide`, "Decide"] as Link] : []),
					...(text && textShownAt === null ? [[`${path}/text`, "Let the holder read it"] as Link] : []),
				]}
			/>
		</>
	);
}
