/** Numbers the wards of a GeoJSON file. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runCommand, UsageError } from "../src/cli/command.ts";
import { readEditionFile } from "./edition.ts";
import { freeOf } from "./numbering.ts";
import { parseFeatures, readText } from "./official.ts";
import { openedNumbers, type Query, queryOf } from "./registry.ts";
import { numbersAfresh, numbersAmong, wardsOf } from "./wards.ts";

const USAGE = `Number the wards of a GeoJSON file, for npm run zones:build -- --replace:

  npm run zones:number -- wards.geojson                     writes zones/own/wards.geojson
  npm run zones:number -- wards.geojson --name shapeName    takes names from that property
  npm run zones:number -- wards.geojson --before served.zones --country NG
                                                            takes only numbers that the index has never published

  --before FILE      an index that has addresses: its numbers are left alone, so that old codes live on
  --country CC       the country of the wards, with --before
  --local, --remote  leaves alone the numbers that full zones have opened in that D1 database too

  --name PROPERTY    the property that holds the name of each ward; name unless you say another
  --region PROPERTY  the property that holds the name of its first-level division, if there is one; region unless you say another
  --out FILE         another file to write`;

/** The numbers of a country that have never been used: neither by a zone of an index, now or before, nor by a full zone of the registry. */
async function freeNumbers(index: string, country: string | undefined, query: Query | undefined): Promise<number[]> {
	const { countries } = await readEditionFile(index);
	const before = country === undefined ? undefined : countries.get(country);
	if (!before) throw new UsageError("--before wants --country with the ISO 3166-1 letters of a country of that index.");
	const opened = query ? ((await openedNumbers(query)).get(country!) ?? []) : [];
	return freeOf(new Set([...before.zones.keys(), ...before.retired, ...opened]));
}

await runCommand(
	{
		usage: USAGE,
		options: {
			name: { type: "string", default: "name" },
			region: { type: "string", default: "region" },
			before: { type: "string" },
			country: { type: "string" },
			local: { type: "boolean" },
			remote: { type: "boolean" },
			out: { type: "string" },
		},
		positionalsMax: 1,
	},
	async ({ values, positionals: [file] }) => {
		if (file === undefined) throw new UsageError("Name a GeoJSON file.");
		const features = parseFeatures(readText(file), file);
		const wards = wardsOf(features, values, file);
		const out = values.out ?? path.join("zones/own", path.basename(file));
		if (path.resolve(out) === path.resolve(file)) throw new UsageError("--out must not be the file that is read.");
		const numbers =
			values.before === undefined
				? numbersAfresh(wards.length)
				: numbersAmong(await freeNumbers(values.before, values.country, queryOf(values)), wards.length, file);
		const numbered = wards.map(({ name, region, geometry }, at) => ({
			type: "Feature",
			properties: { zone: numbers[at], name: name ?? "", ...(region !== undefined && { region }) },
			geometry,
		}));
		mkdirSync(path.dirname(out), { recursive: true });
		writeFileSync(out, `${JSON.stringify({ type: "FeatureCollection", features: numbered })}\n`);
		const others = features.length - wards.length;
		console.log(
			`${wards.length} wards numbered in ${out}${others > 0 ? `; ${others} features that are no polygons left out` : ""}`,
		);
	},
);
