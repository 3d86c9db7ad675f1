import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adviceOn } from "../../.dev/advice.ts";
import { type DeploymentOptions, deploymentSteps, readDeployed } from "../../.dev/deployment.ts";
import { planSteps, runSteps } from "../../.dev/steps.ts";
import { createWrangler, readWorkerConfig, type Wrangler } from "../../.dev/wrangler.ts";
import { proveIndex } from "../../.dev/zone-index.ts";
import { type CloudflareApi, Refusal, serveCloudflareApi } from "../support/cloudflare-api.ts";

const INDEX = "zones/world.zones";
const NAME = "address-registry";
const BUCKET = "address-registry-zones";

let api: CloudflareApi;
let wrangler: Wrangler;
let said: string[] = [];
let smoked: string[] = [];

beforeAll(async () => {
	api = await serveCloudflareApi();
	wrangler = createWrangler(api.variables);
});
afterAll(() => api.stop());

function steps(options: Partial<DeploymentOptions> = {}) {
	const { environment = "" } = options;
	return deploymentSteps({
		wrangler,
		config: readWorkerConfig(environment),
		environment,
		indexFile: INDEX,
		proveIndex,
		smoke: async (url, version) => void smoked.push(`${url} ${version}`),
		say: (line) => void said.push(line),
		isLogged: false,
		...options,
	});
}

/** Runs the steps, or those of them that `only` names. What they said and which changes they asked for, each kind of change once. */
async function deploy(options: Partial<DeploymentOptions> = {}, only?: string[]) {
	[said, smoked] = [[], []];
	api.changes.length = 0;
	const taken = steps(options).filter(({ name }) => only?.includes(name) ?? true);
	const outcome = await runSteps(taken, (line) => said.push(line), adviceOn).then(
		() => "deployed",
		(error: Error) => error.message,
	);
	// Reads come as POST too: queries of databases and of metrics.
	const changes = api.changes.filter((call) => !/\/(query|graphql)$/.test(call));
	return { outcome, said: said.join("\n"), changes: [...new Set(changes)] };
}

const DEPLOYING = [
	`POST /workers/scripts/${NAME}/assets-upload-session`,
	`POST /workers/scripts/${NAME}/versions`,
	`POST /workers/scripts/${NAME}/deployments`,
	`PATCH /workers/scripts/${NAME}/script-settings`,
	`POST /workers/scripts/${NAME}/subdomain`,
	`PUT /workers/scripts/${NAME}/schedules`,
];

/** One account's story, told by the real wrangler to a stand-in of Cloudflare's API: each test begins where the one before ended. */
describe("npm run deploy", () => {
	it("changes nothing in a dry run, and says what it would do", async () => {
		api.changes.length = 0;
		const lines: string[] = [];
		await planSteps(steps(), (line) => lines.push(line));
		expect(lines).toEqual([
			"[1/9] account: signed in",
			"[2/9] bundle: built",
			`[3/9] database: would create the D1 database ${NAME}`,
			`[4/9] bucket: would create the R2 bucket ${BUCKET}`,
			"[5/9] signing secret: would make the secret JWT_SECRETS and show it once",
			"[6/9] migrations: would apply the migrations that the database does not have yet",
			`[7/9] zone index: would put ${INDEX} into the bucket as world.zones`,
			`[8/9] Worker: would deploy the Worker ${NAME}`,
			expect.stringMatching(/^\[9\/9\] smoke test: would run the README's session/),
		]);
		expect(api.changes.filter((call) => !call.endsWith("/graphql"))).toEqual([]);
	});

	it("stops where a step fails, and says what to do", async () => {
		api.refuse = (call) => {
			if (call === "POST /r2/buckets")
				throw new Refusal(403, 10042, "Please enable R2 through the Cloudflare Dashboard.");
		};
		const { outcome, changes } = await deploy();
		api.refuse = () => {};
		expect(outcome).toContain("[4/9] bucket: failed");
		expect(outcome).toContain("Please enable R2 through the Cloudflare Dashboard. [code: 10042]");
		expect(outcome).toContain("What to do: Switch R2 on");
		expect(changes).toEqual(["POST /d1/database", "POST /r2/buckets"]);
		expect(api.deployed).toEqual([]);
	});

	it("goes on where it stopped, in an order in which each step has what it needs", async () => {
		const { outcome, said, changes } = await deploy();
		expect(outcome).toBe("deployed");
		expect(changes).toEqual([
			"POST /r2/buckets",
			// The first finds no Worker, and wrangler makes an empty one.
			`PUT /workers/scripts/${NAME}/secrets`,
			`PUT /workers/scripts/${NAME}`,
			`PUT /r2/buckets/${BUCKET}/objects/world.zones`,
			...DEPLOYING,
		]);
		const secret = api.secrets.get(NAME)?.get("JWT_SECRETS") ?? "";
		expect(secret).toMatch(/^k1:[\w-]{64}$/);
		expect(said.split(secret).length - 1, "times that the secret is shown").toBe(1);
		expect(said).toContain("Cloudflare never shows it again");
		const applied = api.databases.get(NAME)?.prepare("select name from d1_migrations order by id").all();
		const files = readdirSync("migrations").filter((name) => name.endsWith(".sql"));
		expect(applied?.map(({ name }) => name)).toEqual(files.sort());
		expect(api.buckets.get(BUCKET)?.get("world.zones")?.equals(readFileSync(INDEX))).toBe(true);
		expect(api.deployed).toEqual([NAME]);
		expect(smoked).toEqual([`https://${NAME}.somebody.workers.dev version-1`]);
	});

	it("deploys a new version and changes nothing else when it is repeated", async () => {
		const secret = api.secrets.get(NAME)?.get("JWT_SECRETS");
		const { outcome, said, changes } = await deploy();
		expect(outcome).toBe("deployed");
		expect(changes).toEqual(DEPLOYING);
		expect(said).not.toContain("JWT_SECRETS=");
		expect(api.secrets.get(NAME)?.get("JWT_SECRETS")).toBe(secret);
		expect(api.deployed).toEqual([NAME, NAME]);
	});

	it("leaves the index that serves when the next one is damaged", async () => {
		const indexFile = path.join(mkdtempSync(path.join(tmpdir(), "index-")), "damaged.zones");
		const damaged = readFileSync(INDEX);
		damaged[damaged.length - 1000] = (damaged[damaged.length - 1000] ?? 0) ^ 1;
		writeFileSync(indexFile, damaged);
		const { outcome, changes } = await deploy({ indexFile }, ["zone index"]);
		expect(outcome).toContain("[1/1] zone index: failed\nzone index corrupt");
		expect(changes).toEqual([]);
		const kept = api.buckets.get(BUCKET)?.get("world.zones") ?? Buffer.of();
		expect(createHash("sha256").update(kept).digest("hex")).toBe(
			createHash("sha256").update(readFileSync(INDEX)).digest("hex"),
		);
	});

	it("keeps the secret out of a log, and staging apart from the registry", async () => {
		const { outcome, said, changes } = await deploy({ environment: "staging", isLogged: true }, [
			"database",
			"bucket",
			"signing secret",
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
	const output = (targets: string[]) =>
		`{"type":"wrangler-session"}\n${JSON.stringify({ type: "deploy", version_id: "v1", targets })}\n`;

	it("is a domain of one's own before workers.dev", () => {
		const targets = ["https://a.b.workers.dev", "addr.example (custom domain)", "schedule: 40 2 * * *"];
		expect(readDeployed(output(targets))).toEqual({ version: "v1", url: "https://addr.example" });
		expect(readDeployed(output(targets.slice(0, 1))).url).toBe("https://a.b.workers.dev");
	});

	it("is none where the Worker has no public address", () => {
		expect(readDeployed(output(["schedule: 40 2 * * *"])).url).toBeUndefined();
	});
});
