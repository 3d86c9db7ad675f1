/** Checks a base map and puts it into the registry's bucket. src/docs/guides/operate.md. */
import { fstatSync, openSync, readSync } from "node:fs";
import { BASEMAP_KEY, ZOOM_MAX } from "../basemap/archive.ts";
import { type BasemapFile, inspectBasemap, uploadBasemap } from "./basemap-file.ts";
import { runCommand, UsageError } from "./command.ts";
import { withRegistry } from "./open-registry.ts";

const USAGE = `Put a base map into a registry, from which its pages draw the streets around an address:

  npm run basemap -- FILE.pmtiles       checks the archive and uploads it, replacing the previous one
  npm run basemap -- --remove           removes it; pages then show no streets

  --check        only check the archive
  --remote       on Cloudflare, not on this machine
  --env NAME     another environment of wrangler.toml

The archive is PMTiles version 3 with vector tiles (MVT), in the layers of Protomaps or OpenMapTiles, to zoom ${ZOOM_MAX} or at least 13.
A new archive is served everywhere within a minute.`;

const report = (line: string) => console.log(line);

/** Opens a file for reading ranges of it. */
function openFile(name: string): BasemapFile {
	let file: number;
	try {
		file = openSync(name, "r");
	} catch {
		throw new UsageError(`Cannot read a file ${name}.`);
	}
	const status = fstatSync(file);
	if (!status.isFile()) throw new UsageError(`${name} is not a file.`);
	const read = (offset: number, length: number) => {
		const bytes = Buffer.alloc(Math.max(0, Math.min(length, status.size - offset)));
		if (readSync(file, bytes, 0, bytes.length, offset) < bytes.length)
			throw new Error(`${name} changed while it was read. Run the command again when nothing else writes to it.`);
		return bytes;
	};
	return { size: status.size, read };
}

const OPTIONS = {
	check: { type: "boolean", default: false },
	remove: { type: "boolean", default: false },
	remote: { type: "boolean", default: false },
	env: { type: "string", default: "" },
} as const;

await runCommand({ usage: USAGE, options: OPTIONS, positionalsMax: 1 }, async ({ values, positionals: [name] }) => {
	const { check: isChecking, remove: isRemoving, remote: isRemote, env: environment } = values;
	if (isRemoving === (name !== undefined)) throw new UsageError("Name the archive, or give --remove.");
	const file = name === undefined ? undefined : openFile(name);
	if (file) (await inspectBasemap(file)).forEach(report);
	if (isChecking) return;
	await withRegistry({ isRemote, environment }, async ({ bucket }) => {
		if (!file && !(await bucket.head(BASEMAP_KEY))) return report("There is no base map to remove.");
		if (file) await uploadBasemap(bucket, file, report);
		else await bucket.delete(BASEMAP_KEY);
		report(file ? `Uploaded as ${BASEMAP_KEY}.` : `Removed ${BASEMAP_KEY}.`);
	});
});
