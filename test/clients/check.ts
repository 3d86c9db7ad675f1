/**
 * Generates two typed clients from the OpenAPI document, type-checks a program of thirteen calls with each under strict, and runs it against the
 * registry: `npm run clients`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { apiDocument } from "../../src/docs/openapi.ts";
import { serveRegistry } from "../support/serve.ts";

const PORT = 8796;
const folder = import.meta.dirname;

/** Runs a command of this folder's own packages, whose TypeScript is the one that the generators know. */
function run(name: string, ...args: string[]): void {
	execFileSync(path.join(folder, "node_modules/.bin", name), args, {
		cwd: folder,
		stdio: ["ignore", "ignore", "inherit"],
	});
}

mkdirSync(path.join(folder, "generated"), { recursive: true });
writeFileSync(path.join(folder, "generated/openapi.json"), JSON.stringify(apiDocument("https://addr.example")));
run("openapi-typescript", "./generated/openapi.json", "--output", "./generated/openapi-fetch.ts");
run("openapi-ts", "--input", "./generated/openapi.json", "--output", "./generated/hey-api");
execFileSync(path.join(folder, "node_modules/.bin/tsc"), ["--project", folder], { stdio: "inherit" });
console.log("Both programs type-check under strict.");

const served = await serveRegistry(PORT);
try {
	for (const [index, name] of ["openapi-fetch", "hey-api"].entries()) {
		// Generated modules name each other without an extension, so they are bundled before Node runs them.
		const outfile = path.join(folder, "generated", `${name}.js`);
		await build({
			entryPoints: [path.join(folder, `${name}.ts`)],
			outfile,
			bundle: true,
			platform: "node",
			format: "esm",
		});
		const { thirteenCalls } = (await import(outfile)) as {
			thirteenCalls(baseUrl: string, phone: string): Promise<string[]>;
		};
		const done = await thirteenCalls(served.url, `+23480${30_000_000 + index}`);
		if (done.length !== 13) throw new Error(`${name} made ${done.length} calls`);
		console.log(`${name}: ${done.join(", ")}`);
	}
} finally {
	await served.stop();
}
