/**
 * Measures how many bytes an address takes in the database, by table and index: `npx node test/bench/row-bytes.ts 1000000`. Rows come as they are
 * minted: in a random order of codes, two to an account, half of them under an Idempotency-Key. D1 is SQLite, whose `dbstat` counts whole pages.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { codeOfUnit, UNITS_PER_ZONE } from "../../src/codes/code.ts";
import { seededRandom } from "../support/random.ts";

const rows = Number(process.argv[2] ?? 1_000_000);
const root = path.join(import.meta.dirname, "../..");
const folder = mkdtempSync(path.join(tmpdir(), "row-bytes-"));
const database = new DatabaseSync(path.join(folder, "registry.sqlite"));

/** Labels as people write them: a third have none. */
const LABELS = [
	"",
	"Blue gate, behind the mosque",
	"Mama Titi's shop, second floor",
	"14 Adeola Close, by the old water tank",
	"",
	"Home",
];
const ZONE_NAMES = ["Surulere north", "Ikeja GRA", "Kano Municipal", "Port Harcourt south-east 2", "Gwarinpa"];

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

try {
	database.exec("pragma synchronous = off; pragma journal_mode = off");
	for (const name of readdirSync(path.join(root, "migrations"))
		.filter((name) => name.endsWith(".sql"))
		.sort()) {
		database.exec(readFileSync(path.join(root, "migrations", name), "utf8"));
	}
	const triggers = database.prepare("select name from sqlite_master where type = 'trigger'").all();
	for (const { name } of triggers) database.exec(`drop trigger "${name}"`);

	const random = seededRandom(1);
	const text = (length: number) =>
		Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join("");
	const pick = <Value>(values: Value[]) => values[Math.floor(random() * values.length)]!;
	const given: Record<string, () => string | number | null> = {
		zone_name: () => pick(ZONE_NAMES),
		edition: () => "2-387a6ea5",
		lat: () => 4 + Math.floor(random() * 9e7) / 1e7,
		lng: () => 3 + Math.floor(random() * 11e7) / 1e7,
		label: () => pick(LABELS),
		idempotency_key: () => (random() < 0.5 ? text(32) : null),
		request_hash: () => null,
	};
	const columns = database.prepare("select name, dflt_value from pragma_table_info('addresses')").all() as {
		name: string;
		dflt_value: string | null;
	}[];
	const filled = columns.filter(
		({ name, dflt_value }) =>
			name in given || ["canonical", "owner_id", "created_at"].includes(name) || dflt_value === null,
	);
	const insert = database.prepare(
		`insert into addresses (${filled.map(({ name }) => name).join(", ")}) values (${filled.map(() => "?").join(", ")}) on conflict do nothing`,
	);
	let owner = "";
	database.exec("begin");
	for (let row = 0; row < rows; row += 1) {
		if (row % 2 === 0) owner = `usr_${text(22)}`;
		const zone = String(Math.floor(random() * Math.max(1, rows / 4_000))).padStart(4, "0");
		const canonical = codeOfUnit("NG", zone, Math.floor(random() * UNITS_PER_ZONE));
		if (!canonical) continue;
		const key = given.idempotency_key!();
		const values: Record<string, string | number | null> = {
			canonical,
			owner_id: owner,
			created_at: 1_790_000_000_000 + row * 40,
			idempotency_key: key,
			request_hash: key === null ? null : text(32),
		};
		insert.run(...filled.map(({ name }) => (name in values ? values[name]! : (given[name]?.() ?? null))));
	}
	database.exec("commit");

	const accounts = Math.ceil(rows / 2);
	const account = [
		database.prepare("insert into users (id, phone, password_hash, created_at) values (?, ?, ?, ?)"),
		database.prepare(
			"insert into sessions (id, user_id, created_at, expires_at, device) values (?, ?, ?, ?, 'Chrome on Android')",
		),
		database.prepare("insert into refresh_tokens (hash, session_id, expires_at) values (?, ?, ?)"),
		database.prepare("insert into known_networks (key, signed_in_at) values (?, ?)"),
	] as const;
	database.exec("begin");
	for (let row = 0; row < accounts; row += 1) {
		const [id, session, now] = [`usr_${text(22)}`, `ses_${text(22)}`, 1_790_000_000_000 + row * 80];
		account[0].run(id, `+234${String(8_000_000_000 + row)}`, `$scrypt$ln=14,r=8,p=5$${text(22)}$${text(43)}`, now);
		account[1].run(session, id, now, now);
		for (let token = 0; token < 2; token += 1) account[2].run(text(64), session, now);
		account[3].run(text(64), now);
	}
	database.exec("commit");

	/** Bytes of some tables with their indexes, for each of `count`. */
	const measure = (what: string, tables: string[], count: number) => {
		const list = JSON.stringify(tables);
		const parts = database
			.prepare(
				`select dbstat.name, sum(pgsize) as bytes from dbstat join sqlite_master as part on part.name = dbstat.name
				where part.tbl_name in (select value from json_each(?)) group by dbstat.name order by bytes desc`,
			)
			.all(list) as { name: string; bytes: number }[];
		console.log(`${count.toLocaleString("en")} ${what}`);
		for (const { name, bytes } of parts) console.log(`${(bytes / count).toFixed(1).padStart(7)} bytes  ${name}`);
		const all = parts.reduce((sum, { bytes }) => sum + bytes, 0) / count;
		console.log(`${all.toFixed(1).padStart(7)} bytes  in all\n`);
	};
	const { count } = database.prepare("select count(*) as count from addresses").get() as { count: number };
	measure("addresses", ["addresses"], count);
	measure("accounts, signed in once", ["users", "sessions", "refresh_tokens", "known_networks"], accounts);
} finally {
	database.close();
	rmSync(folder, { recursive: true });
}
