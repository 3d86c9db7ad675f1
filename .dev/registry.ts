/**
 * Backs a registry up and brings it back: `npm run registry -- export|import|restore`. README.md, Back up and restore.
 */
import { parseArgs } from "node:util";
import { exportRegistry, importRegistry } from "./backup.ts";
import { type OpenedRegistry, openRegistry } from "./open-registry.ts";
import { type Restored, restoreBackup, rewindRegistry } from "./restore.ts";
import { createWrangler, outputOf } from "./wrangler.ts";

const USAGE = `Back up and restore a registry:

  npm run registry -- export FOLDER              writes all rows into a folder
  npm run registry -- import FOLDER              puts them into an empty registry
  npm run registry -- restore FOLDER             brings a registry back to a backup
  npm run registry -- restore --to TIME          brings it back by D1's Time Travel (with --remote), such as 2026-11-21T10:00:00Z

  --revive       with restore: what was retired or revoked since comes back to life too
  --remote       on Cloudflare, not on this machine
  --env NAME     another environment of wrangler.toml`;

/** Bad arguments. */
class UsageError extends Error {}

const wrangler = createWrangler();
const report = (line: string) => console.log(line);

function folderForNow(): string {
	return `.backups/before-restore-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
}

function reportRestored({ burnt, remarks }: Restored, saveTo: string): void {
	for (const remark of remarks) report(remark);
	report(`Restored. ${burnt} codes were burnt. What was there before is in ${saveTo}.`);
	report("Purge the cache: deploy again with `npm run deploy`, so that nothing from before the restore is answered.");
}

interface RestoreArguments {
	folder: string | undefined;
	to: string | undefined;
	environment: string;
	isReviving: boolean;
}

async function restore(registry: OpenedRegistry, { folder, to, environment, isReviving }: RestoreArguments) {
	const saveTo = folderForNow();
	const options = { saveTo, isReviving, report };
	if (folder) return reportRestored(await restoreBackup(registry, folder, options), saveTo);
	const moment = Date.parse(to ?? "");
	if (Number.isNaN(moment)) throw new UsageError("--to is not a time such as 2026-11-21T10:00:00Z.");
	const rewind = async () => {
		const timestamp = new Date(moment).toISOString();
		await outputOf(wrangler, ["d1", "time-travel", "restore", "DB", "--timestamp", timestamp, "--env", environment]);
	};
	reportRestored(await rewindRegistry(registry, moment, rewind, options), saveTo);
}

async function run(): Promise<void> {
	const { positionals, values } = parseArgs({
		allowPositionals: true,
		options: {
			remote: { type: "boolean", default: false },
			env: { type: "string", default: "" },
			to: { type: "string" },
			revive: { type: "boolean", default: false },
		},
	});
	const [command, folder, ...rest] = positionals;
	if (!command || !["export", "import", "restore"].includes(command) || rest.length > 0) throw new UsageError(USAGE);
	if (!folder && !(command === "restore" && values.to))
		throw new UsageError(`Name the folder of the backup.\n\n${USAGE}`);
	if (values.to && (command !== "restore" || folder || !values.remote)) {
		throw new UsageError(
			"--to belongs to restore with --remote, and without a folder: only D1 on Cloudflare travels in time.",
		);
	}
	const registry = await openRegistry({ isRemote: values.remote, environment: values.env }, wrangler);
	try {
		if (command === "restore") {
			const { to, env: environment, revive: isReviving } = values;
			return await restore(registry, { folder, to, environment, isReviving });
		}
		const started = Date.now();
		const { tables } =
			command === "export"
				? await exportRegistry(registry, folder!, report)
				: await importRegistry(registry, folder!, report);
		const rows = Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);
		const seconds = ((Date.now() - started) / 1000).toFixed(0);
		report(
			`${rows.toLocaleString("en")} rows ${command === "export" ? "written to" : "read from"} ${folder} in ${seconds} s, and proved.`,
		);
	} finally {
		await registry.close();
	}
}

try {
	await run();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
