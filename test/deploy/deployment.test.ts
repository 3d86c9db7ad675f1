import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DeploymentOptions, deploymentSteps, readOrigin } from "../../src/cli/deployment.ts";
import { pinnedFile } from "../../src/cli/pinned-field.ts";
import { runSteps } from "../../src/cli/steps.ts";
import { readWorkerConfig, type Wrangler, withOwnNamespaces, writeVariables } from "../../src/cli/wrangler.ts";
import { proveIndex } from "../../src/cli/zone-index.ts";
import { SECRET_NAMES } from "../../src/settings/signing-secrets.ts";
import { directoryChecksum, directoryEnd, editionName, HeaderField, readDirectory } from "../../src/zones/format.ts";
import { type CloudflareApi, Refusal, serveCloudflareApi } from "../support/cloudflare-api.ts";

const INDEX = "zones/world.zones";
const NAME = "address-registry";
const BUCKET = "address-registry-zones";

let api: CloudflareApi;
let wrangler: Wrangler;
let said: string[] = [];
let smoked: string[] = [];
/** How often wrangler was started by the last deployment. */
let starts = 0;

beforeAll(async () => {
	api = await serveCloudflareApi();
	const run = api.wrangler();
	wrangler = (...given) => {
		starts += 1;
		return run(...given);
	};
});
afterAll(() => api.stop());

/** An index with the zones of the published one and a later edition number, as one with official boundaries may have. */
function ownIndex(): { file: string; bytes: Buffer; name: string } {
	const bytes = readFileSync(INDEX);
	bytes.writeUInt32LE(bytes.readUInt32LE(HeaderField.edition) + 1, HeaderField.edition);
	const end = directoryEnd(
		bytes.readUInt32LE(HeaderField.shards),
		bytes.readUInt32LE(HeaderField.countries),
		bytes.readUInt16LE(HeaderField.gazetteers),
	);
	bytes.writeUInt32LE(directoryChecksum(new Uint8Array(bytes.subarray(0, end))), HeaderField.checksum);
	const file = path.join(mkdtempSync(path.join(tmpdir(), "index-")), "own.zones");
	writeFileSync(file, bytes);
	return { file, bytes, name: editionName(readDirectory(new Uint8Array(bytes))) };
}

function steps(options: Partial<DeploymentOptions> = {}) {
	const { environment = "" } = options;
	return deploymentSteps({
		wrangler,
		config: readWorkerConfig(environment),
		environment,
		indexFile: INDEX,
		isIndexChosen: false,
		placement: { location: "weur" },
		smoke: async (url, version) => void smoked.push(`${url} ${version}`),
		say: (line) => void said.push(line),
		isLogged: false,
		...options,
	});
}

/** Runs the steps, or those of them that `only` names. What they said and which changes they asked for, each kind of change once. */
async function deploy(options: Partial<DeploymentOptions> = {}, only?: string[], isDryRun = false) {
	[said, smoked, starts] = [[], [], 0];
	api.changes.length = 0;
	const taken = steps(options).filter(({ name }) => only?.includes(name) ?? true);
	const outcome = await runSteps(taken, (line) => said.push(line), isDryRun).then(
		() => "deployed",
		(error: Error) => error.message,
	);
	// Reads come as POST too: queries of databases and of metrics.
	const changes = api.changes.filter((call) => !/\/(query|graphql)$/.test(call));
	return { outcome, said: said.join("\n"), changes: [...new Set(changes)] };
}

/** The steps that bring a version to its requests: all before them is done once. */
const FROM_VERSION = ["version", "addresses on the web", "smoke test", "all requests"];

const DEPLOYING = [
	`POST /workers/scripts/${NAME}/assets-upload-session`,
	`POST /workers/scripts/${NAME}/versions`,
	`PATCH /workers/scripts/${NAME}/script-settings`,
	`POST /workers/scripts/${NAME}/deployments`,
	`POST /workers/scripts/${NAME}/subdomain`,
	`PUT /workers/scripts/${NAME}/schedules`,
];

/** One account's story, told by the real wrangler to a stand-in of Cloudflare's API: each test begins where the one before ended. */
describe("npm run deploy", () => {
	it("changes nothing in a dry run, and says what it would do", async () => {
		const { changes } = await deploy({}, undefined, true);
		expect(said).toEqual([
			"[1/14] account: signed in",
			"[2/14] bundle: built",
			"[3/14] checks: all passed",
			expect.stringMatching(
				/^\[4\/14\] Worker: would create the Worker address-registry, .* Workers Paid plan is refused here$/,
			),
			expect.stringMatching(/^\[5\/14\] database: would create the D1 database address-registry in weur /),
			expect.stringMatching(/^\[6\/14\] bucket: would create the R2 bucket address-registry-zones in weur /),
			"[7/14] secrets: would make the secrets JWT_SECRETS, SHARE_SECRETS, JOURNAL_SECRETS that are missing, and show each once",
			"[8/14] migrations: would apply the migrations that the database does not have yet",
			`[9/14] zone index: would put ${INDEX} into the bucket as world.zones`,
			"[10/14] pinned field: would put this version of the form field into the bucket, for the pages that will pin it",
			"[11/14] version: would upload a new version of address-registry, which serves no requests yet",
			"[12/14] addresses on the web: would connect the domains and the hourly job that wrangler.toml names",
			expect.stringMatching(/^\[13\/14\] smoke test: would run the README's session against the new version/),
			"[14/14] all requests: would send all requests to the new version",
		]);
		expect(changes).toEqual([]);
	});

	it("notices the free plan before it creates anything", async () => {
		api.refuse = (call) => {
			if (call === `PUT /workers/scripts/${NAME}`)
				throw new Refusal(400, 100328, "CPU limits are not supported for the Free plan.");
		};
		const { outcome } = await deploy();
		api.refuse = () => {};
		expect(outcome).toContain("[4/14] Worker: failed");
		expect(outcome).toContain("What to do: Switch the account to the Workers Paid plan");
		expect([api.databases.size, api.buckets.size, api.deployments.length]).toEqual([0, 0, 0]);
	});

	it("asks where the data is to be, and creates nothing before it is told", async () => {
		const untold = await deploy({ placement: {} });
		expect(untold.outcome).toContain("[3/14] checks: failed\nNo location is set for the data of this registry.");
		expect(untold.changes).toEqual([]);
		expect(untold.outcome).toContain("such as --location weur");
		expect(api.databases.size).toBe(0);
		const unbound = await deploy({ placement: { jurisdiction: "eu" } }, ["checks", "database"]);
		expect(unbound.outcome).toContain("The jurisdiction is eu, but that of the bucket in wrangler.toml is none.");
		const wouldFail = await deploy({ placement: {} }, ["checks", "database"], true);
		expect(wouldFail.outcome).toContain("The deployment would fail at: checks.");
		const askForPlacement = async () => expect.fail("a dry run asks nothing");
		expect((await deploy({ placement: {}, askForPlacement }, ["checks", "database"], true)).outcome).toBe("deployed");
		expect(unbound.outcome).toContain('write jurisdiction = "eu" below bucket_name');
		expect(api.databases.size).toBe(0);
	});

	it("stops where a step fails, and says what to do", async () => {
		api.refuse = (call) => {
			if (call === "POST /r2/buckets")
				throw new Refusal(403, 10042, "Please enable R2 through the Cloudflare Dashboard.");
		};
		let asked = 0;
		const askForPlacement = async () => {
			asked += 1;
			return { location: "enam" } as const;
		};
		const { outcome, changes } = await deploy({ placement: {}, askForPlacement }, ["database", "bucket", "version"]);
		api.refuse = () => {};
		expect(outcome).toContain("[2/3] bucket: failed");
		expect(outcome).toContain("Please enable R2 through the Cloudflare Dashboard. [code: 10042]");
		expect(outcome).toContain("What to do: Switch R2 on");
		expect(changes).toEqual(["POST /d1/database", "POST /r2/buckets"]);
		expect(asked).toBe(1);
		expect(api.placed.get(NAME)).toMatchObject({ primary_location_hint: "enam" });
	});

	it("goes on where it stopped, in an order in which each step has what it needs", async () => {
		const { outcome, said, changes } = await deploy({ placement: { location: "enam" } });
		const script = readFileSync("dist/assets/address-code.js");
		const field = pinnedFile("address-code", script);
		const [, given = ""] = /import\("\.\/(.*?)"\)/.exec(String(script)) ?? [];
		expect(outcome).toBe("deployed");
		expect(changes).toEqual([
			`PUT /workers/scripts/${NAME}`,
			`POST /workers/scripts/${NAME}/subdomain`,
			"POST /r2/buckets",
			`PATCH /workers/scripts/${NAME}/secrets-bulk`,
			`PUT /r2/buckets/${BUCKET}/objects/world.zones`,
			`PUT /r2/buckets/${BUCKET}/objects/${given}`,
			`PUT /r2/buckets/${BUCKET}/objects/${field.name}`,
			...DEPLOYING.filter((call) => !call.endsWith("/subdomain")),
		]);
		expect(api.placed.get(BUCKET)).toMatchObject({ locationHint: "enam" });
		const secrets = SECRET_NAMES.map((name) => api.secrets.get(NAME)?.get(name) ?? "");
		expect(secrets.join()).toMatch(/^k1:[\w-]{64},s1:[\w-]{64},j1:[\w-]{64}$/);
		for (const secret of secrets) expect(said.split(secret).length - 1, "times that a secret is shown").toBe(1);
		expect(said).toContain("Cloudflare never shows them again");
		const applied = api.databases.get(NAME)?.prepare("select name from d1_migrations order by id").all();
		const files = readdirSync("migrations").filter((name) => name.endsWith(".sql"));
		expect(applied?.map(({ name }) => name)).toEqual(files.sort());
		expect(api.buckets.get(BUCKET)?.get("world.zones")?.equals(readFileSync(INDEX))).toBe(true);
		expect(smoked).toEqual([`https://${NAME}.somebody.workers.dev version-1`]);
		// Pages pin it, and no later deployment takes it away.
		expect(api.buckets.get(BUCKET)?.get(field.name)?.equals(script)).toBe(true);
		expect(
			api.buckets
				.get(BUCKET)
				?.get(given)
				?.equals(readFileSync(`dist/assets/${given}`)),
		).toBe(true);
		api.buckets.get(BUCKET)?.set("address-code@0.9.0-00000000.js", Buffer.from("older"));
		expect((await deploy({}, ["pinned field"])).changes).toEqual([]);
		expect(api.buckets.get(BUCKET)?.get("address-code@0.9.0-00000000.js")?.toString()).toBe("older");
	});

	it("sends requests to a version only once it has passed the smoke test", async () => {
		expect(api.deployments.map(({ versions }) => versions)).toEqual([
			{ placeholder: 100 },
			{ placeholder: 100, "version-1": 0 },
			{ "version-1": 100 },
		]);
		const smoke = async () => {
			throw new Error("the session fails");
		};
		const failed = await deploy({ smoke }, FROM_VERSION);
		expect(failed.outcome).toContain("[3/4] smoke test: failed\nthe session fails");
		expect(failed.outcome).toContain("The previous version still serves all requests.");
		expect(api.deployments.at(-1)?.versions).toEqual({ "version-1": 100, "version-2": 0 });
		expect((await deploy({}, FROM_VERSION)).outcome).toBe("deployed");
		expect(api.deployments.slice(-2).map(({ versions }) => versions)).toEqual([
			{ "version-1": 100, "version-3": 0 },
			{ "version-3": 100 },
		]);
	});

	it("leaves the previous version serving when Cloudflare refuses a schedule", async () => {
		api.refuse = (call) => {
			if (call.endsWith("/schedules")) throw new Refusal(400, 10100, "invalid cron string");
		};
		const { outcome } = await deploy({}, FROM_VERSION);
		api.refuse = () => {};
		expect(outcome).toContain("[2/4] addresses on the web: failed");
		expect(outcome).toContain("The previous version still serves.");
		expect(api.deployments.at(-1)?.versions).toEqual({ "version-3": 100, "version-4": 0 });
	});

	it("deploys a new version and changes nothing else when it is repeated", async () => {
		const secret = api.secrets.get(NAME)?.get("JWT_SECRETS");
		const { outcome, said, changes } = await deploy();
		expect(outcome).toBe("deployed");
		expect(changes).toEqual(DEPLOYING);
		expect(starts, "starts of wrangler, each of which takes seconds").toBe(12);
		expect(said).not.toContain("JWT_SECRETS=");
		expect(api.secrets.get(NAME)?.get("JWT_SECRETS")).toBe(secret);
	});

	it("makes the secrets that a version before 1.0.0 did not have, and leaves those that are there", async () => {
		const secrets = api.secrets.get(NAME)!;
		const before = secrets.get("JWT_SECRETS");
		secrets.delete("SHARE_SECRETS");
		secrets.delete("JOURNAL_SECRETS");
		const { outcome, said } = await deploy({}, ["secrets"]);
		expect(outcome).toBe("deployed");
		expect(secrets.get("JWT_SECRETS")).toBe(before);
		expect(said).toContain(`JOURNAL_SECRETS=${secrets.get("JOURNAL_SECRETS")}`);
		expect(said).not.toContain("JWT_SECRETS=");
	});

	it("refuses a database of a version before 0.9.0, and leaves it as it is", async () => {
		const database = api.databases.get(NAME)!;
		const rename = (from: string, to: string) =>
			database.exec(`update d1_migrations set name = '${to}' where name = '${from}'`);
		rename("0000_tables.sql", "0000_registry.sql");
		const { outcome, changes } = await deploy();
		const foreseen = await deploy({}, ["checks"], true);
		rename("0000_registry.sql", "0000_tables.sql");
		expect(outcome).toContain(
			"The database address-registry was made by a version before 0.9.0, which no later version can upgrade: keep deploying the version that made it, or name a new database in wrangler.toml.",
		);
		expect(changes).toEqual([]);
		expect(foreseen.outcome).toContain("The deployment would fail at: checks. Nothing has been changed.");
	});

	it("leaves the index that serves when the next one is damaged", async () => {
		const indexFile = path.join(mkdtempSync(path.join(tmpdir(), "index-")), "damaged.zones");
		const damaged = readFileSync(INDEX);
		damaged[damaged.length - 1000] = (damaged[damaged.length - 1000] ?? 0) ^ 1;
		writeFileSync(indexFile, damaged);
		// A migration waits to be applied: the refusal comes before it, so the version that serves keeps its tables.
		const database = api.databases.get(NAME)!;
		const last = readdirSync("migrations").findLast((name) => name.endsWith(".sql"));
		database.exec(`delete from d1_migrations where name = '${last}'`);
		const { outcome, changes } = await deploy({ indexFile, isIndexChosen: true });
		const waiting = database.prepare("select count(*) as migrations from d1_migrations where name = ?").get(last!);
		database.exec(`insert into d1_migrations (name) values ('${last}')`);
		expect(outcome).toContain("[3/14] checks: failed\nzone index corrupt");
		expect(waiting).toMatchObject({ migrations: 0 });
		expect(changes).toEqual([]);
		expect(api.buckets.get(BUCKET)?.get("world.zones")?.equals(readFileSync(INDEX))).toBe(true);
	});

	it("keeps an index of the operator's own unless another is named, also while the bucket is empty", async () => {
		const own = ownIndex();
		const bucket = api.buckets.get(BUCKET)!;
		const database = api.databases.get(NAME)!;
		const zoneIndex = (options: Partial<DeploymentOptions> = {}) => deploy(options, ["zone index"]);
		/** What the step proves, for what only another index in the bucket makes different. */
		const prove = (next: string, published?: Buffer) =>
			proveIndex(readFileSync(next), published, async (sql) => database.prepare(sql).all(), true);
		bucket.set("world.zones", own.bytes);
		const kept = await zoneIndex();
		expect(kept.outcome).toMatch(
			new RegExp(
				`\\S+ would replace the zone index ${own.name}, which the registry serves, and you did not ask for that\\.`,
			),
		);
		expect(kept.outcome).toContain("name its file as ZONES_FILE");
		const foreseen = await deploy({}, ["checks", "zone index"], true);
		expect(foreseen.outcome).toContain("The deployment would fail at: checks. Nothing has been changed.");
		expect(foreseen.said).toMatch(new RegExp(`checks: would fail: \\S+ would replace the zone index ${own.name}`));
		expect(bucket.get("world.zones")).toBe(own.bytes);

		const chosen = path.join(mkdtempSync(path.join(tmpdir(), "index-")), "chosen.zones");
		writeFileSync(chosen, own.bytes);
		bucket.set("world.zones", readFileSync(INDEX));
		database.exec(
			"insert into addresses (canonical, zone_name, edition, lat, lng, label, owner_id, created_at) values ('NG042100027', 'z', '3-00000000', 1, 1, '', 'usr_1', 1)",
		);
		const { said } = await zoneIndex({ indexFile: chosen, isIndexChosen: true });
		expect(said).toContain("the hourly job renews the names of 1 addresses");
		database.exec("delete from addresses where canonical = 'NG042100027'");
		bucket.set("world.zones", own.bytes);

		database.exec(
			`insert into addresses (canonical, zone_name, edition, lat, lng, label, owner_id, created_at) values ('NG042100019', 'z', '${own.name}', 1, 1, '', 'usr_1', 1)`,
		);
		bucket.delete("world.zones");
		const empty = await zoneIndex();
		expect(empty.outcome).toContain(
			`The bucket holds no valid index, and 1 addresses were created under the zone index ${own.name}`,
		);
		await expect(prove(INDEX)).rejects.toThrow("The bucket holds no valid index");
		expect(bucket.has("world.zones")).toBe(false);
		// A damaged one is no better, be it at its beginning or where a zone is.
		const damages = [10, own.bytes.length - 1_000].map((at) =>
			own.bytes.map((byte, index) => (index === at ? ~byte : byte)),
		);
		for (const damaged of [...damages, own.bytes.subarray(0, 9)])
			await expect(prove(INDEX, Buffer.from(damaged))).rejects.toThrow("The bucket holds no valid index");
		bucket.set("world.zones", Buffer.from(damages[0]!));
		expect((await zoneIndex({ indexFile: own.file, isIndexChosen: true })).outcome).toBe("deployed");
		expect(bucket.get("world.zones")?.equals(own.bytes)).toBe(true);
		// The registry had returned from a later edition to its own.
		database.exec("update addresses set created_at = 2 where canonical = 'NG042100019'");
		database.exec(
			"insert into addresses (canonical, zone_name, edition, lat, lng, label, owner_id, created_at) values ('NG042100027', 'z', '9-00000000', 1, 1, '', 'usr_1', 1)",
		);
		await prove(own.file);
		database.exec("delete from addresses where canonical like 'NG0421%'");
		expect((await zoneIndex({ isIndexChosen: true })).outcome).toBe("deployed");
		expect(bucket.get("world.zones")?.equals(readFileSync(INDEX))).toBe(true);
	});

	it("gives a Worker's rate limits numbers of their own in its account, and leaves no file behind", async () => {
		const files: string[] = [];
		const inEnvironment = async (worker: string) =>
			withOwnNamespaces(worker, async (config) => {
				files.push(config);
				// Where it is killed now, the dot-file stays.
				expect(spawnSync("git", ["check-ignore", config], { encoding: "utf8" }).stdout).toMatch(/^\./);
				return [...readFileSync(config, "utf8").matchAll(/^namespace_id = "(\d+)"$/gm)];
			});
		const [one, other] = [await inEnvironment(NAME), await inEnvironment("another")];
		const numbers = [...one, ...other].map(([, number]) => number);
		expect(new Set(numbers).size).toBe(numbers.length);
		for (const number of numbers) expect(readFileSync("wrangler.toml", "utf8")).not.toContain(`"${number}"`);
		expect(files.map((file) => existsSync(file))).toEqual([false, false]);
	});

	it("keeps the secret out of a log, and staging apart from the registry", async () => {
		const { outcome, said, changes } = await deploy({ environment: "staging", isLogged: true }, [
			"Worker",
			"database",
			"bucket",
			"secrets",
		]);
		expect(outcome).toBe("deployed");
		expect([...api.databases.keys()]).toEqual([NAME, `${NAME}-staging`]);
		expect([...api.buckets.keys()]).toEqual([BUCKET, `${NAME}-staging-zones`]);
		expect(changes.filter((call) => call.includes(NAME) && !call.includes(`${NAME}-staging`))).toEqual([]);
		const secret = api.secrets.get(`${NAME}-staging`)?.get("JWT_SECRETS") ?? "";
		expect(secret).not.toBe(api.secrets.get(NAME)?.get("JWT_SECRETS"));
		expect(secret).toMatch(/^k1:[\w-]{64}$/);
		expect(said).not.toContain(secret);
	});
});

describe("the address of a deployment", () => {
	const output = (...targets: string[]) => `Deployed address-registry triggers (1 sec)\n  ${targets.join("\n  ")}\n`;

	it("is a domain of one's own before workers.dev", () => {
		const workersDev = "https://a.b.workers.dev";
		expect(readOrigin(output(workersDev, "addr.example (custom domain)"))).toBe("https://addr.example");
		expect(readOrigin(output(workersDev))).toBe(workersDev);
	});

	it("is none where the Worker has no public address", () => {
		expect(readOrigin(output("schedule: 40 2 * * *"))).toBeUndefined();
	});
});

it("the settings that say whose registry it is are missed until they are set", () => {
	expect(readWorkerConfig("").unsetIdentity).toEqual(["REGISTRY_NAME", "OPERATOR_NAME", "OPERATOR_CONTACT"]);
	const file = `wrangler.identity-${process.pid}.toml`;
	const vars = '[vars]\nREGISTRY_NAME = "Lagos Address Registry"\nOPERATOR_NAME = ""\n';
	const own = readFileSync("wrangler.toml", "utf8");
	writeFileSync(file, own.includes("\n[vars]\n") ? own.replace("\n[vars]\n", `\n${vars}`) : `${own}\n${vars}`);
	try {
		expect(readWorkerConfig("", file).unsetIdentity).toEqual(["OPERATOR_NAME", "OPERATOR_CONTACT"]);
		// As the deployment writes what it has asked for.
		writeVariables("", { OPERATOR_NAME: 'The "Ikeja" Office', OPERATOR_CONTACT: "" }, file);
		expect(readWorkerConfig("", file).unusable).toEqual([]);
		writeVariables("staging", { REGISTRY_NAME: "Rehearsal", REGISTRY_CREST: "c.png", ACCOUNT_ERASURE_DAYS: "x" }, file);
		writeVariables("staging", { LOG_REQUESTS: "1" }, file);
		expect(readWorkerConfig("staging", file).unusable).toEqual([
			expect.stringMatching(/^ACCOUNT_ERASURE_DAYS is not .* does not serve until that is mended\.$/),
			expect.stringMatching(/^REGISTRY_CREST is not .* serves as if REGISTRY_CREST were not set\.$/),
			expect.stringMatching(/^LOG_REQUESTS is no setting any more: .* Take it out of wrangler\.toml\.$/),
		]);
		expect(readWorkerConfig("", file).unsetIdentity).toEqual(["OPERATOR_CONTACT"]);
		expect(readWorkerConfig("staging", file).unsetIdentity).not.toContain("REGISTRY_NAME");
		expect(readFileSync(file, "utf8")).toContain('OPERATOR_NAME = "The \\"Ikeja\\" Office"\n');
	} finally {
		rmSync(file);
	}
});

it("names the databases of wrangler.toml, that of accounts first, and refuses names that the Worker would refuse", () => {
	const folder = mkdtempSync(path.join(tmpdir(), "databases-"));
	const file = path.join(folder, "wrangler.toml");
	const bind = (...names: string[]) => {
		const tables = names.map((name) => `[[d1_databases]]\nbinding = "${name}"\ndatabase_name = "r-${name}"\n`);
		const bucket = '[[r2_buckets]]\nbinding = "ZONES"\nbucket_name = "zones"\n';
		writeFileSync(file, [`name = "r"\n`, ...tables, bucket].join("\n"));
		return readWorkerConfig("", file).databases.map(({ binding, databaseName }) => `${binding} ${databaseName}`);
	};
	try {
		expect(bind("DB_NG_01234", "OTHER", "DB", "DB_KE")).toEqual([
			"DB r-DB",
			"DB_NG_01234 r-DB_NG_01234",
			"DB_KE r-DB_KE",
		]);
		expect(() => bind("DB", "DB_NIGERIA")).toThrow("The binding DB_NIGERIA is not named as a database");
		expect(() => bind("DB", "DB_NG_01", "DB_NG_12")).toThrow("both claim NG1");
	} finally {
		rmSync(folder, { recursive: true });
	}
});
