import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { migrateHere } from "../support/migrate.ts";

const DAY = 86_400_000;

it("the upgrade to 1.4.0 ends recoveries that any agent could end, and lists each whose code was not shown as an act", () => {
	const database = new DatabaseSync(":memory:");
	migrateHere(database, -1, 9);
	const now = Date.now();
	const insert = database.prepare(
		"insert into users (id, phone, password_hash, created_at, recovery_asked_at, recovery_given_at, recovery_given_to) values (?, ?, '', 1, ?, ?, ?)",
	);
	insert.run("usr_none", "+1", null, null, null);
	insert.run("usr_waits", "+2", now - DAY, null, null);
	insert.run("usr_due", "+3", now - 36 * DAY, null, null);
	insert.run("usr_lapsed", "+4", now - 38 * DAY, null, null);
	insert.run("usr_shown", "+5", now - 8 * DAY, now - 60_000, "usr_agent");
	migrateHere(database, 9);
	const rows = database.prepare(
		"select id from users where coalesce(recovery_asked_at, recovery_requested_at) is not null",
	);
	expect(rows.all()).toEqual([]);
	// Whom an agent has shown a code stays known until the holder sets a password.
	expect(database.prepare("select id from users where recovery_given_to = 'usr_agent'").all()).toHaveLength(1);
	const acts = database.prepare("select * from operator_acts order by subject").all();
	const ended = { operator: "registry", act: "recovery-ended", reason: expect.stringContaining("Ask for it again") };
	expect(acts).toMatchObject([
		{ ...ended, subject: "usr_due", user_id: "usr_due" },
		{ ...ended, subject: "usr_waits", user_id: "usr_waits" },
	]);
	for (const { id, at } of acts) {
		// As a cursor of the list of acts names them.
		expect(`${at}-${id}`).toMatch(/^\d{1,15}-act_\w+$/);
		expect(Math.abs(Number(at) - now)).toBeLessThan(60_000);
	}
});
