import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { seededRandom } from "../support/random.ts";
import { LAGOS, send, signUp } from "../support/remote.ts";
import { type ServeOptions, serveRegistry } from "../support/serve.ts";
import type { Findings } from "./findings.ts";

const MINTING_AT_ONCE = 16;

/** Kills the runtime amid mints, starts it again on what it left, and looks for codes that were lost, changed or given twice. */
export async function killAmidMints(port: number, rounds: number, findings: Findings): Promise<void> {
	const state = mkdtempSync(path.join(tmpdir(), "address-registry-state-"));
	const random = seededRandom(7);
	const options: ServeOptions = { state };
	const promised = new Map<string, { key: string; canonical: string | undefined }>();
	let served = await serveRegistry(port, options);
	const { token } = await signUp(served.url);
	for (let round = 0; round < rounds; round += 1) {
		let isDead = false;
		const minting = Array.from({ length: MINTING_AT_ONCE }, async (_, worker) => {
			for (let number = 0; !isDead; number += 1) {
				const key = `${round}-${worker}-${number}`;
				promised.set(key, { key, canonical: undefined });
				const headers = { "Idempotency-Key": key };
				const answer = await send(served.url, { path: "/v1/addresses", token, body: LAGOS, headers }).catch(
					() => undefined,
				);
				if (answer?.status === 201) promised.set(key, { key, canonical: String(answer.body.canonical) });
			}
		});
		await new Promise((resolve) => setTimeout(resolve, 1_000 + random() * 2_000));
		process.kill(served.workerd, "SIGKILL");
		isDead = true;
		await Promise.all(minting);
		await served.stop().catch(() => {});
		served = await serveRegistry(port, options);

		const codes = new Set<string>();
		let changed = 0;
		for (const { key, canonical } of promised.values()) {
			const headers = { "Idempotency-Key": key };
			const again = await send(served.url, { path: "/v1/addresses", token, body: LAGOS, headers });
			const code = String(again.body.canonical);
			if (again.status !== 201 || (canonical !== undefined && canonical !== code)) changed += 1;
			promised.set(key, { key, canonical: code });
			codes.add(code);
		}
		findings.check(
			changed === 0,
			`kill: ${changed} keys of ${promised.size} got another code, or none, after the crash`,
		);
		findings.check(codes.size === promised.size, `kill: ${promised.size - codes.size} codes were given twice`);
		const kept = await served.database
			.prepare("select count(*) as count from addresses where idempotency_key is not null")
			.first<{ count: number }>();
		findings.check(kept?.count === promised.size, `kill: ${kept?.count} rows for ${promised.size} keys`);
		const integrity = await served.database.prepare("pragma quick_check").first<Record<string, string>>();
		findings.check(
			Object.values(integrity ?? {})[0] === "ok",
			`kill: the database is damaged: ${JSON.stringify(integrity)}`,
		);
		console.log(`kill, round ${round + 1}: ${promised.size} keys, each with its own code`);
	}
	await served.stop();
	rmSync(state, { recursive: true });
}
