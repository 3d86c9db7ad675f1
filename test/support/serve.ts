import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_readConfig } from "wrangler";

const root = path.join(import.meta.dirname, "../..");

/** What wrangler.toml says. wrangler's own type leads to a package that it does not bring along. */
const config: { compatibility_date: string; ratelimits: { name: string; namespace_id: string }[] } =
	unstable_readConfig({
		config: path.join(root, "wrangler.toml"),
	});

/** A registry that serves on its own port, with an empty database and the published zone index. */
export interface Served {
	url: string;
	database: Awaited<ReturnType<Miniflare["getD1Database"]>>;
	stop(): Promise<void>;
}

/**
 * Serves the built Worker by workerd itself, with none of `wrangler dev` in between, which would cost ten times as much as what is
 * measured.
 */
export async function serveRegistry(port: number): Promise<Served> {
	const folder = mkdtempSync(path.join(tmpdir(), "address-registry-"));
	execFileSync("wrangler", ["deploy", "--dry-run", "--minify", "--outdir", folder], {
		cwd: root,
		stdio: "ignore",
		env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
	});
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({
			name: "address-registry",
			modules: true,
			rootPath: folder,
			scriptPath: path.join(folder, "index.js"),
			compatibilityDate: config.compatibility_date,
			cf: false,
			logRequests: false,
			handleRuntimeStdio: () => {},
			handleStructuredLogs: () => {},
			// One client stands for thousands here, so the limits on one client are out of its way.
			bindings: {
				JWT_SECRETS: "bench:0123456789abcdef0123456789abcdef",
				NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 10_000_000,
			},
			ratelimits: Object.fromEntries(
				config.ratelimits.map(({ name, namespace_id }) => [
					name,
					{ namespace_id, simple: { limit: 1_000_000_000, period: 60 } },
				]),
			),
			d1Databases: ["DB"],
			r2Buckets: ["ZONES"],
			unsafeDirectSockets: [{ host: "127.0.0.1", port }],
		}),
	);
	const database = await miniflare.getD1Database("DB");
	const migrations = readdirSync(path.join(root, "migrations")).filter((name) => name.endsWith(".sql"));
	for (const name of migrations.sort()) {
		const sql = readFileSync(path.join(root, "migrations", name), "utf8");
		for (const statement of sql.split("--> statement-breakpoint")) await database.prepare(statement).run();
	}
	const bucket = await miniflare.getR2Bucket("ZONES");
	await bucket.put("world.zones", readFileSync(path.join(root, "zones/world.zones")));
	return {
		url: `http://127.0.0.1:${port}`,
		database,
		async stop() {
			await miniflare.dispose();
			rmSync(folder, { recursive: true });
		},
	};
}
