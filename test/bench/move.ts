/**
 * Moves a country into a database of its own while everybody reads and writes, kills the command at six points, and looks for what was lost,
 * doubled or shown: `npx node test/bench/move.ts 100000`. It prints how long writes were refused, and exits with 1 where anything is wrong.
 * `--hurry` leaves out the two minutes for Workers of the version before.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { askOf, homeDatabase, noteServed } from "../../src/cli/homes.ts";
import { moveCountry } from "../../src/cli/move.ts";
import { codeOfSerial } from "../../src/codes/code.ts";
import { HOUR, MINUTE } from "../../src/time/time.ts";
import { zoneDigits } from "../../src/zones/naming.ts";
import { query } from "../support/empty-registry.ts";
import { linesOfPart, type Manifest, Mirror, pathOf } from "../support/mirror.ts";
import { seededRandom } from "../support/random.ts";
import { makeKey, send, signUp } from "../support/remote.ts";
import { PATIENT_WORKER, serveRegistry } from "../support/serve.ts";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { hurry: { type: "boolean", default: false }, mover: { type: "string" } },
});

/** A statement as it goes from the command to the databases. */
interface Asked {
	sql: string;
	values: unknown[];
}

/** A database behind `serveDatabases`: what the command asks of it goes on where the command is killed, as on Cloudflare. */
function databaseAt(url: string): D1Database {
	const ask = async (asked: Asked[]) => {
		const answer = await fetch(url, { method: "POST", body: JSON.stringify(asked) });
		if (!answer.ok) throw new Error(await answer.text());
		return (await answer.json()) as D1Result[];
	};
	const one = async (asked: Asked) => (await ask([asked]))[0]!;
	const prepare = (sql: string, values: unknown[] = []): object => ({
		sql,
		values,
		bind: (...bound: unknown[]) => prepare(sql, bound),
		all: () => one({ sql, values }),
		run: () => one({ sql, values }),
		raw: async () => (await one({ sql, values })).results.map((row) => Object.values(row as object)),
		first: async () => (await one({ sql, values })).results[0] ?? null,
	});
	return {
		prepare,
		batch: (all: Asked[]) => ask(all),
		exec: (sql: string) => ask([{ sql, values: [] }]),
	} as unknown as D1Database;
}

/** The command in a process of its own, which can be killed. */
async function runMover(url: string): Promise<void> {
	const isDone = await moveCountry({
		databases: new Map(["DB", "DB_NG"].map((name) => [name, databaseAt(`${url}/${name}`)])),
		bucket: {
			delete: (keys: string[]) => fetch(`${url}/bucket`, { method: "DELETE", body: JSON.stringify(keys) }),
			put: (key: string, text: string) => fetch(`${url}/bucket/${key}`, { method: "PUT", body: text }),
			get: async (key: string) => {
				const answer = await fetch(`${url}/bucket/${key}`);
				return answer.ok ? answer : null;
			},
		} as unknown as R2Bucket,
		country: "NG",
		report: (line) => console.log(line),
		isServedAtOnce: false,
		now: () => Date.now() + (values.hurry ? HOUR : 0),
	});
	console.log(isDone ? "DONE" : "DEPLOY");
}
if (values.mover) {
	await runMover(values.mover);
	process.exit(0);
}

const COUNT = Number(positionals[0] ?? 100_000);
/** Codes of a zone that are in use, accounts that own all of them, and those among them who write. */
const PER_ZONE = 900;
const OWNERS = 500;
const WRITERS = 8;
const READERS = 4;
/** How long a writer waits after each write, and a reader, in milliseconds. */
const PAUSE = 20;
const LAGOS = { lat: 6.5244, lng: 3.3792 };
const NAIROBI = { lat: -1.2864, lng: 36.8172 };

const served = await serveRegistry(0, {
	entry: PATIENT_WORKER,
	beside: [{ entry: PATIENT_WORKER, port: 0, apart: ["DB_NG"] }],
});
const newUrl = served.beside[0]!;
// Miniflare's types are those of another version of the same interfaces.
const databases = { DB: served.database, DB_NG: served.apart.DB_NG } as unknown as Record<"DB" | "DB_NG", D1Database>;
const inDatabase = (name: "DB" | "DB_NG", sql: string, ...bound: unknown[]) =>
	query({ database: databases[name] }, sql, ...bound);

const faults: string[] = [];
const check = (holds: boolean, fault: string) => {
	if (holds) return;
	faults.push(fault);
	console.log(`FAULT: ${fault}`);
};

// What there is: all of the country in DB, with what hangs on addresses, and some of another beside it.
const writers = await Promise.all(Array.from({ length: WRITERS }, () => signUp(served.url)));
await inDatabase(
	"DB",
	`insert into users (id, phone, password_hash, created_at) with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${OWNERS})
	select 'usr_' || n, '+12025' || (100000 + n), 'x', 1 from numbers`,
);
const known: string[] = [];
for (let zone = 1; known.length < COUNT; zone += 1)
	for (let unit = 0, inZone = 0; inZone < PER_ZONE && known.length < COUNT; unit += 1) {
		const code = codeOfSerial("NG", zoneDigits(zone), unit);
		if (!code) continue;
		known.push(code);
		inZone += 1;
	}
for (let from = 0; from < known.length; from += 5_000)
	await inDatabase(
		"DB",
		`insert into addresses (canonical, zone_name, region, lat, lng, label, owner_id, created_at)
		select value, 'Somolu 2 km south', 'Lagos', 6.5244, 3.3792, 'Gate of ' || value, 'usr_' || (1 + key % ${OWNERS}), 1790000000000 from json_each(?)`,
		JSON.stringify(known.slice(from, from + 5_000)),
	);
for (const statement of [
	"insert into units (canonical, unit, label, created_at) select canonical, '2B', 'Shop', 1 from addresses where canonical like 'NG%' and rowid % 10 = 0",
	"insert into address_changes (canonical, changed_at, change, label) select canonical, 1, 'label', 'Before' from addresses where canonical like 'NG%' and rowid % 5 = 0",
	"update addresses set visibility = 'private', version = version + 1 where canonical like 'NG%' and rowid % 20 = 1 and owner_id <> 'usr_nobody'",
	"delete from journal_queue where canonical like 'NG%' and rowid % 3 > 0",
])
	await inDatabase("DB", statement);
/** Labels of codes, as the last write that was answered left them. */
const labels = new Map<string, string>();
/** Codes that a writer changes. */
const own = new Map<string, string[]>();
for (const { id } of writers) own.set(id, []);
for (const [index, code] of known.entries()) {
	labels.set(code, `Gate of ${code}`);
	if (index % 100 === 0) own.get(writers[(index / 100) % WRITERS]!.id)!.push(code);
}
for (const [id, codes] of own)
	await inDatabase(
		"DB",
		"update addresses set owner_id = ? where canonical in (select value from json_each(?))",
		id,
		JSON.stringify(codes),
	);

const isChanging = new Set([...own.values()].flat());
const privates = await inDatabase("DB", "select canonical from addresses where visibility = 'private'");
const isPrivate = new Set(privates.map(({ canonical }) => String(canonical)));

const { token: readerToken } = await signUp(served.url);
const follower = await makeKey(served.url, readerToken);
await inDatabase(
	"DB",
	"update api_keys set scopes = json_insert(scopes, '$[#]', 'changes:read') where id = ?",
	follower.id,
);

/** The Worker that most requests reach, by its number. */
let deployed = 0;
const url = () => (deployed === 0 ? served.url : newUrl);
const ask = (path: string) => fetch(url() + path, { headers: { Authorization: follower.token } });
const makePart = () => served.runHourly(Date.now() - (Date.now() % (5 * MINUTE)), "*/5 * * * *", deployed);
const mirror = new Mirror(ask, makePart, 1_000);
await mirror.load();
const snapshot = (await (await ask("/v1/snapshots/latest")).json()) as Manifest;

// Writers and readers, until all is done.
let isOver = false;
const counts: Record<string, number> = {};
const count = (what: string) => {
	counts[what] = (counts[what] ?? 0) + 1;
};
/** When the first write was refused, and when the last. */
const refused = { first: Number.POSITIVE_INFINITY, last: 0 };
const random = seededRandom(7);
const pick = <Item>(items: Item[]) => items[Math.floor(random() * items.length)] as Item;

async function write({ id, token }: (typeof writers)[number]): Promise<void> {
	const codes = own.get(id)!;
	for (let number = 0; !isOver; number += 1) {
		// While a version is rolled out, requests reach either.
		const to = deployed === 1 && number % 4 === 0 && !values.hurry ? served.url : url();
		const label = `${id} ${number}`;
		const isOfKenya = number % 3 === 0;
		const code = number % 3 === 1 ? pick(codes) : undefined;
		const answer = code
			? await send(to, { method: "PATCH", path: `/v1/addresses/${code}`, token, body: { label } })
			: await send(to, { path: "/v1/addresses", token, body: { ...(isOfKenya ? NAIROBI : LAGOS), label } });
		const what = code ? "change" : isOfKenya ? "mint in Kenya" : "mint";
		count(`${what} ${answer.status}`);
		if (answer.status < 300) {
			const canonical = String(answer.body.canonical);
			check(code !== undefined || !labels.has(canonical), `${canonical} was issued twice`);
			labels.set(canonical, label);
			if (!isOfKenya && !code) codes.push(canonical);
		} else if (answer.status === 503 && !isOfKenya) {
			refused.first = Math.min(refused.first, performance.now());
			refused.last = performance.now();
			check(answer.headers.has("Retry-After"), "503 without Retry-After");
		} else check(to === served.url && deployed === 1, `${what}: ${answer.status} ${answer.text}`);
		await setTimeout(PAUSE);
	}
}

async function read(): Promise<void> {
	while (!isOver) {
		const code = pick(known);
		const { status, body } = await send(url(), { path: `/v1/public/addresses/${code}` });
		count(`resolve ${status}`);
		if (isPrivate.has(code)) check(status === 403, `${code} is private: ${status}`);
		else check(status === 200 && (isChanging.has(code) || body.label === labels.get(code)), `${code}: ${status}`);
		await setTimeout(PAUSE);
	}
}

// What the command asks goes through here.
const server = createServer(async (request, response) => {
	try {
		const [, name, ...key] = request.url!.split("/");
		if (request.method === "GET") {
			const object = await served.bucket.get(key.join("/"));
			return object ? response.end(await object.text()) : response.writeHead(404).end();
		}
		if (request.method === "PUT") {
			await served.bucket.put(key.join("/"), await text(request));
			return response.end();
		}
		const asked = JSON.parse(await text(request));
		if (request.method === "DELETE") {
			await served.bucket.delete(asked as string[]);
			return response.end();
		}
		const database = databases[name as "DB"];
		response.end(
			JSON.stringify(
				await database.batch((asked as Asked[]).map(({ sql, values }) => database.prepare(sql).bind(...values))),
			),
		);
	} catch (error) {
		response.writeHead(500).end((error as Error).message);
	}
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const bridge = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

let kills = 0;
/** Runs that may end with an error, after which the command is run again, as an operator would: Miniflare's way to D1 fails once in a while. */
let failuresLeft = 3;
/** Runs the command, which is killed some milliseconds after it has printed something. Returns what it printed. */
function move(killAt?: RegExp, milliseconds = 0): Promise<string> {
	return new Promise((resolve, reject) => {
		const args = [import.meta.filename, "--mover", bridge, ...(values.hurry ? ["--hurry"] : [])];
		const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
		let printed = "";
		let isDoomed = false;
		child.stdout.on("data", async (piece: Buffer) => {
			printed += piece;
			if (isDoomed || !killAt?.test(printed)) return;
			isDoomed = true;
			await setTimeout(milliseconds);
			child.kill("SIGKILL");
		});
		child.on("close", (status, signal) => {
			if (signal === "SIGKILL") kills += 1;
			else if (status !== 0) {
				failuresLeft -= 1;
				if (failuresLeft < 0) return reject(new Error(`The command ended with ${status}: ${printed}`));
				return resolve(move(killAt, milliseconds));
			}
			resolve(printed);
		});
	});
}

const seconds = (since: number, upTo = performance.now()) => ((upTo - since) / 1000).toFixed(1);
const load = [...writers.map(write), ...Array.from({ length: READERS }, read)];
await setTimeout(2_000);
const begun = performance.now();
await move(/from DB to DB_NG/, 20);
// The longest table, which is begun after this one.
await move(/^burnt_codes: .* copied/m, COUNT / 100);
await move(/^units: .* copied/m);
await move(/^addresses: the same/m);
const copying = performance.now();
check((await move()).endsWith("DEPLOY\n"), "The command did not ask for a deployment");
const copied = performance.now();
deployed = 1;
const homes = await Promise.all(
	Object.entries(databases).map(([name, database]) => homeDatabase(name, askOf(database))),
);
check((await noteServed(homes, Date.now())).join() === "NG", "Nothing was noted as served");
await move(/^address_changes: deleted/m, COUNT / 200);
const deleting = performance.now();
await move(/^addresses: deleted/m);
check((await move()).endsWith("DONE\n"), "The command did not end");
const done = performance.now();

// A home that is made private at once.
const home = own.get(writers[0]!.id)!.find((code) => known.includes(code) && !isPrivate.has(code))!;
const hiding = { method: "PATCH", path: `/v1/addresses/${home}`, token: writers[0]!.token };
const hidden = await send(newUrl, { ...hiding, body: { visibility: "private" } });
check(hidden.status === 200, `A home could not be made private: ${hidden.text}`);
check((await send(newUrl, { path: `/v1/public/addresses/${home}` })).status === 403, "It resolves");
for (const part of snapshot.parts) {
	const answer = await ask(pathOf(part.url));
	check(!answer.ok || !(await linesOfPart(part, answer)).some((line) => line.includes(home)), `${part.url} shows it`);
}
const late = await send(served.url, { path: "/v1/addresses", token: writers[1]!.token, body: LAGOS });
check(late.status === 503, `The Worker of the version before mints: ${late.status}`);
await setTimeout(1_000);
isOver = true;
await Promise.all(load);
await mirror.follow();
check(!mirror.addresses.has(home), "A mirror shows it");
const fresh = new Mirror(ask, makePart, 1_000);
await fresh.load();
await fresh.follow();
check(!fresh.addresses.has(home), "A new snapshot shows it");
check(fresh.text === mirror.text, "A mirror from before is not the registry");

// Every code that was ever answered stands where its country is, once, as its last write left it.
const standing = "select canonical, label from addresses where owner_id <> 'usr_nobody'";
const rows = { DB: await inDatabase("DB", standing), DB_NG: await inDatabase("DB_NG", standing) };
const ofNigeria = ({ canonical }: Record<string, unknown>) => String(canonical).startsWith("NG");
check(rows.DB.filter(ofNigeria).length === 0, `${rows.DB.filter(ofNigeria).length} addresses are still in DB`);
check(rows.DB_NG.every(ofNigeria), "DB_NG holds others");
const all = [...rows.DB, ...rows.DB_NG];
check(all.length === labels.size, `${all.length} addresses, and ${labels.size} were answered`);
const differing = all.filter(({ canonical, label }) => labels.get(String(canonical)) !== label);
check(differing.length === 0, `${differing.length} addresses are not as they were answered`);
const hanging = async (name: "DB" | "DB_NG") =>
	(
		await inDatabase(
			name,
			"select (select count(*) from units) as units, (select count(*) from address_changes) as kept",
		)
	)[0];
console.log(`DB ${JSON.stringify(await hanging("DB"))}, DB_NG ${JSON.stringify(await hanging("DB_NG"))}`);
console.log(JSON.stringify(counts));
console.log(
	`${COUNT.toLocaleString("en")} addresses: moved in ${seconds(begun, done)} s, killed ${kills} times; the last run of the first part took ${seconds(copying, copied)} s, ` +
		`of the second ${seconds(deleting, done)} s. Writes of the country were refused for ${seconds(refused.first, refused.last)} s.`,
);
// On a busy machine a short run may end before the signal comes.
check(kills > 3, `The command was killed ${kills} times and not six`);
console.log(`${faults.length} faults`);
server.close();
await served.stop();
process.exit(faults.length > 0 ? 1 : 0);
