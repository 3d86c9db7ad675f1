/**
 * Makes this checkout ready to serve: secrets generated once, migrations applied to the local D1, and the zone index put
 * into the local R2. What has not changed since the last start is not done again.
 */
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { askOf, fillHomes, homeDatabase, provedHomes } from "../src/cli/homes.ts";
import { localKeySet } from "../src/cli/local-operator.ts";
import { migrationNames, requireBaseline } from "../src/cli/migrations.ts";
import { withRegistry } from "../src/cli/open-registry.ts";
import { servedIndex } from "../src/cli/served-index.ts";
import { readWorkerConfig } from "../src/cli/wrangler.ts";
import { proveIndex } from "../src/cli/zone-index.ts";
import { ACCOUNTS } from "../src/db/database-of-code.ts";
import { SECRET_NAMES } from "../src/settings/signing-secrets.ts";
import { ZONE_INDEX_KEY } from "../src/zones/r2-source.ts";
import { EditionError } from "../zones/publish-check.ts";
import { databaseQuery } from "../zones/registry.ts";

const SECRETS_FILE = ".dev.vars";
const STATE = ".wrangler/state";
const LOCAL = { isRemote: false, environment: "" };
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
const index = readFileSync(INDEX_FILE);
const digest = createHash("sha256")
	.update(index)
	.update(databases.map(({ binding }) => binding).join(" "));
for (const name of migrationNames()) digest.update(name).update(readFileSync(`migrations/${name}`));
const stamp = digest.digest("hex");

if (!existsSync(STAMP_FILE) || readFileSync(STAMP_FILE, "utf8") !== stamp) {
	if (existsSync(`${STATE}/v3/d1`)) {
		const remedy = `delete ${STATE} to begin with an empty one, or go on with the version that made it`;
		// The checks of a deployment, before anything is changed.
		let served: Buffer | undefined;
		await withRegistry(LOCAL, async ({ database, bucket }) => {
			requireBaseline((await homeDatabase(ACCOUNTS, askOf(database))).migrations, "The local database", remedy);
			served = (await servedIndex(bucket))?.bytes;
		}).catch(refuse);
		// Reading two indexes takes seconds, after which a connection to the database in this process would be gone.
		if (served) await proveIndex(index, served, databaseQuery("local"), true).catch(refuse);
	}
	console.log(`Applying migrations and loading ${INDEX_FILE} into local D1 and R2 ...`);
	for (const { binding } of databases)
		execFileSync("wrangler", ["d1", "migrations", "apply", binding, "--local"], {
			stdio: ["ignore", "ignore", "inherit"],
			env: { ...process.env, CI: "true", CLOUDFLARE_CF_FETCH_ENABLED: "false", WRANGLER_SEND_METRICS: "false" },
		});
	await withRegistry(LOCAL, async ({ database, bucket, apart = {} }) => {
		const opening = Object.entries({ [ACCOUNTS]: database, ...apart }).map(([binding, one]) =>
			homeDatabase(binding, askOf(one)),
		);
		const homes = await Promise.all(opening);
		if (homes.length > 1) await fillHomes(homes, await provedHomes(homes));
		await bucket.put(ZONE_INDEX_KEY, index);
	}).catch(refuse);
	mkdirSync(path.dirname(STAMP_FILE), { recursive: true });
	writeFileSync(STAMP_FILE, stamp);
}
