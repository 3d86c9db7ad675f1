/** Applies what the journal says of addresses and accounts to rows that a restore has brought back. */
import { forgetOwners } from "../addresses/closing-store.ts";
import { wrapDatabase } from "../db/open.ts";
import { inOneTrip } from "../db/statement.ts";
import { erase, eraseActsAndCounts } from "../personal-data/store.ts";
import { numberSettings } from "../settings/number-settings.ts";
import type { SigningSecret } from "../settings/signing-secrets.ts";
import { DAY } from "../time/time.ts";
import type { ShowProgress } from "./backup.ts";
import { asOwn, CHANGED_MEANWHILE } from "./changed-meanwhile.ts";
import { type OneDatabase, selectAmong } from "./databases.ts";
import type { JournalSince } from "./journal-since.ts";
import { oneMoment } from "./make-consistent.ts";
import { batchesOfLines, chunksOf, linesOf } from "./ndjson.ts";
import type { Restored } from "./restored-rows.ts";
import type { Table } from "./tables.ts";
import { unclaimedAmong } from "./unclaimed.ts";

/** Codes that are burnt or queried in one statement. */
const CODES_AT_ONCE = 5_000;

/** Accounts whose returned rows are erased in one transaction. */
const ACCOUNTS_AT_ONCE = 500;

/** The SQL condition that an address is in a bound JSON list of codes. */
const AMONG = "canonical in (select value from json_each(?))";

/** Makes the addresses private that meet an SQL condition on some values, unless they are private already. */
async function makePrivate(database: D1Database, condition: string, values: unknown[]): Promise<void> {
	const statement = database
		.prepare(
			`update addresses set visibility = 'private', version = version + 1, updated_at = cast(unixepoch('subsec') * 1000 as integer)
			where visibility <> 'private' and ${condition}`,
		)
		.bind(JSON.stringify(values));
	await database.batch(asOwn(database, [statement]));
}

/** Makes the addresses private again that are private in the journal. */
export async function hideAgain(database: D1Database, { file }: JournalSince): Promise<void> {
	for await (const lines of batchesOfLines(linesOf(file))) {
		const rows = lines.map((line) => JSON.parse(line) as { canonical: string; visibility?: string });
		const codes = rows.filter(({ visibility }) => visibility === "private").map(({ canonical }) => canonical);
		await makePrivate(database, AMONG, codes);
	}
}

/** Makes the addresses private whose entries cannot be read and are newer than their rows. */
export async function hideUnreadable(database: D1Database, table: Table, { unreadable }: JournalSince): Promise<void> {
	if (!table.columns.includes("visibility")) return;
	const isOlder = "version < (select value ->> 1 from json_each(?) where value ->> 0 = canonical)";
	await makePrivate(database, isOlder, [...unreadable]);
}

/** Records what was erased since, before the backup can bring any of it back. */
export async function recordErased({ database, accounts }: OneDatabase, { erased }: JournalSince): Promise<void> {
	const insert = (into: string, values: Set<string>) =>
		database
			.prepare(`insert into ${into} from json_each(?) where true on conflict do nothing`)
			.bind(JSON.stringify([...values]));
	const successors = database
		.prepare(
			"insert into burnt_codes (canonical, successor) select value ->> 0, value ->> 1 from json_each(?) where true on conflict do nothing",
		)
		.bind(JSON.stringify([...erased.successors]));
	const erasedAccounts = insert(`erased_accounts (user_id, erased_at) select value, ${Date.now()}`, erased.accounts);
	await database.batch([
		successors,
		insert("burnt_codes (canonical) select value", erased.codes),
		...(database === accounts ? [erasedAccounts] : []),
	]);
}

/** Adds remarks on the addresses and codes that need the operator's attention. */
export async function remarkOnRest(one: OneDatabase, journal: JournalSince, { remarks }: Restored): Promise<void> {
	for (const canonical of journal.unreadable.keys()) {
		remarks.push(
			`${canonical}: its entry in the journal cannot be read. It comes back as private if the backup has it. Otherwise its code is burnt.`,
		);
	}
	for (const codes of chunksOf([...journal.versions.keys()], CODES_AT_ONCE))
		await hideUnclaimed(one, await unclaimedAmong(one, codes), remarks);
}

/** Makes addresses without an account private, because rows that have outlived their account may still be public, and adds remarks. */
export async function hideUnclaimed({ database }: OneDatabase, unclaimed: string[], remarks: string[]): Promise<void> {
	await makePrivate(database, AMONG, unclaimed);
	const told = new Set(remarks);
	for (const canonical of unclaimed) {
		const remark = `${canonical} is private and unclaimed: the account of its holder is not in the backup.`;
		if (!told.has(remark)) remarks.push(remark);
	}
}

/** Erases again what came back of erased accounts. */
export async function eraseAgain({ database, accounts }: OneDatabase, secrets: SigningSecret[]): Promise<void> {
	await database.prepare("delete from users where id in (select user_id from erased_accounts)").run();
	const { results } = await accounts.prepare("select user_id from erased_accounts").all<{ user_id: string }>();
	const secret = secrets[0]?.secret ?? crypto.getRandomValues(new Uint8Array(32));
	for (const some of chunksOf(results, ACCOUNTS_AT_ONCE)) {
		const ids = some.map(({ user_id }) => user_id);
		const erasing = database === accounts ? erase : eraseActsAndCounts;
		const closings = forgetOwners({ ownerIds: ids });
		await inOneTrip(wrapDatabase(database), { ...erasing(ids, Date.now(), secret), closings });
	}
}

/** Burns every code that was issued since according to the journal and that no row has, for whatever reason. */
export async function burnUnknown(
	one: OneDatabase,
	{ issued, unreadable, versions }: JournalSince,
	restored: Restored,
	report: ShowProgress,
): Promise<void> {
	const { database } = one;
	const codes = [...issued, ...unreadable.keys(), ...versions.keys()];
	const burning = database.prepare(
		`insert into burnt_codes (canonical) select value from json_each(?)
		where value not in (select canonical from addresses) on conflict do nothing`,
	);
	let burnt = 0;
	for (const some of chunksOf(codes, CODES_AT_ONCE))
		burnt += (await burning.bind(JSON.stringify(some)).run()).meta.changes;
	restored.burnt += burnt;
	report(`burnt_codes: ${burnt} codes that were issued since and are not known`);
	// After Time Travel, what was erased since is back. It is deleted, and so is what the backup has of it.
	await database.batch(asOwn(database, oneMoment(one)));
	// Last codes may have been issued since. They are recorded again when a zone needs them.
	await database.prepare("delete from last_codes").run();
}

/** Removes links to successors that no database knows: their accounts were erased too. */
export async function forgetLostSuccessors(
	databases: OneDatabase[],
	{ database }: OneDatabase,
	{ erased }: JournalSince,
): Promise<void> {
	const lost = await selectAmong(
		databases,
		[...erased.successors],
		([, successor]) => successor,
		`select value ->> 0 from json_each(?)
		where value ->> 1 not in (select canonical from addresses) and value ->> 1 not in (select canonical from burnt_codes)`,
	);
	await database
		.prepare("update burnt_codes set successor = null where canonical in (select value from json_each(?))")
		.bind(JSON.stringify(lost))
		.run();
}

/**
 * Applies the journal's state to accounts: what their holders or operators have ended or replaced since stays ended or replaced.
 * @param isReviving Whether what was closed or revoked since is revived.
 */
export async function endAgain(
	database: D1Database,
	{ accounts }: JournalSince,
	isReviving: boolean,
	{ remarks }: Restored,
	report: ShowProgress,
): Promise<void> {
	const from = "from json_each(?1) as entry";
	const of = (column: string) => `entry.value ->> '${column}'`;
	const isOf = `users.id = ${of("id")} and users.id not in ${CHANGED_MEANWHILE}`;
	const eraseAt = `case when ${of("erase_at")} is null then null else max(${of("erase_at")}, ?2) end`;
	const isTaken = `exists (select 1 from users as other where other.phone = ${of("phone")} and other.id <> users.id)`;
	const plain = ["phone_verified", "password_hash", "recovery_hash", "role", "disabled_at"];
	const statements = [
		// Phone numbers that went from one account to another are freed before anybody gets them.
		`update users set phone = null ${from} where ${isOf} and users.phone is not ${of("phone")}`,
		`update users set phone = case when ${isTaken} then null else ${of("phone")} end,
			share_count = max(users.share_count, ${of("share_count")}),
			${plain.map((column) => `${column} = ${of(column)}`).join(", ")} ${from} where ${isOf}`,
		...(isReviving
			? []
			: [
					`update users set erase_at = ${eraseAt} ${from} where ${isOf} and (users.erase_at is null) <> (${of("erase_at")} is null)`,
					`update api_keys set revoked_at = coalesce(api_keys.revoked_at, entry.value ->> 'revoked_at'), scopes = entry.value ->> 'scopes'
						from (select value from json_each((select json_group_array(json(key.value)) from json_each(?1) as account, json_each(account.value ->> 'keys') as key))) as entry
						where api_keys.id = entry.value ->> 'id' and api_keys.id not in ${CHANGED_MEANWHILE}`,
				]),
	];
	const soonest = Date.now() + numberSettings.ACCOUNT_ERASURE_DAYS.default * DAY;
	let closed = 0;
	for (const some of chunksOf(accounts, ACCOUNTS_AT_ONCE)) {
		const text = JSON.stringify(some);
		const done = await database.batch(
			asOwn(
				database,
				statements.map((statement) =>
					statement.includes("?2")
						? database.prepare(`${statement} returning erase_at`).bind(text, soonest)
						: database.prepare(statement).bind(text),
				),
			),
		);
		if (!isReviving) closed += (done[3]!.results as { erase_at: number | null }[]).filter((row) => row.erase_at).length;
	}
	report(`accounts: ${accounts.length.toLocaleString("en")} are in their latest state`);
	if (closed === 0) return;
	remarks.push(
		`${closed} accounts were closed since the backup, and are closed again. They are erased after ${new Date(soonest).toISOString()} unless their holders sign in.`,
	);
}
