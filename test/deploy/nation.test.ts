/**
 * A registry in eight databases, under random writes of every kind, while a country is split in two and a half of it is lost and brought
 * back: mirrors that know nothing but the API hold every public address and only those. Longer, and of another seed:
 * `WRITES=2000 SEED=7 npm run test:deploy -- nation`
 */
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { adoptDatabases, databasesOf, holderOf, type RegistryStorage } from "../../src/cli/databases.ts";
import { askOf, homeDatabase, noteServed } from "../../src/cli/homes.ts";
import { moveCountry } from "../../src/cli/move.ts";
import { restoreBackup } from "../../src/cli/restore.ts";
import { verifyRegistry } from "../../src/cli/verify.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { HOUR } from "../../src/time/time.ts";
import { loseDatabase, query } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { Mirror } from "../support/mirror.ts";
import { operatorSettings, operatorToken } from "../support/operator-tokens.ts";
import { seededRandom } from "../support/random.ts";
import { type Account, type Answer, makeKey, PASSWORD, send, signUp } from "../support/remote.ts";
import { PATIENT_WORKER, SECRETS, serveRegistry } from "../support/serve.ts";

const WRITES = Number(process.env.WRITES ?? 240);
const SEED = Number(process.env.SEED ?? 1);
/** Writers side by side, and accounts of each. */
const WRITERS = 4;
const ACCOUNTS = 3;

const reason = "Ticket 4711";
const secrets = readSigningSecrets(SECRETS);
const POINTS = {
	LAGOS: { lat: 6.5244, lng: 3.3792 },
	KANO: { lat: 12.0022, lng: 8.592 },
	JOS: { lat: 9.8965, lng: 8.8583 },
	NAIROBI: { lat: -1.2864, lng: 36.8172 },
	ACCRA: { lat: 5.6037, lng: -0.187 },
	DODOMA: { lat: -6.163, lng: 35.7516 },
	KAMPALA: { lat: 0.3476, lng: 32.5825 },
	CAIRO: { lat: 30.0444, lng: 31.2357 },
	PRETORIA: { lat: -25.7479, lng: 28.2293 },
	DAKAR: { lat: 14.6928, lng: -17.4467 },
};
const OTHERS = ["DB_KE", "DB_GH", "DB_TZ", "DB_UG", "DB_EG", "DB_ZA"];
const BEFORE = [...OTHERS, "DB_NG"];
const AFTER = [...BEFORE, "DB_NG_01234", "DB_NG_56789"];

const served = await serveRegistry(0, {
	entry: PATIENT_WORKER,
	apart: BEFORE,
	beside: [{ entry: PATIENT_WORKER, port: 0, apart: AFTER }],
	bindings: operatorSettings,
});
afterAll(() => served.stop());
const folder = temporaryFolder();

/** The registry as the Worker knows it that is deployed at a time. */
function registryOf(names: string[]): RegistryStorage {
	const { database, bucket, apart } = served;
	// Miniflare's types are those of another version of the same interfaces.
	return { database, bucket, apart: Object.fromEntries(names.map((name) => [name, apart[name]])) } as never;
}
let registry = registryOf(BEFORE);
/** The Worker that is deployed, by its number. */
let deployed = 0;
const url = () => (deployed === 0 ? served.url : served.beside[0]!);

const runHour = () => served.runHourly(Date.now(), undefined, deployed);
/** A day later for each snapshot, so that one is made. */
let days = 0;
async function makeSnapshot(): Promise<void> {
	days += 1;
	for (const _ of AFTER) await served.runHourly(Date.now() + days * 24 * HOUR, "*/5 * * * *", deployed);
}

const ofMirrors = await signUp(served.url);
const follower = await makeKey(served.url, ofMirrors.token);
const operate = async (path: string, body: object) =>
	send(url(), { path: `/v1/operator/${path}`, token: `Bearer ${await operatorToken()}`, body });
await operate(`keys/${follower.id}/scopes`, { scopes: ["changes:read", "addresses:read"], reason });

const newMirror = () =>
	new Mirror(
		(path) => fetch(url() + path, { headers: { Authorization: follower.token } }),
		() => served.runHourly(Date.now() + days * 24 * HOUR, "*/5 * * * *", deployed),
	);

/** What everybody may see of each code, by the rows of the database in which it is at home. */
async function publicAddresses(): Promise<Map<string, object>> {
	const found = new Map<string, object>();
	for (const { database, holds } of databasesOf(registry)) {
		const rows = await query(
			{ database },
			`select canonical, label, lat, lng, max(coalesce(updated_at, created_at),
				coalesce((select changed_at from closed_owners where closed_owners.owner_id = addresses.owner_id), 0)) as at from addresses
			where retired_at is null and hidden_at is null and visibility = 'public' and canonical < 'ZZ'
			and owner_id not in (select owner_id from closed_owners where closed_at is not null)`,
		);
		for (const { canonical, label, lat, lng, at } of rows)
			if (holds(String(canonical)))
				found.set(String(canonical), { label, lat, lng, updated_at: new Date(Number(at)).toISOString() });
	}
	return found;
}

const shownBy = (mirror: Mirror) =>
	Array.from(mirror.addresses, ([code, text]) => {
		const { label, lat, lng, updated_at } = JSON.parse(text);
		return [code, { label, lat, lng, updated_at: new Date(updated_at).toISOString() }] as const;
	});

/** Follows, and compares with the databases while nobody writes. */
async function expectEqual(...mirrors: Mirror[]): Promise<void> {
	// It tells the feed of accounts that were closed or opened.
	await served.runHourly(Date.now(), "*/5 * * * *", deployed);
	for (const mirror of mirrors) {
		await mirror.follow();
		expect(new Map(shownBy(mirror))).toEqual(await publicAddresses());
	}
}

/** Every code that was ever issued. */
const codes = new Set<string>();
/** Statuses by kinds of writes. */
const statuses = new Map<string, Map<number, number>>();
let isMoving = false;

/** Notes the status of a write. @throws Error for one that it must not have. */
function answered(kind: string, { status, headers, text }: Answer, expected: number[], code = "NG"): boolean {
	const counts = statuses.get(kind) ?? new Map<number, number>();
	statuses.set(kind, counts.set(status, (counts.get(status) ?? 0) + 1));
	const isRefused = status === 503 && isMoving && code.startsWith("NG");
	if (isRefused && !headers.has("Retry-After")) throw new Error(`${kind}: 503 without Retry-After`);
	if (!isRefused && !expected.includes(status)) throw new Error(`${kind} ${code}: ${status} ${text}`);
	return status < 300;
}

interface Holder {
	account: Account;
	isClosed: boolean;
	codes: string[];
}

const holders: Holder[][] = [];
for (let writer = 0; writer < WRITERS; writer += 1) {
	const own: Holder[] = [];
	for (let index = 0; index < ACCOUNTS; index += 1)
		own.push({ account: await signUp(served.url), isClosed: false, codes: [] });
	holders.push(own);
}

/** A writer, who draws what to do next. */
function writerOf(own: Holder[], draw: () => number): () => Promise<void> {
	const pick = <Item>(items: Item[]) => items[Math.floor(draw() * items.length)] as Item;
	const call = (holder: Holder, method: string, path: string, body?: object) =>
		send(url(), { method, path, token: holder.account.token, body });
	const changing = async (holder: Holder, code: string, kind: string, body: object) => {
		answered(kind, await call(holder, "PATCH", `/v1/addresses/${code}`, body), [200], code);
	};

	async function mint(holder: Holder): Promise<void> {
		const label = `Gate ${Math.floor(draw() * 1e6)}`;
		const answer = await call(holder, "POST", "/v1/addresses", { ...pick(Object.values(POINTS)), label });
		if (!answered("mint", answer, [201])) return;
		const code = String(answer.body.canonical);
		if (codes.has(code)) throw new Error(`${code} was issued twice`);
		codes.add(code);
		holder.codes.push(code);
	}

	/** Closes an account, which is refused the third time in a day, or opens it again by signing in, which never is. */
	async function turn(holder: Holder): Promise<void> {
		const { phone } = holder.account;
		if (!holder.isClosed) {
			const closed = await call(holder, "DELETE", "/v1/auth/me", { password: PASSWORD });
			holder.isClosed = answered("close", closed, [202, 429]);
			return;
		}
		const signedIn = await send(url(), { path: "/v1/auth/login", body: { phone, password: PASSWORD } });
		if (!answered("reopen", signedIn, [200])) return;
		holder.account.token = `Bearer ${signedIn.body.access}`;
		holder.isClosed = false;
	}

	/** Gives an address whose account is missing, as after a restore, to another. */
	async function handOver(holder: Holder, code: string): Promise<void> {
		const heir = pick(own.filter(({ isClosed }) => !isClosed));
		const { database } = holderOf(databasesOf(registry), code);
		const lose = database.prepare("update addresses set owner_id = 'usr_missing' where canonical = ?").bind(code);
		const isLost = await lose.run().then(
			() => true,
			(error: Error) => {
				if (!isMoving || !error.message.includes("refused: moving")) throw error;
				return false;
			},
		);
		if (!isLost) return;
		holder.codes.splice(holder.codes.indexOf(code), 1);
		const path = `accounts/${heir.account.id}/hand-over`;
		for (;;) {
			if (answered("hand over", await operate(path, { code, reason }), [200], code)) break;
			await new Promise((resolve) => setTimeout(resolve, 200));
		}
		heir.codes.push(code);
	}

	const acts: [number, (holder: Holder, code: string) => Promise<unknown>][] = [
		[8, (holder, code) => changing(holder, code, "change", { label: `Gate ${draw()}` })],
		[
			4,
			async (holder, code) => {
				const read = await send(url(), { path: `/v1/addresses/${code}`, token: holder.account.token });
				if (!answered("read", read, [200], code)) return;
				await changing(holder, code, "move", { lat: Number(read.body.lat) + 0.000_02, lng: read.body.lng });
			},
		],
		[5, (holder, code) => changing(holder, code, "make private", { visibility: "private" })],
		[5, (holder, code) => changing(holder, code, "publish", { visibility: "public" })],
		[3, async (_, code) => answered("hide", await operate(`addresses/${code}/hide`, { reason }), [200, 400], code)],
		[3, async (_, code) => answered("show", await operate(`addresses/${code}/show`, { reason }), [200, 400], code)],
		[
			4,
			async (holder, code) => {
				const successor = pick(holder.codes);
				const body = successor === code ? {} : { successor };
				const retired = await call(holder, "DELETE", `/v1/addresses/${code}`, body);
				// A successor that moves cannot be proved meanwhile.
				const concerned = code.startsWith("NG") ? code : successor;
				if (answered("retire", retired, [204], concerned)) holder.codes.splice(holder.codes.indexOf(code), 1);
			},
		],
		[
			4,
			async (holder, code) => {
				const unit = `/v1/addresses/${code}/units/${pick(["1", "2B", "3"])}`;
				answered("unit", await call(holder, "PUT", unit, { label: `Flat ${draw()}` }), [200, 201], code);
				if (draw() < 0.3) answered("no unit", await call(holder, "DELETE", unit), [204], code);
			},
		],
		[3, handOver],
	];
	const weights = acts.flatMap(([weight], index) => Array(weight).fill(index) as number[]);

	return async () => {
		const holder = pick(own);
		const others = own.filter(({ isClosed }) => !isClosed).length;
		if (holder.isClosed || (others > 1 && draw() < 0.04)) return turn(holder);
		const code = pick(holder.codes);
		if (!code || draw() < 0.25) return mint(holder);
		await acts[pick(weights)]![1](holder, code);
	};
}

const writers = holders.map((own, index) => writerOf(own, seededRandom(SEED * WRITERS + index)));

/** Has all writers write, this many writes together, and on while something lasts. */
async function write(count: number, lasts = () => false): Promise<void> {
	await Promise.all(
		writers.map(async (next) => {
			for (let done = 0; done < count / WRITERS || lasts(); done += 1) await next();
		}),
	);
}

/** Has some of what is retired erased, which leaves a burnt code. */
async function erase(): Promise<void> {
	for (const { database } of databasesOf(registry))
		await query({ database }, "update addresses set retired_at = 1 where retired_at > 1 and rowid % 2 = 0");
	await runHour();
}

it("a quota of five is five addresses in each of eight databases, wherever eighty are minted at once", async () => {
	const { id, token } = await signUp(served.url);
	await query(registry, "insert into allowances (user_id, new_addresses_per_day) values (?, 5)", id);
	const points = Object.values(POINTS);
	const minted = await Promise.all(
		Array.from({ length: 80 }, (_, index) =>
			send(served.url, { path: "/v1/addresses", token, body: { ...points[index % points.length], label: "Race" } }),
		),
	);
	expect(minted.filter(({ status }) => status === 201)).toHaveLength(40);
	expect(minted.filter(({ status }) => status === 429)).toHaveLength(40);
	const databases = databasesOf(registry);
	expect(databases).toHaveLength(8);
	for (const { database } of databases) {
		const held = await query({ database }, "select canonical from addresses where owner_id = ?", id);
		expect(held).toHaveLength(5);
		for (const { canonical } of held) codes.add(String(canonical));
		const spent = "select count from daily_counts where subject = ?";
		expect(await query({ database }, spent, `${id}:new-addresses`)).toEqual([{ count: 5 }]);
	}
});

it(`a mirror of eight databases is the registry through ${WRITES} writes, a split of a country and the loss of a part`, async () => {
	await write(WRITES * 0.2);
	await makeSnapshot();
	const [early, absent] = [newMirror(), newMirror()];
	await Promise.all([early.load(), absent.load()]);
	await write(WRITES * 0.1);
	await erase();
	await expectEqual(early);

	// A country is split while everybody goes on.
	let isDone = false;
	const follows = async () => {
		while (!isDone) await early.follow();
	};
	const move = async () => {
		isMoving = true;
		const databases = new Map(databasesOf(registryOf(AFTER)).map(({ name, database }) => [name, database]));
		const bucket = registry.bucket;
		const moving = { databases, bucket, country: "NG", report: () => {}, isServedAtOnce: false };
		expect(await moveCountry(moving)).toBe(false);
		registry = registryOf(AFTER);
		deployed = 1;
		const homes = await Promise.all(Array.from(databases, ([name, database]) => homeDatabase(name, askOf(database))));
		expect(await noteServed(homes, Date.now())).toEqual(["NG"]);
		await new Promise((resolve) => setTimeout(resolve, 500));
		expect(await moveCountry({ ...moving, now: () => Date.now() + HOUR })).toBe(true);
	};
	const moved = move().finally(() => (isDone = true));
	await Promise.all([write(WRITES * 0.3, () => !isDone), follows(), moved]);
	isMoving = false;
	await runHour();
	await expectEqual(early);
	expect(early.resets).toBe(0);

	await adoptDatabases(registry);
	const backup = path.join(folder, "backup");
	await exportRegistry(registry, backup, () => {}, secrets);
	await write(WRITES * 0.2);
	await erase();
	const before = await publicAddresses();
	// One that was not there when a mirror looked last.
	const only = "DB_NG_56789";
	await loseDatabase({ database: registry.apart![only]! });
	const saveTo = path.join(folder, "saved");
	await restoreBackup(registry, backup, { secrets, saveTo, isReviving: false, report: () => {}, only });
	const after = await publicAddresses();
	expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
	await makeSnapshot();
	await expectEqual(early);
	expect(early.resets).toBe(1);

	await write(WRITES * 0.2);
	await erase();
	await makeSnapshot();
	const fresh = newMirror();
	await fresh.load();
	await expectEqual(early, absent, fresh);
	expect(early.text).toBe(fresh.text);
	expect(absent.text).toBe(fresh.text);
	const { faults } = await verifyRegistry(registry, secrets);
	expect(faults).toEqual([]);

	// What everybody may resolve is what the mirrors hold.
	const all = [...codes];
	for (let from = 0; from < all.length; from += 100) {
		const some = all.slice(from, from + 100);
		const path = "/v1/public/addresses/batch";
		const { body } = await send(url(), { path, token: follower.token, body: { codes: some } });
		const shown = (body.data as { address?: { canonical: string } }[]).flatMap(
			({ address }) => address?.canonical ?? [],
		);
		expect(shown.sort()).toEqual(some.filter((code) => early.addresses.has(code)).sort());
	}
	const places = new Set([...early.addresses.keys()].map((code) => holderOf(databasesOf(registry), code).name));
	expect(places.size).toBeGreaterThan(5);
	const refused = Array.from(statuses.values(), (counts) => counts.get(503) ?? 0).reduce(
		(sum, count) => sum + count,
		0,
	);
	expect(refused).toBeGreaterThan(0);
});
