/** Records what others than a restore change while it runs: that is newer than everything that is put back. */

/** The codes, and the ids of accounts and keys, that holders and operators have changed since the restore began. */
export const CHANGED_MEANWHILE = "(select id from restoring_changes)";

/** What is watched by each trigger: its event, the condition of a change, and the column with the id. */
const TRIGGERS: Readonly<Record<string, [event: string, condition: string, id: string]>> = {
	restoring_new_addresses: ["insert on addresses", "true", "canonical"],
	restoring_addresses: ["update on addresses", "new.version > old.version", "canonical"],
	restoring_users: [
		"update of phone, password_hash, recovery_hash, role, disabled_at, erase_at on users",
		"true",
		"id",
	],
	restoring_keys: ["update of revoked_at, scopes on api_keys", "true", "id"],
};

async function runAll(database: D1Database, statements: string[]): Promise<void> {
	await database.batch(statements.map((statement) => database.prepare(statement)));
}

/** Records changes from now on, until the restore ends. The records of an interrupted restore stay. */
export async function watchChanges(database: D1Database): Promise<void> {
	const byOthers = "not exists (select 1 from restoring_own)";
	await runAll(database, [
		"create table if not exists restoring_changes (id text primary key)",
		"create table if not exists restoring_own (one integer)",
		"delete from restoring_own",
		...Object.entries(TRIGGERS).map(
			([name, [event, condition, id]]) =>
				`create trigger if not exists ${name} after ${event} when ${condition} and ${byOthers}
				begin insert into restoring_changes (id) values (new.${id}) on conflict do nothing; end`,
		),
	]);
}

/** Ends what `watchChanges` began. */
export async function endWatching(database: D1Database): Promise<void> {
	await runAll(database, [
		...Object.keys(TRIGGERS).map((name) => `drop trigger if exists ${name}`),
		"drop table if exists restoring_changes",
		"drop table if exists restoring_own",
	]);
}

/** Marks the statements of one transaction as the restore's own, so that `watchChanges` does not record what they change. */
export function asOwn(database: D1Database, statements: D1PreparedStatement[]): D1PreparedStatement[] {
	const [begin, end] = ["insert into restoring_own values (1)", "delete from restoring_own"];
	return [database.prepare(begin), ...statements, database.prepare(end)];
}
