#!/usr/bin/env node
/** The package's command, for people without a copy of this repository: `npx address-registry`. */
import manifest from "../../package.json" with { type: "json" };
import { FURTHER_FIELDS } from "../addresses/texts.ts";
import { createClient } from "../client/client.ts";
import { parseCode } from "../client/codes.ts";
import { RegistryError } from "../client/error.ts";
import { runCommand, UsageError } from "./command.ts";
import { mintFile } from "./mint-file.ts";

const USAGE = `Address codes on the command line:

  address-registry check CODE
      Checks a code by its check digit, offline.

  address-registry resolve CODE --registry https://addr.example
      Prints the address of a code, or of a link to a private one, as JSON.

  address-registry mint FILE --registry https://addr.example [--dry-run]
      [--columns external_id="Meter No",lat=Y,lng=X] [--encoding windows-1252] [--country NG]
      Creates addresses from a CSV file with the columns external_id, lat, lng and, optionally, ${FURTHER_FIELDS.join(", ")}.

For mint, set REGISTRY_KEY to an API key with the scope addresses:write. The codes are written line by line to FILE.codes.csv, and
invalid lines to FILE.faults.csv, for you to correct and send again. Run the command again to continue where it stopped: no external_id gets
a second address.

--columns maps the columns of the file, if they have other names. Other columns are copied to the file of codes.
--encoding names the encoding of a file that is not in UTF-8.
--country, in two letters, rejects points in any other country, which catches swapped coordinates.
--version prints the version.`;

const OPTIONS = {
	registry: { type: "string" },
	"dry-run": { type: "boolean", default: false },
	columns: { type: "string", default: "" },
	encoding: { type: "string" },
	country: { type: "string" },
	version: { type: "boolean", default: false },
} as const;

/** Checks a code without asking the registry. Returns whether its check digit fits. */
function check(text: string): boolean {
	const parsed = parseCode(text);
	if (parsed.mistake) console.error(`${text} is not a code: ${parsed.mistake}.`);
	else console.log(parsed.display);
	return !parsed.mistake;
}

async function resolve(text: string, registry: string): Promise<boolean> {
	try {
		console.log(JSON.stringify(await createClient({ registry }).resolve(text), undefined, "\t"));
		return true;
	} catch (error) {
		if (!(error instanceof RegistryError)) throw error;
		console.error(error.code === "NO_ANSWER" ? `Cannot reach ${registry}.` : error.message);
		return false;
	}
}

await runCommand({ usage: USAGE, options: OPTIONS, positionalsMax: 2 }, async ({ values, positionals }) => {
	if (values.version) return console.log(manifest.version);
	const [command = "", subject] = positionals;
	if (!["check", "resolve", "mint"].includes(command))
		throw new UsageError("Name a command: `check CODE`, `resolve CODE` or `mint FILE`.");
	if (!subject)
		throw new UsageError(
			`Name a ${command === "mint" ? "file" : "code"}, as in \`address-registry ${command} ${command === "mint" ? "FILE" : "CODE"}\`.`,
		);
	const done = async () => {
		if (command === "check") return check(subject);
		const key = process.env.REGISTRY_KEY;
		if (command === "mint" && !key)
			throw new UsageError("Set REGISTRY_KEY to an API key with the scope addresses:write.");
		const registry = /^https?:\/\/./.exec(values.registry ?? "")?.input;
		if (!registry) throw new UsageError("Name the registry with --registry, such as https://addr.example.");
		if (command === "resolve") return resolve(subject, registry);
		const { columns, encoding, country, "dry-run": isDryRun } = values;
		return mintFile(subject, { registry, key: key ?? "", isDryRun, columns, encoding, country });
	};
	if (!(await done())) process.exitCode = 1;
});
