/** Whether the databases of a registry and its bucket belong together in time, for the commands that would make it worse if not. */
import { wrapDatabase } from "../db/open.ts";
import { beginTogether, type Incident, readCheckpoints } from "../journal/checkpoint.ts";
import { labelOf, type OneDatabase } from "./databases.ts";

type CheckedDatabase = Pick<OneDatabase, "name" | "database" | "bucket">;

/** A database as the checkpoints name it. */
const named = ({ name, database }: CheckedDatabase) => ({ ...wrapDatabase(database), name });

/** Whether a database has the columns of checkpoints. One that went back to before version 1.4.0 lacks them. */
async function hasCheckpoints({ database }: CheckedDatabase): Promise<boolean> {
	const column = "select 1 from pragma_table_info('registry_identity') where name = 'checkpoint'";
	return (await database.prepare(column).first()) !== null;
}

/** What is wrong between a database and the bucket; null if nothing is. */
export async function incidentOf(one: CheckedDatabase): Promise<Incident | null> {
	return (await hasCheckpoints(one)) ? (await readCheckpoints(one.bucket, named(one))).incident : null;
}

/**
 * The codes and accounts that wait for the journal although it has a newer entry.
 * @param isAny Whether those of which that is not known are wanted too: all that wait in a database that was rolled back.
 */
export async function newerInJournal(one: CheckedDatabase, isAny = false): Promise<string[]> {
	if (!(await hasCheckpoints(one))) return [];
	const condition = isAny ? "true" : "newer_entry is not null";
	const select = `select canonical as id from journal_queue where ${condition}
		union all select user_id from account_journal_queue where ${condition} order by id`;
	return (await one.database.prepare(select).raw<[string]>()).map(([id]) => id);
}

/** The most codes that a message names. */
const NAMED_MAX = 5;

/** What is wrong with a database and the bucket, and the mend, each a sentence. */
export async function faultsOf(one: CheckedDatabase): Promise<string[]> {
	const [incident, newer] = [await incidentOf(one), await newerInJournal(one)];
	const label = labelOf("database", one.name);
	const faults: string[] = [];
	if (incident === "database_behind")
		faults.push(
			`The ${label} was rolled back or is another one: the bucket knows of later changes. Restore the newest backup, which applies them: npm run registry -- restore NAME`,
		);
	if (incident === "bucket_behind")
		faults.push(
			`The bucket is new, or older than the ${label}: its journal lacks what was written before. If it is lost, a verified backup mends that: npm run registry -- export --new-bucket`,
		);
	if (newer.length > 0)
		faults.push(
			`The journal has newer entries than the ${label} for ${newer.length} codes or accounts that wait for it (${newer.slice(0, NAMED_MAX).join(", ")}). Restore the newest backup, which applies them: npm run registry -- restore NAME`,
		);
	return faults;
}

/**
 * @param mayBeNewBucket Whether the operator says that the bucket was lost.
 * @throws Error that says what is wrong with the first database that does not belong to the bucket in time, and the mend.
 */
export async function requireTogether(databases: CheckedDatabase[], mayBeNewBucket = false): Promise<void> {
	for (const one of databases) {
		if (mayBeNewBucket && (await incidentOf(one)) === "bucket_behind" && (await newerInJournal(one)).length === 0)
			continue;
		const [fault] = await faultsOf(one);
		if (fault) throw new Error(fault);
	}
}

/**
 * Makes a database and the bucket belong together from now on, and has what waits written into the journal: after a restore, and after a
 * verified backup beside a new bucket.
 */
export async function settleTogether(one: CheckedDatabase): Promise<void> {
	// Checkpoints begin anew with the migration.
	if (!(await hasCheckpoints(one))) return void (await one.bucket.delete(`journal/checkpoints/${one.name}`));
	await beginTogether(one.bucket, named(one));
	await one.database.batch(
		["journal_queue", "account_journal_queue"].map((queue) =>
			one.database.prepare(`update ${queue} set newer_entry = null where newer_entry is not null`),
		),
	);
}
