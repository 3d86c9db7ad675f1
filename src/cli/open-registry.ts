/** Opens the database and the bucket of a registry from this machine: the local one, or one on Cloudflare. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Registry } from "./backup.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { createWrangler, onlyDatabase, outputOf, readWorkerConfig } from "./wrangler.ts";

/**
 * A configuration with nothing but the database and the bucket, both on Cloudflare. wrangler's proxy wants a database by its id, which
 * wrangler.toml does not hold.
 */
async function remoteConfig(environment: string): Promise<object> {
	const config = readWorkerConfig(environment);
	const { name, bucketName, bucketJurisdiction: jurisdiction } = config;
	const databaseName = onlyDatabase(config, "backs up and restores");
	const databases = JSON.parse(await outputOf(createWrangler(), ["d1", "list", "--json"])) as {
		name: string;
		uuid: string;
	}[];
	const database = databases.find(({ name }) => name === databaseName);
	if (!database) throw new Error(`Cloudflare has no database ${databaseName}. Run \`npm run deploy\` first.`);
	return {
		name: `${name}-backup`,
		compatibility_date: "2026-10-01",
		d1_databases: [{ binding: "DB", database_name: databaseName, database_id: database.uuid, remote: true }],
		r2_buckets: [
			{ binding: "ZONES", bucket_name: bucketName, ...(jurisdiction ? { jurisdiction } : {}), remote: true },
		],
	};
}

/**
 * Opens a registry for some work. Local ones lie in `.wrangler/state`, where `npm start` keeps them.
 * @param isRemote Whether it is on Cloudflare rather than on this machine.
 * @param environment As in `[env.staging]`; empty for the registry itself.
 */
export async function withRegistry(
	{ isRemote, environment }: { isRemote: boolean; environment: string },
	work: (registry: Registry) => Promise<void>,
): Promise<void> {
	onlyDatabase(readWorkerConfig(environment), "backs up and restores");
	await withTemporaryFolder(async (folder) => {
		const remoteFile = path.join(folder, "wrangler.json");
		if (isRemote) writeFileSync(remoteFile, JSON.stringify(await remoteConfig(environment)));
		// Loaded where it is needed: it takes a second, which no complaint about what was typed has to wait for.
		const { getPlatformProxy } = await import("wrangler");
		const { env, dispose } = await getPlatformProxy<{ DB: D1Database; ZONES: R2Bucket }>({
			configPath: isRemote ? remoteFile : "wrangler.toml",
			...(isRemote || !environment ? {} : { environment }),
			persist: isRemote ? false : { path: ".wrangler/state/v3" },
			remoteBindings: isRemote,
		});
		await work({ database: env.DB, bucket: env.ZONES }).finally(dispose);
	});
}

/** Opens an empty database on this machine for some work, after which it is gone. */
export async function withScratchDatabase<Answer>(work: (database: D1Database) => Promise<Answer>): Promise<Answer> {
	return withTemporaryFolder(async (folder) => {
		const configPath = path.join(folder, "wrangler.json");
		const database = { binding: "DB", database_name: "scratch", database_id: "scratch" };
		writeFileSync(
			configPath,
			JSON.stringify({ name: "scratch", compatibility_date: "2026-10-01", d1_databases: [database] }),
		);
		const { getPlatformProxy } = await import("wrangler");
		const persist = { path: path.join(folder, "state") };
		const { env, dispose } = await getPlatformProxy<{ DB: D1Database }>({ configPath, persist, remoteBindings: false });
		return work(env.DB).finally(dispose);
	});
}
