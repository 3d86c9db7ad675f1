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
const client = path.join(root, "src/client");
// The compiler writes no declarations of what is one already.
for (const file of ["vue.d.ts", "svelte.d.ts"])
	cpSync(path.join(client, file), path.join(folder, "dist/types/client", file));
const customElements = "custom-elements.json";
cpSync(path.join(client, customElements), path.join(folder, customElements));
// Importing the field defines it, so no bundler may leave it out.
const sideEffects = ["./dist/address-code.js", "./dist/address-registry.js"];
const kept: Record<string, unknown> = {
	...{ name, version, description, license, keywords, repository, type, engines, exports, imports, bin },
	...{ customElements, sideEffects },
};
// Until package.json says whose repository it is, the package names none.
let readme = readFileSync(path.join(client, "README.md"), "utf8");
if (repository.url.includes("/OWNER/")) {
	delete kept.repository;
	readme = readme.replace(/\[([^\]]+)\]\(https:\/\/github\.com\/OWNER\/[^)]*\)/g, "$1");
}
writeFileSync(path.join(folder, "README.md"), readme);
writeFileSync(path.join(folder, "package.json"), JSON.stringify(kept, undefined, "\t"));
execFileSync("npm", ["pack", folder, ...process.argv.slice(2)], { stdio: "inherit" });
