/** Two rows that cannot both be there, restored over each other: one of the backup or the journal, and one that took its place since. */
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBackup } from "../../src/cli/backup.ts";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { readyToPut } from "../../src/cli/import.ts";
import { settleJournal } from "../../src/cli/journal-since.ts";
import { restoreBackup, rewindRegistry } from "../../src/cli/restore.ts";
import { tablesOf } from "../../src/cli/tables.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { codeOfSerial } from "../../src/codes/code.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { DAY } from "../../src/time/time.ts";
import { emptyRegistries, loseDatabase, query } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { LAGOS, send, signUp } from "../support/remote.ts";
import { SECRETS, type Served, serveRegistry } from "../support/serve.ts";

const silent = () => {};
const secrets = readSigningSecrets(SECRETS);
const folder = temporaryFolder();

/** Tables of the database that a restore fills anew, or leaves as they were last. */
const NOT_RESTORED = ["last_codes", "sessions", "refresh_tokens"];

type Row = Record<string, string | number | null>;

/** Two rows for a unique index, which has the same values for both. */
interface Pair {
	index: string;
	table: string;
	primaryKey: string[];
	first: Row;
	second: Row;
}

const options = (name: string) => ({ secrets, saveTo: path.join(folder, name), isReviving: false, report: silent });

let numbers = 0;
const nextNumber = () => {
	numbers += 1;
	return numbers;
};
/** One number in eleven has no check digit, and no code. */
const nextCode = () => codeOfSerial("NG", "0421", nextNumber()) ?? codeOfSerial("NG", "0421", nextNumber())!;

/** For each unique index that the database has, two rows that clash in it and in nothing else. */
async function pairsOf(database: D1Database): Promise<Pair[]> {
	const pairs: Pair[] = [];
	for (const { name: table, primaryKey, rowNumber } of await tablesOf(database)) {
		if (NOT_RESTORED.includes(table)) continue;
		const { results: columns } = await database
			.prepare(`select name, type, "notnull" as is_needed, dflt_value from pragma_table_info(?)`)
			.bind(table)
			.all<{ name: string; type: string; is_needed: number; dflt_value: string | null }>();
		const { results: indexes } = await database
			.prepare(`select name from pragma_index_list(?) where "unique" = 1`)
			.bind(table)
			.all<{ name: string }>();
		for (const { name: index } of indexes) {
			const parts = await database.prepare("select name from pragma_index_info(?)").bind(index).raw<[string | null]>();
			const inIndex = parts.flatMap(([column]) => (column === null ? [] : [column]));
			const shared: Row = {};
			const rowOf = (life: string): Row => {
				const row: Row = {};
				for (const { name, type, is_needed, dflt_value } of columns) {
					const isFilled = inIndex.includes(name) || primaryKey.includes(name) || (is_needed && dflt_value === null);
					if (!isFilled || name === rowNumber) continue;
					const number = nextNumber();
					const own =
						name === "canonical" ? nextCode() : type === "TEXT" ? `${index} ${name} ${life} ${number}` : number;
					if (inIndex.includes(name)) shared[name] ??= own;
					row[name] = shared[name] ?? own;
				}
				return row;
			};
			const pair = { index, table, primaryKey, first: rowOf("first"), second: rowOf("second") };
			pairs.push(pair);
			if (table !== "addresses") continue;
			// Which of two addresses is the older one matters.
			for (const column of inIndex) delete shared[column];
			const [first, second] = [rowOf("first"), rowOf("second")];
			const swapped = { first: second.created_at!, second: first.created_at! };
			pairs.push({
				...pair,
				first: { ...first, created_at: swapped.first },
				second: { ...second, created_at: swapped.second },
			});
		}
	}
	return pairs;
}

async function put({ database }: RegistryStorage, rows: [table: string, row: Row][]): Promise<void> {
	await database.batch(
		rows.map(([table, row]) => {
			const names = Object.keys(row);
			const insert = `insert into "${table}" (${names.map((name) => `"${name}"`).join(", ")}) values (${names.map(() => "?").join(", ")})`;
			return database.prepare(insert).bind(...Object.values(row));
		}),
	);
}

describe("two rows for each unique index of the database", () => {
	let registries: Awaited<ReturnType<typeof emptyRegistries>>;
	beforeAll(async () => {
		registries = await emptyRegistries();
	});
	afterAll(() => registries.stop());

	/** A registry with an index more than there is, which no address can do without. */
	async function registryWithPairs(): Promise<{ registry: RegistryStorage; pairs: Pair[] }> {
		const registry = await registries.empty();
		await registry.database.exec(
			"create unique index labels_differ on addresses (label, (canonical > 'ZZ')) where owner_id <> 'usr_nobody'",
		);
		const pairs = await pairsOf(registry.database);
		const names = pairs.map(({ index }) => index);
		for (const expected of ["addresses_by_idempotency_key", "addresses_by_external_id", "users_phone_unique"])
			expect(names).toContain(expected);
		return { registry, pairs };
	}

	/** Whatever was answered 201 leads to a place or is burnt, and nothing is left out without a word. */
	async function expectNothingLost({ database }: RegistryStorage, pairs: Pair[], remarks: string[]): Promise<void> {
		const rows = pairs.flatMap((pair) => [pair.first, pair.second].map((row) => ({ ...pair, row })));
		const keyed = rows.filter(({ primaryKey, row }) => primaryKey.every((column) => column in row));
		const found = await database.batch(
			keyed.map(({ table, primaryKey, row }) => {
				const where = primaryKey.map((column) => `"${column}" = ?`).join(" and ");
				const key = primaryKey.map((column) => row[column]!);
				return database.prepare(`select 1 from "${table}" where ${where}`).bind(...key);
			}),
		);
		const { results: burnt } = await database.prepare("select canonical from burnt_codes").all();
		const codes = burnt.map(({ canonical }) => canonical);
		// The older address keeps its external id, and the newer one its Idempotency-Key.
		const kept: Record<string, [column: string, of: (...times: number[]) => number]> = {
			addresses_by_external_id: ["external_id", Math.min],
			addresses_by_idempotency_key: ["idempotency_key", Math.max],
		};
		for (const { index, first, second } of pairs) {
			const [column, of] = kept[index] ?? [];
			if (!column || !of) continue;
			const has = `select canonical from addresses where ${column} = ?`;
			const wanted = of(Number(first.created_at), Number(second.created_at));
			const canonical = [first, second].find(({ created_at }) => created_at === wanted)!.canonical;
			expect([index, await query({ database }, has, first[column])]).toEqual([index, [{ canonical }]]);
		}
		for (const [place, { index, table, primaryKey, row }] of keyed.entries()) {
			const isThere = found[place]!.results.length > 0;
			const key = primaryKey.map((column) => row[column]!);
			const said = remarks.filter((remark) => remark.startsWith(`${table} ${key.join(" ")} `));
			const isBurnt = codes.includes(row.canonical!);
			if (isThere) expect([index, key, table === "addresses" && isBurnt]).toEqual([index, key, false]);
			else
				expect([index, key, said]).toEqual([index, key, expect.arrayContaining([expect.stringMatching(/left out/)])]);
			if (table === "overflow_zones") expect([index, key, isThere]).toEqual([index, key, true]);
			// No code is free again, and only an index that no address can do without leaves one out.
			if (table === "addresses" && !isThere) expect([index, isBurnt]).toEqual(["labels_differ", true]);
		}
	}

	/** The rows of one life, and the accounts that they belong to in either. */
	const lives = (pairs: Pair[], life: "first" | "second"): [string, Row][] => {
		const owners = pairs.flatMap(({ table, first, second }) =>
			["api_keys", "addresses"].includes(table) ? [first, second].map((row) => row.user_id ?? row.owner_id!) : [],
		);
		const accounts = [...new Set(owners)].map((id): [string, Row] => [
			"users",
			{ id, password_hash: "", created_at: 1 },
		]);
		return [...accounts, ...pairs.map((pair): [string, Row] => [pair.table, pair[life]])];
	};

	it("of the backup over what is there, and once more", async () => {
		const { registry, pairs } = await registryWithPairs();
		await put(registry, lives(pairs, "first"));
		const backup = path.join(folder, "over-what-is-there");
		await exportRegistry(registry, backup, silent, secrets);
		await loseDatabase(registry);
		await put(registry, lives(pairs, "second"));
		const { remarks } = await restoreBackup(registry, backup, options("saved"));
		await expectNothingLost(registry, pairs, remarks);
		const again = await restoreBackup(registry, backup, options("saved-again"));
		await expectNothingLost(registry, pairs, [...remarks, ...again.remarks]);
	});

	it("of the backup and of the journal, over nothing", async () => {
		const { registry, pairs } = await registryWithPairs();
		const [empty, backup] = [path.join(folder, "empty"), path.join(folder, "with-the-first")];
		await exportRegistry(registry, empty, silent, secrets);
		await put(registry, lives(pairs, "first"));
		await exportRegistry(registry, backup, silent, secrets);
		for (const life of ["first", "second"] as const) {
			await loseDatabase(registry);
			await put(registry, lives(pairs, life));
			await settleJournal(registry, { secrets, report: silent });
		}
		const addresses = pairs.filter(({ table }) => table === "addresses");
		for (const from of [backup, empty]) {
			await loseDatabase(registry);
			const { remarks } = await restoreBackup(registry, from, options(`saved-before-${path.basename(from)}`));
			await expectNothingLost(registry, addresses, remarks);
		}
	});

	it("of the saved state over that of the moment gone back to", async () => {
		const { registry, pairs } = await registryWithPairs();
		await put(registry, lives(pairs, "first"));
		const backup = path.join(folder, "moment");
		const moment = Date.now();
		await exportRegistry(registry, backup, silent, secrets);
		await loseDatabase(registry);
		await put(registry, lives(pairs, "second"));
		const rewind = async () => {
			await loseDatabase(registry);
			await (await readyToPut(registry.database, backup, await readBackup(backup), silent))();
		};
		const { remarks } = await rewindRegistry(registry, moment, rewind, options("saved-before-the-moment"));
		await expectNothingLost(registry, pairs, remarks);
	});
});

describe("a registry that is served", () => {
	let served: Served;
	let registry: RegistryStorage;
	beforeAll(async () => {
		served = await serveRegistry(0);
		registry = served as unknown as RegistryStorage;
	});
	afterAll(() => served.stop());

	const resolve = async (code: string) => (await send(served.url, { path: `/v1/public/addresses/${code}` })).status;

	it("keeps the addresses of an Idempotency-Key that was used again after its week, and the newer one's key", async () => {
		const { token } = await signUp(served.url);
		const create = async (label: string) => {
			const headers = { "Idempotency-Key": "rooms-1" };
			const { status, body } = await send(served.url, {
				path: "/v1/addresses",
				token,
				body: { ...LAGOS, label },
				headers,
			});
			expect(status).toBe(201);
			return String(body.canonical);
		};
		const first = await create("Blue gate");
		await query(registry, "update addresses set created_at = created_at - ? where canonical = ?", 8 * DAY, first);
		const backup = path.join(folder, "used-again");
		await exportRegistry(registry, backup, silent, secrets);
		await served.runHourly(Date.now());
		const second = await create("Green gate");
		expect(second).not.toBe(first);
		await served.runHourly(Date.now());

		for (const isLost of [false, true]) {
			if (isLost) await loseDatabase(registry);
			const { burnt } = await restoreBackup(registry, backup, options(`saved-used-again-${isLost}`));
			expect([burnt, await resolve(first), await resolve(second)]).toEqual([0, 200, 200]);
			const keys = await query(registry, "select canonical from addresses where idempotency_key is not null");
			expect(keys).toEqual([{ canonical: second }]);
		}
	});

	it("leaves a phone with the account that proved it last, though the journal was not told who lost it", async () => {
		const [before, since] = [await signUp(served.url), await signUp(served.url)];
		const backup = path.join(folder, "phones");
		await exportRegistry(registry, backup, silent, secrets);
		const phone = "+12025550199";
		for (const account of [before, since]) {
			await query(registry, "update users set phone = null where phone = ?", phone);
			await query(registry, "update users set phone = ?, phone_verified = 1 where id = ?", phone, account.id);
			await query(registry, "delete from account_journal_queue where user_id <> ?", account.id);
			await settleJournal(registry, { secrets, report: silent });
		}
		await loseDatabase(registry);
		await restoreBackup(registry, backup, options("saved-phones"));
		const accounts = "select id, phone, phone_verified from users where id in (?, ?) order by id = ?";
		expect(await query(registry, accounts, before.id, since.id, since.id)).toEqual([
			{ id: before.id, phone: null, phone_verified: 0 },
			{ id: since.id, phone, phone_verified: 1 },
		]);
	});
});
