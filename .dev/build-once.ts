/**
 * Builds all that is deployed (build.ts), unless dist/ holds what these sources make already: some twenty steps of `.ci/run` and each
 * of wrangler's runs ask for it. It loads the builder only where there is something to build.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const STAMP = path.join(root, "dist/built");
const SOURCES = ["src", ".dev", ".github/CHANGELOG.md", "zones/world.zones", "package.json", "package-lock.json"];
const BUILT = [
	"dist/assets",
	"dist/browser",
	"dist/worker",
	"dist/api-types.d.ts",
	"dist/address-registry.js",
	"dist/client.js",
];

/** A digest of the sources, and of what is built as it is now: who changes or deletes any of it gets it built again. */
function digest(): string {
	const hash = createHash("sha256");
	const add = (file: string) => {
		if (!existsSync(file)) return;
		if (statSync(file).isDirectory()) for (const name of readdirSync(file).sort()) add(path.join(file, name));
		else hash.update(`${file}\n`).update(readFileSync(file));
	};
	for (const name of [...SOURCES, ...BUILT]) add(path.join(root, name));
	return hash.digest("hex");
}

export async function buildOnce(): Promise<void> {
	if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === digest()) return;
	await (await import("./build.ts")).build();
	writeFileSync(STAMP, digest());
}

if (process.argv[1] === import.meta.filename) await buildOnce();
