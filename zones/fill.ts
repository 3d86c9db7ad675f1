/**
 * Says how full each country is: of the numbers that its index leaves for zones that fill up, how many they have opened.
 * npm run zones:fill -- --local     for the local D1; --remote asks the one on Cloudflare
 * npm run zones:fill -- --remote --index dist/world.zones    for another index than zones/world.zones
 */
import { parseArgs } from "node:util";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import { runCommand } from "./command.ts";
import { readEditionFile } from "./edition.ts";
import { openedNumbers, queryOf } from "./registry.ts";

const USAGE = "npm run zones:fill -- --local | --remote [--index FILE]";

await runCommand(USAGE, async () => {
	const { values } = parseArgs({
		options: {
			local: { type: "boolean" },
			remote: { type: "boolean" },
			index: { type: "string", default: `${import.meta.dirname}/world.zones` },
		},
	});
	const query = queryOf(values);
	if (!query) {
		console.error(`Name the database to ask.\nUsage: ${USAGE}`);
		process.exitCode = 1;
		return;
	}
	const { countries } = await readEditionFile(values.index);
	const rows = [...(await openedNumbers(query))].map(([country, opened]) => {
		const { zones, retired } = countries.get(country) ?? { zones: new Map(), retired: [] };
		const free = ZONE_NUMBERS - zones.size - retired.length;
		return {
			country,
			zones: zones.size,
			opened: opened.length,
			left: free - opened.length,
			fill: opened.length / free,
		};
	});
	rows.sort((a, b) => b.fill - a.fill);
	console.log("| country | zones | numbers opened | numbers left | fill |\n|---|---:|---:|---:|---:|");
	for (const { country, zones, opened, left, fill } of rows) {
		console.log(`| ${country} | ${zones} | ${opened} | ${left} | ${(100 * fill).toFixed(1)} % |`);
	}
	console.log(`${rows.length} countries have zones that filled up.`);
});
