/**
 * Fills a registry through its API with one of everything that an upgrade has to keep, and writes what is then in its databases, its bucket
 * and a backup into one file, with what a client of it remembers: `npx node test/upgrade/fill.ts FILE COMMIT`. It is run once for each
 * release, in a checkout of it into which this file was copied. The file names the commit, and the secrets in it are those of tests.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { LOCAL_OPERATOR, localKeySet, localToken } from "../../src/cli/local-operator.ts";
import { withTemporaryFolder } from "../../src/cli/temporary-folder.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { makeKey, PASSWORD, send, signUp } from "../support/remote.ts";
import { ALL_SECRETS, serveRegistry } from "../support/serve.ts";

const [file, commit] = process.argv.slice(2);
if (!file || !commit) throw new Error("Name the file and the commit: npx node test/upgrade/fill.ts FILE COMMIT");

const ADDRESSES = 300;
const NEW_PASSWORD = "nine green herons";

/** The codes of Kenya are in a database of their own. */
const APART = ["DB_KE"];
const DAY = 86_400_000;

const { issuer, audience, email } = LOCAL_OPERATOR;
const keys = JSON.stringify(await localKeySet());
const served = await serveRegistry(0, {
	apart: APART,
	bindings: { OPERATORS_ISSUER: issuer, OPERATORS_AUDIENCE: audience, OPERATORS: email, OPERATORS_JWKS: keys },
});
const { url, database, bucket, apart } = served;

async function call(method: string, path: string, token: string | undefined, body?: object, headers?: object) {
	const answer = await send(url, { method, path, token, body, headers: headers as Record<string, string> });
	if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
	return answer.body;
}

/** Runs a statement in the database of accounts, where time has to pass or a process would have to end. */
const sql = (statement: string, ...values: unknown[]) =>
	database
		.prepare(statement)
		.bind(...values)
		.run();

/** As the local operator, who has to call from this machine itself. */
async function operate(path: string, body: object): Promise<void> {
	const headers = { Authorization: `Bearer ${await localToken()}`, "Content-Type": "application/json" };
	const answer = await fetch(`${url}/v1/operator/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
	if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

/** The place of an address by its number: a street grid in Lagos. */
const placeOf = (index: number) => ({
	lat: 6.5 + (index % 20) * 0.0005,
	lng: 3.35 + Math.floor(index / 20) * 0.0005,
	label: `House ${index}`,
});

const phoneOf = (index: number) => `+1202555${String(100 + index).padStart(4, "0")}`;
const owners = [await signUp(url, phoneOf(1)), await signUp(url, phoneOf(2)), await signUp(url, phoneOf(3))];
const writing = await makeKey(url, owners[0]!.token);
const reading = await makeKey(url, owners[1]!.token, ["addresses:read"]);
const revoked = await makeKey(url, owners[0]!.token);
await call("DELETE", `/v1/keys/${revoked.id}`, owners[0]!.token);

const codes: string[] = [];
const idempotent: { token: number; key: string; body: object; canonical: string }[] = [];
for (let index = 0; index < ADDRESSES; index += 1) {
	const owner = index % owners.length;
	const key = index < 30 ? `first-try-${index}` : undefined;
	const body = placeOf(index);
	const headers = key ? { "Idempotency-Key": key } : {};
	const { canonical } = await call("POST", "/v1/addresses", owners[owner]!.token, body, headers);
	codes.push(String(canonical));
	if (key) idempotent.push({ token: owner, key, body, canonical: String(canonical) });
}
const tokenOf = (index: number) => owners[index % owners.length]!.token;
const each = async (
	from: number,
	to: number,
	work: (code: string, token: string, index: number) => Promise<unknown>,
) => {
	for (let index = from; index < to; index += 1) await work(codes[index]!, tokenOf(index), index);
};
await each(0, 20, (code, token) => call("PATCH", `/v1/addresses/${code}`, token, { label: "New words" }));
await each(20, 40, (code, token) => call("PATCH", `/v1/addresses/${code}`, token, { visibility: "private" }));
const links: { code: string; link: string }[] = [];
await each(20, 25, async (code, token) => {
	const { url: link } = await call("POST", `/v1/addresses/${code}/share`, token, { days: 365 });
	links.push({ code, link: String(link) });
});
await each(40, 50, (code, token) => call("PUT", `/v1/addresses/${code}/units/3B`, token, { label: "third floor" }));
const reports: string[] = [];
await each(50, 55, async (code) => {
	const report = { kind: "wrong_place", text: "There is a bus stop." };
	reports.push(String((await call("POST", `/v1/public/addresses/${code}/reports`, undefined, report)).id));
});
await each(60, 66, (code, token) => call("DELETE", `/v1/addresses/${code}`, token));
await each(66, 72, (code, token, index) =>
	call("DELETE", `/v1/addresses/${code}`, token, { successor: codes[index + 12] }),
);
const agent = await signUp(url, phoneOf(4));
await operate(`accounts/${agent.id}/role`, { role: "agent", reason: "Trained on Monday" });
await each(80, 83, (code, _, index) => {
	const { lat, lng } = placeOf(index);
	return call("POST", `/v1/addresses/${code}/attestations`, agent.token, {
		level: 1,
		note: "",
		position: { lat, lng, accuracy_m: 10 },
	});
});
const suspended = await signUp(url, phoneOf(5));
await operate(`accounts/${suspended.id}/suspend`, { reason: "Spam" });
const closed = await signUp(url, phoneOf(6));
await call("DELETE", "/v1/auth/me", closed.token, { password: PASSWORD });
const changed = await signUp(url, phoneOf(7));
const { refresh } = await call("POST", "/v1/auth/password/change", changed.token, {
	current_password: PASSWORD,
	new_password: NEW_PASSWORD,
});

/** An account that gets two public addresses, a private one with a link, and one in the other database. */
async function settle(phone: string, place: number) {
	const account = await signUp(url, phone);
	const own: string[] = [];
	for (let index = place; index < place + 3; index += 1)
		own.push(String((await call("POST", "/v1/addresses", account.token, placeOf(index))).canonical));
	const nairobi = { lat: -1.2921 + place * 0.0001, lng: 36.8219, label: "Green gate" };
	own.push(String((await call("POST", "/v1/addresses", account.token, nairobi)).canonical));
	await call("PATCH", `/v1/addresses/${own[2]}`, account.token, { visibility: "private" });
	const { url: link } = await call("POST", `/v1/addresses/${own[2]}/share`, account.token, { days: 365 });
	return { ...account, codes: own, link: String(link) };
}

// Accounts that their holders closed. The last one is due to be erased, and the one before it was cut off before the other database followed.
const closedOwners: Awaited<ReturnType<typeof settle>>[] = [];
for (const number of [20, 21, 22, 23]) closedOwners.push(await settle(phoneOf(number), 400 + 10 * number));
for (const [number, { id, token }] of closedOwners.entries())
	if (number !== 2) await call("DELETE", "/v1/auth/me", token, { password: PASSWORD });
	else await sql("update users set erase_at = ? where id = ?", Date.now() + 20 * DAY, id);

// Accounts that nobody has used for long, and that are to be recovered in person: one recovery is due, and of one the code was shown.
const recovered: Awaited<ReturnType<typeof settle>>[] = [];
for (const number of [24, 25]) recovered.push(await settle(phoneOf(number), 400 + 10 * number));
const ofRecovered = JSON.stringify(recovered.map(({ id }) => id));
await sql("delete from sessions where user_id in (select value from json_each(?))", ofRecovered);
await sql(
	"update users set created_at = created_at - ?1, used_until = used_until - ?1 where id in (select value from json_each(?2))",
	200 * DAY,
	ofRecovered,
);
for (const { id } of recovered)
	await operate(`accounts/${id}/recovery`, {
		reason: "Came to the office: lost their phone.",
		evidence: "pin_on_site",
	});
await sql("update users set recovery_asked_at = recovery_asked_at - ? where recovery_asked_at is not null", 8 * DAY);
// Nobody shows a code who was made an agent by the operator who asked.
const otherAgent = await signUp(url, phoneOf(28));
await sql("update users set role = 'agent' where id = ?", otherAgent.id);
const pin = (place: number) => ({ lat: placeOf(place).lat, lng: placeOf(place).lng, accuracy_m: 10 });
const { recovery_code: recoveryCode } = await call(
	"POST",
	`/v1/addresses/${recovered[1]!.codes[0]}/recovery-code`,
	otherAgent.token,
	{ position: pin(400 + 10 * 25) },
);

// What an agent attested for others, among them a private address and a number that its holder has not accepted yet.
const visited = await settle(phoneOf(26), 400 + 10 * 26);
await call("POST", `/v1/addresses/${visited.codes[2]}/attestations`, agent.token, {
	level: 2,
	note: "",
	position: pin(400 + 10 * 26 + 2),
});
await call("POST", "/v1/auth/attest-phone", agent.token, { phone: phoneOf(27), user_id: visited.id });

// An Idempotency-Key that is older than a week, and is to be forgotten.
const old = { key: "last-week", body: placeOf(700), canonical: "" };
old.canonical = String(
	(await call("POST", "/v1/addresses", visited.token, old.body, { "Idempotency-Key": old.key })).canonical,
);
await sql("update addresses set created_at = created_at - ? where canonical = ?", 8 * DAY, old.canonical);

const meters = { items: [{ ...placeOf(701), external_id: "meter-1" }] };
await call("POST", "/v1/addresses/batch", visited.token, meters);

// A test key with an address of the sandbox, a key for the feed, an allowance, an answered and a decided report, and failed sign-ins.
const test = await makeKey(url, visited.token, ["addresses:read", "addresses:write"], "test");
const sandbox = String((await call("POST", "/v1/addresses", test.token, placeOf(710))).canonical);
const feed = await makeKey(url, visited.token, ["addresses:read"]);
await sql("update api_keys set scopes = ? where id = ?", JSON.stringify(["addresses:read", "changes:read"]), feed.id);
await operate(`accounts/${visited.id}/allowance`, { new_addresses_per_day: 5_000, reason: "A utility" });
await call("POST", `/v1/addresses/${codes[51]}/reports/${reports[1]}/answer`, tokenOf(51), { text: "It has moved." });
await operate(`reports/${reports[2]}/decide`, { decision: "hide", reason: "Nobody lives there." });
for (let tries = 0; tries < 3; tries += 1)
	await send(url, { path: "/v1/auth/login", body: { phone: phoneOf(1), password: "not this one" } });

await served.runHourly(Date.now());
// The index is the repository's own, and no part of what is kept.
await bucket.delete("world.zones");
const registry = { database, bucket, apart } as unknown as RegistryStorage;
const backup = await withTemporaryFolder(async (folder) => {
	const name = path.join(folder, "backup");
	await exportRegistry(registry, name, () => {}, readSigningSecrets(ALL_SECRETS.JOURNAL_SECRETS));
	const files = readdirSync(name, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
	const paths = files.map((file) => path.relative(name, path.join(file.parentPath, file.name)));
	return Object.fromEntries(paths.map((file) => [file, readFileSync(path.join(name, file), "utf8")]));
});
// Some changes since.
await each(100, 110, (code, token) => call("PATCH", `/v1/addresses/${code}`, token, { label: "Since the backup" }));
await served.runHourly(Date.now());

/** The rows of all tables of a database, with their numbers. */
async function rowsIn(own: typeof database): Promise<Record<string, unknown[]>> {
	const { results: tables } = await own
		.prepare(
			"select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like '\\_cf%' escape '\\'",
		)
		.all<{ name: string }>();
	const rows: Record<string, unknown[]> = {};
	for (const { name } of tables)
		rows[name] = (await own.prepare(`select rowid as "#", * from "${name}"`).all()).results;
	return rows;
}
const rows = await rowsIn(database);
const rowsApart: Record<string, Record<string, unknown[]>> = {};
for (const [name, own] of Object.entries(apart)) rowsApart[name] = await rowsIn(own);
const objects: { key: string; bytes: string; customMetadata: Record<string, string> }[] = [];
const listed = await bucket.list();
if (listed.truncated) throw new Error("The bucket has more objects than one list names");
for (const { key } of listed.objects) {
	const object = (await bucket.get(key))!;
	const bytes = Buffer.from(await object.arrayBuffer()).toString("base64");
	objects.push({ key, bytes, customMetadata: object.customMetadata ?? {} });
}
const answers: Record<string, unknown> = {};
for (const code of codes) {
	const { status, body } = await send(url, { path: `/v1/public/addresses/${code}` });
	answers[code] = { status, body: status === 200 ? body : {} };
}
const client = {
	password: PASSWORD,
	newPassword: NEW_PASSWORD,
	phones: { owners: [1, 2, 3].map(phoneOf), suspended: phoneOf(5), closed: phoneOf(6), changed: phoneOf(7) },
	refresh: [...owners.map((owner) => owner.refresh), refresh],
	keys: { writing: writing.token, reading: reading.token, revoked: revoked.token },
	codes,
	idempotent,
	links,
	reports,
	answers,
	closedOwners,
	recovered: { due: recovered[0], shown: { ...recovered[1], recoveryCode } },
	visited: { ...visited, pendingPhone: phoneOf(27) },
	old,
	meters,
	sandbox,
	keysOfVisited: { test: test.token, feed: feed.token },
};
const dump = { commit, secrets: ALL_SECRETS, dumpedAt: Date.now(), rows, rowsApart, objects, backup, client };
writeFileSync(file, gzipSync(JSON.stringify(dump), { level: 9 }));
await served.stop();
console.log(`${file}: ${codes.length} addresses, ${objects.length} objects`);
