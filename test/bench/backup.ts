/**
 * Takes a registry of many addresses out into files and in again, and says how long that took and how much memory:
 * `npm run bench:backup -- 1000000`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { exportRegistry } from "../../src/cli/backup.ts";
import { importRegistry } from "../../src/cli/import.ts";
import { emptyRegistries } from "../support/empty-registry.ts";
import { fillTables } from "../support/random-rows.ts";

const addresses = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(path.join(tmpdir(), "backup-"));
const registries = await emptyRegistries();

/** The most memory that this process has held, in megabytes. The database is another process. */
function megabytes(): number {
	return Math.round(process.resourceUsage().maxRSS / 1024);
}

async function time(name: string, work: () => Promise<unknown>): Promise<void> {
	const started = Date.now();
	await work();
	console.log(`${name}: ${((Date.now() - started) / 1000).toFixed(0)} s, at most ${megabytes()} MB so far`);
}

try {
	await time(`${addresses.toLocaleString("en")} addresses made`, () => fillTables(registries.full, addresses));
	await time("exported", () => exportRegistry(registries.full, folder, () => {}));
	const target = await registries.empty();
	await time("imported and compared", () => importRegistry(target, folder, () => {}));
} finally {
	await registries.stop();
	rmSync(folder, { recursive: true });
}
