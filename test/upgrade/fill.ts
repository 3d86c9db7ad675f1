/**
 * Fills a registry through its API with one of everything that an upgrade has to keep, and writes what is then in its database, its bucket
 * and a backup into one file, with what a client of it remembers: `npx node test/upgrade/fill.ts FILE COMMIT`. It is run once for each
 * release, in a checkout of it. The file names the commit, and the secrets in it are those of tests.
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

const { issuer, audience, email } = LOCAL_OPERATOR;
const keys = JSON.stringify(await localKeySet());
const served = await serveRegistry(0, {
	bindings: { OPERATORS_ISSUER: issuer, OPERATORS_AUDIENCE: audience, OPERATORS: email, OPERATORS_JWKS: keys },
});
const { url, database, bucket } = served;

async function call(method: string, path: string, token: string | undefined, body?: object, headers?: object) {
	const answer = await send(url, { method, path, token, body, headers: headers as Record<string, string> });
	if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
	return answer.body;
}

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

await served.runHourly(Date.now());
// The index is the repository's own, and no part of what is kept.
await bucket.delete("world.zones");
const registry = { database, bucket } as unknown as RegistryStorage;
const backup = await withTemporaryFolder(async (folder) => {
	const name = path.join(folder, "backup");
	await exportRegistry(registry, name, () => {}, readSigningSecrets(ALL_SECRETS.JOURNAL_SECRETS));
	return Object.fromEntries(readdirSync(name).map((file) => [file, readFileSync(path.join(name, file), "utf8")]));
});
// Some changes since.
await each(100, 110, (code, token) => call("PATCH", `/v1/addresses/${code}`, token, { label: "Since the backup" }));
await served.runHourly(Date.now());

const { results: tables } = await database
	.prepare(
		"select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like '\\_cf%' escape '\\'",
	)
	.all<{ name: string }>();
const rows: Record<string, unknown[]> = {};
for (const { name } of tables)
	rows[name] = (await database.prepare(`select rowid as "#", * from "${name}"`).all()).results;
const objects: { key: string; bytes: string; customMetadata: Record<string, string> }[] = [];
for (const { key } of (await bucket.list()).objects) {
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
};
const dump = { commit, secrets: ALL_SECRETS, dumpedAt: Date.now(), rows, objects, backup, client };
writeFileSync(file, gzipSync(JSON.stringify(dump), { level: 9 }));
await served.stop();
console.log(`${file}: ${codes.length} addresses, ${objects.length} objects`);
