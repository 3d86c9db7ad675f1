/** No network can freeze an isolate by having passwords hashed. */
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { hashPassword } from "../../src/accounts/password.ts";
import { openWebSession } from "../../src/accounts/web-session.ts";
import { hashInTurn, takeTurn } from "../../src/limits/hash-queue.ts";
import { perMinute } from "../../src/settings/limits.ts";
import { waitMilliseconds } from "../../src/time/wait-times.ts";
import { call, json, post } from "../support/client.ts";
import { ConsoleVisitor, newNationalPhone } from "../support/console-visitor.ts";
import { countStatements } from "../support/count-statements.ts";
import { inOneMinute, spend } from "../support/minute.ts";
import { freshPhone, LAGOS, PASSWORD, signUp } from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";
import { until } from "../support/until.ts";
import { underWaits } from "../support/waits.ts";

beforeEach(() => void Object.assign(waitMilliseconds, { hashPause: 260, hashTurn: 4_000 }));

/** Does something where a request waits a second for its turn, which holds two turns and a part, and so lets three in. */
const impatiently = <Result>(work: () => Promise<Result>) => underWaits({ hashTurn: 1_000 }, work);

let networks = 0x1000;

/** An address in a network of its own. */
function elsewhere(): string {
	networks += 1;
	return `2001:db8:${networks.toString(16)}::1`;
}

/** No network is known, as on a developer's machine. */
const NOWHERE = "";

const signIn = (from = elsewhere()) => post("/v1/auth/login", { phone: freshPhone(), password: PASSWORD }, { from });

describe("sign-ins at once", () => {
	it("take turns, between which others are answered", async () => {
		const finished: string[] = [];
		const note = async (name: string, work: Promise<Response>) => {
			// Who is turned away has cost nothing.
			if ((await work).status !== 503) finished.push(name);
		};
		const signIns = Array.from({ length: 8 }, () => note("sign-in", signIn()));
		await Promise.all([...signIns, note("healthz", call("/healthz"))]);
		// Without turns all eight hashes run before anything else is looked at.
		expect(finished.indexOf("healthz")).toBeLessThan(4);
	});

	it("are refused with a time to come back when the next turn is too far away", async () => {
		const answers = await Promise.all(Array.from({ length: 20 }, () => signIn()));
		const refused = answers.filter(({ status }) => status === 503);
		// How many have their turn in time depends on the machine. None is left without an answer, and some of each kind there must be.
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
		for (const answer of refused) {
			expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThanOrEqual(4);
			expect(await json(answer, 503)).toMatchObject({ code: "UNAVAILABLE" });
		}
	});

	it("cost nothing when they are turned away: neither is what they sent read, nor the database asked", async () => {
		await until(async () => (await impatiently(() => signIn(NOWHERE))).status === 401);
		const ofOne = await countStatements(async () => expect((await signIn()).status).toBe(401));
		expect(ofOne).toBeGreaterThan(0);
		let refused = 0;
		const ofAll = await countStatements(async () => {
			const rush = () => Promise.all(Array.from({ length: 40 }, () => signIn(NOWHERE)));
			refused = (await impatiently(rush)).filter(({ status }) => status === 503).length;
		});
		expect(refused).toBeGreaterThanOrEqual(30);
		// After each answer, one look at the accounts that wait for the journal. A busy machine may let some more in, as turns go by.
		expect(ofAll).toBeLessThanOrEqual(refused + 10 * ofOne);
	});

	it("are turned away by the console too", async () => {
		await until(async () => (await impatiently(() => signIn(NOWHERE))).status === 401);
		const visitors = Array.from({ length: 6 }, () => new ConsoleVisitor());
		await Promise.all(visitors.map((visitor) => visitor.open("/my/sign-in")));
		const filled = () => ({ country: "NG", phone: newNationalPhone(), password: PASSWORD });
		// How soon the queue is empty depends on the machine.
		await until(async () => {
			await Promise.all(visitors.map((visitor) => visitor.open("/my/sign-in")));
			await impatiently(() => Promise.all(visitors.map((visitor) => visitor.send("/my/sign-in", filled()))));
			const statuses = new Set(visitors.map(({ status }) => status));
			return statuses.has(401) && statuses.has(503);
		});
	});

	it("leave their place at once to others when nothing was to be hashed", async () => {
		await until(async () => (await signIn()).status === 401);
		for (let time = 0; time < 40; time += 1) {
			expect((await post("/v1/auth/login", {})).status).toBe(400);
		}
	});

	it("that one network never finishes leave room for those of others", async () => {
		await until(async () => (await signIn()).status === 401);
		const ends: (() => void)[] = [];
		const unfinished = (index: number) => {
			const body = new ReadableStream({
				start(controller) {
					ends.push(() => controller.close());
				},
			});
			const headers = { "Content-Type": "application/json" };
			const from = `2001:db8:61:42${(16 + index).toString(16)}::1`;
			return post("/v1/auth/login", body, { headers, from });
		};
		const stuck = Array.from({ length: 20 }, (_, index) => unfinished(index));
		expect((await signIn("2001:db8:61:42ff::1")).status).toBe(503);
		expect((await signIn("2001:db8:62::1")).status).toBe(401);
		for (const end of ends) end();
		const statuses = (await Promise.all(stuck)).map(({ status }) => status);
		expect(new Set(statuses)).toEqual(new Set([400, 503]));
	});

	it("take turns with large prints, and small ones need none", async () => {
		const { access: token } = await underWaits({ hashTurn: 60_000 }, () => signUp());
		const items = Array.from({ length: 25 }, (_, index) => ({ ...LAGOS, external_id: `${index}` }));
		const { data } = await json<{ data: { address: { canonical: string } }[] }>(
			post("/v1/addresses/batch", { items }, { token }),
		);
		const { sid } = decodeJwt<{ sid: string }>(token);
		const headers = { Cookie: `__Host-session=${await openWebSession(testRegistry(), sid, true)}` };
		const codes = data.map(({ address }) => `code=${address.canonical}`);
		const printed = (count: number) => call(`/my/print?${codes.slice(0, count).join("&")}`, { headers });
		const print = async (count: number) => (await impatiently(() => printed(count))).status;
		const ends: (() => void)[] = [];
		// Whoever signs in has taken the turns of four seconds.
		expect(() => {
			for (;;) ends.push(takeTurn(testRegistry({ clientAddress: undefined })));
		}).toThrow();
		expect([await print(25), await print(20)]).toEqual([503, 200]);
		for (const end of ends) end();
		await until(async () => (await print(25)) === 200);
	});

	it("are not left waiting when the hashes before theirs take far longer than usual", async () => {
		await until(async () => (await signIn()).status === 401);
		waitMilliseconds.hashTurn = 60_000;
		const registries = [0, 1, 2].map(() => testRegistry({ clientAddress: undefined }));
		for (const registry of registries) takeTurn(registry);
		const realNow = Date.now.bind(Date);
		let ahead = 0;
		const now = vi.spyOn(Date, "now").mockImplementation(() => realNow() + ahead);
		const hashes = [
			() => {},
			() => {
				ahead += 300_000;
			},
			() => {},
		];
		const turns = await Promise.allSettled(registries.map((registry, index) => hashInTurn(registry, hashes[index]!)));
		now.mockRestore();
		expect(turns[1]).toMatchObject({ status: "fulfilled" });
		expect(turns[2]).toMatchObject({
			status: "rejected",
			reason: { code: "UNAVAILABLE", headers: { "Retry-After": "60" } },
		});
	});

	it("of one network leave room for others, however long a hash takes", async () => {
		await until(async () => (await signIn(NOWHERE)).status === 401);
		Object.assign(waitMilliseconds, { hashPause: 280, hashTurn: 6_000 });
		const enter = (clientAddress: string) => {
			try {
				const registry = testRegistry({ clientAddress });
				return { registry, leave: takeTurn(registry) };
			} catch {
				return undefined;
			}
		};
		const twoHashes = () => {
			for (let time = 0; time < 2; time += 1) hashPassword(PASSWORD);
		};
		for (let round = 0; round < 3; round += 1) {
			const rush = Array.from({ length: 40 }, () => enter("203.0.113.1")).filter((place) => place !== undefined);
			expect(rush.length).toBeGreaterThan(0);
			expect(rush.length).toBeLessThan(40);
			const neighbour = enter("203.0.113.2");
			expect(neighbour, `round ${round}`).toBeDefined();
			await hashInTurn(rush[0]!.registry, twoHashes);
			for (const place of [...rush, neighbour]) place?.leave();
			// The pause after the hash is over, as a minute of sixty sign-ins leaves it.
			await until(async () => {
				const next = enter("203.0.113.3");
				next?.leave();
				return next !== undefined;
			});
		}
	});

	it("are 60 a minute from one network", async () => {
		waitMilliseconds.hashTurn = 60_000;
		let block = 0;
		const statuses = await inOneMinute(async () => {
			block += 1;
			const key = `203.0.${block}.60`;
			await spend("PASSWORD_CALLS", perMinute.PASSWORD_CALLS.quota - 1, key);
			// Bodies that fail are cheap and count alike. A sign-in counts when it is about to hash.
			const ask = (path: string) => post(path, {}, { from: key });
			const answers = [
				await ask("/v1/auth/register"),
				await ask("/v1/auth/password/reset"),
				await signIn(key),
				await ask("/v1/auth/logout"),
			];
			return answers.map(({ status }) => status);
		});
		expect(statuses).toEqual([400, 429, 429, 400]);
	});

	it("have no limit by network where there is none", async () => {
		// The platform's smallest limit in the place of 300, which five calls would exceed.
		const settings = { PER_MINUTE_300: env.THREE_A_MINUTE };
		for (let time = 0; time < 5; time += 1) {
			expect((await post("/v1/auth/login", {}, { from: NOWHERE, settings })).status).toBe(400);
		}
	});
});
