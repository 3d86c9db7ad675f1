/**
 * Lists what differs between two editions of the zone index: numbers added, gone, and moved to other ground.
 * npm run zones:diff -- OLD NEW             such as world.zones of the bucket and dist/world.zones
 * npm run zones:diff -- OLD NEW --local     with the addresses concerned in the local D1; --remote asks the one on Cloudflare
 */
import { parseArgs } from "node:util";
import { editionName } from "../src/zones/format.ts";
import { runCommand } from "./command.ts";
import { readEditionFile } from "./edition.ts";
import { differences } from "./ground.ts";
import { prefixOf, withUse } from "./publish-check.ts";
import { queryOf } from "./registry.ts";

const USAGE = "npm run zones:diff -- OLD NEW [--local | --remote]";

await runCommand(USAGE, async () => {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { local: { type: "boolean" }, remote: { type: "boolean" } },
	});
	const [oldFile, newFile] = positionals;
	if (oldFile === undefined || newFile === undefined || positionals.length > 2) {
		console.error(`Name two index files.\nUsage: ${USAGE}`);
		process.exitCode = 1;
		return;
	}
	const [older, newer] = [await readEditionFile(oldFile), await readEditionFile(newFile)];
	const found = differences(older, newer);
	const query = queryOf(values);
	const listed = query
		? await withUse(found, query)
		: found.map((difference) => ({ ...difference, addresses: 0, isOpened: false }));
	for (const difference of listed) {
		const { kind, name, addresses, isOpened } = difference;
		const use = [addresses > 0 && `${addresses} addresses`, isOpened && "opened by a full zone"].filter(Boolean);
		console.log([kind, prefixOf(difference), name, ...use].filter(Boolean).join("  "));
	}
	const count = (kind: string) => found.filter((difference) => difference.kind === kind).length;
	const concerned = listed.reduce((sum, { addresses }) => sum + addresses, 0);
	console.log(
		`edition ${editionName(older.directory)} to ${editionName(newer.directory)}: ${count("added")} added, ${count("gone")} gone, ${count("moved")} moved` +
			(query ? `; ${concerned} addresses concerned` : ""),
	);
});
