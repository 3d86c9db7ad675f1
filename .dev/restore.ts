/**
 * Bringing a registry back to an earlier moment without ever giving a code to a second place. Rows of the backup come back, addresses
 * created since stay, and codes that were issued since and are known by nothing but the record of issued codes are burnt.
 */
import { issuedSince } from "../src/addresses/issued-codes.ts";
import { FIRST_READ_BYTES, readDirectory } from "../src/zones/format.ts";
import { ZONE_INDEX_KEY } from "../src/zones/r2-source.ts";
import { exportRegistry, type Registry, type Report, readBackup, requireMigrations, tableFile } from "./backup.ts";
import { batchesOf, linesOf } from "./ndjson.ts";
import { columnsOf, selectLines, type Table, tablesOf } from "./tables.ts";

/** What is set once and holds from then on: a restore does not bring a retired address or a revoked key back to life. */
const SET_ONCE = ["retired_at", "successor", "revoked_at", "consumed_at", "used_at"];

/** What a holder may do and undo, such as closing an account: the newer state prevails, wherever it is. */
const LATEST = ["erase_at", "closed_with_account"];

/** Tables that follow from the others, and are made again when they are needed. */
const DERIVED = ["last_codes"];

/** Addresses and what belongs to them: those that are newer than the moment that a registry goes back to are put back. */
const PUT_BACK = [
	"addresses",
	"address_changes",
	"attestations",
	"burnt_codes",
	"erased_accounts",
	"overflow_zones",
	"phone_proofs",
	"users",
];

/** What says that something must not come back, and is therefore put back before anything else. */
const GONE_FOR_GOOD = ["burnt_codes", "erased_accounts"];

/** How rows of a backup are put into a database that has some of them. */
interface Merging {
	/** Which row prevails where both have one. */
	prevailing: "backup" | "database";
	/** Whether what was retired or revoked since comes back to life too. */
	isReviving: boolean;
}

/** What a restore did. */
export interface Restored {
	/** Rows that the database took, by table. */
	rows: Record<string, number>;
	/** What could not be put back as it was, a sentence for each. */
	remarks: string[];
	/** Codes that are never issued again, because they were issued since and nobody knows where. */
	burnt: number;
}

/** How many codes are burnt in one statement. */
const BURNT_AT_ONCE = 5_000;

/** Records of issued codes are read from this long before the backup, for clocks that differ and answers that took long. */
const OVERLAP_MILLISECONDS = 24 * 60 * 60 * 1000;

/** What an insert does where the row is there already: nothing, unless a column of it changes. */
function onConflict(
	{ name, primaryKey, isAppendOnly }: Table,
	columns: string[],
	{ prevailing, isReviving }: Merging,
): string {
	if (isAppendOnly) return "on conflict do nothing";
	const setOnce = isReviving ? [] : SET_ONCE;
	const ofBackup = (column: string) => isReviving || !LATEST.includes(column);
	const ofDatabase = (column: string) => !isReviving && (LATEST.includes(column) || SET_ONCE.includes(column));
	const changing = columns
		.filter((column) => !primaryKey.includes(column) && column !== "version")
		.filter(prevailing === "backup" ? ofBackup : ofDatabase);
	if (changing.length === 0) return "on conflict do nothing";
	const kept = (column: string) =>
		setOnce.includes(column) ? `coalesce("${name}"."${column}", excluded."${column}")` : `excluded."${column}"`;
	const settings = changing.map((column) => `"${column}" = ${kept(column)}`);
	// An ETag is made of the version, so it must never stand for two states.
	if (columns.includes("version")) settings.push(`version = max("${name}".version, excluded.version) + 1`);
	const target = primaryKey.map((column) => `"${column}"`).join(", ");
	const isChanged = changing.map((column) => `"${name}"."${column}" is not ${kept(column)}`);
	return `on conflict (${target}) do update set ${settings.join(", ")} where ${isChanged.join(" or ")}`;
}

/** The columns of a unique index that a row ran into; undefined when it failed for another reason. */
function violatedColumns(error: unknown): string[] | undefined {
	const [, columns] = /UNIQUE constraint failed: ([\w., ]+)/.exec(String(error)) ?? [];
	return columns?.split(/, /).map((column) => column.trim().replace(/^.*\./, ""));
}

/** Puts rows of a backup into a table. */
async function mergeTable(
	database: D1Database,
	table: Table,
	file: string,
	merging: Merging,
	restored: Restored,
): Promise<void> {
	restored.rows[table.name] = 0;
	for await (const lines of batchesOf(linesOf(file))) {
		const columns = columnsOf(lines[0]!);
		const names = columns.map((column) => `"${column}"`).join(", ");
		const conditions = [selectLines(columns)];
		// What was erased stays erased, whatever the backup has of it.
		if (columns.includes("canonical") && table.name !== "burnt_codes")
			conditions.push("json_extract(value, '$.canonical') not in (select canonical from burnt_codes)");
		if (table.name === "users")
			conditions.push("json_extract(value, '$.id') not in (select user_id from erased_accounts)");
		if (merging.prevailing === "database" && !PUT_BACK.includes(table.name)) {
			const same = table.primaryKey.map((column) => `"${column}" = json_extract(value, '$."${column}"')`);
			conditions.push(`exists (select 1 from "${table.name}" where ${same.join(" and ")})`);
		}
		const statement = database.prepare(
			`insert into "${table.name}" (${names}) ${conditions.join(" and ")} ${onConflict(table, columns, merging)}`,
		);
		const put = async (some: string[]) => {
			const { meta } = await statement.bind(`[${some.join(",")}]`).run();
			restored.rows[table.name]! += meta.changes;
		};
		try {
			await put(lines);
		} catch (error) {
			if (!violatedColumns(error)) throw error;
			for (const line of lines) await putAlone(table, line, put, restored);
		}
	}
}

/** Puts one row. What is unique and belongs to another row by now, such as a phone, is left out of it. */
async function putAlone(
	table: Table,
	line: string,
	put: (lines: string[]) => Promise<void>,
	restored: Restored,
): Promise<void> {
	try {
		await put([line]);
	} catch (error) {
		const taken = violatedColumns(error)?.filter((column) => table.nullable.includes(column));
		if (!taken) throw error;
		const row = JSON.parse(line) as Record<string, unknown>;
		const key = table.primaryKey.map((column) => row[column]).join(" ");
		if (taken.length === 0) {
			restored.remarks.push(`${table.name} ${key} was left out, because another row has taken its place.`);
			return;
		}
		for (const column of taken) row[column] = null;
		await put([JSON.stringify(row)]);
		restored.remarks.push(
			`${table.name} ${key} came back without ${taken.join(" and ")}, which another row has by now.`,
		);
	}
}

/** Puts the rows of a backup into a registry, whatever it holds. */
async function merge(
	database: D1Database,
	folder: string,
	merging: Merging,
	restored: Restored,
	report: Report,
): Promise<void> {
	const manifest = await readBackup(folder);
	const tables = (await tablesOf(database)).filter(({ name }) => manifest.tables[name] && !DERIVED.includes(name));
	tables.sort((a, b) => Number(GONE_FOR_GOOD.includes(b.name)) - Number(GONE_FOR_GOOD.includes(a.name)));
	for (const table of tables) {
		await mergeTable(database, table, tableFile(folder, table.name), merging, restored);
		report(`${table.name}: ${restored.rows[table.name]} rows put back`);
	}
}

/** Erases again what came back of accounts that have been erased, in the order that the database's own rules allow. */
async function eraseAgain({ database }: Registry): Promise<void> {
	const erased = "in (select user_id from erased_accounts)";
	await database.batch([
		database.prepare(`delete from users where id ${erased}`),
		database.prepare(
			`delete from refresh_tokens where session_id in (select id from sessions where user_id ${erased})`,
		),
		...["sessions", "api_keys", "otp_codes", "phone_proofs"].map((table) =>
			database.prepare(`delete from ${table} where user_id ${erased}`),
		),
	]);
}

/** Burns every code that the record says was issued since, and that no row has. */
async function burnUnknown(
	{ database, bucket }: Registry,
	since: number,
	restored: Restored,
	report: Report,
): Promise<void> {
	const burn = async (codes: string[]) => {
		const { meta } = await database
			.prepare(
				`insert into burnt_codes (canonical) select value from json_each(?)
				where value not in (select canonical from addresses) on conflict do nothing`,
			)
			.bind(JSON.stringify(codes))
			.run();
		restored.burnt += meta.changes;
	};
	const codes: string[] = [];
	for await (const code of issuedSince(bucket, since)) {
		codes.push(code);
		if (codes.length === BURNT_AT_ONCE) await burn(codes.splice(0));
	}
	await burn(codes);
	report(`burnt_codes: ${restored.burnt} codes that were issued since and are not known`);
	// What was erased since stands again after Time Travel. It goes, in the order that the database's own rules allow.
	for (const table of ["address_changes", "attestations", "addresses"]) {
		await database.prepare(`delete from ${table} where canonical in (select canonical from burnt_codes)`).run();
	}
	await keepOverflowNumbers({ database, bucket }, report);
	// Last codes may have been issued since. They are written down again when a zone needs them.
	await database.prepare("delete from last_codes").run();
}

/**
 * Keeps zone numbers that were opened since and are known by their burnt codes alone: no other area may get one. Which area had it is not
 * known, so the number stands for itself.
 */
async function keepOverflowNumbers({ database, bucket }: Registry, report: Report): Promise<void> {
	const { meta } = await database
		.prepare(
			`insert into overflow_zones (country, zone, area, ordinal, created_at)
			select distinct country, zone, zone, 0, 0
			from (select substr(canonical, 1, 2) as country, cast(substr(canonical, 3, 4) as integer) as zone from burnt_codes)
			where zone >= coalesce((select value from json_each(?) where key = country), 0)
			on conflict do nothing`,
		)
		.bind(JSON.stringify(await publishedNumbers(bucket)))
		.run();
	if (meta.changes > 0) report(`overflow_zones: ${meta.changes} numbers kept whose areas are not known`);
}

/** How many zone numbers the index publishes, by country. */
async function publishedNumbers(bucket: R2Bucket): Promise<Record<string, number>> {
	const object = await bucket.get(ZONE_INDEX_KEY, { range: { offset: 0, length: FIRST_READ_BYTES } });
	if (!object) return {};
	const { countries, zoneCounts } = readDirectory(new Uint8Array(await object.arrayBuffer()));
	return Object.fromEntries(countries.map((country, place) => [country, zoneCounts[place]!]));
}

export interface RestoreOptions {
	/** A new folder for what is there, which is saved first. */
	saveTo: string;
	/** Whether what was retired or revoked since comes back to life too. What was erased stays erased. */
	isReviving: boolean;
	report: Report;
}

/**
 * Brings a registry back to a backup. Rows of the backup come back as they were, and rows that are newer stay.
 * @throws Error when the backup is damaged or the registry lacks a migration, before anything is changed.
 */
export async function restoreBackup(registry: Registry, folder: string, options: RestoreOptions): Promise<Restored> {
	const { saveTo, isReviving, report } = options;
	const manifest = await readBackup(folder);
	await requireMigrations(registry.database, manifest);
	await exportRegistry(registry, saveTo, report);
	const restored: Restored = { rows: {}, remarks: [], burnt: 0 };
	await merge(registry.database, folder, { prevailing: "backup", isReviving }, restored, report);
	await eraseAgain(registry);
	await burnUnknown(registry, Date.parse(manifest.startedAt) - OVERLAP_MILLISECONDS, restored, report);
	return restored;
}

/**
 * Takes a registry back in time by other means, such as D1's Time Travel, and then puts back the addresses that are newer, with what
 * belongs to them.
 * @param moment What it goes back to, in milliseconds since the epoch.
 * @param rewind Takes the database back.
 */
export async function rewindRegistry(
	registry: Registry,
	moment: number,
	rewind: () => Promise<void>,
	{ saveTo, isReviving, report }: RestoreOptions,
): Promise<Restored> {
	await exportRegistry(registry, saveTo, report);
	await rewind();
	const restored: Restored = { rows: {}, remarks: [], burnt: 0 };
	await merge(registry.database, saveTo, { prevailing: "database", isReviving }, restored, report);
	await eraseAgain(registry);
	await burnUnknown(registry, moment - OVERLAP_MILLISECONDS, restored, report);
	return restored;
}
