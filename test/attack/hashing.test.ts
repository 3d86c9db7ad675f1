/** One network freezes the isolate (attack.md H3, faults.md F1). */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { hashInTurn } from "../../src/accounts/hashing-turn.ts";
import { readConfig } from "../../src/env.ts";
import { call, freshPhone, json, PASSWORD } from "../support/client.ts";
import { ConsoleVisitor, newNationalPhone } from "../support/console-visitor.ts";
import { countStatements } from "../support/count-statements.ts";
import { until } from "../support/until.ts";

const settings = { PASSWORD_HASH_PAUSE_MILLISECONDS: "260", PASSWORD_HASH_WAIT_SECONDS: "4" };
/** A second holds two turns and a part, and so three are let in. */
const impatient = { ...settings, PASSWORD_HASH_WAIT_SECONDS: "1" };

let networks = 0x1000;

/** An address in a network of its own in every width. */
function elsewhere(): Record<string, string> {
	networks += 1;
	return { "CF-Connecting-IP": `2001:db8:${networks.toString(16)}::1` };
}

const signIn = (headers = elsewhere(), more = settings) =>
	call("/v1/auth/login", {
		method: "POST",
		body: { phone: freshPhone(), password: PASSWORD },
		headers,
		settings: more,
	});

describe("sign-ins at once", () => {
	it("take turns, between which others are answered", async () => {
		const finished: string[] = [];
		const note = async (name: string, work: Promise<Response>) => {
			await (await work).text();
			finished.push(name);
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
		await until(async () => (await signIn({}, impatient)).status === 401);
		const ofOne = await countStatements(async () => expect((await signIn()).status).toBe(401));
		expect(ofOne).toBeGreaterThan(0);
		const ofAll = await countStatements(async () => {
			const answers = await Promise.all(Array.from({ length: 40 }, () => signIn({}, impatient)));
			expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThanOrEqual(30);
		});
		// A busy machine may let some more in, as turns go by.
		expect(ofAll).toBeLessThanOrEqual(10 * ofOne);
	});

	it("are turned away by the console too", async () => {
		await until(async () => (await signIn({}, impatient)).status === 401);
		const visitors = Array.from({ length: 6 }, () => new ConsoleVisitor(impatient));
		await Promise.all(visitors.map((visitor) => visitor.open("/my/sign-in")));
		const filled = () => ({ country: "NG", phone: newNationalPhone(), password: PASSWORD });
		await Promise.all(visitors.map((visitor) => visitor.send("/my/sign-in", filled())));
		expect(new Set(visitors.map(({ status }) => status))).toEqual(new Set([401, 503]));
	});

	it("leave their place at once to others when nothing was to be hashed", async () => {
		await until(async () => (await signIn()).status === 401);
		for (let time = 0; time < 40; time += 1) {
			const answer = await call("/v1/auth/login", { method: "POST", body: {}, settings });
			expect(answer.status).toBe(400);
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
			const headers = { "CF-Connecting-IP": `2001:db8:61:${index}::1`, "Content-Type": "application/json" };
			return call("/v1/auth/login", { method: "POST", body, headers, settings });
		};
		const stuck = Array.from({ length: 20 }, (_, index) => unfinished(index));
		expect((await signIn({ "CF-Connecting-IP": "2001:db8:61:ff::1" })).status).toBe(503);
		expect((await signIn({ "CF-Connecting-IP": "2001:db8:62::1" })).status).toBe(401);
		for (const end of ends) end();
		const statuses = (await Promise.all(stuck)).map(({ status }) => status);
		expect(new Set(statuses)).toEqual(new Set([400, 503]));
	});

	it("are not left waiting when the hashes before theirs take far longer than usual", async () => {
		await until(async () => (await signIn()).status === 401);
		const realNow = Date.now.bind(Date);
		let ahead = 0;
		const now = vi.spyOn(Date, "now").mockImplementation(() => realNow() + ahead);
		const slow = () => {
			ahead += 300_000;
		};
		const { limits } = readConfig({ ...env, ...settings });
		const [, waiting] = await Promise.allSettled([hashInTurn(limits, slow), hashInTurn(limits, () => {})]);
		now.mockRestore();
		expect(waiting).toMatchObject({
			status: "rejected",
			reason: { code: "UNAVAILABLE", headers: { "Retry-After": "4" } },
		});
	});

	it("go on after the clock was set back by a day", async () => {
		const realNow = Date.now.bind(Date);
		const now = vi.spyOn(Date, "now").mockImplementation(() => realNow() + 86_400_000);
		expect((await signIn()).status).toBe(401);
		now.mockRestore();
		expect((await signIn()).status).toBe(401);
	});

	it("are 60 a minute from one network", async () => {
		const headers = { "CF-Connecting-IP": "2001:db8:60::1" };
		// Bodies that fail are cheap and count alike.
		const ask = (path: string) => call(path, { method: "POST", body: {}, headers });
		const paths = ["/v1/auth/register", "/v1/auth/password/reset"];
		const answers = await Promise.all(Array.from({ length: 130 }, (_, index) => ask(paths[index % 2] ?? "")));
		// A minute may end in between, and then twice as many pass.
		expect(answers.filter(({ status }) => status === 400).length).toBeLessThanOrEqual(120);
		expect(answers.some(({ status }) => status === 429)).toBe(true);
		// A sign-in counts when it is about to hash.
		const minute = () => Math.floor(Date.now() / 60_000);
		for (let started = Number.NaN; started !== minute(); ) {
			started = minute();
			await Promise.all(Array.from({ length: 65 }, () => ask("/v1/auth/register")));
			const signingIn = await signIn(headers);
			if (started === minute()) expect(signingIn.status).toBe(429);
		}
		expect((await call("/v1/auth/logout", { method: "POST", body: {}, headers })).status).toBe(400);
	});

	it("have no limit by network where there is none, as on a developer's machine", async () => {
		const ask = () => call("/v1/auth/login", { method: "POST", body: {}, headers: { "CF-Connecting-IP": "" } });
		const answers = await Promise.all(Array.from({ length: 320 }, ask));
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
	});
});
