import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import path from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { longestFirst } from "./support/longest-first.ts";
import { ASSETS_WORKER, buildWorker, PATIENT_WORKER, workerOptions } from "./support/serve.ts";

const root = path.join(import.meta.dirname, "..");

execFileSync(process.execPath, [".dev/build-once.ts"], { cwd: root, stdio: "inherit" });

/** Ends a test that hangs, in milliseconds. No test fails because the machine is busy. */
const patience = { testTimeout: 600_000, hookTimeout: 600_000 };

/** The zones take one core to the end. */
const LONGEST = [
	"month",
	"draw",
	"private-addresses",
	"journal",
	"enumeration",
	"lock-out",
	"hashing",
	"mirror",
	"limits",
	"purge",
];

/** Whether somebody runs single files of the zones, which run as one otherwise. */
const isZoneFileAsked = process.argv.join(" ").includes("test/zones/");

/** Databases beside DB: bound by the names that route codes to them where DATABASES=several, so that the whole suite runs over them. */
const isApart = process.env.DATABASES === "several";
const apart = Object.fromEntries(
	["DB_NG_01234", "DB_NG_56789", "DB_KE"].map((name) => [isApart ? name : name.replace("DB", "APART"), name]),
);

/** What the Worker under test is told, as it is deployed and from its source. */
const bindings = {
	JWT_SECRETS: "test:0123456789abcdef0123456789abcdef",
	SHARE_SECRETS: "share:0123456789abcdef0123456789abcde1",
	JOURNAL_SECRETS: "journal:0123456789abcdef0123456789abcde2",
	// As deployed: one origin, so that answers with links may be cached.
	WEB_URL: "https://registry.test",
};

/** The Worker as it is deployed, beside its source and on the same database and bucket: test/flow asks it (test/support/client.ts). */
async function deployedWorker() {
	const folder = await buildWorker(PATIENT_WORKER);
	const worker = workerOptions(folder, "deployed", 0, { bindings, apart: isApart ? Object.keys(apart) : [] });
	// An entry before its own: one structured line a request would bury the results.
	const quiet = {
		type: "ESModule" as const,
		path: path.join(folder, "quiet.js"),
		contents: `console.info = console.warn = console.error = () => {}; export { default } from "./index.js";`,
	};
	return { ...worker, modules: [quiet, ...worker.modules] };
}

export default defineConfig(async () => ({
	root,
	test: {
		// One more than cores, since some tests wait for a clock. Vitest would take one less, which on a machine of two is one file after the other.
		maxWorkers: availableParallelism() + 1,
		sequence: { sequencer: longestFirst(LONGEST, ["zones", "unit", "worker"]) },
		// One structured line a request would bury the results.
		onConsoleLog: (line: string) => !line.includes(`"event":"`),
		projects: [
			{
				root,
				test: {
					...patience,
					name: "unit",
					include: ["test/unit/**/*.test.ts"],
					environment: "node",
					// Pure code keeps no state, so files can share what they have loaded.
					isolate: false,
				},
			},
			{
				root,
				test: {
					...patience,
					name: "zones",
					include: [isZoneFileAsked ? "test/zones/*.test.ts" : "test/zones/all.ts"],
					environment: "node",
					isolate: false,
					// Run by node itself: Vite rewrites each imported name into a look-up, which slows the loops of the builder down.
					experimental: { viteModuleRunner: false },
					// The builder makes millions of short-lived cells: with room for them, a fifth less is spent on collecting them.
					execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=128"],
				},
			},
			{
				root,
				plugins: [
					cloudflareTest({
						// From its source, so that a test and the Worker share their modules; test/flow asks the Worker as it is deployed.
						main: path.join(root, "src/index.ts"),
						wrangler: { configPath: path.join(root, "wrangler.toml") },
						miniflare: {
							cf: false,
							bindings: { ...bindings, TEST_MIGRATIONS: await readD1Migrations(path.join(root, "migrations")) },
							serviceBindings: { DEPLOYED: "deployed" },
							workers: [await deployedWorker(), ASSETS_WORKER],
							// Of bindings to Workers, so that jobs run by them.
							compatibilityFlags: ["service_binding_extra_handlers"],
							// Thirty times fewer than in wrangler.toml, so that a test can spend them within a minute on a busy machine.
							ratelimits: {
								PER_MINUTE_6000: { namespace_id: "1002", simple: { limit: 200, period: 60 } },
								// Takes the place of another limit in a test.
								THREE_A_MINUTE: { namespace_id: "1099", simple: { limit: 3, period: 60 } },
							},
							// Tests of several databases bind these by the names that route codes to them.
							d1Databases: { DB: "registry", EMPTY_DB: "empty", UNFILLED_DB: "unfilled", ...apart },
							r2Buckets: { ZONES: "zones" },
							dataBlobBindings: { TEST_ZONES: path.join(root, "zones/world.zones") },
						},
					}),
				],
				test: {
					...patience,
					name: "worker",
					include: ["test/{store,routes,jobs,flow,attack}/**/*.test.ts"],
					globalSetup: ["test/support/sms-gateway.ts"],
					setupFiles: ["test/support/worker-setup.ts"],
					// Files share a worker and what it has loaded; worker-setup.ts gives each of them storage of its own.
					isolate: false,
				},
			},
		],
	},
}));
