/** What a deployment finds in a Cloudflare account: all that wrangler is asked, once in a run, because each of its starts takes seconds. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Query } from "../../zones/registry.ts";
import { ACCOUNTS } from "../db/database-of-code.ts";
import { pooled } from "../journal/entries.ts";
import { type Ask, DATABASES_AT_ONCE, type HomeDatabase, homeDatabase, provedHomes } from "./homes.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { outputOf, type WorkerConfig, type Wrangler, WranglerError, type WranglerInput } from "./wrangler.ts";

/** Asks at the first call. Every later one gets the same answer, in which a step notes what it has changed. */
function remembered<Found>(ask: () => Promise<Found>): () => Promise<Found> {
	let found: Promise<Found> | undefined;
	return () => {
		found ??= ask();
		return found;
	};
}

const namesIn = (json: string) => new Set((JSON.parse(json) as { name: string }[]).map(({ name }) => name));

/**
 * Opens the account for one run of a deployment.
 * @param environment As in `[env.staging]`; empty for the registry itself.
 */
export function openAccount(
	wrangler: Wrangler,
	{ databases, bucketName, bucketJurisdiction }: WorkerConfig,
	environment: string,
) {
	const inEnvironment: Wrangler = (args, given) => wrangler([...args, "--env", environment], given);
	const run = (args: string[], given?: WranglerInput) => outputOf(inEnvironment, args, given);
	const jurisdiction = bucketJurisdiction ? ["--jurisdiction", bucketJurisdiction] : [];

	/** What a command prints; undefined if it fails with a message that `missing` matches, as for something that does not exist. */
	const found = async (args: string[], missing: RegExp): Promise<string | undefined> => {
		const { succeeded, stdout, failure } = await inEnvironment(args);
		if (!succeeded && !missing.test(failure)) throw new WranglerError(failure);
		return succeeded ? stdout : undefined;
	};

	const askOf =
		(binding: string): Ask =>
		async (...statements) => {
			const args = ["d1", "execute", binding, "--remote", "--json", "--command", statements.join(";\n")];
			return (JSON.parse(await run(args)) as { results: Record<string, unknown>[] }[]).map(({ results }) => results);
		};

	/** The names of all databases of the account. */
	const databaseNames = remembered(async () => namesIn(await run(["d1", "list", "--json"])));

	/** The databases that wrangler.toml binds, as they were before the first change. */
	const homes = remembered(async () => {
		const names = await databaseNames();
		return pooled(databases, DATABASES_AT_ONCE, async ({ binding, databaseName }): Promise<HomeDatabase> => {
			const ask = askOf(binding);
			return names.has(databaseName) ? homeDatabase(binding, ask) : { binding, ask, migrations: [], homes: new Map() };
		});
	});

	return {
		/** Runs a command that must succeed, and returns what it prints. @throws WranglerError if it fails. */
		run,
		databaseNames,
		/** The name of the registry's bucket; empty if it does not exist. */
		bucketNames: remembered(async () => {
			const info = await found(["r2", "bucket", "info", bucketName, "--json", ...jurisdiction], /does not exist|10006/);
			return new Set(info === undefined ? [] : [bucketName]);
		}),
		/** Whether the Worker exists, and the names of its secrets. */
		worker: remembered(async () => {
			const listed = await found(["secret", "list", "--format", "json"], /not found|does not exist|10007/i);
			return { isThere: listed !== undefined, secrets: namesIn(listed ?? "[]") };
		}),
		homes,
		/** The homes of codes that the databases do not record yet. @throws Error if a binding is wrong. */
		newHomes: remembered(async () => provedHomes(await homes())),
		/** Queries the database of accounts. */
		query: (async (sql) => (await askOf(ACCOUNTS)(sql))[0] ?? []) satisfies Query as Query,
		/** Reads an object in the bucket; undefined if there is none. */
		stored: (key: string): Promise<Buffer | undefined> =>
			withTemporaryFolder(async (folder) => {
				const file = path.join(folder, key);
				const args = ["get", `${bucketName}/${key}`, "--file", file, "--remote", ...jurisdiction];
				const got = await found(["r2", "object", ...args], /does not exist|NoSuch|10006|10007/);
				return got === undefined ? undefined : readFileSync(file);
			}),
		/** Puts a file into the bucket. */
		store: (key: string, file: string) =>
			run(["r2", "object", "put", `${bucketName}/${key}`, "--file", file, "--remote", ...jurisdiction]),
	};
}
