/** Opens the database and the bucket of a registry from this machine: the local one, or one on Cloudflare. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { ACCOUNTS } from "../db/database-of-code.ts";
import type { RegistryStorage } from "./databases.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { type BoundDatabase, createWrangler, outputOf, readWorkerConfig, type WorkerConfig } from "./wrangler.ts";

/**
 * A configuration with nothing but the databases and the bucket, all on Cloudflare. wrangler's proxy needs the databases' ids, which
 * wrangler.toml does not contain.
 */
async function remoteConfig({
	name,
	databases,
	bucketName,
	bucketJurisdiction: jurisdiction,
}: WorkerConfig): Promise<object> {
	const known = JSON.parse(await outputOf(createWrangler(), ["d1", "list", "--json"])) as {
		name: string;
		uuid: string;
	}[];
	const bind = ({ binding, databaseName }: BoundDatabase) => {
		const found = known.find(({ name }) => name === databaseName);
		if (!found) throw new Error(`Cloudflare has no database ${databaseName}. Run \`npm run deploy\` first.`);
		return { binding, database_name: databaseName, database_id: found.uuid, remote: true };
	};
	return {
		name: `${name}-backup`,
		compatibility_date: "2026-10-01",
		d1_databases: databases.map(bind),
		r2_buckets: [
			{ binding: "ZONES", bucket_name: bucketName, ...(jurisdiction ? { jurisdiction } : {}), remote: true },
		],
	};
}

/** The registry in some bindings, given the names of those of its databases. */
function registryOf(bindings: Record<string, D1Database>, names: string[], bucket: R2Bucket): RegistryStorage {
	const others = names.filter((name) => name !== ACCOUNTS).map((name) => [name, bindings[name]!]);
	return { database: bindings[ACCOUNTS]!, bucket, apart: Object.fromEntries(others) };
}

/**
 * Opens a registry for some work. Local ones are in `.wrangler/state`, where `npm start` puts them.
 * @param isRemote Whether it is on Cloudflare rather than on this machine.
 * @param environment As in `[env.staging]`; empty for the registry itself.
 */
export async function withRegistry(
	{ isRemote, environment }: { isRemote: boolean; environment: string },
	work: (registry: RegistryStorage) => Promise<void>,
): Promise<void> {
	const config = readWorkerConfig(environment);
	const names = config.databases.map(({ binding }) => binding);
	await withTemporaryFolder(async (folder) => {
		const remoteFile = path.join(folder, "wrangler.json");
		if (isRemote) writeFileSync(remoteFile, JSON.stringify(await remoteConfig(config)));
		// Loaded only here, because it takes a second, for which a complaint about the arguments need not wait.
		const { getPlatformProxy } = await import("wrangler");
		const { env, dispose } = await getPlatformProxy<Record<string, D1Database> & { ZONES: R2Bucket }>({
			configPath: isRemote ? remoteFile : "wrangler.toml",
			...(isRemote || !environment ? {} : { environment }),
			persist: isRemote ? false : { path: ".wrangler/state/v3" },
			remoteBindings: isRemote,
		});
		await work(registryOf(env, names, env.ZONES)).finally(dispose);
	});
}

/**
 * Opens empty databases on this machine for some work, after which they are gone.
 * @param names Names of their bindings; `DB` is that of accounts.
 */
export async function withScratchDatabases<Answer>(
	names: string[],
	work: (databases: Omit<RegistryStorage, "bucket">) => Promise<Answer>,
): Promise<Answer> {
	return withTemporaryFolder(async (folder) => {
		const configPath = path.join(folder, "wrangler.json");
		const databases = names.map((binding) => ({ binding, database_name: binding, database_id: binding }));
		writeFileSync(
			configPath,
			JSON.stringify({ name: "scratch", compatibility_date: "2026-10-01", d1_databases: databases }),
		);
		const { getPlatformProxy } = await import("wrangler");
		const persist = { path: path.join(folder, "state") };
		const { env, dispose } = await getPlatformProxy<Record<string, D1Database>>({
			configPath,
			persist,
			remoteBindings: false,
		});
		const { bucket: _, ...scratch } = registryOf(env, names, {} as R2Bucket);
		return work(scratch).finally(dispose);
	});
}
