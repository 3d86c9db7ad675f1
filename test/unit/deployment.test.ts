import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { SNAPSHOT_CRON } from "../../src/changes/snapshot.ts";
import { adviceOn } from "../../src/cli/advice.ts";
import { type Bindings, readConfig } from "../../src/env.ts";
import { ConfigError } from "../../src/errors.ts";
import { SECRET_NAMES } from "../../src/settings/signing-secrets.ts";

const root = path.join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

interface RawConfig {
	d1_databases: { binding: string; database_name: string; database_id?: string; migrations_dir: string }[];
	r2_buckets: { binding: string; bucket_name: string }[];
	ratelimits: { name: string; namespace_id: string; simple: object }[];
	secrets: { required: string[] };
	assets: { binding: string; run_worker_first: boolean };
	version_metadata: { binding: string };
	triggers: { crons: string[] };
	observability: object;
}
const configOf = (env: string): RawConfig => unstable_readConfig({ config: path.join(root, "wrangler.toml"), env });

it.each(["", "staging"])("the clean-up runs every hour, and snapshots are made: %s", (environment) => {
	expect(configOf(environment).triggers.crons).toEqual([expect.stringMatching(/^\d+ \* \* \* \*$/), SNAPSHOT_CRON]);
});

it.each(["", "staging"])(
	"the platform logs no line with the URL of a request, and no token of a link: %s",
	(environment) => {
		expect(configOf(environment).observability).toMatchObject({
			redact_query_string: true,
			logs: { invocation_logs: false },
		});
	},
);

describe("what the Deploy to Cloudflare button asks of a repository", () => {
	const { scripts, cloudflare } = JSON.parse(read("package.json")) as {
		scripts: Record<string, string>;
		cloudflare: { bindings: Record<string, { description: string }> };
	};

	it("a deploy script, which applies the migrations by their binding", () => {
		expect(scripts.deploy).toBe("node src/cli/deploy.ts");
		expect(read("src/cli/deployment.ts")).toContain('["d1", "migrations", "apply", binding, "--remote"]');
	});

	it("bindings that name no id, so that they are created", () => {
		for (const environment of ["", "staging"]) {
			for (const database of configOf(environment).d1_databases) expect(database.database_id).toBeUndefined();
		}
	});

	it("a description of each resource and secret, and of nothing else", () => {
		const { d1_databases, r2_buckets, secrets } = configOf("");
		const needed = [...d1_databases.map(({ binding }) => binding), ...r2_buckets.map(({ binding }) => binding)];
		expect(Object.keys(cloudflare.bindings).sort()).toEqual([...needed, ...secrets.required].sort());
		for (const { description } of Object.values(cloudflare.bindings)) expect(description).toMatch(/^[A-Z].*\.$/);
	});

	it("an example of each secret, which the Worker refuses by name", () => {
		const examples = Object.fromEntries(
			read(".dev.vars.example")
				.trim()
				.split("\n")
				.map((line) => line.split(/=(.*)/).slice(0, 2)),
		) as Record<string, string>;
		expect(Object.keys(examples)).toEqual(configOf("").secrets.required);
		const { d1_databases, r2_buckets, ratelimits } = configOf("");
		const names = [
			...[...d1_databases, ...r2_buckets].map(({ binding }) => binding),
			...ratelimits.map(({ name }) => name),
			"ASSETS",
		];
		const bound = Object.fromEntries(names.map((name) => [name, {}])) as unknown as Bindings;
		const own = SECRET_NAMES.map((name, index) => [name, `k1:0123456789abcdef0123456789abcde${index}`]);
		expect(() => readConfig({ ...bound, ...Object.fromEntries(own) })).not.toThrow();
		for (const [name, example] of Object.entries(examples))
			expect(() => readConfig({ ...bound, ...Object.fromEntries(own), [name]: example })).toThrow(name);
		expect(() => readConfig({ ...bound, ...examples })).toThrow(ConfigError);
		expect(() => readConfig({ ...bound, ...examples })).toThrow(".dev.vars.example");
	});

	it("a link in the README", () => {
		expect(read("README.md")).toMatch(
			/\[!\[Deploy to Cloudflare\]\(https:\/\/deploy\.workers\.cloudflare\.com\/button\)\]\(https:\/\/deploy\.workers\.cloudflare\.com\/\?url=https:\/\/github\.com\/\S+\)/,
		);
	});
});

it("staging has every binding and limit of the registry, and shares none of its resources", () => {
	const [registry, staging] = [configOf(""), configOf("staging")];
	const shape = ({ d1_databases, r2_buckets, ratelimits, secrets, assets, version_metadata }: RawConfig) => ({
		assets,
		version_metadata,
		databases: d1_databases.map(({ binding, migrations_dir }) => ({ binding, migrations_dir })),
		buckets: r2_buckets.map(({ binding }) => binding),
		limits: ratelimits.map(({ name, simple }) => ({ name, simple })),
		secrets,
	});
	expect(shape(staging)).toEqual(shape(registry));
	const resources = ({ d1_databases, r2_buckets, ratelimits }: RawConfig) => [
		...d1_databases.map(({ database_name }) => database_name),
		...r2_buckets.map(({ bucket_name }) => bucket_name),
		...ratelimits.map(({ namespace_id }) => namespace_id),
	];
	expect(resources(staging).filter((name) => resources(registry).includes(name))).toEqual([]);
});

it("the Worker comes before all static assets but those that are alike for all", () => {
	const fixed = ["/*", "!/client.js", "!/address-code.js", "!/vectors.csv", "!/files/*"];
	for (const environment of ["", "staging"]) expect(configOf(environment).assets.run_worker_first).toEqual(fixed);
});

it("each failure that a first deployment can meet has its own advice", () => {
	expect(adviceOn("Please enable R2 through the Cloudflare Dashboard. [code: 10042]")).toContain("R2");
	expect(adviceOn("it's necessary to set a CLOUDFLARE_API_TOKEN environment variable")).toContain("wrangler login");
	expect(adviceOn("CPU limits are not supported for the Free plan [code: 100328]")).toContain("Paid plan");
	expect(adviceOn("something never seen")).toBeUndefined();
});
