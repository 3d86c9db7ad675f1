/** The steps of a deployment, which `npm run deploy` takes, with a wrangler that the caller supplies. */
import { hash, randomBytes } from "node:crypto";
import { copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SECRET_NAMES, type SecretName } from "../settings/signing-secrets.ts";
import { ZONE_INDEX_KEY } from "../zones/r2-source.ts";
import { openAccount } from "./cloudflare-account.ts";
import { fillHomes, type HomeDatabase, noteServed } from "./homes.ts";
import { migrationNames, requireBaseline } from "./migrations.ts";
import { pinnedFile } from "./pinned-field.ts";
import type { Step } from "./steps.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { outputOf, type WorkerConfig, type Wrangler, WranglerError } from "./wrangler.ts";
import { namedByOlder, proveIndex } from "./zone-index.ts";

/** Where .dev/build.ts puts the static assets (wrangler.toml). */
const ASSETS = "dist/assets";

/** The scripts of the field for other websites. The one that the field loads goes first, so that no field is there without it. */
function pinnedScripts(): { name: string; file: string }[] {
	const given = readdirSync(ASSETS).find((name) => name.startsWith("given-code@")) ?? "";
	const field = path.join(ASSETS, "address-code.js");
	return [
		{ name: given, file: path.join(ASSETS, given) },
		{ name: pinnedFile("address-code", readFileSync(field)).name, file: field },
	];
}

/** Bytes of a new secret. HMAC-SHA-256 needs at least 32 (RFC 7518 section 3.2). */
const SECRET_BYTES = 48;
/** The id of the first secret of each kind. Ids let an entry of the journal say under which secret it was written. */
const FIRST_IDS: Readonly<Record<SecretName, string>> = {
	JWT_SECRETS: "k1",
	SHARE_SECRETS: "s1",
	JOURNAL_SECRETS: "j1",
};

/** The locations of databases and buckets, by the names that D1 and R2 accept. */
export const LOCATIONS = {
	weur: "Western Europe, also nearest to West Africa",
	eeur: "Eastern Europe",
	wnam: "Western North America",
	enam: "Eastern North America",
	apac: "Asia-Pacific",
	oc: "Oceania",
};

export type Location = keyof typeof LOCATIONS;

export function isLocation(text: string): text is Location {
	return Object.hasOwn(LOCATIONS, text);
}

/** Where the data of a new registry is stored, for good. */
export interface Placement {
	location?: Location | undefined;
	/** `eu`, `fedramp` or `us`: Cloudflare then chooses the location within it. */
	jurisdiction?: string | undefined;
}

export interface DeploymentOptions {
	wrangler: Wrangler;
	config: WorkerConfig;
	/** As in `[env.staging]`; empty for the registry itself. */
	environment: string;
	/** The zone index to serve. */
	indexFile: string;
	/** Whether the operator has named that file. Only then may it replace another index. */
	isIndexChosen: boolean;
	placement: Placement;
	/** Asks the operator where a new registry's data is to be stored; undefined if nobody can be asked. */
	askForPlacement?(): Promise<Placement>;
	/** Runs the README's session against a version of the deployment that serves at the URL. */
	smoke(url: string, version: string | undefined): Promise<void>;
	/** Shows the operator a line. */
	say(line: string): void;
	/** Whether the output goes to a log that others read, so that it must contain no secret. */
	isLogged: boolean;
}

/** The version that `wrangler versions upload` made, from the JSON lines that it writes to WRANGLER_OUTPUT_FILE_PATH. */
function readVersion(output: string): string {
	const version = output
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as { type: string; version_id?: string })
		.find(({ type }) => type === "version-upload")?.version_id;
	if (!version) throw new WranglerError("wrangler does not say which version it has uploaded.");
	return version;
}

/** The public origin in the output of `wrangler triggers deploy`: a custom domain if there is one, otherwise `workers.dev`. */
export function readOrigin(output: string): string | undefined {
	const targets = output.split("\n").map((line) => line.trim());
	const [domain] = targets.flatMap((target) => /^([^/\s]+) \(custom domain/.exec(target)?.[1] ?? []);
	return domain ? `https://${domain}` : targets.find((target) => /^https:\/\/[^/\s]+$/.test(target));
}

/** What answers between the first steps of the first deployment and its last. */
const PLACEHOLDER = `export default {
	fetch: () => new Response("This registry is being set up.\\n", { status: 503, headers: { "Retry-After": "60" } }),
	scheduled() {},
};
`;

/** How to say where a new registry's data is to be stored. */
const WHERE_DATA_IS =
	'Name a location, such as --location weur. For a jurisdiction, write jurisdiction = "eu" below bucket_name in wrangler.toml.';

/** The arguments that tell D1 and R2 where to create a database or bucket. */
function argumentsOf({ location, jurisdiction }: Placement): string[] {
	if (jurisdiction) return ["--jurisdiction", jurisdiction];
	return location ? ["--location", location] : [];
}

function describe({ location, jurisdiction }: Placement): string {
	if (jurisdiction) return `in the jurisdiction ${jurisdiction}`;
	return location ? `in ${location} (${LOCATIONS[location]})` : "where --location says, which is missing";
}

/**
 * The steps of a deployment, in order: all checks come before the first change. Each changes the Cloudflare account only where something
 * is missing or differs.
 */
export function deploymentSteps(options: DeploymentOptions): Step[] {
	const { config, environment, indexFile, say } = options;
	const { databases } = config;
	const { run, databaseNames, bucketNames, worker, homes, newHomes, query, stored, store } = openAccount(
		options.wrangler,
		config,
		environment,
	);
	/** Where the deployment serves, once that is known. */
	let url: string | undefined;
	/** The version that is being deployed, once it is uploaded. */
	let version = "";
	let { placement } = options;
	/** The index that the bucket holds, once it has been looked up. */
	let published: Buffer | undefined;

	/** Whether the bucket holds the index that is to be served, when it was last read. */
	const isPublished = () => published?.equals(readFileSync(indexFile)) ?? false;
	/** Proves that the index may follow the one in the bucket. */
	const proveNext = () => proveIndex(readFileSync(indexFile), published, query, options.isIndexChosen);

	/**
	 * Proves before the first change that no later step will be refused: the databases can be upgraded, each holds the codes that its name
	 * claims, the index may follow the one in the bucket, and the location of everything that must be created is known.
	 */
	const proveAll = async () => {
		const readIndex = async () => ((await bucketNames()).size > 0 ? stored(ZONE_INDEX_KEY) : undefined);
		// Asked at once. The first step has renewed the sign-in, which only one run of wrangler at a time may do.
		const [opened, index] = await Promise.all([homes(), readIndex(), worker()]);
		const remedy = "keep deploying the version that made it, or name a new database in wrangler.toml";
		for (const [at, { migrations }] of opened.entries())
			requireBaseline(migrations, `The database ${databases[at]!.databaseName}`, remedy);
		await newHomes();
		const names = await databaseNames();
		const isComplete = databases.every(({ databaseName }) => names.has(databaseName)) && (await bucketNames()).size > 0;
		const isAsked = !placement.location && !placement.jurisdiction && options.askForPlacement;
		if (!isComplete && !isAsked) await chosenPlacement();
		published = index;
		// A database without tables has no addresses, so any index may be served.
		if (!isPublished() && (published || opened[0]!.migrations.length > 0)) await proveNext();
	};

	/** Where to create what does not exist yet. */
	const chosenPlacement = async (): Promise<Placement> => {
		if (!placement.location && !placement.jurisdiction) {
			if (!options.askForPlacement) throw new Error("No location is set for the data of this registry.");
			placement = await options.askForPlacement();
		}
		if (placement.jurisdiction !== config.bucketJurisdiction) {
			throw new Error(
				`The jurisdiction is ${placement.jurisdiction}, but that of the bucket in wrangler.toml is ${config.bucketJurisdiction ?? "none"}. The Worker would not find its bucket.`,
			);
		}
		return placement;
	};

	const missingSecrets = async () => {
		const { secrets } = await worker();
		return SECRET_NAMES.filter((name) => !secrets.has(name));
	};

	/** The step that creates a database or the bucket, unless its name is among those that exist. */
	const placing = (kind: "database" | "bucket", name: string, existing: () => Promise<Set<string>>): Step => {
		const [product, command, whatToCheck] =
			kind === "database"
				? ["D1", ["d1"], "whether the account may have another database"]
				: ["R2", ["r2", "bucket"], "whether R2 is switched on for the account"];
		return {
			name: kind,
			plan: `create the ${product} ${kind} ${name} ${describe(placement)}`,
			isDone: async () => (await existing()).has(name),
			async act() {
				const chosen = await chosenPlacement();
				await run([...command, "create", name, ...argumentsOf(chosen)]);
				(await existing()).add(name);
				return `created ${name} ${describe(chosen)}`;
			},
			help: `${WHERE_DATA_IS} If you have done so, check in the dashboard under Storage & databases > ${product} ${whatToCheck}.`,
		};
	};

	const isMigrated = ({ migrations }: HomeDatabase) => migrationNames().every((name) => migrations.includes(name));

	/** Taken only if there are several databases. */
	const homesStep: Step = {
		name: "homes",
		plan: "note in each database which codes are at home in it",
		async isDone() {
			return (await newHomes()).length === 0;
		},
		async act() {
			const added = await newHomes();
			await fillHomes(await homes(), added);
			return added.map(({ prefix, binding }) => `${prefix} in ${binding}`).join(", ");
		},
		help: "Nothing was deployed, and the previous version still serves.",
	};

	return [
		{
			name: "account",
			act: () => databaseNames().then(() => "signed in"),
			help: "Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a token made from the template `Edit Cloudflare Workers` with D1 added.",
		},
		{
			name: "bundle",
			act: () => run(["deploy", "--dry-run"]).then(() => "built"),
			help: "Fix what wrangler names above in the source or in wrangler.toml. `npm run check` finds most of it.",
		},
		{
			name: "checks",
			act: () => proveAll().then(() => "all passed"),
			help: `Nothing was changed. ${WHERE_DATA_IS} To keep a zone index of your own, name its file as ZONES_FILE under [vars] in wrangler.toml. To serve another one, name it with --zones.`,
		},
		{
			name: "Worker",
			plan: `create the Worker ${config.name}, which says that it is being set up. An account without the Workers Paid plan is refused here`,
			isDone: async () => (await worker()).isThere,
			act: () =>
				withTemporaryFolder(async (folder) => {
					const { name, compatibilityDate, limits, exposure } = config;
					const file = path.join(folder, "wrangler.json");
					writeFileSync(path.join(folder, "index.js"), PLACEHOLDER);
					writeFileSync(
						file,
						JSON.stringify({ name, main: "index.js", compatibility_date: compatibilityDate, limits, ...exposure }),
					);
					await outputOf(options.wrangler, ["deploy", "--config", file]);
					(await worker()).isThere = true;
					return `created ${name}`;
				}),
			help: "Nothing was created. Fix what wrangler names above.",
		},
		...databases.map(({ databaseName }) => placing("database", databaseName, databaseNames)),
		placing("bucket", config.bucketName, bucketNames),
		{
			name: "secrets",
			plan: `make the secrets ${SECRET_NAMES.join(", ")} that are missing, and show each once`,
			isDone: async () => (await missingSecrets()).length === 0,
			async act() {
				const made = (await missingSecrets()).map((name) => {
					const bytes = randomBytes(SECRET_BYTES).toString("base64url");
					return { name, secret: `${FIRST_IDS[name]}:${bytes}` };
				});
				if (!options.isLogged) {
					say(
						"\n  Save these in your password manager. Cloudflare never shows them again, and you need them to rotate them or to restore a backup:",
					);
					say(`\n${made.map(({ name, secret }) => `  ${name}=${secret}\n`).join("")}`);
				}
				const values = Object.fromEntries(made.map(({ name, secret }) => [name, secret]));
				await run(["secret", "bulk"], { input: JSON.stringify(values) });
				const names = made.map(({ name }) => name).join(", ");
				return options.isLogged
					? `${names} made and stored. They are not shown, because this output is logged. Replace them with ones that you save: see “Rotate the secrets” in src/docs/guides/operate.md`
					: `${names} stored`;
			},
			help: "Discard the secrets that are shown above and were not stored. The next run makes others.",
		},
		{
			name: "migrations",
			plan: "apply the migrations that the database does not have yet",
			isDone: async () => (await homes()).every(isMigrated),
			async act() {
				const behind = (await homes()).filter((home) => !isMigrated(home));
				for (const { binding } of behind) await run(["d1", "migrations", "apply", binding, "--remote"]);
				return "applied";
			},
			help: "Nothing was deployed, and the previous version still serves. D1 rolled the failed migration back: fix the one that is named.",
		},
		...(databases.length === 1 ? [] : [homesStep]),
		{
			name: "zone index",
			plan: `put ${indexFile} into the bucket as ${ZONE_INDEX_KEY}`,
			async isDone() {
				// The bucket may have been filled since the checks.
				if (!isPublished()) published = await stored(ZONE_INDEX_KEY);
				return isPublished();
			},
			async act() {
				await proveNext();
				await store(ZONE_INDEX_KEY, indexFile);
				const older = published ? await namedByOlder(readFileSync(indexFile), query) : 0;
				const renewal =
					older === 0
						? ""
						: `; the hourly job renews the names of ${older} addresses, except those that their owners chose`;
				return `put, SHA-256 ${hash("sha256", readFileSync(indexFile)).slice(0, 12)}...${renewal}`;
			},
			help: "The registry still serves its previous index. To keep an index of your own, name its file as ZONES_FILE under [vars] in wrangler.toml. To serve another one, name it with --zones.",
		},
		{
			name: "pinned field",
			plan: "put this version of the form field into the bucket, for the pages that will pin it",
			// The field is put last, and its name depends on the name of what it loads.
			isDone: async () => (await stored(pinnedScripts().at(-1)!.name)) !== undefined,
			async act() {
				const scripts = pinnedScripts();
				for (const { name, file } of scripts) await store(name, file);
				return `put ${scripts.map(({ name }) => name).join(" and ")}, which stay for good`;
			},
			help: "Nothing was deployed, and the previous version still serves. Check in the dashboard under Storage & databases > R2 whether the bucket can be written.",
		},
		{
			name: "version",
			plan: `upload a new version of ${config.name}, which serves no requests yet`,
			act: () =>
				withTemporaryFolder(async (folder) => {
					const file = path.join(folder, "uploaded.ndjson");
					// The copy of the index in the deployment must be the index that is served.
					const assets = path.join(folder, "assets");
					cpSync(ASSETS, assets, { recursive: true });
					copyFileSync(indexFile, path.join(assets, ZONE_INDEX_KEY));
					const variables = { WRANGLER_OUTPUT_FILE_PATH: file };
					const [status] = await Promise.all([
						run(["deployments", "status", "--json"]),
						run(["versions", "upload", "--assets", assets], { variables }),
					]);
					version = readVersion(readFileSync(file, "utf8"));
					const { versions } = JSON.parse(status) as { versions: { version_id: string; percentage: number }[] };
					const [current] = versions.sort((a, b) => b.percentage - a.percentage);
					if (current) await run(["versions", "deploy", `${current.version_id}@100%`, `${version}@0%`, "--yes"]);
					return version;
				}),
			help: "The previous version still serves. Fix what wrangler names above.",
		},
		{
			name: "addresses on the web",
			plan: "connect the domains and the hourly job that wrangler.toml names",
			async act() {
				const found = readOrigin(await run(["triggers", "deploy"]));
				url = config.webUrl ?? found;
				return url ? `serves at ${url}` : "connected, without a public address";
			},
			help: "The previous version still serves. Fix the domain or the schedule that is named above in wrangler.toml.",
		},
		{
			name: "smoke test",
			plan: "run the README's session against the new version, with a phone number reserved for fiction, and clean up",
			async act() {
				if (!url) return "skipped, because the Worker has no public address: set one, then run `npm run smoke -- URL`";
				await options.smoke(url, version);
				return "the README's session works";
			},
			help: "The previous version still serves all requests. `npx wrangler tail` shows what it logs.",
		},
		{
			name: "all requests",
			plan: "send all requests to the new version",
			async act() {
				await run(["versions", "deploy", `${version}@100%`, "--yes"]);
				const moved = await noteServed((await homes()).slice(1), Date.now());
				const ends = moved.map((country) => `. To end its move, run \`npm run registry -- move ${country} --remote\``);
				return `go to ${version}${ends.join("")}`;
			},
			help: "The previous version keeps serving.",
		},
	];
}
