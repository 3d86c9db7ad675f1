/**
 * Restores a registry after a loss of its database, from an older backup and a journal that has every address, and prints how long each part
 * took: `npx node test/bench/restore.ts 100000`. The database is a local D1. The bucket is memory that counts its calls, because Miniflare's
 * takes as long to fill as a restore takes: add the time of so many calls to R2. All entries but one in a hundred lie in packs.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { restoreBackup } from "../../src/cli/restore.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { codeOfSerial } from "../../src/codes/code.ts";
import { ADDRESS_ENTRIES, packEntries, pooled, writeEntry } from "../../src/journal/entries.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { zoneDigits } from "../../src/zones/naming.ts";
import { emptyRegistries, loseDatabase } from "../support/empty-registry.ts";
import { SECRETS } from "../support/serve.ts";

const count = Number(process.argv[2] ?? 100_000);
/** Codes of a zone that are in use: a tenth of what it holds. */
const PER_ZONE = 900;
const LISTED_AT_ONCE = 1_000;
const secrets = readSigningSecrets(SECRETS);
const folder = mkdtempSync(path.join(tmpdir(), "restore-"));

interface Stored {
	bytes: Buffer;
	customMetadata: Record<string, string>;
	uploaded: Date;
	etag: string;
}

const calls = { list: 0, get: 0, head: 0, put: 0 };

/** What the journal uses of R2, in memory. */
function memoryBucket(): R2Bucket {
	const objects = new Map<string, Stored>();
	let keys: string[] | undefined;
	const shown = (key: string, { bytes, ...rest }: Stored) => ({
		key,
		...rest,
		text: async () => bytes.toString(),
		json: async () => JSON.parse(bytes.toString()),
		arrayBuffer: async () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
	});
	const find = (key: string) => {
		const stored = objects.get(key);
		return stored ? shown(key, stored) : null;
	};
	const bucket = {
		async get(key: string) {
			calls.get += 1;
			return find(key);
		},
		async head(key: string) {
			calls.head += 1;
			return find(key);
		},
		async put(
			key: string,
			value: string | Uint8Array,
			{ customMetadata = {} }: { customMetadata?: Record<string, string> } = {},
		) {
			calls.put += 1;
			if (!objects.has(key)) keys = undefined;
			const bytes = Buffer.from(value as Uint8Array);
			objects.set(key, {
				bytes,
				customMetadata,
				uploaded: new Date(),
				etag: createHash("md5").update(bytes).digest("hex"),
			});
			return find(key);
		},
		async delete(key: string) {
			objects.delete(key);
			keys = undefined;
		},
		async list({ prefix = "", startAfter = "", cursor = "" }: R2ListOptions = {}) {
			calls.list += 1;
			keys ??= [...objects.keys()].sort();
			const after = startAfter || cursor;
			let [from, to] = [0, keys.length];
			while (from < to) {
				const middle = (from + to) >> 1;
				if (keys[middle]! > after && keys[middle]! >= prefix) to = middle;
				else from = middle + 1;
			}
			const found: string[] = [];
			for (; from < keys.length && found.length < LISTED_AT_ONCE && keys[from]!.startsWith(prefix); from += 1)
				found.push(keys[from]!);
			const truncated = from < keys.length && keys[from]!.startsWith(prefix);
			return { objects: found.map((key) => find(key)!), truncated, cursor: found.at(-1) };
		},
	};
	return bucket as unknown as R2Bucket;
}

async function timed<Answer>(what: string, work: () => Promise<Answer>): Promise<Answer> {
	const [started, before] = [performance.now(), { ...calls }];
	const answer = await work();
	const seconds = (performance.now() - started) / 1000;
	const made = (["list", "get", "head", "put"] as const)
		.map((name) => `${calls[name] - before[name]} ${name}`)
		.join(", ");
	console.log(
		`${what}: ${seconds.toFixed(1)} s, ${Math.round(count / seconds).toLocaleString("en")} a second; calls of the bucket: ${made}`,
	);
	return answer;
}

const codes: string[] = [];
for (let zone = 1; codes.length < count; zone += 1)
	for (let unit = 0, inZone = 0; inZone < PER_ZONE && codes.length < count; unit += 1) {
		const code = codeOfSerial("NG", zoneDigits(zone), unit);
		if (!code) continue;
		codes.push(code);
		inZone += 1;
	}

const registries = await emptyRegistries();
const { database } = registries.full;
const bucket = memoryBucket();
const registry: RegistryStorage = { database, bucket };
try {
	await database
		.prepare("insert into users (id, phone, password_hash, created_at) values ('usr_1', '+12025550100', 'x', 1)")
		.run();
	const insert = database.prepare(
		`insert into addresses (canonical, zone_name, region, lat, lng, label, owner_id, created_at)
		select value, 'Somolu 2 km south', 'Lagos', 6.5244, 3.3792, 'Blue gate, behind the mosque', 'usr_1', 1790000000000 from json_each(?)`,
	);
	for (let from = 0; from < codes.length; from += 5_000)
		await insert.bind(JSON.stringify(codes.slice(from, from + 5_000))).run();
	const backup = path.join(folder, "backup");
	await timed("export", () => exportRegistry(registry, backup, () => {}, secrets));
	const [row] = (await database.prepare("select * from addresses where canonical = ?").bind(codes[0]).all()).results;
	// Each address has changed since.
	const write = (canonical: string, version: number) =>
		writeEntry(bucket, secrets, ADDRESS_ENTRIES, {
			id: canonical,
			version,
			text: JSON.stringify({ ...row, canonical, version, label: "Green gate", units: "[]" }),
		});
	await timed("writing the journal", () => pooled(codes, 32, (canonical) => write(canonical, 2)));
	await timed("packing", () => packEntries(bucket, Number.POSITIVE_INFINITY));
	// What was written since the last packing.
	await pooled(
		codes.filter((_, index) => index % 100 === 0),
		32,
		(canonical) => write(canonical, 3),
	);
	await loseDatabase(registry);
	const report = (line: string) => console.log(`  ${line}`);
	const options = { secrets, saveTo: path.join(folder, "saved"), isReviving: false, report };
	await timed("restore", () => restoreBackup(registry, backup, options));
	const restored = await database
		.prepare("select count(*) as rows from addresses where label = 'Green gate'")
		.first<number>("rows");
	console.log(
		`${restored} of ${count} addresses are in their latest state; ${Math.round(process.memoryUsage.rss() / 1e6)} MB of memory`,
	);
	if (restored !== count) process.exitCode = 1;
} finally {
	await registries.stop();
	rmSync(folder, { recursive: true });
}
