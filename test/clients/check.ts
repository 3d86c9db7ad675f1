/**
 * Generates two typed clients from the OpenAPI document, type-checks a program of thirteen calls with each under strict, and runs it against the
 * registry. Then it does the same with the SDK of the Model Context Protocol, and with the registry's own client as it is packed, over a line
 * that loses answers: `npm run clients`.
 */
import { execFile, execFileSync } from "node:child_process";
import {
	copyFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import registry from "../../package.json" with { type: "json" };
import { apiDocument } from "../../src/docs/openapi.ts";
import { type Served, serveRegistry } from "../support/serve.ts";
import { checkModelContext } from "./mcp.ts";

const PORT = 8796;
const folder = import.meta.dirname;

/** Runs a command of this folder's own packages, whose TypeScript is the one that the generators know. */
function run(name: string, ...args: string[]): void {
	execFileSync(path.join(folder, "node_modules/.bin", name), args, {
		cwd: folder,
		stdio: ["ignore", "ignore", "inherit"],
	});
}

/** A proxy in front of a port that breaks the connection instead of handing on the answers to the first creations. */
async function losingLine(port: number, losses: number) {
	let lost = 0;
	const proxy = createServer((near) => {
		const far = connect(port, "127.0.0.1");
		let isCreation = false;
		near.on("data", (bytes) => {
			const [, request] = /^([A-Z]+ \/\S*) HTTP\/1\.1\r\n/.exec(bytes.toString("latin1")) ?? [];
			if (request) isCreation = request === "POST /v1/addresses";
			far.write(bytes);
		});
		far.on("data", (bytes) => {
			if (!isCreation || lost === losses) return near.write(bytes);
			// The registry answers once the address is committed.
			lost += 1;
			return near.destroy();
		});
		for (const [socket, other] of [
			[near, far],
			[far, near],
		] as const) {
			socket.on("error", () => {});
			socket.on("close", () => other.destroy());
		}
	});
	await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
	return { port: (proxy.address() as AddressInfo).port, lost: () => lost, close: () => proxy.close() };
}

/**
 * Type-checks a shop in Vue and one in Svelte with a packed package, by their own checkers, and holds its manifest of custom elements to
 * the element. A shop that gives a number for a text or a switch must fail.
 */
async function checkFrameworks(installed: string): Promise<void> {
	const types = path.join(folder, "types");
	if (!existsSync(path.join(types, "node_modules")))
		execFileSync("npm", ["ci", "--silent", "--no-audit", "--no-fund"], { cwd: types, stdio: "inherit" });
	const packed = path.join(types, "node_modules/address-registry");
	rmSync(packed, { recursive: true, force: true });
	cpSync(installed, packed, { recursive: true });
	const settings = readFileSync(path.join(types, "tsconfig.json"), "utf8");
	const check = (command: string, prefix: string) => {
		writeFileSync(path.join(types, "checked.json"), settings.replaceAll('"Shop.', `"${prefix}Shop.`));
		const args = command === "vue-tsc" ? ["--project", "checked.json"] : ["--tsconfig", "./checked.json", "--no-color"];
		try {
			return execFileSync(path.join(types, "node_modules/.bin", command), args, { cwd: types, encoding: "utf8" });
		} catch (error) {
			return `failed: ${(error as { stdout: string }).stdout}`;
		}
	};
	for (const command of ["vue-tsc", "svelte-check"]) {
		const right = check(command, "");
		if (right.startsWith("failed")) throw new Error(`${command} ${right}`);
		const wrong = check(command, "Wrong");
		if (!/failed[\s\S]*number/.test(wrong)) throw new Error(`${command} finds nothing wrong: ${wrong}`);
	}
	rmSync(path.join(types, "checked.json"));
	const { modules } = JSON.parse(readFileSync(path.join(packed, "custom-elements.json"), "utf8"));
	const [{ attributes, members }] = modules[0].declarations as { attributes: Named[]; members: Named[] }[];
	const { AddressCodeElement } = await import(path.join(packed, modules[0].path));
	const namesOf = (list: Named[]) => list.map(({ name }) => name).sort();
	const observed = [...AddressCodeElement.observedAttributes, "value", "form"].sort();
	const own = Object.getOwnPropertyNames(AddressCodeElement.prototype);
	const known = own.filter((name) => !/Callback$|^constructor$/.test(name)).sort();
	if (`${namesOf(attributes)}` !== `${observed}` || `${namesOf(members)}` !== `${known}`)
		throw new Error(
			`The manifest has ${namesOf(attributes)}; ${namesOf(members)}. The element has ${observed}; ${known}.`,
		);
	if (
		/OWNER/.test(
			readFileSync(path.join(packed, "package.json"), "utf8") + readFileSync(path.join(packed, "README.md"), "utf8"),
		)
	)
		throw new Error("The package names a repository of nobody");
	console.log("Vue's and Svelte's checkers know the field, and its manifest has what it has.");
}

type Named = { name: string };

/** Packs the client, installs it elsewhere, and type-checks and runs packed.ts there. */
async function checkPacked(served: Served): Promise<void> {
	// Asked first: idle connections end while the commands below hold this process up.
	const post = async (at: string, body: object, token = "") => {
		const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
		const answer = await fetch(served.url + at, { method: "POST", headers, body: JSON.stringify(body) });
		return (await answer.json()) as { access: string; key: string };
	};
	const { access } = await post("/v1/auth/register", { phone: "+2348039000002", password: "correct horse battery" });
	const { key } = await post(
		"/v1/keys",
		{ name: "k", mode: "live", scopes: ["addresses:read", "addresses:write"] },
		access,
	);
	const elsewhere = mkdtempSync(path.join(tmpdir(), "packed-"));
	const line = await losingLine(PORT, 2);
	try {
		const root = path.join(folder, "../..");
		execFileSync("npm", ["run", "--silent", "pack", "--", "--pack-destination", elsewhere], {
			cwd: root,
			stdio: "ignore",
		});
		writeFileSync(path.join(elsewhere, "package.json"), '{ "type": "module" }');
		execFileSync("npm", ["install", "--silent", `./address-registry-${registry.version}.tgz`], { cwd: elsewhere });
		const installed = readdirSync(path.join(elsewhere, "node_modules")).filter((name) => !name.startsWith("."));
		if (installed.length > 1) throw new Error(`With the packed client came ${installed.join(", ")}`);
		const source = readFileSync(path.join(elsewhere, "node_modules/address-registry/dist/client.js"), "utf8");
		// Node shows the line of an error that nobody catches.
		if (/.{400}/.test(source)) throw new Error("The packed client has a line that buries an error");
		for (const [command, ...args] of [
			["publint", "node_modules/address-registry"],
			["attw", "--profile", "esm-only", "--quiet", `address-registry-${registry.version}.tgz`],
		])
			execFileSync(path.join(folder, "node_modules/.bin", command!), args, { cwd: elsewhere, stdio: "inherit" });
		for (const name of ["react", "react-dom", "scheduler", "@types/react", "@types/react-dom", "csstype"])
			cpSync(path.join(root, "node_modules", name), path.join(elsewhere, "node_modules", name), { recursive: true });
		const settings = ["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"];
		const tsc = path.join(folder, "node_modules/.bin/tsc");
		for (const [name, ...more] of [
			["packed.ts", "--module", "nodenext"],
			["react-shop.tsx", "--module", "esnext", "--moduleResolution", "bundler", "--jsx", "react-jsx"],
		]) {
			copyFileSync(path.join(folder, name!), path.join(elsewhere, name!));
			execFileSync(tsc, [...settings, ...more, name!], { cwd: elsewhere, stdio: "inherit" });
		}
		await checkFrameworks(path.join(elsewhere, "node_modules/address-registry"));
		const command = (...args: string[]) =>
			execFileSync("npx", ["address-registry", ...args], { cwd: elsewhere })
				.toString()
				.trim();
		if (command("--version") !== registry.version || command("check", "ng 1377 48215") !== "NG-1377-48215")
			throw new Error("The packed command does not work");
		const { label } = JSON.parse(command("resolve", "NG-1377-48215", "--registry", served.url));
		if (!label) throw new Error("The packed command resolves nothing");
		const env = { ...process.env, REGISTRY: `http://127.0.0.1:${line.port}`, KEY: key };
		const { stdout } = await promisify(execFile)(process.execPath, ["packed.ts"], { cwd: elsewhere, env });
		if (line.lost() !== 2 || !/^[A-Z]{2}\d{9} Blue gate \S+Z$/.test(stdout.trim()))
			throw new Error(`The packed client lost ${line.lost()} answers and has ${stdout}`);
		console.log(
			`The packed client type-checks under strict, and made one address though two answers were lost: ${stdout.trim()}`,
		);
	} finally {
		line.close();
		rmSync(elsewhere, { recursive: true });
	}
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
	await checkModelContext(served.url);
	await checkPacked(served);
} finally {
	await served.stop();
}
