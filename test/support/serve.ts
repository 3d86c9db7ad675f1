import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";
import { unstable_readConfig } from "wrangler";
import { buildOnce } from "../../.dev/build-once.ts";
import { bundleWorker, modulesIn, WORKER_FOLDER } from "../../.dev/worker.ts";
import { askOf, fillHomes, homeDatabase, provedHomes } from "../../src/cli/homes.ts";
import { migrate } from "./migrate.ts";

const root = path.join(import.meta.dirname, "../..");

/**
 * Serves the static assets behind the binding. Were they the Worker's own, Miniflare would put a router of its own in front of it, which costs
 * what is measured more than it costs in production.
 */
export const ASSETS_WORKER = {
	name: "assets",
	modules: true,
	script: "export default {}",
	compatibilityDate: "2026-10-01",
	assets: { directory: path.join(root, "dist/assets") },
} satisfies V4WorkerOptions;

/** What the wrangler.toml of a checkout says. wrangler's own type leads to a package that it does not bring along. */
function configOf(checkout: string): {
	compatibility_date: string;
	ratelimits: { name: string; namespace_id: string; simple: { limit: number; period: 10 | 60 } }[];
} {
	return unstable_readConfig({ config: path.join(checkout, "wrangler.toml") });
}

const config = configOf(root);

/** What the journal of a served registry is encrypted with, and its backups are signed by. */
export const SECRETS = "bench:fedcba9876543210fedcba9876543210";

/** All secrets of a served registry. */
export const ALL_SECRETS = {
	JWT_SECRETS: "token:0123456789abcdef0123456789abcde0",
	SHARE_SECRETS: "share:0123456789abcdef0123456789abcde1",
	JOURNAL_SECRETS: SECRETS,
};

/** The entry of a registry for tests that measure nothing: it waits longer than the one that is deployed. */
export const PATIENT_WORKER = "test/support/patient-worker.ts";

/** How a registry is to be served, where it differs from one that is measured. */
export interface ServeOptions {
	/** The module that stands in the place of src/index.ts, from the repository's root. */
	entry?: string;
	/** Variables and secrets. */
	bindings?: Record<string, string | number>;
	/** Whether the rate limits of wrangler.toml hold. Else they are out of the way, because one client stands for thousands. */
	limits?: boolean;
	/** Whether the databases have no tables yet, and no homes: they are made by whoever serves them. */
	isEmpty?: boolean;
	/** Databases beside DB, by the names of bindings that say what each holds. */
	apart?: string[];
	/** A folder that keeps the database and the bucket when the process ends. They live in memory otherwise. */
	state?: string;
	/**
	 * Other Workers in the same process, on the same databases, bucket, cache and rate limits; a counted one has METRICS bound. One that has
	 * other databases apart is a version that is deployed later: what it adds is made, and says of no codes that they are at home. One with a
	 * folder is bundled already, by another release.
	 */
	beside?: { entry?: string; folder?: string; port: number; isCounted?: boolean; apart?: string[] }[];
	/** Where the isolate is inspected, by the Chrome DevTools Protocol. */
	inspectorPort?: number;
}

/** A registry that serves on its own port, with migrations applied and the published zone index. */
export interface Served {
	url: string;
	/** Those of the Workers beside it. */
	beside: string[];
	database: Awaited<ReturnType<Miniflare["getD1Database"]>>;
	/** Those beside it, by the names of their bindings. */
	apart: Record<string, Awaited<ReturnType<Miniflare["getD1Database"]>>>;
	bucket: Awaited<ReturnType<Miniflare["getR2Bucket"]>>;
	/** Process id of the workerd that serves. */
	workerd: number;
	/**
	 * Runs what an hour brings, or one run of a cron alone, as at a time in milliseconds since the epoch.
	 * @param worker 0 for the Worker itself, 1 for the first beside it.
	 */
	runHourly(now: number, cron?: string, worker?: number): Promise<void>;
	stop(): Promise<void>;
}

/** What a Worker is bundled with and reads, once in a process. */
let built: Promise<void> | undefined;

/** The folder of a Worker as a deployment bundles it: of the registry, or of another with an entry of its own. */
export async function buildWorker(entry?: string): Promise<string> {
	built ??= buildOnce();
	await built;
	if (!entry) return WORKER_FOLDER;
	const folder = mkdtempSync(path.join(tmpdir(), "address-registry-"));
	process.once("exit", () => rmSync(folder, { recursive: true }));
	await bundleWorker(folder, entry);
	return folder;
}

/** The workerd process that this one started last. */
export function workerdProcess(): number {
	const found = readdirSync("/proc").filter((name) => {
		if (!/^\d+$/.test(name)) return false;
		try {
			const stat = readFileSync(`/proc/${name}/stat`, "utf8");
			return stat.includes("(workerd)") && stat.split(") ")[1]?.split(" ")[1] === String(process.pid);
		} catch {
			return false;
		}
	});
	if (found.length === 0) throw new Error("workerd is not a child of this process");
	return Math.max(...found.map(Number));
}

type Opened = Served["database"];

const hasTables = async (database: Opened) =>
	(await database.prepare("select 1 from sqlite_master where name = 'users'").first()) !== null;

async function prepare(miniflare: Miniflare, isEmpty: boolean): Promise<Opened> {
	const database = await miniflare.getD1Database("DB");
	const bucket = await miniflare.getR2Bucket("ZONES");
	if (isEmpty) {
		await bucket.put("world.zones", readFileSync(path.join(root, "zones/world.zones")));
		return database;
	}
	if (await hasTables(database)) return database;
	await migrate(database);
	await bucket.put("world.zones", readFileSync(path.join(root, "zones/world.zones")));
	return database;
}

/** How Miniflare runs a built Worker on a port of its own, with the bindings of the wrangler.toml that it was built by. */
export function workerOptions(
	folder: string,
	name: string,
	port: number,
	{
		bindings = {},
		limits = false,
		apart = [],
		isCounted = false,
		checkout = root,
	}: Pick<ServeOptions, "bindings" | "limits" | "apart"> & { isCounted?: boolean; checkout?: string } = {},
) {
	const { ratelimits } = checkout === root ? config : configOf(checkout);
	return {
		name,
		modulesRoot: folder,
		modules: modulesIn(folder).map((file) => ({ type: "ESModule" as const, path: file })),
		compatibilityDate: config.compatibility_date,
		bindings: {
			...ALL_SECRETS,
			...(limits ? {} : { NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 10_000_000 }),
			...bindings,
		},
		ratelimits: Object.fromEntries(
			ratelimits.map(({ name, namespace_id, simple }) => [
				name,
				{ namespace_id, simple: limits ? simple : { limit: 1_000_000_000, period: 60 } },
			]),
		),
		d1Databases: { DB: "registry", ...Object.fromEntries(apart.map((binding) => [binding, binding])) },
		r2Buckets: { ZONES: "zones" },
		...(isCounted ? { analyticsEngineDatasets: { METRICS: { dataset: "requests" } } } : {}),
		serviceBindings: { ASSETS: ASSETS_WORKER.name },
		unsafeDirectSockets: [{ host: "127.0.0.1", port }],
	} satisfies V4WorkerOptions;
}

/**
 * Serves the built Worker by workerd itself, with none of `wrangler dev` in between, which would cost ten times as much as what is
 * measured.
 * @param port 0 for a free one.
 */
export async function serveRegistry(port: number, options: ServeOptions = {}): Promise<Served> {
	const {
		entry,
		bindings = {},
		limits = false,
		isEmpty = false,
		apart = [],
		state,
		beside = [],
		inspectorPort,
	} = options;
	const workers = await Promise.all(
		[{ entry, port, isCounted: false, folder: undefined }, ...beside].map(async (worker, index) => ({
			apart,
			...worker,
			name: index === 0 ? "address-registry" : `beside-${index}`,
			folder: worker.folder ?? (await buildWorker(worker.entry)),
			// Another version is bundled in its own checkout, below dist/worker.
			checkout: worker.folder ? path.join(worker.folder, "../..") : root,
		})),
	);
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({
			cf: false,
			logRequests: false,
			handleRuntimeStdio: () => {},
			handleStructuredLogs: () => {},
			...(state ? { resourcePersistencePath: state } : {}),
			...(inspectorPort ? { inspectorPort } : {}),
			workers: [
				...workers.map(({ name, folder, port, apart, isCounted = false, checkout }) =>
					workerOptions(folder, name, port, { bindings, limits, apart, isCounted, checkout }),
				),
				ASSETS_WORKER,
			],
		}),
	);
	const database = await prepare(miniflare, isEmpty);
	const others: Served["apart"] = {};
	for (const { name, apart } of workers)
		for (const binding of apart) {
			others[binding] ??= await miniflare.getD1Database(binding, name);
			if (!isEmpty && !(await hasTables(others[binding]))) await migrate(others[binding]);
		}
	// Miniflare's types are those of another version of the same interfaces.
	const opened = ["DB", ...apart].map((binding) => [binding, others[binding] ?? database] as [string, never]);
	if (!isEmpty) {
		const homes = await Promise.all(opened.map(([binding, own]) => homeDatabase(binding, askOf(own))));
		await fillHomes(homes, await provedHomes(homes));
	}
	const urlOf = async (name: string) => (await miniflare.unsafeGetDirectURL(name)).origin;
	return {
		url: await urlOf("address-registry"),
		beside: await Promise.all(workers.slice(1).map(({ name }) => urlOf(name))),
		database,
		apart: others,
		bucket: await miniflare.getR2Bucket("ZONES"),
		workerd: workerdProcess(),
		async runHourly(now, cron, number = 0) {
			const { name, apart } = workers[number]!;
			const worker = await miniflare.getWorker(name);
			const run = async (time: number, trigger: string) => {
				const { outcome } = await worker.scheduled({ scheduledTime: new Date(time), cron: trigger });
				if (outcome !== "ok") throw new Error(`The job ended with ${outcome}`);
			};
			// The hour of each other database is a slot of five minutes.
			const hour = now - (now % 3_600_000);
			if (!cron && apart.length > 0)
				for (let slot = 0; slot < 12; slot += 1) await run(hour + slot * 300_000, "*/5 * * * *");
			await run(now, cron ?? "40 * * * *");
		},
		stop: () => miniflare.dispose(),
	};
}
