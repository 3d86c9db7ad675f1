/**
 * Makes this checkout ready to serve: secrets generated once, migrations applied to the local D1, and the zone index put
 * into the local R2. What has not changed since the last start is not done again.
 */
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { requireUpgradable } from "../src/cli/baseline.ts";
import { fillHomes, provedHomes } from "../src/cli/homes.ts";
import { localKeySet } from "../src/cli/local-operator.ts";
import { readWorkerConfig } from "../src/cli/wrangler.ts";
import { proveIndex } from "../src/cli/zone-index.ts";
import { SECRET_NAMES } from "../src/settings/signing-secrets.ts";
import { EditionError } from "../zones/publish-check.ts";
import { databaseQuery } from "../zones/registry.ts";

const SECRETS_FILE = ".dev.vars";
const STATE = ".wrangler/state";
/** Beside the data that it vouches for, so that it goes when they go. */
const STAMP_FILE = `${STATE}/v3/prepared`;
/** The index that a deployment would serve too, so that own boundaries are tried here first. */
const { zonesFile: INDEX_FILE = "zones/world.zones", databases } = configuration();

/** Says what keeps a registry from being served, and ends. */
function refuse(error: unknown): never {
	console.error(error instanceof Error ? error.message : error);
	if (error instanceof EditionError)
		console.error(`If the addresses on this machine are only trials, delete ${STATE} and start again.`);
	process.exit(1);
}

function configuration() {
	try {
		return readWorkerConfig("");
	} catch (error) {
		return refuse(error);
	}
}

function wrangler(...args: string[]): void {
	execFileSync("wrangler", args, {
		stdio: ["ignore", "ignore", "inherit"],
		env: { ...process.env, CI: "true", CLOUDFLARE_CF_FETCH_ENABLED: "false", WRANGLER_SEND_METRICS: "false" },
	});
}

/** The index that the local bucket holds; undefined where it holds none. */
function servedIndex(): Buffer | undefined {
	const file = `${STATE}/served.zones`;
	try {
		wrangler("r2", "object", "get", "address-registry-zones/world.zones", "--file", file, "--local");
		return readFileSync(file);
	} catch {
		return undefined;
	} finally {
		rmSync(file, { force: true });
	}
}

const secrets = existsSync(SECRETS_FILE) ? readFileSync(SECRETS_FILE, "utf8") : "";
const missing = SECRET_NAMES.filter((name) => !new RegExp(`^${name}=`, "m").test(secrets));
if (missing.length > 0) {
	const generated = missing.map((name) => `${name}=local:${randomBytes(32).toString("base64url")}\n`).join("");
	writeFileSync(SECRETS_FILE, secrets.replace(/([^\n])$/, "$1\n") + generated, { mode: 0o600 });
	console.log(`Generated ${missing.join(", ")} for this machine in ${SECRETS_FILE}`);
}

// What `npm start` gives to wrangler, so that an operator of this machine can be known by a key that lies on it.
mkdirSync(".wrangler", { recursive: true });
writeFileSync(".wrangler/operators.jwks", JSON.stringify(await localKeySet()));

if (!existsSync(INDEX_FILE)) {
	console.error(
		`There is no zone index ${INDEX_FILE}, which ZONES_FILE names in wrangler.toml. Build it, or name another one.`,
	);
	process.exit(1);
}
const bindings = databases.map(({ binding }) => binding);
const digest = createHash("sha256").update(readFileSync(INDEX_FILE)).update(bindings.join(" "));
for (const name of readdirSync("migrations")
	.filter((name) => name.endsWith(".sql"))
	.sort()) {
	digest.update(name).update(readFileSync(`migrations/${name}`));
}
const stamp = digest.digest("hex");

if (!existsSync(STAMP_FILE) || readFileSync(STAMP_FILE, "utf8") !== stamp) {
	if (existsSync(`${STATE}/v3/d1`)) {
		const remedy = `delete ${STATE} to begin with an empty one, or go on with the version that made it`;
		// The checks of a deployment, before anything is changed.
		try {
			await requireUpgradable(databaseQuery("local"), "The local database", remedy);
			const served = servedIndex();
			if (served) await proveIndex(readFileSync(INDEX_FILE), served, databaseQuery("local"), true);
		} catch (error) {
			refuse(error);
		}
	}
	console.log(`Applying migrations and loading ${INDEX_FILE} into local D1 and R2 ...`);
	for (const binding of bindings) wrangler("d1", "migrations", "apply", binding, "--local");
	if (bindings.length > 1) {
		// Some hundred queries, which take minutes where each starts wrangler.
		const { getPlatformProxy } = await import("wrangler");
		const options = { persist: { path: `${STATE}/v3` }, remoteBindings: false };
		const { env, dispose } = await getPlatformProxy<Record<string, D1Database>>(options);
		const homes = bindings.map((binding) => ({
			binding,
			query: async (sql: string) => (await (env[binding] as D1Database).prepare(sql).all()).results,
		}));
		await provedHomes(homes)
			.then((added) => fillHomes(homes, added))
			.catch(refuse);
		await dispose();
	}
	wrangler("r2", "object", "put", `address-registry-zones/world.zones`, "--file", INDEX_FILE, "--local");
	mkdirSync(path.dirname(STAMP_FILE), { recursive: true });
	writeFileSync(STAMP_FILE, stamp);
}
