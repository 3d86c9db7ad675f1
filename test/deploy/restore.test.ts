import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { readBackup } from "../../src/cli/backup.ts";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { readyToPut } from "../../src/cli/import.ts";
import { restoreBackup, rewindRegistry } from "../../src/cli/restore.ts";
import { interruptedReturn } from "../../src/cli/rewind-marker.ts";
import { tablesOf } from "../../src/cli/tables.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { codeOfSerial, SERIALS_PER_ZONE } from "../../src/codes/code.ts";
import { wrapDatabase } from "../../src/db/open.ts";
import { inOneTrip } from "../../src/db/statement.ts";
import { erase } from "../../src/personal-data/store.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { zoneDigits } from "../../src/zones/naming.ts";
import { dyingAfter, loseDatabase, query } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { LAGOS, send as sendTo, signUp } from "../support/remote.ts";
import { SECRETS, serveRegistry } from "../support/serve.ts";
import { until } from "../support/until.ts";
import { publishedEdition } from "../zones/shared.ts";

const silent = () => {};
const sql = (statement: string, ...values: unknown[]) => query(registry, statement, ...values);
const secrets = readSigningSecrets(SECRETS);
/** Requests under way at once. */
const CONCURRENCY = 16;

const served = await serveRegistry(0);
afterAll(() => served.stop());
// Miniflare's types are those of another version of the same interfaces.
const registry = served as unknown as RegistryStorage;
const folder = temporaryFolder();
let token: string;
/** A new account each time: a restore ends the sessions that are newer than the backup. */
let accounts = 0;
beforeEach(async () => {
	accounts += 1;
	token = await register(`+12025550${100 + accounts}`);
});

const register = async (phone: string) => (await signUp(served.url, phone)).token;
const send = (method: string, path: string, body?: object) => sendTo(served.url, { method, path, token, body });
const create = (label: string) => send("POST", "/v1/addresses", { ...LAGOS, label });

/** Codes of one zone, by the place that each was given to, as its label. */
async function mint(count: number, name: string): Promise<Map<string, string>> {
	const codes = new Map<string, string>();
	let next = 0;
	const worker = async () => {
		while (next < count) {
			next += 1;
			const label = `${name} ${next}`;
			const canonical = String((await create(label)).body.canonical);
			expect(canonical).toMatch(/^NG\d{9}$/);
			expect(codes.has(canonical), `${canonical} twice`).toBe(false);
			codes.set(canonical, label);
		}
	};
	await Promise.all(Array.from({ length: CONCURRENCY }, worker));
	return codes;
}

async function resolve(code: string) {
	const { status, body } = await sendTo(served.url, { path: `/v1/public/addresses/${code}` });
	return { ...body, status };
}

const retire = async (code: string) => expect((await send("DELETE", `/v1/addresses/${code}`)).status).toBe(204);

/** Takes the database back to a backup and to nothing else, as D1's Time Travel does, and so that it knows nothing of what came later. */
async function rewindTo(backup: string): Promise<void> {
	await loseDatabase(registry);
	const putRows = await readyToPut(registry.database, backup, await readBackup(backup), silent);
	await putRows();
}

const optionsOf = (saveTo: string, isReviving = false) => ({
	secrets,
	saveTo: path.join(folder, saveTo),
	isReviving,
	report: silent,
});

const restoreFrom = (backup: string, saveTo: string, isReviving = false) =>
	restoreBackup(registry, backup, optionsOf(saveTo, isReviving));

/** Goes back to a moment by Time Travel. */
const rewind = (backup: string, saveTo: string, moment = Date.now()) =>
	rewindRegistry(registry, moment, () => rewindTo(backup), optionsOf(saveTo));

/** Leaves so many codes free in the zone of some. */
async function burnAllBut(free: number, codes: string[]): Promise<void> {
	const [country, zone] = [codes[0]!.slice(0, 2), codes[0]!.slice(2, 6)];
	const others = Array.from({ length: SERIALS_PER_ZONE }, (_, unit) => codeOfSerial(country, zone, unit)).filter(
		(code) => code !== undefined && !codes.includes(code),
	);
	await sql(
		"insert into burnt_codes (canonical) select value from json_each(?) where value not in (select canonical from addresses) on conflict do nothing",
		JSON.stringify(others.slice(free)),
	);
}

/** The feed of changes begins anew, with numbers that the one before has not given. */
async function expectNewFeed(before: number): Promise<void> {
	const changes = await sql("select seq, kind from changes");
	expect(changes).toEqual([{ seq: expect.any(Number), kind: "reset" }]);
	expect(changes[0]?.seq).toBeGreaterThan(before);
}

const headOfFeed = async () =>
	(await registry.database.prepare("select max(seq) as seq from changes").first<number>("seq")) ?? 0;

function shared(a: Iterable<string>, b: Map<string, string>): string[] {
	return [...a].filter((code) => b.has(code));
}

it("puts back newer addresses after Time Travel, and keeps retired ones retired", async () => {
	const before = [...(await mint(20, "before"))];
	const suspended = "+13035550109";
	await register(suspended);
	const backup = path.join(folder, "second");
	const moment = Date.now();
	await exportRegistry(registry, backup, silent, secrets);
	const since = [...(await mint(50, "since"))];
	await retire(before[0]![0]);
	await retire(since[0]![0]);
	const unit = await send("PUT", `/v1/addresses/${before[1]![0]}/units/4B`, { label: "third floor" });
	expect(unit.status).toBe(200);
	// What operators and strangers did since.
	await registry.database.batch(
		[
			`update users set disabled_at = 5 where phone = '${suspended}'`,
			"insert into operator_acts (id, at, operator, act, detail, subject, user_id, reason, request_id) values ('act_1', 5, 'o', 'suspend', '', 'u', 'u', 'r', 'q')",
			`insert into reports (id, canonical, kind, text, created_at) values ('rpt_1', '${before[1]![0]}', 'other', 'Ask next door.', 5)`,
		].map((statement) => registry.database.prepare(statement)),
	);
	// The clean-up has deleted a session that has ended.
	await sql("delete from sessions where user_id = (select id from users where phone = ?)", suspended);
	token = await register("+13035550101");
	const [ofNewcomer = ""] = (await mint(1, "newcomer")).keys();
	const sessions = await sql("select * from sessions order by id");
	const head = await headOfFeed();

	const { burnt } = await rewind(backup, "saved-second", moment);
	expect(burnt).toBe(0);
	await expectNewFeed(head);
	for (const [code, label] of since.slice(1)) expect(await resolve(code)).toMatchObject({ status: 200, label });
	expect(await resolve(ofNewcomer)).toMatchObject({ status: 200, label: "newcomer 1" });
	for (const [code] of [before[0]!, since[0]!]) expect((await resolve(code)).status).toBe(410);
	const rows = await sql(
		"select disabled_at as kept from users where phone = ? union all select id from operator_acts union all select id from reports union all select unit from units",
		suspended,
	);
	expect(rows.map(({ kept }) => kept)).toEqual([5, "act_1", "rpt_1", "4B"]);
	expect(await sql("select * from sessions order by id")).toEqual(sessions);
	expect((await send("GET", "/v1/auth/me")).status, "the newcomer is signed in").toBe(200);
});

it("puts newer addresses back after Time Travel though their table was dropped, and refuses a backup without it", async () => {
	const backup = path.join(folder, "dropped");
	const moment = Date.now();
	await exportRegistry(registry, backup, silent, secrets);
	const [code = ""] = (await mint(1, "since the drop")).keys();
	await sql("alter table addresses rename to dropped");
	await expect(restoreFrom(backup, "saved-dropped-refused")).rejects.toThrow(/has lost the tables addresses\. Go back/);
	const undrop = async () => {
		await sql("alter table dropped rename to addresses");
		await rewindTo(backup);
	};
	await rewindRegistry(registry, moment, undrop, optionsOf("saved-dropped"));
	expect(await resolve(code)).toMatchObject({ status: 200, label: "since the drop 1" });
});

it("goes on after Time Travel where it was cut off, and loses no account that is newer", async () => {
	const backup = path.join(folder, "interrupted");
	const moment = Date.now();
	await exportRegistry(registry, backup, silent, secrets);
	const phone = "+13035550105";
	await register(phone);
	const [folders, ways]: [string[], boolean[]] = [[], []];
	let rewound = 0;
	const rewindAndCut = async () => {
		rewound += 1;
		await rewindTo(backup);
		if (rewound === 1) throw new Error("the line is cut");
	};
	for (let tries = 1; ; tries += 1) {
		const interrupted = interruptedReturn(folders, moment);
		const calls = tries * (interrupted ? 8 : 60);
		ways.push(interrupted !== undefined);
		const saveTo = interrupted ?? path.join(folder, `saved-interrupted-${tries}`);
		if (!interrupted) folders.push(saveTo);
		else expect(() => interruptedReturn(folders, 5)).toThrow(/ was interrupted\. Only .* contains what is newer/);
		const options = { secrets, saveTo, isReviving: false, report: silent };
		try {
			await rewindRegistry(dyingAfter(registry, calls), moment, rewindAndCut, options);
			break;
		} catch (error) {
			expect((error as Error).message).toBe("the line is cut");
		}
		// A code that was issued since could be drawn before it has been put back. Sessions go and come back on the way.
		const note = path.join(saveTo, "going-back.json");
		const isBack = existsSync(note) && readFileSync(note, "utf8").includes('"isBack":true');
		// Cut at the very last, when everything is back, it leaves nothing of a restore in the database.
		const isUnfinished = (await sql("select 1 from sqlite_master where name like 'restoring%'")).length > 0;
		if (isBack && isUnfinished) expect([401, 503]).toContain((await create("meanwhile")).status);
	}
	expect((await create("afterwards")).status).toBe(201);
	// It was cut while it saved, while it went back, and afterwards.
	expect(ways.slice(0, 2)).toContain(false);
	expect(ways.filter(Boolean).length).toBeGreaterThan(2);
	expect(rewound).toBe(2);
	expect(interruptedReturn(folders)).toBeUndefined();
	expect(await sql("select 1 as known from users where phone = ?", phone)).toEqual([{ known: 1 }]);
});

it("brings rows back as the backup has them, leaves newer ones, and revives only when it is told to", async () => {
	const [code = ""] = (await mint(1, "as it was")).keys();
	const backup = path.join(folder, "third");
	await exportRegistry(registry, backup, silent, secrets);
	const [newer = ""] = (await mint(1, "newer")).keys();
	await retire(code);
	await sql("update addresses set label = 'damaged', lat = 0, lng = 0 where canonical = ?", code);
	await sql("delete from sessions");

	const head = await headOfFeed();
	const { rows: taken } = await restoreFrom(backup, "saved-third");
	// The triggers' rows are not counted, and who has been signed out stays so.
	expect(taken.addresses).toBe(1);
	expect(await sql("select id from sessions")).toEqual([]);
	await expectNewFeed(head);
	const rows = () => sql("select label, lat, version, retired_at from addresses where canonical = ?", code);
	const restored = { label: "as it was 1", lat: 6.5244, version: 3, retired_at: expect.any(Number) };
	expect(await rows()).toMatchObject([restored]);
	expect(await resolve(newer)).toMatchObject({ status: 200, label: "newer 1" });

	await restoreFrom(backup, "saved-third-again", true);
	expect(await rows()).toMatchObject([{ retired_at: null, version: 4 }]);
});

it("leaves private or hidden what is so by now, and links ended, whatever of it the journal has been told", async () => {
	const [code = ""] = (await mint(1, "seen")).keys();
	const backup = path.join(folder, "seen");
	await exportRegistry(registry, backup, silent, secrets);
	const journalIsWritten = async () => {
		// What a restore has changed is written within the hour.
		await served.runHourly(Date.now());
		await until(async () => (await sql("select 1 from journal_queue")).length === 0);
	};
	const entry = `issued-codes/${code}`;
	const change = (body: object) => send("PATCH", `/v1/addresses/${code}`, body);
	expect((await change({ label: "seen since" })).status).toBe(200);
	await journalIsWritten();
	const older = await registry.bucket.get(entry);
	const [before, { customMetadata }] = [await older!.arrayBuffer(), older!];
	expect((await change({ visibility: "private" })).status).toBe(200);
	expect((await send("DELETE", `/v1/addresses/${code}/share`)).status).toBe(204);
	await journalIsWritten();
	await sql("update addresses set hidden_at = 5 where canonical = ?", code);
	const expectHidden = async () =>
		expect(await sql("select visibility, hidden_at, share_count from addresses where canonical = ?", code)).toEqual([
			{ visibility: "private", hidden_at: 5, share_count: 1 },
		]);
	for (const entryThen of [before, null]) {
		if (entryThen) await registry.bucket.put(entry, entryThen, { customMetadata: customMetadata! });
		else await registry.bucket.delete(entry);
		await restoreFrom(backup, `saved-seen-${entryThen?.byteLength}`);
		await expectHidden();
		await rewind(backup, `saved-seen-${entryThen?.byteLength}-rewound`);
		await expectHidden();
		await restoreFrom(backup, `saved-seen-${entryThen?.byteLength}-revived`, true);
		await expectHidden();
	}
	// Where the database is lost too, the journal is all that knows.
	await sql("update addresses set hidden_at = null where canonical = ?", code);
	expect((await change({ label: "not seen" })).status).toBe(200);
	await journalIsWritten();
	await loseDatabase(registry);
	await restoreFrom(backup, "saved-seen-lost", true);
	expect(await resolve(code)).toMatchObject({ status: 403 });
});

it("takes no row of the life after a loss for one of the backup that has the same number", async () => {
	const tables = (await tablesOf(registry.database)).filter(({ rowNumber }) => rowNumber);
	expect(tables.map(({ name }) => name)).toEqual(["address_changes", "failed_logins", "private_reads"]);
	const live = async (name: string) => {
		const [code = ""] = (await mint(1, name)).keys();
		const inserts = [
			`address_changes (id, canonical, changed_at, change, label) values (77, '${code}', 5, 'label', '${name}')`,
			`failed_logins (id, phone_key, pair_key, failed_at) values (77, '${name}', '', 5)`,
			`private_reads (id, canonical, agent_id, read_at) values (77, '${code}', '${name}', 5)`,
		];
		await registry.database.batch(inserts.map((insert) => registry.database.prepare(`insert into ${insert}`)));
	};
	const lives = async () => {
		const columns = [
			"label as life from address_changes",
			"phone_key from failed_logins",
			"agent_id from private_reads",
		];
		const all = columns.map((column) => `select ${column}`).join(" union all ");
		return (await sql(`select * from (${all}) where life like '% life'`)).map(({ life }) => life).sort();
	};
	await live("first life");
	const backup = path.join(folder, "numbers");
	await exportRegistry(registry, backup, silent, secrets);
	await loseDatabase(registry);
	token = await register("+13035550104");
	await live("second life");
	const both = ["first life", "second life"].flatMap((life) => [life, life, life]);
	for (const saveTo of ["saved-numbers", "saved-numbers-again"]) {
		await restoreFrom(backup, saveTo);
		expect(await lives()).toEqual(both);
	}
	// The history of the second life's address is not lost by going back either.
	await rewind(backup, "saved-numbers-rewound");
	expect(await lives()).toEqual(both);
});

it("leaves an account closed that was closed since", async () => {
	const [code = ""] = (await mint(1, "of a closed account")).keys();
	const backup = path.join(folder, "closed");
	await exportRegistry(registry, backup, silent, secrets);
	await sql(
		"update users set erase_at = 4000000000000 where id = (select owner_id from addresses where canonical = ?)",
		code,
	);
	expect((await resolve(code)).status).toBe(410);
	const joined = "addresses join users on users.id = addresses.owner_id join closed_owners using (owner_id)";
	const state = () => sql(`select erase_at, closed_at is not null as closed from ${joined} where canonical = ?`, code);

	await restoreFrom(backup, "saved-closed");
	expect(await state()).toEqual([{ erase_at: 4_000_000_000_000, closed: 1 }]);
	await rewind(backup, "saved-closed-again");
	expect(await state()).toEqual([{ erase_at: 4_000_000_000_000, closed: 1 }]);
	expect((await resolve(code)).status).toBe(410);
});

it("never brings back what was erased, and leaves out a phone that another account has by now", async () => {
	const [code = ""] = (await mint(1, "erased since")).keys();
	const phone = "+13035550102";
	await register(phone);
	const backup = path.join(folder, "fourth");
	await exportRegistry(registry, backup, silent, secrets);
	await sql("delete from addresses where canonical = ?", code);
	await sql("insert into burnt_codes (canonical) values (?)", code);
	await sql("delete from users where phone = ?", phone);
	await register(phone);

	// Time Travel brings it back, and it goes again.
	const { burnt } = await rewind(backup, "saved-before-fourth");
	expect(burnt).toBe(0);
	expect((await resolve(code)).status).toBe(410);
	expect(await sql("select 1 from addresses where canonical = ?", code)).toEqual([]);

	await sql("delete from users where phone = ?", phone);
	await register(phone);
	const { remarks } = await restoreFrom(backup, "saved-fourth");
	expect((await resolve(code)).status).toBe(410);
	expect(remarks).toEqual([
		expect.stringMatching(/^users usr_\S+ came back without phone, which another row has by now\.$/),
	]);
	// The newer one after Time Travel, and the older one after the restore.
	expect(await sql("select count(*) as users from users where phone is null")).toEqual([{ users: 2 }]);
});

it("never brings back an account that was erased, by Time Travel or from the backup", async () => {
	const phone = "+13035550103";
	await register(phone);
	const [user] = await sql("select id from users where phone = ?", phone);
	const id = String(user?.id);
	const backup = path.join(folder, "erased-account");
	await exportRegistry(registry, backup, silent, secrets);
	await sql("update users set erase_at = 1 where id = ?", id);
	await inOneTrip(wrapDatabase(registry.database), erase([id], Date.now(), secrets[0].secret));

	const traces = async () => {
		const tables = ["users where id", "sessions where user_id", "api_keys where user_id", "phone_proofs where user_id"];
		return (await Promise.all(tables.map((table) => sql(`select * from ${table} = ?`, id)))).flat();
	};
	await rewind(backup, "saved-before-erased-account");
	expect(await traces()).toEqual([]);
	const { remarks } = await restoreFrom(backup, "saved-erased-account");
	expect(remarks).toEqual([]);
	expect(await traces()).toEqual([]);
});

it("keeps zone numbers that were opened since: for the area of an address there, or where that is unknown for none", async () => {
	const backup = path.join(folder, "fifth");
	await exportRegistry(registry, backup, silent, secrets);
	const day = new Date().toISOString().slice(0, 10);
	const [inLagos = ""] = (await mint(1, "in Lagos")).keys();
	const lagos = Number(inLagos.slice(2, 6));
	const edition = await publishedEdition();
	const { zones } = edition.countries.get("NG")!;
	// The last number that is not published, whichever that is in this edition.
	const free = Array.from({ length: 10_000 }, (_, number) => number).filter((number) => !zones.has(number));
	const burnt = free.at(-1)!;
	// A zone opens the numbers beside its own, which stand between published ones.
	const near = free.slice(0, -1);
	const opened = near.reduce((best, number) => (Math.abs(number - lagos) < Math.abs(best - lagos) ? number : best));
	const highest = Math.max(...zones.keys());
	const prefixOf = (number: number) => `NG${zoneDigits(number)}`;
	await registry.bucket.put(`issued-codes/${day}/${prefixOf(burnt)}00019`, "");
	await registry.bucket.put(`issued-codes/${day}/${prefixOf(highest)}00019`, "");
	await sql(
		"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values (?, '', 6.5244, 3.3792, '', 'usr_1', 1)",
		`${prefixOf(opened)}00017`,
	);
	await served.runHourly(Date.now());
	await sql("delete from addresses where canonical = ?", `${prefixOf(opened)}00017`);
	await restoreFrom(backup, "saved-fifth");
	expect(await sql("select zone, area, ordinal from overflow_zones where country = 'NG' order by zone")).toEqual([
		{ zone: opened, area: lagos, ordinal: 1 },
		{ zone: burnt, area: burnt, ordinal: 0 },
	]);
});

// The last one: each restore reads the journal of all that came before.
it("issues no code twice after a restore to an earlier moment that knows nothing of what was issued since", async () => {
	const before = await mint(20, "before");
	await burnAllBut(400, [...before.keys()]);
	const backup = path.join(folder, "first");
	await exportRegistry(registry, backup, silent, secrets);
	const since = await mint(60, "since");
	await rewindTo(backup);

	// Registries before the journal noted nothing but the code.
	const [noted = ""] = since.keys();
	await registry.bucket.delete(`issued-codes/${noted}`);
	await registry.bucket.put(`issued-codes/2026-11-22/${noted}`, "");

	const { burnt } = await restoreFrom(backup, "saved-first");
	expect(burnt).toBe(1);
	// Were the codes since free to be drawn again, these would meet 9 of them among the 400.
	const later = await mint(60, "later");
	expect(shared(later.keys(), before), "codes of before").toEqual([]);
	expect(shared(later.keys(), since), "codes that were issued since").toEqual([]);

	// All are where they were, but for the one of which only the code is known.
	for (const [code, label] of before) expect(await resolve(code)).toMatchObject({ status: 200, label });
	for (const [code, label] of [...since].slice(1)) expect(await resolve(code)).toMatchObject({ status: 200, label });
	expect((await resolve(noted)).status).toBe(410);
});
