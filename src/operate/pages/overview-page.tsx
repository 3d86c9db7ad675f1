import type { Overview } from "../actions.ts";
import { ActList, Facts, FindForm, when } from "./account-page.tsx";
import { OPERATE, type OperatorVisit, operatorPage } from "./operator-page.tsx";

const megabytes = new Intl.NumberFormat("en", { style: "unit", unit: "megabyte", maximumFractionDigits: 1 });

/** How the registry is, and where to begin. */
export function overviewPage(visit: OperatorVisit, overview: Overview): Response {
	const { version, edition, databaseBytes, backupAt, acts, reports } = overview;
	const waiting = reports?.count ?? 0;
	return operatorPage(visit, {
		title: "Operate",
		body: (
			<>
				<section>
					<h2>Find a person</h2>
					<FindForm visit={visit} />
				</section>
				<section>
					<h2>To decide</h2>
					<p>
						<a href={`${OPERATE}/reports`}>{waiting === 1 ? "1 report waits" : `${waiting} reports wait`}</a>
						{reports?.oldest ? `, since ${when(reports.oldest)}` : "."}
					</p>
					<p>
						<a href={`${OPERATE}/pending-phones`}>Phone numbers that two accounts claim</a>
					</p>
				</section>
				<section>
					<h2>The registry</h2>
					<Facts
						facts={{
							"Signed in as": visit.operator.name,
							Version: version,
							"Edition of the zones": edition ?? "cannot be read",
							Database: megabytes.format(databaseBytes / 1e6),
							"Last proved backup": backupAt === undefined ? "none" : when(backupAt),
						}}
					/>
				</section>
				<section>
					<h2>Zones</h2>
					<form action={`${OPERATE}/zones`}>
						<label for="country">Country, in two letters</label>
						<div class="row">
							<input id="country" name="country" required pattern="[A-Za-z]{2}" maxlength={2} autocomplete="off" />
							<button type="submit">Show its map</button>
						</div>
					</form>
				</section>
				<section>
					<h2>Last acts</h2>
					<ActList acts={acts} />
					<p>
						<a href={`${OPERATE}/acts`}>All acts</a>, <a href={`${OPERATE}/acts?act=role`}>who became an agent</a>
					</p>
				</section>
			</>
		),
	});
}
