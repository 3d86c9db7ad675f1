/** What a deployment consists of: the steps that `npm run deploy` takes, over a wrangler that is handed in. */
import { createHash, randomBytes } from "node:crypto";
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ZONE_INDEX_KEY } from "../src/zones/r2-source.ts";
import { type Query, rowsOf } from "../zones/registry.ts";
import type { Step } from "./steps.ts";
import { outputOf, type WorkerConfig, type Wrangler, WranglerError, type WranglerInput } from "./wrangler.ts";

/** Where .dev/build.ts puts the static assets (wrangler.toml). */
const ASSETS = "dist/assets";

/** HMAC-SHA-256 wants at least 32 bytes (RFC 7518 section 3.2). */
const SECRET_BYTES = 48;

export interface DeploymentOptions {
	wrangler: Wrangler;
	config: WorkerConfig;
	/** As in `[env.staging]`; empty for the registry itself. */
	environment: string;
	/** The zone index to serve. */
	indexFile: string;
	/** Refuses an index that gives a zone number in use other ground. `published` is undefined in a new registry. */
	proveIndex(next: Buffer, published: Buffer | undefined, query: Query): Promise<void>;
	/** Runs the README's session against a version of the deployment that serves at the URL. */
	smoke(url: string, version: string | undefined): Promise<void>;
	/** Shows the operator a line. */
	say(line: string): void;
	/** Whether what is said is kept in a log that others read, so that it must hold no secret. */
	isLogged: boolean;
}

function sha256(bytes: Buffer): string {
	return createHash("sha256").update(bytes).digest("hex");
}

/** Runs `work` with the path of a new folder that is gone afterwards. */
async function withTemporaryFolder<Answer>(work: (folder: string) => Promise<Answer>): Promise<Answer> {
	const folder = mkdtempSync(path.join(tmpdir(), "deploy-"));
	try {
		return await work(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/**
 * What was deployed, by the lines of JSON that wrangler writes to WRANGLER_OUTPUT_FILE_PATH: the version, and its public origin, which is a
 * domain of one's own where there is one, else `workers.dev`.
 */
export function readDeployed(output: string): { version: string | undefined; url: string | undefined } {
	const deployed = output
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as { type: string; version_id?: string; targets?: string[] })
		.find(({ type }) => type === "deploy");
	const targets = deployed?.targets ?? [];
	const [domain] = targets.flatMap((target) => /^([^/\s]+) \(custom domain/.exec(target)?.[1] ?? []);
	const url = domain ? `https://${domain}` : targets.find((target) => /^https:\/\/[^/\s]+$/.test(target));
	return { version: deployed?.version_id, url };
}

/** The steps of a deployment, in order. Each changes the account only where something is missing or differs. */
export function deploymentSteps(options: DeploymentOptions): Step[] {
	const { config, environment, indexFile, say } = options;
	const wrangler: Wrangler = (args, given) => options.wrangler([...args, "--env", environment], given);
	const run = (args: string[], given?: WranglerInput) => outputOf(wrangler, args, given);
	/** Where the deployment serves, once it does, and which version that is. */
	let [url, version]: (string | undefined)[] = [];
	/** The index that the bucket holds, once it has been looked up. */
	let published: Buffer | undefined;

	const databaseNames = async () =>
		(JSON.parse(await run(["d1", "list", "--json"])) as { name: string }[]).map(({ name }) => name);

	/** The index that the bucket holds; undefined where there is none. */
	const publishedIndex = (): Promise<Buffer | undefined> =>
		withTemporaryFolder(async (folder) => {
			const file = path.join(folder, ZONE_INDEX_KEY);
			const got = await wrangler([
				...["r2", "object", "get", `${config.bucketName}/${ZONE_INDEX_KEY}`],
				...["--file", file, "--remote"],
			]);
			if (got.succeeded) return readFileSync(file);
			if (/does not exist|NoSuch|10006|10007/.test(got.failure)) return undefined;
			throw new WranglerError(got.failure);
		});

	return [
		{
			name: "account",
			plan: "look whether wrangler is signed in to one Cloudflare account",
			changesNothing: true,
			async act() {
				await databaseNames();
				return "signed in";
			},
			help: "Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a token made from the template `Edit Cloudflare Workers` with D1 added.",
		},
		{
			name: "bundle",
			plan: "build the documentation, the scripts of pages and the Worker, and prove wrangler.toml",
			changesNothing: true,
			async act() {
				await run(["deploy", "--dry-run", "--minify"]);
				return "built";
			},
			help: "Fix what wrangler names above in the source or in wrangler.toml. `npm run check` finds most of it.",
		},
		{
			name: "database",
			plan: `create the D1 database ${config.databaseName}`,
			isDone: async () => (await databaseNames()).includes(config.databaseName),
			async act() {
				await run(["d1", "create", config.databaseName]);
				return `created ${config.databaseName}`;
			},
			help: "Look in the dashboard under Storage & databases > D1 whether the account may have another database.",
		},
		{
			name: "bucket",
			plan: `create the R2 bucket ${config.bucketName}`,
			async isDone() {
				const { succeeded, failure } = await wrangler(["r2", "bucket", "info", config.bucketName, "--json"]);
				if (succeeded) return true;
				if (/does not exist|10006/.test(failure)) return false;
				throw new WranglerError(failure);
			},
			async act() {
				await run(["r2", "bucket", "create", config.bucketName]);
				return `created ${config.bucketName}`;
			},
			help: "Look in the dashboard under Storage & databases > R2 whether R2 is switched on for the account.",
		},
		{
			name: "signing secret",
			plan: "make the secret JWT_SECRETS and show it once",
			async isDone() {
				const { succeeded, stdout, failure } = await wrangler(["secret", "list", "--format", "json"]);
				if (succeeded) return (JSON.parse(stdout) as { name: string }[]).some(({ name }) => name === "JWT_SECRETS");
				// No Worker yet, so no secret either.
				if (/not found|does not exist|10007/i.test(failure)) return false;
				throw new WranglerError(failure);
			},
			async act() {
				const secret = `k1:${randomBytes(SECRET_BYTES).toString("base64url")}`;
				if (!options.isLogged) {
					say("\n  Keep this where you keep passwords. Cloudflare never shows it again, and you need it to rotate it:");
					say(`\n  JWT_SECRETS=${secret}\n`);
				}
				await run(["secret", "put", "JWT_SECRETS"], { input: secret });
				return options.isLogged
					? "made and stored. It is not shown, because this output is kept in a log: README.md, Rotate the signing secret, says how to replace it"
					: "stored";
			},
			help: "If a secret is shown above, it was not stored: throw it away. The next run makes another.",
		},
		{
			name: "migrations",
			plan: "apply the migrations that the database does not have yet",
			isDone: async () =>
				(await run(["d1", "migrations", "list", "DB", "--remote"])).includes("No migrations to apply"),
			async act() {
				await run(["d1", "migrations", "apply", "DB", "--remote"]);
				return "applied";
			},
			help: "Nothing was deployed, and the version before goes on serving. D1 rolls a failed migration back: fix the one that is named and land it again.",
		},
		{
			name: "zone index",
			plan: `put ${indexFile} into the bucket as ${ZONE_INDEX_KEY}`,
			async isDone() {
				published = await publishedIndex();
				return published !== undefined && sha256(published) === sha256(readFileSync(indexFile));
			},
			async act() {
				const next = readFileSync(indexFile);
				const query: Query = async (sql) =>
					rowsOf(await run(["d1", "execute", "DB", "--remote", "--json", "--command", sql]));
				await options.proveIndex(next, published, query);
				await run([
					...["r2", "object", "put", `${config.bucketName}/${ZONE_INDEX_KEY}`],
					...["--file", indexFile, "--remote"],
				]);
				return `put, SHA-256 ${sha256(next).slice(0, 12)}...`;
			},
			help: "The registry goes on with the index that it has. `npm run zones:build` builds the published one again.",
		},
		{
			name: "Worker",
			plan: `deploy the Worker ${config.name}`,
			act: () =>
				withTemporaryFolder(async (folder) => {
					const file = path.join(folder, "deployed.ndjson");
					// The copy of the index in the deployment is the index that is served, whichever that is.
					const assets = path.join(folder, "assets");
					cpSync(ASSETS, assets, { recursive: true });
					copyFileSync(indexFile, path.join(assets, ZONE_INDEX_KEY));
					await run(["deploy", "--minify", "--assets", assets], { variables: { WRANGLER_OUTPUT_FILE_PATH: file } });
					const deployed = readDeployed(readFileSync(file, "utf8"));
					url = config.webUrl ?? deployed.url;
					version = deployed.version;
					return url ? `serves at ${url}` : "deployed, on no public address";
				}),
			help: "The version before goes on serving. Fix what wrangler names above.",
		},
		{
			name: "smoke test",
			plan: "run the README's session against the new version, with a phone number reserved for fiction, and clean up",
			async act() {
				if (!url) return "skipped, because the Worker has no public address: set one, then run `npm run smoke -- URL`";
				await options.smoke(url, version);
				return "the README's session works";
			},
			help: "The new version is live. `npx wrangler tail` shows what it logs, and `npx wrangler rollback` brings the version before back.",
		},
	];
}
