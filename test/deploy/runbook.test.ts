/** Cases of the runbook (src/docs/guides/operate.md) that no other test rehearses. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { readBackup } from "../../src/cli/backup.ts";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { restoreBackup } from "../../src/cli/restore.ts";
import { verifyRegistry } from "../../src/cli/verify.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { readSigningSecrets, type SigningSecrets } from "../../src/settings/signing-secrets.ts";
import { loseDatabase, query } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { mint, send, signUp } from "../support/remote.ts";
import { SECRETS, type Served, serveRegistry } from "../support/serve.ts";

const folder = temporaryFolder();
const silent = () => {};
const secrets = readSigningSecrets(SECRETS);
const optionsIn = (name: string, more: object = {}) => ({
	secrets,
	saveTo: path.join(folder, name),
	isReviving: false,
	report: silent,
	...more,
});
// Miniflare's types are those of another version of the same interfaces.
const registryOf = (served: Served) => served as unknown as RegistryStorage;

async function journalIsWritten(served: Served): Promise<void> {
	const waiting = () => query(registryOf(served), "select canonical from journal_queue");
	for (let tries = 0; tries < 20 && (await waiting()).length > 0; tries += 1) await setTimeout(50);
	await served.runHourly(Date.now());
	expect(await waiting()).toEqual([]);
}

it("the bucket is lost: the index of the backup and a new backup make the registry sound again", async () => {
	const served = await serveRegistry(0);
	const registry = registryOf(served);
	try {
		const holder = await signUp(served.url);
		const code = await mint(served.url, holder.token);
		await journalIsWritten(served);
		const before = path.join(folder, "before");
		await exportRegistry(registry, before, silent, secrets);
		for (;;) {
			const { objects } = await registry.bucket.list();
			if (objects.length === 0) break;
			await registry.bucket.delete(objects.map(({ key }) => key));
		}
		const resolve = async (of: string) => (await send(served.url, { path: `/v1/public/addresses/${of}` })).status;
		expect(await resolve(code)).toBe(200);
		// As `npm run deploy -- --zones FILE` puts it, and `npm run registry -- export`.
		await registry.bucket.put("world.zones", readFileSync(path.join(before, "world.zones")));
		const after = path.join(folder, "after");
		await exportRegistry(registry, after, silent, secrets);
		const since = await mint(served.url, holder.token);
		await journalIsWritten(served);
		expect((await verifyRegistry(registry, secrets)).faults).toEqual([]);
		await loseDatabase(registry);
		await expect(restoreBackup(registry, before, optionsIn("old"))).rejects.toThrow(
			/The journal cannot be proved complete: The record does not lead back to/,
		);
		await restoreBackup(registry, after, optionsIn("new"));
		expect([await resolve(code), await resolve(since)]).toEqual([200, 200]);
	} finally {
		await served.stop();
	}
});

it("a secret has leaked: the new one takes its place, and nothing that was written under the old one is lost", async () => {
	const state = path.join(folder, "state");
	const leaked = await serveRegistry(0, { state });
	const holder = await signUp(leaked.url);
	const code = await mint(leaked.url, holder.token);
	const call = ({ url }: Served, method: string, path: string, body?: object) =>
		send(url, { method, path, token: holder.token, body });
	expect((await call(leaked, "PATCH", `/v1/addresses/${code}`, { visibility: "private" })).status).toBe(200);
	const link = new URL(String((await call(leaked, "POST", `/v1/addresses/${code}/share`, {})).body.url)).search;
	const shown = async ({ url }: Served) => (await send(url, { path: `/v1/public/addresses/${code}${link}` })).status;
	expect(await shown(leaked)).toBe(200);
	await exportRegistry(registryOf(leaked), path.join(folder, "under-old"), silent, secrets);
	const older = await mint(leaked.url, holder.token);
	await journalIsWritten(leaked);
	await leaked.stop();

	const [share, journal] = [`s2:${"s".repeat(32)}`, `j2:${"j".repeat(32)}`];
	const served = await serveRegistry(0, { state, bindings: { SHARE_SECRETS: share, JOURNAL_SECRETS: journal } });
	const registry = registryOf(served);
	try {
		expect(await shown(served)).toBe(403);
		const newer = await mint(served.url, holder.token);
		await journalIsWritten(served);
		const rotated = [...readSigningSecrets(journal, "JOURNAL_SECRETS"), ...secrets] as SigningSecrets;
		await loseDatabase(registry);
		// The backup from before, with entries under both.
		await restoreBackup(registry, path.join(folder, "under-old"), optionsIn("both", { secrets: rotated }));
		const codes = await query(registry, "select canonical from addresses where owner_id = ?", holder.id);
		expect(codes.map(({ canonical }) => canonical).sort()).toEqual([code, older, newer].sort());
		const next = path.join(folder, "under-new");
		await exportRegistry(registry, next, silent, rotated);
		await readBackup(next, { secrets: readSigningSecrets(journal) });
		await expect(readBackup(next, { secrets })).rejects.toThrow("is not signed under a secret in JOURNAL_SECRETS");
	} finally {
		await served.stop();
	}
});
