/** Prints what differs between two editions of the zone index: numbers added, gone, and moved to other ground. */
import { runCommand, UsageError } from "../src/cli/command.ts";
import { editionName } from "../src/zones/format.ts";
import { readEditionFile } from "./edition.ts";
import { type Difference, differences } from "./ground.ts";
import { prefixOf, withUse } from "./publish-check.ts";
import { queryOf } from "./registry.ts";

const USAGE = `Compare two zone indexes, such as the one that is served and the one to be published next:

  npm run zones:diff -- OLD NEW

  --country NG    this country alone; repeat it for several
  --summary       no line for each number
  --local         with the addresses concerned in the local D1
  --remote        with the addresses concerned in the D1 on Cloudflare`;

const KINDS = ["added", "gone", "moved"] as const;

/** How many numbers of each kind there are. */
function countsOf(found: readonly Difference[]): string {
	return KINDS.map((kind) => `${found.filter((difference) => difference.kind === kind).length} ${kind}`).join(", ");
}

await runCommand(
	{
		usage: USAGE,
		options: {
			country: { type: "string", multiple: true, default: [] },
			summary: { type: "boolean", default: false },
			local: { type: "boolean" },
			remote: { type: "boolean" },
		},
		positionalsMax: 2,
	},
	async ({ values, positionals: [oldFile, newFile] }) => {
		if (oldFile === undefined || newFile === undefined) throw new UsageError("Name two index files.");
		const [older, newer] = [await readEditionFile(oldFile), await readEditionFile(newFile)];
		const known = new Set([...older.countries.keys(), ...newer.countries.keys()]);
		const wanted = values.country.map((country) => country.toUpperCase());
		const unknown = wanted.find((country) => !known.has(country));
		if (unknown !== undefined) throw new UsageError(`Neither index has a country ${unknown}.`);
		const found = differences(older, newer, wanted.length > 0 ? wanted : undefined);
		const query = queryOf(values);
		const listed = query
			? await withUse(found, query)
			: found.map((difference) => ({ ...difference, addresses: 0, isOpened: false }));
		const concerned = listed.reduce((sum, { addresses }) => sum + addresses, 0);
		console.log(
			`edition ${editionName(older.directory)} to ${editionName(newer.directory)}: ${countsOf(found)}` +
				(query ? `; ${concerned} addresses concerned` : ""),
		);
		for (const country of new Set(found.map((difference) => difference.country))) {
			console.log(`${country}: ${countsOf(found.filter((difference) => difference.country === country))}`);
		}
		if (values.summary) return;
		for (const difference of listed) {
			const { kind, name, addresses, isOpened } = difference;
			const use = [addresses > 0 && `${addresses} addresses`, isOpened && "opened by a full zone"].filter(Boolean);
			console.log([kind, prefixOf(difference), name, ...use].filter(Boolean).join("  "));
		}
	},
);
