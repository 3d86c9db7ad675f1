/** What an operator decides a report by, in one place: what was said, the address, and how far both points are from each other. */
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { resolveAddress } from "../../addresses/actions.ts";
import type { PublicAddress } from "../../addresses/address-record.ts";
import { publicRequestOf } from "../../addresses/public-endpoints.ts";
import { streetsAround } from "../../basemap/around.ts";
import { groundOf } from "../../basemap/sketch-drawing.ts";
import { parseCode } from "../../codes/code.ts";
import { AppError } from "../../errors.ts";
import { toAppError } from "../../failures.ts";
import { directionOf, displacementBetween, metresBetween } from "../../points/plane.ts";
import type { Point } from "../../points/point.ts";
import { drawSpot, windowFor } from "../../print/spot-drawing.ts";
import { type Report, reportById, reportsAbout } from "../../reports/actions.ts";
import { verificationText, viewOf } from "../../web/address-view.ts";
import { lengthText } from "../../web/measures.ts";
import { CodeLine, Section, Written } from "../../web/parts.tsx";
import { ReportCard } from "./list-pages.tsx";
import type { OperatorVisit } from "./operator-page.tsx";
import { Facts } from "./record-parts.tsx";

/** The pin of an address as a cross, and where somebody says that it belongs as a ring, among the streets where there is a map. */
async function drawnPoints({ registry }: OperatorVisit, address: PublicAddress, reported: Point): Promise<string> {
	const { sketch } = await streetsAround(registry, address);
	return drawSpot(
		{
			pin: address,
			// So much ground that the ring is in the picture.
			window: windowFor((metresBetween(address, reported) * 2.5) / 3),
			first: { point: reported, accuracy: undefined },
			others: [],
			edges: [],
			streets: sketch && ((metresPerUnit) => groundOf(sketch.svg, metresPerUnit)),
		},
		(metres) => lengthText(metres, "en"),
	);
}

/** The address as everybody sees it; why not, where they do not. */
async function AddressInSight(visit: OperatorVisit, { canonical, point }: Report): Promise<Child> {
	const { c, registry, locale } = visit;
	try {
		const { address } = await resolveAddress(registry, publicRequestOf(c, parseCode(canonical)));
		const view = viewOf(address, locale, registry.webUrl);
		const metres = point && metresBetween(address, point);
		return (
			<>
				<Written class="label" text={view.label} />
				{view.texts.map((text) => (
					<Written text={text} />
				))}
				<Facts
					facts={{
						Place: view.placeAndCountry,
						Pin: `${view.coordinates.lat}, ${view.coordinates.lng}`,
						"Reported point":
							point &&
							metres !== null &&
							`${point.lat}, ${point.lng}: ${lengthText(Math.round(metres), "en")} ${locale.messages.compass[directionOf(displacementBetween(address, point))]} of the pin`,
						Verification: verificationText(address, locale),
					}}
				/>
				{point ? raw(await drawnPoints(visit, address, point)) : null}
				{point ? <p class="kind">The cross is the pin. The circle is where the report puts it.</p> : null}
			</>
		);
	} catch (error) {
		return <p>{`${toAppError(error, c.var.requestId).detail} To see it anyway, read the address.`}</p>;
	}
}

/** The report, its address and the other reports about it; null where no report has the id, which its act says. */
export async function reportInSight(visit: OperatorVisit, id: string): Promise<Child> {
	const report = await reportById(visit.registry, id).catch((error: unknown) => {
		if (error instanceof AppError && error.code === "NOT_FOUND") return null;
		throw error;
	});
	if (!report) return null;
	const others = (await reportsAbout(visit.registry, [report.canonical])).filter((other) => other.id !== id);
	return (
		<>
			<Section title="The report">
				<ul class="cards">
					<li>
						<ReportCard report={report} here={visit.c.req.path} />
					</li>
				</ul>
			</Section>
			<Section title="The address">
				<CodeLine canonical={report.canonical} />
				{await AddressInSight(visit, report)}
			</Section>
			{others.length > 0 ? (
				<Section title="Other reports about it">
					<ul class="cards">
						{others.map((other) => (
							<li>
								<ReportCard report={other} />
							</li>
						))}
					</ul>
				</Section>
			) : null}
		</>
	);
}
