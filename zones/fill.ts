/** Prints how full each country is: how many of the numbers left for full zones have been opened. */
import { runCommand, UsageError } from "../src/cli/command.ts";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import { readEditionFile } from "./edition.ts";
import { openedNumbers, queryOf } from "./registry.ts";

const USAGE = `List the countries by the share of their additional numbers that full zones have opened:

  npm run zones:fill -- --remote    asks the D1 on Cloudflare
  npm run zones:fill -- --local     asks the local D1

  --index FILE    another index than zones/world.zones`;

await runCommand(
	{
		usage: USAGE,
		options: {
			local: { type: "boolean" },
			remote: { type: "boolean" },
			index: { type: "string", default: `${import.meta.dirname}/world.zones` },
		},
	},
	async ({ values }) => {
		const query = queryOf(values);
		if (!query) throw new UsageError("Name the database to ask: --local or --remote.");
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
	},
);
