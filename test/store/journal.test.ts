import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { maintainAccountJournal } from "../../src/accounts/account-journal.ts";
import { entriesSince, maintainJournal, writeToJournal } from "../../src/addresses/journal.ts";
import * as store from "../../src/addresses/journal-store.ts";
import { openDatabase } from "../../src/db/open.ts";
import { inOneTrip } from "../../src/db/statement.ts";
import { type Bindings, readConfig } from "../../src/env.ts";
import {
	ENTRIES_RETENTION_DAYS,
	erasedSince,
	prunedBefore,
	pruneJournal,
	recordErasure,
	recordVerifiedBackup,
} from "../../src/journal/retention.ts";
import { DAY } from "../../src/time/time.ts";
import { bucketOfLongLists } from "../support/bucket.ts";
import { call, json, patch, post } from "../support/client.ts";
import { acted } from "../support/operators.ts";
import { AT_LAGOS, LAGOS, mint, signUp, signUpAgent } from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";
import { row, sql } from "../support/sql.ts";
import { until } from "../support/until.ts";

const bindings = env as unknown as Bindings;
const db = openDatabase(env);
const { journalSecrets } = readConfig(bindings);

let codes = 0;
let changed = 1_000;

/** Inserts an address, as minting does. */
async function insert(label = "first"): Promise<string> {
	codes += 1;
	const canonical = `NG9990${String(codes).padStart(4, "0")}0`;
	await sql(
		"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values (?, 'z', 1, 2, ?, 'usr_1', 1)",
		canonical,
		label,
	);
	return canonical;
}

async function change(canonical: string, label: string): Promise<void> {
	changed += 1;
	const update = "update addresses set label = ?, version = version + 1, updated_at = ? where canonical = ?";
	await sql(update, label, changed, canonical);
}

/** What the actions do after their answer. */
async function keep(canonicals: string[], of: Bindings = bindings): Promise<void> {
	const work: Promise<unknown>[] = [];
	writeToJournal(testRegistry({ afterAnswer: (promise) => void work.push(promise) }, of), canonicals);
	await Promise.all(work);
}

async function entryOf(canonical: string, secrets = journalSecrets) {
	for await (const entry of entriesSince(env.ZONES, secrets, 0)) if (entry.canonical === canonical) return entry;
	return undefined;
}

/** The row of an address, as the journal keeps that of one without units. */
const rowOf = (canonical: string) => row("select *, '[]' as units from addresses where canonical = ?", canonical);

async function queued(): Promise<string[]> {
	return (await inOneTrip(db, store.queued(100))).map(({ canonical }) => canonical);
}

const reason = "Ticket 4711";

/** What changes an address, whoever does it. */
const changes: Record<string, (code: string, token: string) => Promise<unknown>> = {
	"its owner changes it": (code, token) => json(patch(`/v1/addresses/${code}`, { visibility: "private" }, { token })),
	"its owner ends its links": (code, token) => call(`/v1/addresses/${code}/share`, { method: "DELETE", token }),
	"its owner names a unit": (code, token) =>
		call(`/v1/addresses/${code}/units/3B`, { method: "PUT", token, body: { label: "Shop" } }),
	"its owner retires it": (code, token) => call(`/v1/addresses/${code}`, { method: "DELETE", token }),
	"an agent attests it": async (code) =>
		json(
			post(
				`/v1/addresses/${code}/attestations`,
				{ level: 1, note: "", ...AT_LAGOS },
				{ token: (await signUpAgent()).access },
			),
			201,
		),
	"an operator hides it": (code) => acted(`addresses/${code}/hide`, { reason }),
	"an operator retires it": (code) => acted(`addresses/${code}/retire`, { reason }),
	"a report on it is decided": async (code) => {
		const body = { kind: "wrong_place", text: "There is a bus stop." };
		const { id } = await json<{ id: string }>(post(`/v1/public/addresses/${code}/reports`, body), 201);
		await acted(`reports/${id}/decide`, { decision: "hide", reason });
	},
};

beforeEach(async () => {
	await sql("delete from journal_queue");
});

describe("the journal", () => {
	it("holds every column of the newest version, and nobody can read it without the secret", async () => {
		const canonical = await insert("behind the mosque");
		await keep([canonical]);
		const row = await rowOf(canonical);
		expect(await entryOf(canonical)).toEqual({ canonical, version: 1, keyId: journalSecrets[0].id, row });
		expect(await queued()).toEqual([]);
		const object = await env.ZONES.get(`issued-codes/${canonical}`);
		expect(await object?.text()).not.toContain("mosque");
		const [known] = journalSecrets;
		expect((await entryOf(canonical, [{ ...known, secret: new Uint8Array(32) }]))?.row).toBeUndefined();
		expect((await entryOf(canonical, [{ id: "later", secret: new Uint8Array(32) }, known]))?.row).toEqual(row);
	});

	it.each(Object.entries(changes))("has it right after an address is changed: %s", async (_, change) => {
		const owner = await signUp();
		const { canonical } = await mint(owner.access, LAGOS);
		await until(async () => (await entryOf(canonical)) !== undefined);
		await change(canonical, owner.access);
		const row = await rowOf(canonical);
		expect(row?.version).toBeGreaterThan(1);
		await until(async () => (await entryOf(canonical))?.version === row?.version);
		expect((await entryOf(canonical))?.row).toMatchObject({ ...row, units: expect.any(String) });
	});

	it("cannot be made to give one address the place of another", async () => {
		const [one, other] = [await insert("one"), await insert("other")];
		await keep([one, other]);
		const object = (await env.ZONES.get(`issued-codes/${one}`))!;
		await env.ZONES.put(`issued-codes/${other}`, await object.arrayBuffer(), {
			customMetadata: object.customMetadata!,
		});
		expect((await entryOf(other))?.row).toBeUndefined();
	});

	it("never replaces a newer version by an older one, whoever comes first", async () => {
		const canonical = await insert();
		const [older] = await inOneTrip(db, store.queuedAmong([canonical]));
		await change(canonical, "second");
		await keep([canonical]);
		// A request that has read the row before the change and writes it only now.
		const late = { ...bindings, DB: env.DB } as Bindings;
		await sql("insert into journal_queue (canonical, version) values (?, 1)", canonical);
		await sql("update addresses set version = 1, label = ? where canonical = ?", String(older?.label), canonical);
		await keep([canonical], late);
		expect((await entryOf(canonical))?.row).toMatchObject({ label: "second", version: 2 });
	});

	const waiting = () => sql("select canonical, newer_entry from journal_queue");

	it("keeps what waits although the entry is newer, whatever becomes of the row, until the entry is gone", async () => {
		const canonical = await insert();
		for (const label of ["second", "third"]) await change(canonical, label);
		await keep([canonical]);
		// As after a rollback by hand.
		await sql("update addresses set version = 1, label = 'first' where canonical = ?", canonical);
		for (const [label, newer] of ["other", "others", "more", "most"].map((label) => [label, 3] as const)) {
			await change(canonical, label);
			await keep([canonical]);
			await maintainJournal(bindings, db);
			expect(await waiting()).toEqual([{ canonical, newer_entry: newer }]);
			expect((await entryOf(canonical))?.row).toMatchObject({ label: "third", version: 3 });
		}
		await env.ZONES.delete(`issued-codes/${canonical}`);
		await maintainJournal(bindings, db);
		expect((await entryOf(canonical))?.row).toMatchObject({ label: "most", version: 5 });
		expect(await queued()).toEqual([]);
	});

	it("keeps what waits although the entry has the same version of another history", async () => {
		const canonical = await insert();
		const at = (label: string, time: number) =>
			sql("update addresses set label = ?, version = 2, updated_at = ? where canonical = ?", label, time, canonical);
		await at("one", 100);
		await keep([canonical]);
		await sql("update addresses set version = 1 where canonical = ?", canonical);
		await at("other", 200);
		await keep([canonical]);
		expect(await waiting()).toEqual([{ canonical, newer_entry: 2 }]);
		expect((await entryOf(canonical))?.row).toMatchObject({ label: "one" });
	});

	it("takes what it has already out of the queue, also where columns changed that have no version", async () => {
		const canonical = await insert();
		await keep([canonical]);
		await sql("update addresses set edition = '9-00000000', idempotency_key = null where canonical = ?", canonical);
		await sql("insert into journal_queue (canonical, version) values (?, 1)", canonical);
		await keep([canonical]);
		expect(await waiting()).toEqual([]);
	});

	it("is written past what is marked, however much that is", async () => {
		const marked = [await insert(), await insert()];
		await sql("update journal_queue set newer_entry = 9");
		await env.ZONES.put(`issued-codes/${marked[0]}`, "x", { customMetadata: { version: "9" } });
		await env.ZONES.put(`issued-codes/${marked[1]}`, "x", { customMetadata: { version: "9" } });
		const fresh = await insert();
		expect((await inOneTrip(db, store.queued(1))).map(({ canonical }) => canonical)).toEqual([fresh]);
		await maintainJournal(bindings, db);
		expect(await waiting()).toEqual(marked.map((canonical) => ({ canonical, newer_entry: 9 })));
	});

	it("of an account keeps what waits although its entry is newer", async () => {
		const { user } = await signUp();
		const entry = `account-entries/${user.id}`;
		await env.ZONES.put(entry, "x", { customMetadata: { version: String(Date.now() + DAY) } });
		await sql("update users set disabled_at = 5 where id = ?", user.id);
		await maintainAccountJournal(bindings);
		const rows = "select newer_entry is not null as is_marked from account_journal_queue where user_id = ?";
		expect(await sql(rows, user.id)).toEqual([{ is_marked: 1 }]);
		await env.ZONES.delete(entry);
		await maintainAccountJournal(bindings);
		expect(await sql(rows, user.id)).toEqual([]);
	});

	it("has the last of many versions that are written at once", async () => {
		const canonical = await insert();
		await Promise.all(
			Array.from({ length: 12 }, async (_, index) => {
				await change(canonical, `version ${index}`);
				await keep([canonical]);
			}),
		);
		await maintainJournal(bindings, db);
		const row = await rowOf(canonical);
		expect((await entryOf(canonical))?.row).toEqual(row);
		expect(await queued()).toEqual([]);
	});

	it("gets what R2 has refused within the hour, and whatever changed on other ways", async () => {
		const canonical = await insert();
		const refusing = new Proxy(env.ZONES, {
			get: (bucket, name) => {
				if (name === "put") return () => Promise.reject(new Error("R2 is away"));
				const member: unknown = Reflect.get(bucket, name);
				return typeof member === "function" ? member.bind(bucket) : member;
			},
		});
		await keep([canonical], { ...bindings, ZONES: refusing });
		expect(await entryOf(canonical)).toBeUndefined();
		expect(await queued()).toEqual([canonical]);
		await sql("update addresses set retired_at = 5, version = version + 1 where canonical = ?", canonical);
		await maintainJournal(bindings, db);
		expect((await entryOf(canonical))?.row).toMatchObject({ retired_at: 5, version: 2 });
	});

	it("forgets what is erased, and remembers that it was", async () => {
		const canonical = await insert();
		await keep([canonical]);
		await recordErasure(env.ZONES, { codes: [canonical], accounts: ["usr_1"] });
		expect(await entryOf(canonical)).toBeUndefined();
		const { codes, accounts } = await erasedSince(env.ZONES, Date.now() - DAY);
		expect([codes.has(canonical), accounts.has("usr_1")]).toEqual([true, true]);
	});

	it("is pruned of what is old enough and in a verified backup, and of nothing else", async () => {
		const canonical = await insert();
		await keep([canonical]);
		const later = Date.now() + (ENTRIES_RETENTION_DAYS + 1) * DAY;
		expect(await pruneJournal(env.ZONES, later), "without a backup").toBe(0);
		await recordVerifiedBackup(env.ZONES, new Date(Date.now() - DAY).toISOString());
		expect(await pruneJournal(env.ZONES, later), "with an older backup").toBe(0);
		await recordVerifiedBackup(env.ZONES, new Date(later).toISOString());
		expect(await pruneJournal(env.ZONES, Date.now() + DAY), "too young").toBe(0);
		expect(await entryOf(canonical)).toBeDefined();
		expect(await pruneJournal(env.ZONES, later)).toBeGreaterThan(0);
		expect(await entryOf(canonical)).toBeUndefined();
		expect(await prunedBefore(env.ZONES)).toBe(later - ENTRIES_RETENTION_DAYS * DAY);
	});

	it("is pruned in several runs, also of what lies behind more young entries than one run reads", async () => {
		const old = "account-entries/usr_~old";
		const young = Array.from({ length: 60 }, (_, index) => `account-entries/usr_young${index}`);
		for (const key of [old, ...young]) await env.ZONES.put(key, "");
		await recordVerifiedBackup(env.ZONES, new Date().toISOString());
		const bucket = bucketOfLongLists((key) => (key === old ? 0 : Date.now()));
		await pruneJournal(bucket, Date.now());
		expect(await env.ZONES.head(old)).not.toBeNull();
		for (let runs = 0; runs < 3; runs += 1) await pruneJournal(bucket, Date.now());
		expect(await env.ZONES.head(old)).toBeNull();
		for (const key of young) expect(await env.ZONES.head(key)).not.toBeNull();
		await env.ZONES.delete(young);
	});

	it("is pruned without writing an object twice in a second, which R2 refuses", async () => {
		await recordVerifiedBackup(env.ZONES, new Date().toISOString());
		const written: string[] = [];
		const put = (...args: Parameters<R2Bucket["put"]>) => {
			written.push(args[0]);
			return env.ZONES.put(...args);
		};
		const bucket = new Proxy(env.ZONES, {
			get: (target, name) => (name === "put" ? put : Reflect.get(target, name).bind(target)),
		});
		await pruneJournal(bucket, Date.now() + DAY);
		expect(written).toEqual(["journal/pruning"]);
	});
});
