import { CODES_PER_ZONE } from "../../codes/code.ts";
import { AppError } from "../../errors.ts";
import { Section } from "../../web/parts.tsx";
import { countryName } from "../../zones/naming.ts";
import type { CountryZones } from "../actions.ts";
import { type OperatorVisit, operatorPage } from "./operator-page.tsx";
import { CountedAt, Counts } from "./overview-page.tsx";
import { FILL_STEPS, ZoneMap } from "./zone-map.tsx";

/** Zones of the list. */
export const LISTED_MAX = 100;

/** The zones of a country: drawn, and the fullest listed. @throws AppError NOT_FOUND for no country of the index. */
export function zonesPage(
	visit: OperatorVisit,
	country: string,
	{ placed, countedAt, counts, fullest }: CountryZones,
): Response {
	if (placed.length === 0) throw new AppError("NOT_FOUND", "The zone index has no country with these two letters.");
	const fillOf = new Map([...counts].map(([zone, issued]) => [Number(zone.slice(2)), issued / CODES_PER_ZONE]));
	const title = `Zones of ${countryName(country)}`;
	return operatorPage(visit, {
		title,
		body: (
			<>
				<section>
					<ZoneMap
						zones={placed}
						fillOf={fillOf}
						title={`${title}, coloured by how many of their numbers are issued`}
					/>
					<ul class="legend">
						{FILL_STEPS.map(({ name }, step) => (
							<li>
								<svg class="swatch" viewBox="0 0 16 16" aria-hidden="true">
									<path class={`fill${step}`} d="M0 0H16V16H0Z" />
								</svg>
								{name}
							</li>
						))}
					</ul>
				</section>
				<Section title="Fullest zones">
					<Counts
						counts={fullest.map(({ zone, zoneName, issued, left }) => [`${zone} ${zoneName}`, issued, left])}
						heads={["Zone", "Issued", "Left"]}
					/>
					<CountedAt at={countedAt} />
				</Section>
			</>
		),
	});
}
