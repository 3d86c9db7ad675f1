/** How many people each country has, whether or not a list of settlements knows where. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

interface TerritoryInfo {
	supplemental: { territoryInfo: Record<string, { _population: string }> };
}

/** Population of each country (ISO 3166-1 alpha-2, and XK) according to the Unicode CLDR, supplemental data, `territoryInfo`. */
export function readNationalPopulations(): Map<string, number> {
	const file = createRequire(import.meta.url).resolve("cldr-core/supplemental/territoryInfo.json");
	const { supplemental } = JSON.parse(readFileSync(file, "utf8")) as TerritoryInfo;
	return new Map(
		Object.entries(supplemental.territoryInfo).map(([code, { _population }]) => [code, Number(_population)]),
	);
}
