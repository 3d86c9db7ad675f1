/**
 * Puts rows of a backup and of the journal into tables that have some of them already, whatever tables there are. Each row gets its final
 * state in one statement, so that an interrupted restore can begin again.
 */
import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import type { ShowProgress } from "./backup.ts";
import { asOwn, CHANGED_MEANWHILE } from "./changed-meanwhile.ts";
import { missingAccounts, type OneDatabase } from "./databases.ts";
import { UNQUEUE } from "./import.ts";
import type { JournalSince } from "./journal-since.ts";
import { batchesOfLines, linesOf } from "./ndjson.ts";
import { columnsOf, isTaken, selectLines, type Table, tablesOf } from "./tables.ts";

/** Columns that are set once and never cleared: a restore does not revive a retired address or a revoked key. */
const SET_ONCE = [
	...["retired_at", "successor", "revoked_at", "consumed_at", "used_at"],
	...["accepted_at", "objected_at", "decision", "decided_at", "answered_at", "text_shown_at"],
];

/**
 * Columns of what holders and operators may do and undo, such as closing or suspending an account: the newer state prevails, wherever it
 * is.
 */
const LATEST = [
	...["erase_at", "closed_with_account", "disabled_at", "role"],
	...["new_addresses_per_day", "unknown_codes_per_minute"],
];

/**
 * Columns that close an address, each with the SQL condition for closed. An address that is private or hidden in the backup or in the
 * database stays so.
 */
const CLOSING: Readonly<Record<string, string>> = { visibility: "= 'private'", hidden_at: "is not null" };

/** The column that counts how often all links to an address were ended. No ended link works again. */
const ENDED_LINKS = "share_count";

/** Tables that are derived from the others, and filled again when they are needed. */
const DERIVED = ["last_codes"];

/**
 * Tables of who is signed in, which stay as they were last: a session that has ended since, perhaps on a stolen phone, does not come back.
 */
const AS_LAST = ["refresh_tokens", "sessions"];

/**
 * Tables whose newer rows are put back after going back to a moment: addresses, accounts, their keys, what belongs to them, and what
 * operators did.
 */
const PUT_BACK = [
	...AS_LAST,
	"addresses",
	"address_changes",
	"allowances",
	"api_keys",
	"attestations",
	"burnt_codes",
	"closed_owners",
	"erased_accounts",
	"failed_logins",
	"failed_sign_ins",
	"operator_acts",
	"overflow_zones",
	"pending_phones",
	"phone_proofs",
	"private_reads",
	"reports",
	"units",
	"users",
];

/** The tables that come first because others depend on them: what must not come back, then who may own an address. */
const FIRST = ["burnt_codes", "erased_accounts", "users"];

/** How rows are put into a database that has some of them. */
export interface Merging extends Pick<OneDatabase, "database" | "accounts"> {
	/** Whether what was retired or revoked since is revived too. */
	isReviving: boolean;
	/** Whether the database was rolled back by other means before, so that what it says is no news to the backup and the journal. */
	isBehind?: boolean;
	/**
	 * Where the rows come from, which prevail over those that are there: the backup, the journal, or the journal where its version is newer
	 * than that of the row that is there. Rows of the journal are put in whole; those whose account is missing become private. Over rows of
	 * the state that was saved before the database went back in time, those that are there prevail.
	 */
	source: "backup" | "journal" | "newer journal" | "saved state";
	/** Receives what was done. */
	restored: Restored;
}

/** What a restore has done. */
export interface Restored {
	/** Rows that were written, by table, without those that triggers wrote. */
	rows: Record<string, number>;
	/** What could not be put back as it was, a sentence for each. */
	remarks: string[];
	/** Codes of addresses that were in another state, and are again as the backup or the journal has them. */
	reverted: string[];
	/** How many codes are never issued again, because they were issued since and nobody knows for which place. */
	burnt: number;
}

const isOfJournal = (source: Merging["source"]) => source === "journal" || source === "newer journal";

/** The SQL of what an insert does if the row exists already: nothing, unless a column of it changes. Any other clash is an error. */
function onConflict(
	{ name, primaryKey, isAppendOnly }: Table,
	columns: string[],
	{ isReviving, isBehind = false, source }: Merging,
): string {
	const target = `on conflict (${primaryKey.map((column) => `"${column}"`).join(", ")})`;
	// Closings are made to agree with the accounts in the end (make-consistent.ts).
	if (isAppendOnly || name === "closed_owners") return `${target} do nothing`;
	const isPrevailing = source !== "saved state";
	// Of a database that was rolled back nothing is the latest state, but a suspension there stays.
	const latest = isBehind ? [] : LATEST;
	const setOnce = isReviving ? [] : isBehind ? [...SET_ONCE, "disabled_at"] : SET_ONCE;
	const ofBackup = (column: string) => isReviving || !latest.includes(column);
	const ofDatabase = (column: string) =>
		column in CLOSING ||
		column === ENDED_LINKS ||
		(!isReviving && (latest.includes(column) || setOnce.includes(column)));
	const changing = columns
		.filter((column) => !primaryKey.includes(column) && column !== "version")
		.filter(isPrevailing ? ofBackup : ofDatabase);
	if (changing.length === 0) return `${target} do nothing`;
	const isIncomingNewer = source === "saved state" || source === "newer journal";
	// What waits in a database that was rolled back is of another history than the journal: its version says nothing.
	const isUnwritten = isBehind ? `"${name}"."canonical" in (select canonical from journal_queue)` : "false";
	const written = (column: string) => {
		const [own, incoming] = [`"${name}"."${column}"`, `excluded."${column}"`];
		if (column === ENDED_LINKS) return `max(${own}, ${incoming})`;
		if (column in CLOSING) {
			// The journal may be newer than the row, and the row may have changes that the journal does not have.
			const isNews = isOfJournal(source) ? `("${name}".version > excluded.version or ${isUnwritten})` : "true";
			const isClosed = CLOSING[column];
			return `case when ${incoming} ${isClosed} then ${incoming} when ${own} ${isClosed} and ${isNews} then ${own}
				else ${isPrevailing ? incoming : own} end`;
		}
		if (!setOnce.includes(column)) return incoming;
		const once = `coalesce(${own}, ${incoming})`;
		// What was retired with its account comes back with it.
		if (!isIncomingNewer || !columns.includes("closed_with_account")) return once;
		return `case when "${name}".closed_with_account then ${incoming} else ${once} end`;
	};
	const settings = changing.map((column) => `"${column}" = ${written(column)}`);
	// ETags are made from the version, so a version must never stand for two states.
	if (columns.includes("version")) settings.push(`version = max("${name}".version, excluded.version) + 1`);
	const isChanged = changing.map((column) => `"${name}"."${column}" is not ${written(column)}`);
	const isOlder = source === "newer journal" ? ` and ("${name}".version < excluded.version or ${isUnwritten})` : "";
	return `${target} do update set ${settings.join(", ")} where (${isChanged.join(" or ")})${isOlder}`;
}

/**
 * Takes from other addresses what only one may have, and a row that is put in has too, as the registry itself would have decided: the
 * newer address keeps an Idempotency-Key, because the hourly job forgets it for the older. The older one keeps an external id, because it
 * would have been the answer to the request for the newer.
 */
function takeOver({ database, source }: Merging, text: string): D1PreparedStatement[] {
	const of = (column: string) => `line.value ->> '${column}'`;
	const isThere = `exists (select 1 from addresses as own where own.canonical = ${of("canonical")}`;
	const isPut: Record<Merging["source"], string> = {
		backup: "true",
		journal: "true",
		"newer journal": `not ${isThere} and own.version >= ${of("version")})`,
		"saved state": `not ${isThere})`,
	};
	const others = `from json_each(?) as line where addresses.owner_id = ${of("owner_id")} and addresses.canonical <> ${of("canonical")}
		and addresses.canonical < '${SANDBOX_COUNTRY}' and addresses.canonical not in ${CHANGED_MEANWHILE} and ${isPut[source]}`;
	return [
		`update addresses set idempotency_key = null, request_hash = null ${others}
			and addresses.idempotency_key = ${of("idempotency_key")} and addresses.created_at < ${of("created_at")}`,
		`update addresses set external_id = null, version = version + 1 ${others}
			and addresses.external_id = ${of("external_id")} and addresses.created_at > ${of("created_at")} returning canonical`,
	].map((statement) => database.prepare(statement).bind(text));
}

/**
 * Rows of addresses from the journal, in which those whose account no longer exists are private: seen by nobody, they wait for an operator
 * to hand them to their holders.
 */
async function hiddenWithoutOwner(accounts: D1Database, lines: string[]): Promise<string[]> {
	const rows = lines.map((line) => JSON.parse(line) as { owner_id: string; visibility?: string });
	const missing = await missingAccounts(
		accounts,
		rows.map((row) => row.owner_id),
	);
	return rows.map((row, index) =>
		missing.has(row.owner_id) ? JSON.stringify({ ...row, visibility: "private" }) : lines[index]!,
	);
}

/**
 * Replaces the units of addresses by those that the journal has, unless the addresses' rows are newer. It runs in the transaction that
 * puts the rows in, before them.
 */
function replaceUnits({ database, source, isBehind = false }: Merging, text: string): D1PreparedStatement[] {
	const isWanted =
		source === "newer journal"
			? `not exists (select 1 from addresses where canonical = line.value ->> 'canonical' and version > line.value ->> 'version'
				${isBehind ? "and canonical not in (select canonical from journal_queue)" : ""})`
			: `line.value ->> 'canonical' not in ${CHANGED_MEANWHILE}`;
	const lines = `from json_each(?) as line where line.value ->> 'units' is not null and ${isWanted}`;
	return [
		`delete from units where canonical in (select line.value ->> 'canonical' ${lines})`,
		`insert into units (canonical, unit, label, created_at, name)
			select canonical, named.value ->> 'unit', named.value ->> 'label', named.value ->> 'created_at', coalesce(named.value ->> 'name', '')
			from (select line.value ->> 'canonical' as canonical, line.value ->> 'units' as units ${lines}) as written, json_each(written.units) as named
			where canonical not in (select canonical from burnt_codes)`,
	].map((statement) => database.prepare(statement).bind(text));
}

/**
 * The columns of a line that the table has; rows of the journal may be older than the newest migration. SQLite's own row number is left
 * out, because a database that was lost and made anew gives it to other rows.
 */
function knownColumns(table: Table, line: string): string[] {
	return columnsOf(line).filter((column) => table.columns.includes(column) && column !== table.rowNumber);
}

/**
 * Puts in rows, after other statements in the same transaction.
 * @returns How many rows were written, and what the other statements answered.
 */
type PutRows = (rows: string[], before?: D1PreparedStatement[]) => Promise<{ count: number; before: D1Result[] }>;

/** Puts rows into a table. */
export async function mergeTable(merging: Merging, table: Table, lines: AsyncIterable<string>): Promise<void> {
	const { database, source, restored } = merging;
	restored.rows[table.name] ??= 0;
	const putTogether = async (some: string[]) => {
		const columns = knownColumns(table, some[0]!);
		const names = columns.map((column) => `"${column}"`).join(", ");
		const conditions = [selectLines(columns)];
		// What was erased stays erased, even if the backup has it.
		if (columns.includes("canonical") && table.name !== "burnt_codes")
			conditions.push("json_extract(value, '$.canonical') not in (select canonical from burnt_codes)");
		if (table.name === "users")
			conditions.push("json_extract(value, '$.id') not in (select user_id from erased_accounts)");
		if (source === "saved state" && !PUT_BACK.includes(table.name)) {
			const same = table.primaryKey.map((column) => `"${column}" = json_extract(value, '$."${column}"')`);
			conditions.push(`exists (select 1 from "${table.name}" where ${same.join(" and ")})`);
		}
		// What holders changed while the restore ran stays as it was confirmed to them.
		const changed = ["users", "api_keys"].includes(table.name) ? "id" : "canonical";
		if (columns.includes(changed)) conditions.push(`json_extract(value, '$.${changed}') not in ${CHANGED_MEANWHILE}`);
		if (table.rowNumber) {
			const same = columns.map((column) => `"${column}" is json_extract(value, '$."${column}"')`).join(" and ");
			conditions.push(`not exists (select 1 from "${table.name}" where ${same})`);
		}
		const otherwise = table.rowNumber ? "" : onConflict(table, columns, merging);
		const statement = database.prepare(
			`insert into "${table.name}" (${names}) ${conditions.join(" and ")} ${otherwise} returning ${table.name === "addresses" ? "canonical, version" : "1"}`,
		);
		const put: PutRows = async (rows, before = []) => {
			const text = `[${rows.join(",")}]`;
			const queued = table.name === "addresses" ? [database.prepare(UNQUEUE).bind(text)] : [];
			const units = isOfJournal(source) ? replaceUnits(merging, text) : [];
			const done = await database.batch(asOwn(database, [...before, ...units, statement.bind(text), ...queued]));
			const taken = done[before.length + units.length + 1]!.results as { canonical: string; version: number }[];
			restored.rows[table.name]! += taken.length;
			const answer = { count: taken.length, before: done.slice(1, before.length + 1) };
			if (table.name !== "addresses" || source === "saved state") return answer;
			// A row that was there is given a version of its own.
			const versions = new Map(
				rows.map((line) => JSON.parse(line)).map(({ canonical, version }) => [canonical, version]),
			);
			for (const { canonical, version } of taken)
				if (version > (versions.get(canonical) ?? version)) restored.reverted.push(canonical);
			return answer;
		};
		try {
			await put(some);
		} catch (error) {
			if (!isTaken(error)) throw error;
			for (const line of some) await putAlone(merging, table, line, put);
		}
	};
	for await (const batch of batchesOfLines(lines)) {
		const rows = isOfJournal(source) ? await hiddenWithoutOwner(merging.accounts, batch) : batch;
		for (const alike of Map.groupBy(rows, (line) => knownColumns(table, line).join()).values())
			await putTogether(alike);
	}
}

/**
 * Puts in one row. What only one row may have, such as a phone number, is left out if another row has it by now. No address is left out:
 * its code would be free again.
 */
async function putAlone(merging: Merging, table: Table, line: string, put: PutRows): Promise<void> {
	const { database, restored } = merging;
	const { name, primaryKey, claims } = table;
	const row = JSON.parse(line) as Record<string, unknown>;
	const key = primaryKey.map((column) => row[column]).join(" ");
	const isAddress = name === "addresses";
	/** @returns Whether the row is there, or need not be. */
	const tryWithout = async (columns: string[]): Promise<boolean> => {
		const given: Record<string, unknown> = { ...row };
		for (const column of columns) given[column] = null;
		if (columns.includes("idempotency_key")) given.request_hash = null;
		// Its owner sees an external id, so a version must not stand for both.
		if (columns.includes("external_id")) given.version = Number(row.version) + 1;
		const text = JSON.stringify(given);
		try {
			const { count, before } = await put([text], isAddress ? takeOver(merging, `[${text}]`) : []);
			if (count > 0 && columns.length > 0)
				restored.remarks.push(
					`${name} ${key} came back without ${columns.join(" and ")}, which another row has by now.`,
				);
			for (const { canonical } of (before[1]?.results ?? []) as { canonical: string }[])
				restored.remarks.push(`${name} ${canonical} lost its external_id to ${key}, which had it before.`);
			return true;
		} catch (error) {
			if (!isTaken(error)) throw error;
			return false;
		}
	};
	for (const columns of [[], ...claims, claims.flat()]) if (await tryWithout(columns)) return;
	// The numbers that a full zone has opened are numbered in turn. Another one may have the turn of this one by now.
	if (name === "overflow_zones") {
		const ordinal = "1 + coalesce((select max(ordinal) from overflow_zones where country = ? and area = ?), 0) as next";
		const next = database.prepare(`select ${ordinal}`).bind(row.country, row.area);
		row.ordinal = await next.first<number>("next");
		if (await tryWithout([])) return;
	}
	const burning = database.prepare(
		"insert into burnt_codes (canonical) select ?1 where ?1 not in (select canonical from addresses) on conflict do nothing",
	);
	if (isAddress) restored.burnt += (await burning.bind(key).run()).meta.changes;
	restored.remarks.push(`${name} ${key} was left out, because another row has taken its place.`);
}

/** Puts lines into a table. */
export type Putting = (table: Table, lines: AsyncIterable<string>) => Promise<void>;

/**
 * Puts the rows of a backup into a registry, whatever it holds.
 * @param linesOfTable The rows of a table, a line of JSON each.
 * @param instead By a table's name, a function that puts in its rows instead.
 */
export async function mergeBackup(
	merging: Merging,
	linesOfTable: (name: string) => AsyncIterable<string>,
	report: ShowProgress,
	instead: Readonly<Record<string, Putting>>,
): Promise<void> {
	const { rows } = merging.restored;
	const known = await tablesOf(merging.database);
	const left = merging.source === "backup" ? [...DERIVED, ...AS_LAST] : DERIVED;
	const tables = known.filter(({ name }) => !left.includes(name));
	const rank = ({ name }: Table) => FIRST.indexOf(name) + 1 || FIRST.length + 1;
	tables.sort((a, b) => rank(a) - rank(b));
	for (const table of tables) {
		const { name } = table;
		// A table that had been dropped is not in what was saved, but the journal may still have its addresses.
		const lines = linesOfTable(name);
		if (AS_LAST.includes(name)) await merging.database.prepare(`delete from ${name}`).run();
		const before = rows[name] ?? 0;
		await (instead[name]?.(table, lines) ?? mergeTable(merging, table, lines));
		report(`${name}: ${(rows[name] ?? 0) - before} rows put back`);
	}
}

/** Those lines whose codes are wanted. */
export async function* linesAmong(
	lines: AsyncIterable<string>,
	isWanted: (canonical: string) => boolean,
): AsyncGenerator<string> {
	for await (const line of lines) if (isWanted((JSON.parse(line) as { canonical: string }).canonical)) yield line;
}

/**
 * Restores addresses and their units as the backup has them or, if the journal has a newer version, as they were last. Each address takes
 * one transaction, so that a killed restore can begin again.
 */
export function mergeAddresses(merging: Merging, journal: JournalSince): { addresses: Putting; units: Putting } {
	const inBackup = new Set<string>();
	const newer = new Set<string>();
	const addresses: Putting = async (table, lines) => {
		async function* ofBackup(): AsyncGenerator<string> {
			for await (const line of lines) {
				const row = JSON.parse(line) as { canonical: string; version: number };
				const { canonical, version } = row;
				if (journal.versions.has(canonical)) inBackup.add(canonical);
				// An entry of the same version counts too: it has the units, which the backup may have read earlier.
				if (!merging.isReviving && (journal.versions.get(canonical) ?? -1) >= version) newer.add(canonical);
				else if ((journal.unreadable.get(canonical) ?? 0) > version) {
					// It may be private by now.
					yield table.columns.includes("visibility") ? JSON.stringify({ ...row, visibility: "private" }) : line;
				} else {
					// The backup has what the unreadable entry held, or something newer.
					journal.unreadable.delete(canonical);
					yield line;
				}
			}
		}
		await mergeTable(merging, table, ofBackup());
		const asLast = linesAmong(linesOf(journal.file), (code) => newer.has(code));
		await mergeTable({ ...merging, source: "journal" }, table, asLast);
		const since = linesAmong(linesOf(journal.file), (code) => !inBackup.has(code));
		await mergeTable({ ...merging, source: "newer journal" }, table, since);
	};
	const asBefore = (lines: AsyncIterable<string>) => linesAmong(lines, (code) => !newer.has(code));
	return { addresses, units: (table, lines) => mergeTable(merging, table, asBefore(lines)) };
}
