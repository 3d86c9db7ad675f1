import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { seededRandom } from "../support/random.ts";
import { LAGOS, send, signUp } from "../support/remote.ts";
import { type Served, type ServeOptions, serveRegistry } from "../support/serve.ts";
import type { Findings } from "./findings.ts";

const MINTING_AT_ONCE = 16;

/** Databases beside DB, and a point in each of the four. */
const APART = ["DB_NG_01234", "DB_NG_56789", "DB_KE"];
const POINTS = [
	LAGOS,
	{ lat: 12.0022, lng: 8.592, label: "Kano" },
	{ lat: -1.2921, lng: 36.8219, label: "Nairobi" },
	{ lat: 5.6037, lng: -0.187, label: "Accra" },
];

/** Keys of earlier rounds that are asked again after a kill, at most. The last kill is followed by all of them. */
const ASKED_AGAIN = 300;

/** A creation that was sent under an Idempotency-Key, and the code that answered it. */
interface Creation {
	body: object;
	canonical: string | undefined;
}

/** Reads numbers of each database. */
async function inEach({ database, apart }: Served, sql: string): Promise<number[]> {
	const all = [database, ...Object.values(apart)];
	return Promise.all(all.map(async (db) => (await db.prepare(sql).first<{ count: number | null }>())?.count ?? 0));
}

/**
 * Kills the runtime amid mints, starts it again on what it left, and looks for codes that were lost, changed or given twice, and for
 * quotas that do not count exactly what was minted.
 * @param rounds How often it is killed.
 * @param isApart Whether the addresses lie in four databases.
 */
export async function killAmidMints(port: number, rounds: number, isApart: boolean, findings: Findings): Promise<void> {
	const state = mkdtempSync(path.join(tmpdir(), "address-registry-state-"));
	const random = seededRandom(7);
	const apart = isApart ? APART : [];
	const points = isApart ? POINTS : [LAGOS];
	const quota = { NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 1_000_000, WRITES_PER_NETWORK_AND_DAY: 1_000_000 };
	const options: ServeOptions = { state, apart, bindings: quota };
	const name = isApart ? "kill over four databases" : "kill";
	const creations = new Map<string, Creation>();
	let served = await serveRegistry(port, options);
	const { token, id } = await signUp(served.url);
	for (let round = 0; round < rounds; round += 1) {
		let isDead = false;
		const minting = Array.from({ length: MINTING_AT_ONCE }, async (_, worker) => {
			for (let number = 0; !isDead; number += 1) {
				const key = `${round}-${worker}-${number}`;
				const creation: Creation = { body: points[(worker + number) % points.length]!, canonical: undefined };
				creations.set(key, creation);
				const { status, body } = await send(served.url, {
					path: "/v1/addresses",
					token,
					body: creation.body,
					headers: { "Idempotency-Key": key },
				}).catch(() => ({ status: 0, body: {} as Record<string, unknown> }));
				if (status === 201) creation.canonical = String(body.canonical);
			}
		});
		await new Promise((resolve) => setTimeout(resolve, 1_000 + random() * 2_000));
		process.kill(served.workerd, "SIGKILL");
		isDead = true;
		await Promise.all(minting);
		await served.stop().catch(() => {});
		served = await serveRegistry(port, options);

		const isLast = round === rounds - 1;
		const asked = [...creations].filter(
			([key]) => isLast || key.startsWith(`${round}-`) || random() * creations.size < ASKED_AGAIN,
		);
		let changed = 0;
		for (const [key, creation] of asked) {
			const { status, body } = await send(served.url, {
				path: "/v1/addresses",
				token,
				body: creation.body,
				headers: { "Idempotency-Key": key },
			});
			const code = String(body.canonical);
			if (status !== 201 || (creation.canonical !== undefined && creation.canonical !== code)) changed += 1;
			creation.canonical = code;
		}
		findings.check(
			changed === 0,
			`${name}: ${changed} of ${asked.length} keys got another code, or none, after the crash`,
		);
		const codes = new Set(Array.from(creations.values(), ({ canonical }) => canonical));
		findings.check(codes.size === creations.size, `${name}: ${creations.size - codes.size} codes were given twice`);
		const stored = await inEach(served, "select count(*) as count from addresses where idempotency_key is not null");
		const counted = await inEach(
			served,
			`select sum(count) as count from daily_counts where subject = '${id}:new-addresses'`,
		);
		findings.check(
			stored.reduce((sum, count) => sum + count, 0) === creations.size,
			`${name}: rows ${stored.join(", ")} for ${creations.size} keys`,
		);
		findings.check(
			stored.every((count) => count > 0),
			`${name}: a database has no address: ${stored.join(", ")}`,
		);
		// Past midnight UTC, a day's count begins anew.
		findings.check(
			counted.join() === stored.join(),
			`${name}: quotas count ${counted.join(", ")} of ${stored.join(", ")}`,
		);
		for (const db of [served.database, ...Object.values(served.apart)]) {
			const integrity = await db.prepare("pragma quick_check").first<Record<string, string>>();
			findings.check(
				Object.values(integrity ?? {})[0] === "ok",
				`${name}: a database is damaged: ${JSON.stringify(integrity)}`,
			);
		}
		console.log(
			`${name}, round ${round + 1}: ${creations.size} keys, each with its own code; rows ${stored.join(", ")}`,
		);
	}
	await served.stop();
	rmSync(state, { recursive: true });
}
