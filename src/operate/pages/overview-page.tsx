import type { Child } from "hono/jsx";
import { CODES_PER_ZONE } from "../../codes/code.ts";
import { DATABASE_BYTES_MAX } from "../../jobs/clean-up.ts";
import type { Figures } from "../../jobs/watch.ts";
import { Section } from "../../web/parts.tsx";
import { countryName } from "../../zones/naming.ts";
import type { Overview } from "../actions.ts";
import { FindForm } from "./find-form.tsx";
import { OPERATE, type OperatorVisit, operatorPage } from "./operator-page.tsx";
import { ActList, accountLinks, Facts, when } from "./record-parts.tsx";

/** Zones of the overview. */
const FULLEST_SHOWN = 10;

const megabytes = new Intl.NumberFormat("en", { style: "unit", unit: "megabyte", maximumFractionDigits: 1 });
const number = new Intl.NumberFormat("en");

/** The state of the registry, and what needs a decision. */
export async function overviewPage(
	visit: OperatorVisit,
	{ version, edition, figures, acts }: Overview,
): Promise<Response> {
	const linkTo = await accountLinks(
		visit,
		acts.map(({ userId }) => userId),
	);
	const { counted, reports, failedSignIns, eventsToday, eventsYesterday } = figures;
	const { count: waiting, oldest } = reports;
	return operatorPage(visit, {
		title: "Operate",
		body: (
			<>
				<Section title="Find a person">
					<FindForm visit={visit} />
				</Section>
				<Section title="To decide">
					<p>
						<a href={`${OPERATE}/reports`}>
							{waiting === 1 ? "1 report is waiting" : `${waiting} reports are waiting`}
						</a>
						{oldest ? `, since ${when(oldest)}` : "."}
					</p>
					<p>
						<a href={`${OPERATE}/pending-phones`}>Phone numbers that two accounts claim</a>
					</p>
				</Section>
				<Section title="Addresses issued">
					<Counts counts={countriesOf(figures)} heads={["Country", "Today", "Total"]} />
					<CountedAt at={counted?.at ?? null} />
					<p class="help">A day ends at midnight UTC.</p>
				</Section>
				<Section title="Fullest zones">
					<Counts
						counts={(counted?.zones ?? []).slice(0, FULLEST_SHOWN).map(({ name, count }) => {
							const zone = <a href={`${OPERATE}/zones/${name.slice(0, 2)}`}>{name}</a>;
							return [zone, count, Math.max(0, CODES_PER_ZONE - count)];
						})}
						heads={["Zone", "Issued", "Left"]}
					/>
					<form action={`${OPERATE}/zones`}>
						<label for="country">Map of a country, by its two letters</label>
						<div class="row">
							<input id="country" name="country" required pattern="[A-Za-z]{2}" maxlength={2} autocomplete="off" />
							<button type="submit">Show the map</button>
						</div>
					</form>
				</Section>
				<Section title="Suspicious events">
					<Counts counts={bothCounts(eventsToday, eventsYesterday)} heads={["Event", "Today", "Yesterday"]} />
					<p>{`Failed sign-ins in the last day: ${number.format(failedSignIns.count)}. Phone numbers tried: ${number.format(failedSignIns.phones)}.`}</p>
				</Section>
				<Section title="The registry">
					<Facts
						facts={{
							"Signed in as": visit.operator.name,
							Version: version,
							"Edition of the zone index": edition ?? "cannot be read",
							Database: `${megabytes.format(figures.databaseBytes / 1e6)} of ${megabytes.format(DATABASE_BYTES_MAX / 1e6)}`,
							"Not in the journal yet": number.format(figures.unrecorded),
							"Last verified backup": figures.backedUpAt === undefined ? "none" : when(figures.backedUpAt),
						}}
					/>
				</Section>
				<Section title="Recent acts">
					<ActList acts={acts} linkTo={linkTo} />
					<p>
						<a href={`${OPERATE}/acts`}>All acts</a>, <a href={`${OPERATE}/acts?act=role`}>who became an agent</a>
					</p>
				</Section>
			</>
		),
	});
}

/** When the totals were counted. */
export function CountedAt({ at }: { at: number | null }) {
	return (
		<p class="help">{at === null ? "The hourly job has not counted the totals yet." : `Totals as of ${when(at)}.`}</p>
	);
}

/** Every name that is counted in one of two lists, with its count in each. */
function bothCounts(first: Figures["issuedToday"], second: Figures["issuedToday"]): [string, number, number][] {
	const names = new Set([...first, ...second].map(({ name }) => name));
	const countIn = (counts: typeof first, wanted: string) => counts.find(({ name }) => name === wanted)?.count ?? 0;
	return Array.from(names, (name) => [name, countIn(first, name), countIn(second, name)]);
}

/** What was issued by country, most first: today, and in all where that was counted. */
function countriesOf({ issuedToday, counted }: Figures): Row[] {
	return bothCounts(counted?.countries ?? [], issuedToday)
		.sort((a, b) => b[1] - a[1] || b[2] - a[2])
		.map(([country, inAll, today]) => [
			<a href={`${OPERATE}/zones/${country}`}>{countryName(country)}</a>,
			today,
			counted ? inAll : "–",
		]);
}

/** What is counted, and its numbers. */
type Row = [Child, ...(number | string)[]];

/** A table of counts. */
export function Counts({ counts, heads }: { counts: Row[]; heads: string[] }) {
	if (counts.length === 0) return <p>None.</p>;
	return (
		<table>
			<thead>
				<tr>
					{heads.map((head) => (
						<th scope="col">{head}</th>
					))}
				</tr>
			</thead>
			<tbody>
				{counts.map(([name, ...numbers]) => (
					<tr>
						<th scope="row">{name}</th>
						{numbers.map((value) => (
							<td>{typeof value === "number" ? number.format(value) : value}</td>
						))}
					</tr>
				))}
			</tbody>
		</table>
	);
}
