/**
 * Packs the client and the command into a package of their own, `npm run pack`. Whoever installs it needs none of the registry's
 * dependencies, because they are bundled in what is packed.
 */
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildOnce } from "./build-once.ts";

const root = path.join(import.meta.dirname, "..");
const folder = path.join(root, "dist/package");

await buildOnce();
execFileSync("tsc", ["--project", path.join(root, "src/client")], { stdio: "inherit" });
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const { name, version, description, license, keywords, repository, type, engines, exports, imports, bin, files } =
	manifest;
rmSync(folder, { recursive: true, force: true });
for (const file of [...files, "LICENSE"]) cpSync(path.join(root, file), path.join(folder, file), { recursive: true });
cpSync(path.join(root, "src/client/README.md"), path.join(folder, "README.md"));
const kept = { name, version, description, license, keywords, repository, type, engines, exports, imports, bin };
writeFileSync(path.join(folder, "package.json"), JSON.stringify(kept, undefined, "\t"));
execFileSync("npm", ["pack", folder, ...process.argv.slice(2)], { stdio: "inherit" });
