/**
 * Builds the zones of the world:
 * npm run zones:build                                writes zones/world.zones and its checksum, always the same bytes
 * npm run zones:build -- --replace NG=wards.geojson  writes dist/world.zones with an operator's zones of Nigeria
 * npm run zones:build -- --population grid.tif       writes dist/world.zones for people as a census grid (GeoTIFF) has them
 * --replace may be given for several countries; --out FILE chooses another name.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import { readCensusGrid } from "./census.ts";
import { runCommand } from "./command.ts";
import { compile, type Plan, publishedNumbers } from "./compile.ts";
import { allFaults, BoundaryError } from "./faults.ts";
import { type OfficialFile, readBoundaries } from "./official.ts";
import { planWorld } from "./plan.ts";
import { updateReadme } from "./report.ts";

function readText(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (cause) {
		throw new BoundaryError(`${file}: it cannot be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
	}
}

/** The boundaries that --replace names, by country. */
function readReplacements(replace: readonly string[]): Map<string, OfficialFile> {
	const official = new Map<string, OfficialFile>();
	const steps = replace.map((argument) => () => {
		const [, country, file] = /^([A-Z]{2})=(.+)$/.exec(argument) ?? [];
		if (!country || !file)
			throw new BoundaryError(`--replace ${argument}: write for instance --replace NG=wards.geojson`);
		if (official.has(country))
			throw new BoundaryError(`--replace ${argument}: ${country} is replaced twice: join its files`);
		official.set(country, readBoundaries(readText(file), file));
	});
	allFaults(steps);
	return official;
}

/** What became of each country that was replaced. */
function describe(plan: Plan): string[] {
	return plan.overlays.map(({ area, zones }) => {
		const { country, firstNumber, zones: rest } = plan.areas[area - 1]!;
		const ends = rest.length > 0 ? ` (${firstNumber} to ${firstNumber + rest.length - 1})` : "";
		const reserve = ZONE_NUMBERS - publishedNumbers(plan, area);
		return `${country}: ${zones.length} official zones, ${rest.length} generated ones for what they leave${ends}, ${reserve} numbers for zones that fill up`;
	});
}

async function build(): Promise<void> {
	const { values } = parseArgs({
		options: {
			replace: { type: "string", multiple: true, default: [] },
			population: { type: "string" },
			out: { type: "string" },
		},
	});
	const started = performance.now();
	const { plan, figures, notes } = planWorld(
		readReplacements(values.replace),
		values.population === undefined ? undefined : await readCensusGrid(values.population),
	);
	const planned = performance.now();
	const file = compile(plan);
	const compiled = performance.now();
	const digest = createHash("sha256").update(file).digest("hex");
	const isPublished = values.replace.length === 0 && !values.population && values.out === undefined;
	const out = isPublished ? `${import.meta.dirname}/world.zones` : (values.out ?? "dist/world.zones");
	mkdirSync(path.dirname(out), { recursive: true });
	writeFileSync(out, file);
	writeFileSync(`${out}.sha256`, `${digest}  ${path.basename(out)}\n`);
	if (isPublished) {
		const readme = `${import.meta.dirname}/README.md`;
		writeFileSync(readme, updateReadme(readFileSync(readme, "utf8"), figures, file.length, digest));
	}
	const official = plan.overlays.reduce((sum, { zones }) => sum + zones.length, 0);
	const zones = figures.reduce((sum, country) => sum + country.zones, official);
	const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
	console.log(`${zones} zones in ${figures.length} countries, ${file.length} bytes, sha256 ${digest}`);
	for (const note of notes) console.log(`note: ${note}`);
	for (const line of describe(plan)) console.log(line);
	console.log(`planned in ${seconds(started, planned)} s, compiled in ${seconds(planned, compiled)} s`);
}

await runCommand("npm run zones:build -- [--replace NG=wards.geojson]... [--population grid.tif] [--out FILE]", build);
