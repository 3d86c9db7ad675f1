/** Looks through a registry for contradictions, and proves that a backup can be restored. */
import path from "node:path";
import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import { bucketIdentity } from "../journal/bucket-identity.ts";
import { ADDRESS_ENTRIES, pagesOfEntries } from "../journal/entries.ts";
import { RecordError, recordedSince } from "../journal/journal-record.ts";
import { hasNewsSince, prunedBefore, verifiedBackup } from "../journal/retention.ts";
import type { SigningSecrets } from "../settings/signing-secrets.ts";
import { DAY, HOUR } from "../time/time.ts";
import { firstStart, readBackups, rowsOf, type ShowProgress } from "./backup.ts";
import {
	databasesOf,
	identityOf,
	isOfOthers,
	labelOf,
	type OneDatabase,
	ownersIn,
	type RegistryStorage,
	selectAmong,
} from "./databases.ts";
import { CLOSED_FORMERLY } from "./make-consistent.ts";
import { makeTables } from "./migrations.ts";
import { restoreBackup } from "./restore.ts";
import { newestEdition, servedIndex } from "./served-index.ts";
import { tablesOf } from "./tables.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { faultsOf } from "./together.ts";
import { unclaimedAddresses } from "./unclaimed.ts";

/** Most faults of a kind that are named one by one. */
const NAMED_MAX = 5;

/** Age in milliseconds from which a backup counts as old, as in the alerts (src/jobs/watch.ts). */
const BACKUP_AGE = 35 * DAY;
/** Time in milliseconds within which what waits for the journal should be written. */
const QUEUE_AGE = 2 * HOUR;

/** Queries that must find no row, each under what it means if it does. Each selects the codes or ids at fault. */
const CONTRADICTIONS: Readonly<Record<string, string>> = {
	"codes are burnt and live at once":
		"select canonical from addresses where canonical in (select canonical from burnt_codes)",
	"last free codes are issued already":
		"select canonical from last_codes where canonical in (select canonical from addresses) or canonical in (select canonical from burnt_codes)",
	"units belong to no address":
		"select distinct canonical from units where canonical not in (select canonical from addresses)",
	"closed accounts have addresses that are not closed":
		"select id from users where erase_at is not null and id not in (select owner_id from closed_owners where closed_at is not null)",
	"open accounts have addresses that are closed": `select id from users where erase_at is null and (id in (select owner_id from closed_owners where closed_at is not null)
			or id in (select owner_id from addresses where ${CLOSED_FORMERLY}))`,
	"erased accounts are there": "select user_id from erased_accounts where user_id in (select id from users)",
	"sessions have no account": "select id from sessions where user_id not in (select id from users)",
	"API keys have no account": "select id from api_keys where user_id not in (select id from users)",
};

/** Selects the codes whose successors this database does not know. */
const UNKNOWN_SUCCESSORS = `select canonical, successor from (select canonical, successor from addresses union all select canonical, successor from burnt_codes)
	where successor is not null and successor not in (select canonical from addresses) and successor not in (select canonical from burnt_codes)`;

/** Selects the codes in a JSON list that a database never issued. */
const NEVER_ISSUED = `select value as canonical from json_each(?)
	where value not in (select canonical from addresses) and value not in (select canonical from burnt_codes)`;

/** Selects the codes in a JSON list of codes with versions of which a database has an older version, or none. */
const AHEAD = `select value ->> 0 from json_each(?) where value ->> 1 > coalesce((select version from addresses where canonical = value ->> 0), 0)
	and value ->> 0 not in (select canonical from burnt_codes)`;

/** Selects the codes in a JSON list that are not burnt. The entry of an address goes with the address, of which a burnt code stays. */
const NOT_BURNT = "select value from json_each(?) where value not in (select canonical from burnt_codes)";

/** The findings about a registry, in sentences: what is right, what an operator should know, and what contradicts itself. */
export interface Findings {
	facts: string[];
	remarks: string[];
	faults: string[];
}

const count = (number: number, what: string) => `${number.toLocaleString("en")} ${what}`;

function named(ids: string[]): string {
	return ids.slice(0, NAMED_MAX).join(", ") + (ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : "");
}

/** Looks through one database. */
async function verifyDatabase(one: OneDatabase, { facts, remarks, faults }: Findings, now: number): Promise<void> {
	const { name, database, accounts } = one;
	const sum = async (table: string) =>
		(await database.prepare(`select count(*) as rows from ${table}`).first<number>("rows")) ?? 0;
	const tables = await tablesOf(database);
	facts.push(
		`${labelOf("database", name)}: ${count(tables.length, "tables")}, ${count(await sum("addresses"), "addresses")}, ${count(await sum("burnt_codes"), "burnt codes")}, ${count(await sum("users"), "accounts")}`,
	);
	const of = database === accounts ? "" : ` in ${name}`;
	for (const [meaning, query] of Object.entries(CONTRADICTIONS)) {
		const results = (await database.prepare(query).raw<[string]>()).map(([id]) => id);
		if (results.length > 0) faults.push(`${results.length} ${meaning}${of}: ${named(results)}.`);
	}
	const unclaimed = await unclaimedAddresses(one);
	if (unclaimed.length > 0)
		remarks.push(`${unclaimed.length} addresses are unclaimed${of}: npm run registry -- waiting lists them.`);
	const feed = await database
		.prepare("select count(*) as rows, max(seq) as head from changes")
		.first<{ rows: number; head: number }>();
	if (!feed?.rows) faults.push(`The feed of changes is empty${of}. Every feed begins with an entry.`);
	else facts.push(`${labelOf("feed of changes", name)}: at ${feed.head}`);
	const queue = await database
		.prepare("select count(*) as queued, min(queued_at) as oldest from journal_queue")
		.first<{ queued: number; oldest: number | null }>();
	const { queued = 0, oldest = null } = queue ?? {};
	facts.push(`${labelOf("queue of the journal", name)}: ${count(queued, "addresses")}`);
	if (oldest !== null && now - oldest > QUEUE_AGE)
		faults.push(
			`The journal lacks changes since ${new Date(oldest).toISOString()}${of}. Check that the hourly job runs.`,
		);
}

/** Checks whether several databases agree: on successors, and on whose addresses are where. */
async function verifyTogether(databases: OneDatabase[], { faults }: Findings): Promise<void> {
	for (const { name, database, accounts, holds } of databases) {
		const links = (await database.prepare(UNKNOWN_SUCCESSORS).raw<[string, string]>()).map(
			([canonical, successor]) => ({ canonical, successor }),
		);
		const known = [...new Set(links.map(({ successor }) => successor))];
		const successors = await selectAmong(databases, known, (code) => code, NEVER_ISSUED);
		const lost = links.filter(({ successor }) => successors.includes(successor)).map(({ canonical }) => canonical);
		if (lost.length > 0) faults.push(`${lost.length} codes lead to successors that were never issued: ${named(lost)}.`);
		if (databases.length === 1) continue;
		const prefixes = await database
			.prepare(
				`select distinct substr(canonical, 1, 6) as prefix from (
					select canonical from addresses where owner_id <> 'usr_nobody' union all select canonical from burnt_codes
				) where canonical not like '${SANDBOX_COUNTRY}%'`,
			)
			.all<{ prefix: string }>();
		const strays = prefixes.results.map(({ prefix }) => prefix).filter((prefix) => !holds(`${prefix}00000`));
		if (strays.length > 0) faults.push(`${name} has codes of zones that lie in other databases: ${named(strays)}.`);
		if (database === accounts) continue;
		const unnoted: string[] = [];
		const unclosed: string[] = [];
		for await (const owners of ownersIn(database)) {
			const { results } = await accounts
				.prepare(
					"select id, erase_at is not null as is_closed, instr(' ' || places || ' ', ?2) > 0 as is_noted from users where id in (select value from json_each(?1))",
				)
				.bind(JSON.stringify(owners), ` ${name} `)
				.all<{ id: string; is_closed: 0 | 1; is_noted: 0 | 1 }>();
			unnoted.push(...results.filter(({ is_noted }) => is_noted === 0).map(({ id }) => id));
			const idsOf = (closed: 0 | 1) =>
				JSON.stringify(results.filter(({ is_closed }) => is_closed === closed).map(({ id }) => id));
			const unlike = await database
				.prepare(
					`select value as id from json_each(?1) where value not in (select owner_id from closed_owners where closed_at is not null)
					union all select value from json_each(?2) where value in (select owner_id from closed_owners where closed_at is not null)
						or value in (select owner_id from addresses where ${CLOSED_FORMERLY})`,
				)
				.bind(idsOf(1), idsOf(0))
				.all<{ id: string }>();
			unclosed.push(...unlike.results.map(({ id }) => id));
		}
		if (unnoted.length > 0)
			faults.push(`${unnoted.length} accounts do not list ${name}, in which they have addresses: ${named(unnoted)}.`);
		if (unclosed.length > 0)
			faults.push(
				`${unclosed.length} accounts have addresses in ${name} that are not closed and opened with them: ${named(unclosed)}.`,
			);
	}
}

/** Looks through some databases, each by itself and all together. */
async function verifyDatabases(databases: OneDatabase[], findings: Findings, now = Date.now()): Promise<void> {
	for (const one of databases) await verifyDatabase(one, findings, now);
	await verifyTogether(databases, findings);
}

/** Compares the journal with the database: nothing in it may be newer, and nothing that its record names may be missing. */
async function verifyJournal(
	databases: [OneDatabase, ...OneDatabase[]],
	secrets: SigningSecrets,
	{ facts, remarks, faults }: Findings,
	now: number,
): Promise<void> {
	const [{ database: accounts, bucket }, ...others] = databases;
	const [own, ofBucket] = [await identityOf(accounts), await bucketIdentity(bucket)];
	for (const one of others)
		if ((await identityOf(one.database)) !== own && (await isOfOthers(one)))
			faults.push(`${one.name} belongs to another registry than DB: none of its owners has an account.`);
	if (ofBucket !== undefined && ofBucket !== own)
		faults.push(`The database belongs to the registry ${own}, but the bucket belongs to ${ofBucket}.`);
	else facts.push(`identity: ${own}${ofBucket ? "" : ", which the next hourly run writes into the bucket"}`);
	for (const one of databases) faults.push(...(await faultsOf(one)));
	const entries = new Map<string, number>();
	const stale: string[] = [];
	for await (const { listed } of pagesOfEntries(bucket, ADDRESS_ENTRIES)) {
		for (const { id, version } of listed) entries.set(id, version);
		const versions = listed.map(({ id, version }) => [id, version] as const);
		stale.push(...(await selectAmong(databases, versions, ([id]) => id, AHEAD)));
	}
	if (stale.length > 0)
		faults.push(
			`The journal is ahead of the database for ${stale.length} codes, as after a loss that was not restored: ${named(stale)}.`,
		);
	const since = await prunedBefore(bucket);
	const reach = since > 0 ? `, none from before ${new Date(since).toISOString()}` : "";
	facts.push(`journal: ${count(entries.size, "entries")}${reach}`);
	const recorded = await recordedSince(bucket, secrets, null, since).catch((error: unknown) => {
		if (!(error instanceof RecordError)) throw error;
		faults.push(`The record of the journal is incomplete: ${error.message}.`);
		return new Map<string, number>();
	});
	const missing = [...recorded].flatMap(([id, version]) =>
		!id.startsWith("usr_") && (entries.get(id) ?? 0) < version ? [id] : [],
	);
	const lost = await selectAmong(databases, missing, (id) => id, NOT_BURNT);
	if (lost.length > 0) faults.push(`The journal lacks ${lost.length} entries that its record names: ${named(lost)}.`);
	facts.push(`record of the journal: ${count(recorded.size, "entries")} named`);
	const backedUpAt = await verifiedBackup(bucket);
	if (backedUpAt === undefined) remarks.push("No backup has been made: npm run registry -- export makes one.");
	else {
		facts.push(`last verified backup: ${new Date(backedUpAt).toISOString()}`);
		if (now - backedUpAt > BACKUP_AGE) faults.push("The last verified backup is older than 35 days.");
	}
}

/** Checks that the zone index can be read and is that of the newest addresses, and how old the snapshot is. */
async function verifyFiles(registry: RegistryStorage, { facts, remarks, faults }: Findings): Promise<void> {
	const { bucket } = registry;
	const served = await servedIndex(bucket);
	const needed = await newestEdition(registry);
	if (!served) remarks.push("The bucket contains no zone index. The copy in the deployment is served.");
	else if (!served.name) faults.push("The zone index in the bucket cannot be read.");
	else if (needed && needed !== served.name)
		remarks.push(
			`The newest address was created under the zone index ${needed}, but the bucket contains ${served.name}.`,
		);
	else facts.push(`zone index: ${served.name}`);
	const snapshot = await (await bucket.get("snapshots/latest.json"))?.json<{ id: string; parts: { name: string }[] }>();
	if (!snapshot) return void remarks.push("No snapshot has been made yet.");
	for (const { name } of snapshot.parts)
		if (!(await bucket.head(`snapshots/${snapshot.id}/${name}`)))
			faults.push(`The snapshot ${snapshot.id} lacks its part ${name}.`);
	facts.push(`snapshot: ${snapshot.id}, ${count(snapshot.parts.length, "parts")}`);
}

/**
 * Looks through a registry: its databases, its journal and the journal's record, its identity, zone index and snapshot. Changes nothing.
 * @param secrets Secrets under which the record of the journal is signed.
 */
export async function verifyRegistry(
	registry: RegistryStorage,
	secrets: SigningSecrets,
	now = Date.now(),
): Promise<Findings> {
	const findings: Findings = { facts: [], remarks: [], faults: [] };
	const databases = databasesOf(registry);
	await verifyDatabases(databases, findings, now);
	await verifyJournal(databases, secrets, findings, now);
	await verifyFiles(registry, findings);
	return findings;
}

/** A bucket that reads from another one, and ignores what is written into it. */
function scratchBucket(bucket: R2Bucket): R2Bucket {
	const ignored = async () => null;
	return new Proxy(bucket, {
		get(target, name) {
			if (name === "put" || name === "delete") return ignored;
			const member: unknown = Reflect.get(target, name);
			return typeof member === "function" ? member.bind(target) : member;
		},
	});
}

/** What a drill has shown. */
interface Drill {
	findings: Findings;
	rows: number;
	/** Codes that would be burnt. */
	burnt: number;
	seconds: number;
}

/**
 * Restores a backup with the journal of a registry into separate databases, as after a loss, and looks through the result. The registry
 * itself is only read.
 * @param scratch Empty local databases, one for each of the registry's.
 */
export async function drillRestore(
	{ bucket }: RegistryStorage,
	scratch: Omit<RegistryStorage, "bucket">,
	folder: string,
	{
		secrets,
		isForeign,
		isIncomplete,
		report,
	}: { secrets: SigningSecrets; isForeign: boolean; isIncomplete: boolean; report: ShowProgress },
): Promise<Drill> {
	const started = Date.now();
	const registry = { ...scratch, bucket: scratchBucket(bucket) };
	const databases = databasesOf(registry);
	for (const { database } of databases) await makeTables(database);
	const restored = await withTemporaryFolder((temporary) => {
		const saveTo = path.join(temporary, "before");
		return restoreBackup(registry, folder, { secrets, saveTo, isReviving: false, isForeign, isIncomplete, report });
	});
	const findings: Findings = { facts: [], remarks: restored.remarks, faults: [] };
	await verifyDatabases(databases, findings);
	const backups = [...(await readBackups(folder)).values()];
	const since = firstStart(backups);
	if (await hasNewsSince(bucket, Date.parse(since))) findings.facts.push(`journal: read since ${since}`);
	return { findings, rows: rowsOf(backups), burnt: restored.burnt, seconds: (Date.now() - started) / 1000 };
}
