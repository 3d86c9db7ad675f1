/** Builds the zones of the world. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runCommand, UsageError } from "../src/cli/command.ts";
import { editionName, readDirectory } from "../src/zones/format.ts";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import { readCensusGrid } from "./census.ts";
import { compile, stampEdition } from "./compile.ts";
import { type Edition, type EditionZone, plannedAreas, readEdition, readEditionFile } from "./edition.ts";
import { allFaults, BoundaryError, summary } from "./faults.ts";
import { type OfficialFile, readBoundaries, readText } from "./official.ts";
import { planWorld } from "./plan.ts";
import { type Plan, publishedNumbers } from "./planned.ts";
import { requireSameGround } from "./publish-check.ts";
import { requireListedRegions } from "./region-check.ts";
import { readRegions } from "./region-file.ts";
import { openedNumbers, queryOf } from "./registry.ts";
import { updateReadme } from "./report.ts";
import { readPlaces, readSettlements, requireInCountries, withPlaces } from "./settlements.ts";
import { countryCodes } from "./sources.ts";
import { countryAt, surveyListed } from "./survey.ts";
import { readViews, requireNoAddress } from "./view.ts";

const USAGE = `Build the zones of the world:

  npm run zones:build                                writes zones/world.zones and its checksum, always the same bytes
  npm run zones:build -- --replace NG=wards.geojson  writes dist/world.zones with an operator's zones of Nigeria

A build keeps the ground and the numbers of the previous edition, except where official boundaries replace them.

  --replace CC=FILE    the official boundaries of a country or a district, GeoJSON; repeat it for several countries
  --retire-the-rest    gives up the zones of those countries that no boundary covers, too: only with boundaries of the country's
                       inhabited land
  --regions CC=FILE    a country's own first-level divisions, GeoJSON, in the place of the map's; repeat it for several
  --without-odbl       leaves out the lines of regions that are under the Open Database License: only for an index of your own that
                       you publish under other terms, because the regions of some countries are then wrong more often
  --places FILE        an operator's own places, CSV with name, lat, lng and perhaps population,
                       region and country
  --view FILE          an authority's own view of land in dispute, GeoJSON with polygons, each with country and reason: only for land
                       without addresses
  --before FILE        the previous edition, in place of zones/world.zones
  --afresh             cuts and numbers zones afresh: only before a registry has its first address
  --population FILE    people as a census grid (GeoTIFF) has them. With --afresh, the countries that the grid covers are
                       cut and numbered afresh and all others stay as they are; with --before, only new ground follows it
  --local, --remote    leaves free the numbers that full zones have opened in that D1 database
  --out FILE           the file to write`;

const PUBLISHED_INDEX = `${import.meta.dirname}/world.zones`;

/** The contents, by country, of the files that an option names. */
function readByCountry<Read>(
	option: "replace" | "regions",
	given: readonly string[],
	read: (country: string, text: string, file: string) => Read,
): Map<string, Read> {
	const found = new Map<string, Read>();
	const known = countryCodes();
	const steps = given.map((argument) => () => {
		const [, country, file] = /^([A-Z]{2})=(.+)$/.exec(argument) ?? [];
		const written = `--${option} ${argument}`;
		if (!country || !file)
			throw new BoundaryError(
				`${written}: write for instance --${option} NG=${option === "replace" ? "wards" : "states"}.geojson`,
			);
		if (!known.has(country))
			throw new BoundaryError(`${country} is no country of the index: use its ISO 3166-1 letters`);
		if (found.has(country))
			throw new BoundaryError(
				`${written}: ${country} is ${option === "replace" ? "replaced" : "given"} twice: join its files`,
			);
		found.set(country, read(country, readText(file), file));
	});
	allFaults(steps);
	return found;
}

/** Refuses a build that would drop official zones of the previous edition because nobody has named their boundaries. */
function requireBoundaries({ countries }: Edition, official: ReadonlyMap<string, OfficialFile>): void {
	const missing = [...countries].flatMap(([country, { zones }]) => {
		const count = [...zones.values()].filter(({ cell }) => !cell).length;
		return count === 0 || official.has(country)
			? []
			: `${country} has ${count} official zones: name the file that they were built from, as --replace ${country}=FILE`;
	});
	if (missing.length > 0) throw new BoundaryError(missing);
}

/** What became of each country that was replaced. */
function describe(plan: Plan, before: Edition | undefined): string[] {
	return plan.overlays.flatMap(({ area, zones }) => {
		const { country, zones: rest, retired } = plan.areas[area - 1]!;
		const left = ZONE_NUMBERS - publishedNumbers(plan, area).length - retired.length;
		const known = before?.countries.get(country)?.zones ?? new Map<number, EditionZone>();
		const kept = rest.filter(({ number, key, level }) => {
			const cell = known.get(number)?.cell;
			return cell?.key === key && cell.level === level;
		}).length;
		const generated = [...known.values()].filter(({ cell }) => cell).length;
		return [
			`${country}: ${zones.length} official zones, ${rest.length} generated ones for what they leave, ${left} numbers for zones that fill up`,
			`${country}: ${generated - kept} of ${generated} generated zones of the index before are gone, ${kept} keep their numbers${kept > 0 ? ": --retire-the-rest gives up these too" : ""}`,
		];
	});
}

/** Stamps an index as the previous edition if, apart from the edition numbers, both are the same; otherwise as the next edition. */
function stampNext(file: Uint8Array, before: Edition | undefined): void {
	if (!before) return;
	const { edition, editionBefore, digest } = before.directory;
	const isSame = readDirectory(file).digest === digest;
	stampEdition(file, isSame ? { edition, before: editionBefore } : { edition: edition + 1, before: edition });
}

/** The options of the command. */
interface BuildValues {
	replace: readonly string[];
	regions: readonly string[];
	places?: string | undefined;
	view?: string | undefined;
	population?: string | undefined;
	out?: string | undefined;
	before?: string | undefined;
	afresh: boolean;
	"retire-the-rest": boolean;
	"without-odbl": boolean;
	local?: boolean | undefined;
	remote?: boolean | undefined;
}

async function build(values: BuildValues): Promise<void> {
	if (values.population !== undefined && values.before === undefined && !values.afresh) {
		throw new UsageError(
			"A census grid alone changes no zone that is published. Say --afresh to cut and number the countries that it covers afresh, which is safe only before they have their first address; or --before FILE to keep the numbers of that index.",
		);
	}
	if (values["retire-the-rest"] && values.replace.length === 0)
		throw new UsageError(
			"--retire-the-rest needs --replace: it gives up what official boundaries leave of their country.",
		);
	if (values.afresh && values.before !== undefined && values.population === undefined) {
		throw new UsageError("--before keeps what --afresh would number again: give only one of them.");
	}
	const started = performance.now();
	const official = readByCountry("replace", values.replace, (_, text, file) => readBoundaries(text, file));
	const ownRegions = readByCountry("regions", values.regions, readRegions);
	const places = values.places === undefined ? [] : readPlaces(readText(values.places), values.places);
	const placesIn = requireInCountries(places, countryAt);
	const census = values.population === undefined ? undefined : await readCensusGrid(values.population);
	// A census grid covers some countries only: the others stay as they are.
	const isAllAfresh = values.afresh && !census;
	const before = isAllAfresh ? undefined : await readEditionFile(values.before ?? PUBLISHED_INDEX);
	if (before) requireBoundaries(before, official);
	// The published index is made from these sources, so that all other countries stay as they are.
	const views = values.view === undefined ? [] : readViews(readText(values.view), values.view, countryCodes());
	const usesOdbl = !values["without-odbl"];
	const hasOwnWords = ownRegions.size > 0 || places.length > 0 || views.length > 0 || !usesOdbl;
	const isPartly = (official.size > 0 || values.afresh) && !hasOwnWords;
	const unchanged = isPartly && before && values.before === undefined ? plannedAreas(before) : undefined;
	for (const country of official.keys()) unchanged?.delete(country);
	const query = queryOf(values);
	if (query) await requireNoAddress(views, query);
	const opened = query ? await openedNumbers(query) : new Map<string, number[]>();
	const isPublished =
		official.size === 0 && !hasOwnWords && !census && !query && values.out === undefined && values.before === undefined;
	// What an operator builds has the same sources, so that their index need not wait for it.
	if (isPublished) requireListedRegions(surveyListed());
	const { plan, figures, notes } = planWorld({
		settlements: places.length > 0 ? withPlaces(readSettlements(), places) : undefined,
		ownRegions: ownRegions.size > 0 ? ownRegions : undefined,
		usesOdbl,
		views,
		official,
		// The published zones of a country that is replaced have no addresses yet: see README, "When it is safe".
		isBeforeAddresses: values.before === undefined,
		retiresRest: values["retire-the-rest"],
		census: census && { grid: census, isAfresh: values.afresh },
		before: before?.countries,
		unchanged,
		opened,
	});
	const planned = performance.now();
	const file = compile(plan);
	stampNext(file, before);
	if (values.before !== undefined && before)
		requireSameGround(before, await readEdition(file), official, values.before);
	const compiled = performance.now();
	const digest = createHash("sha256").update(file).digest("hex");
	const out = isPublished ? PUBLISHED_INDEX : (values.out ?? "dist/world.zones");
	mkdirSync(path.dirname(out), { recursive: true });
	writeFileSync(out, file);
	writeFileSync(`${out}.sha256`, `${digest}  ${path.basename(out)}\n`);
	if (isPublished) {
		const readme = `${import.meta.dirname}/README.md`;
		writeFileSync(readme, updateReadme(readFileSync(readme, "utf8"), figures, file.length, digest));
	}
	const zones = plan.areas.reduce((sum, _, index) => sum + publishedNumbers(plan, index + 1).length, 0);
	const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
	console.log(`${zones} zones in ${plan.areas.length} countries, ${file.length} bytes, sha256 ${digest}`);
	console.log(`edition ${editionName(readDirectory(file))}`);
	if (placesIn.length > 0)
		console.log(`${values.places}: ${placesIn.map(([country, count]) => `${count} places in ${country}`).join(", ")}`);
	for (const note of summary(notes)) console.log(`note: ${note}`);
	for (const line of describe(plan, before)) console.log(line);
	console.log(`planned in ${seconds(started, planned)} s, compiled in ${seconds(planned, compiled)} s`);
}

await runCommand(
	{
		usage: USAGE,
		options: {
			replace: { type: "string", multiple: true, default: [] },
			regions: { type: "string", multiple: true, default: [] },
			places: { type: "string" },
			view: { type: "string" },
			population: { type: "string" },
			out: { type: "string" },
			before: { type: "string" },
			afresh: { type: "boolean", default: false },
			"retire-the-rest": { type: "boolean", default: false },
			"without-odbl": { type: "boolean", default: false },
			local: { type: "boolean" },
			remote: { type: "boolean" },
		},
	},
	({ values }) => build(values),
);
