/**
 * Restores a registry after a loss of its database, from an older backup and a journal that has every address, and prints how long each part
 * took: `npx node test/bench/restore.ts 100000`. All entries but one in a hundred lie in packs, as the hourly job leaves them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { exportRegistry, type Registry } from "../../src/cli/backup.ts";
import { restoreBackup } from "../../src/cli/restore.ts";
import { codeOfUnit } from "../../src/codes/code.ts";
import { readSigningSecrets } from "../../src/env.ts";
import { zoneDigits } from "../../src/zones/naming.ts";
import { loseDatabase } from "../support/empty-registry.ts";
import { SECRETS, serveRegistry } from "../support/serve.ts";

const count = Number(process.argv[2] ?? 100_000);
/** Codes of a zone that are in use: a tenth of what it holds. */
const PER_ZONE = 900;
const secrets = readSigningSecrets(SECRETS);
const folder = mkdtempSync(path.join(tmpdir(), "restore-"));
const served = await serveRegistry(0, { state: path.join(folder, "state") });
// Miniflare's types are those of another version of the same interfaces.
const registry = served as unknown as Registry;
const { database, bucket } = registry;

/** Miniflare closes a connection that has been idle, and does not open another by itself. */
async function runHourly(): Promise<void> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await served.runHourly(Date.now() + attempt);
		} catch (error) {
			if (attempt === 5 || !String(error).includes("fetch failed")) throw error;
		}
	}
}

async function timed<Answer>(what: string, work: () => Promise<Answer>): Promise<Answer> {
	const started = performance.now();
	const answer = await work();
	const seconds = (performance.now() - started) / 1000;
	console.log(`${what}: ${seconds.toFixed(1)} s, ${Math.round(count / seconds).toLocaleString("en")} a second`);
	return answer;
}

const codes: string[] = [];
for (let zone = 1; codes.length < count; zone += 1)
	for (let unit = 0, inZone = 0; inZone < PER_ZONE && codes.length < count; unit += 1) {
		const code = codeOfUnit("NG", zoneDigits(zone), unit);
		if (!code) continue;
		codes.push(code);
		inZone += 1;
	}

try {
	await database
		.prepare("insert into users (id, phone, password_hash, created_at) values ('usr_1', '+12025550100', 'x', 1)")
		.run();
	const insert = database.prepare(
		`insert into addresses (canonical, zone_name, region, edition, lat, lng, label, owner_id, created_at)
		select value, 'Somolu 2 km south', 'Lagos', null, 6.5244, 3.3792, 'Blue gate, behind the mosque', 'usr_1', 1790000000000 from json_each(?)`,
	);
	for (let from = 0; from < codes.length; from += 5_000)
		await insert.bind(JSON.stringify(codes.slice(from, from + 5_000))).run();
	const backup = path.join(folder, "backup");
	await timed("export", () => exportRegistry(registry, backup, () => {}, secrets));
	// Each address has changed since.
	await database.prepare("update addresses set label = 'Green gate', version = 2").run();
	const rowsOf = async (table: string) =>
		(await database.prepare(`select count(*) as rows from ${table}`).first<number>("rows")) ?? 0;
	/** The hourly job writes 2,000 entries in one run, and packs up to 3,000. */
	await timed("hourly jobs that write, record and pack the journal", async () => {
		let runs = 0;
		const packedUpTo = async () => (await (await bucket.get("journal/packed-up-to"))?.text()) ?? "";
		do {
			await runHourly();
			runs += 1;
		} while ((await rowsOf("journal_queue")) > 0 || (await packedUpTo()) !== "");
		console.log(`  ${runs} runs`);
	});
	// What was written since the last packing.
	await database
		.prepare(
			"update addresses set version = 3 where canonical in (select canonical from addresses where rowid % 100 = 0)",
		)
		.run();
	await runHourly();
	await loseDatabase(registry);
	const options = {
		secrets,
		saveTo: path.join(folder, "saved"),
		isReviving: false,
		report: (line: string) => console.log(`  ${line}`),
	};
	await timed("restore", () => restoreBackup(registry, backup, options));
	const restored = await database
		.prepare("select count(*) as rows from addresses where label = 'Green gate'")
		.first<number>("rows");
	console.log(
		`${restored} of ${count} addresses are as they were last; ${Math.round(process.memoryUsage.rss() / 1e6)} MB of memory`,
	);
	if (restored !== count) process.exitCode = 1;
} finally {
	await served.stop();
	rmSync(folder, { recursive: true });
}
