/** Whoever sends many heavy calls at once keeps only themselves waiting. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { asHeavyCall, startHeavyCall } from "../../src/limits/heavy-calls.ts";
import { call, json, post } from "../support/client.ts";
import { LAGOS, signUp } from "../support/people.ts";
import { countOf } from "../support/sql.ts";

const ITEMS = 50;

/** How many transactions of a batch the database had at once, at most. */
async function mostAtOnce(work: () => Promise<unknown>): Promise<number> {
	const sessions = Object.getPrototypeOf(env.DB.withSession()) as D1DatabaseSession;
	const { batch } = sessions;
	let [pending, most] = [0, 0];
	const spy = vi.spyOn(sessions, "batch").mockImplementation(async function (this: D1DatabaseSession, statements) {
		if (statements.length < ITEMS) return batch.call(this, statements);
		pending += 1;
		most = Math.max(most, pending);
		return batch.call(this, statements).finally(() => {
			pending -= 1;
		});
	} as typeof batch);
	try {
		await work();
		return most;
	} finally {
		spy.mockRestore();
	}
}

describe("twenty batches at once by one account", () => {
	it("come one after the other or are told when to come again, and another account waits for one of them at most", async () => {
		const [abuser, other] = [await signUp(), await signUp()];
		const send = async (batch: number) => {
			const items = Array.from({ length: ITEMS }, (_, index) => ({ ...LAGOS, external_id: `${batch}-${index}` }));
			const answer = await post("/v1/addresses/batch", { items }, { token: abuser.access });
			await answer.text();
			return { batch, answer };
		};
		const refused: Awaited<ReturnType<typeof send>>[] = [];
		let created = 0;
		const most = await mostAtOnce(async () => {
			const rush = Array.from({ length: 20 }, async (_, batch) => {
				const sent = await send(batch);
				if (sent.answer.status === 200) created += 1;
				else refused.push(sent);
			});
			await json(call("/v1/auth/me", { token: other.access }));
			expect(created).toBeLessThanOrEqual(1);
			await Promise.all(rush);
		});
		expect(most).toBe(1);
		expect(refused.length).toBeGreaterThanOrEqual(9);
		for (const { answer } of refused) expect([answer.status, answer.headers.get("Retry-After")]).toEqual([429, "6"]);
		for (const { batch } of refused) expect((await send(batch)).answer.status).toBe(200);
		expect(await countOf("addresses", "owner_id", abuser.user.id)).toBe(20 * ITEMS);
	});
});

describe("fifteen exports at once by one account", () => {
	it("keep neither its sign-in nor another account's export waiting", async () => {
		const [abuser, other] = [await signUp(), await signUp()];
		const exported = async (token: string) => {
			const answer = await call("/v1/auth/me/export", { token });
			await answer.text();
			return answer;
		};
		const rush = Promise.all(Array.from({ length: 15 }, () => exported(abuser.access)));
		await json(call("/v1/auth/me", { token: abuser.access }));
		expect((await exported(other.access)).status).toBe(200);
		const statuses = (await rush).map(({ status }) => status);
		expect(new Set(statuses)).toEqual(new Set([200, 429]));
		expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4);
		expect((await exported(abuser.access)).status).toBe(200);
	});
});

describe("a heavy call", () => {
	afterEach(() => void vi.restoreAllMocks());

	it("waits for the one in front alone, whether that succeeds or fails, and nobody else's", async () => {
		const order: string[] = [];
		const working = async (name: string, error?: Error) => {
			order.push(`${name} begins`);
			await scheduler.wait(20);
			order.push(`${name} ends`);
			if (error) throw error;
		};
		await Promise.allSettled([
			asHeavyCall("one", () => working("first", new Error("no"))),
			asHeavyCall("one", () => working("second")),
			asHeavyCall("other", () => working("other")),
			asHeavyCall(undefined, () => working("no network")),
		]);
		expect(order.indexOf("second begins")).toBeGreaterThan(order.indexOf("first ends"));
		for (const name of ["other", "no network"])
			expect(order.indexOf(`${name} begins`)).toBeLessThan(order.indexOf("first ends"));
	});

	it("of a network waits behind all of a neighbour, where the work says that any number may wait", async () => {
		const all = (behind?: number) =>
			Promise.allSettled(
				Array.from({ length: 20 }, () => asHeavyCall(`a network, ${behind}`, () => scheduler.wait(1), behind)),
			);
		const fulfilled = async (behind?: number) =>
			(await all(behind)).filter(({ status }) => status === "fulfilled").length;
		expect(await fulfilled(Number.POSITIVE_INFINITY)).toBe(20);
		expect(await fulfilled()).toBe(11);
	});

	it("whose client has hung up stands in nobody's way for more than fifteen seconds, nor do those that wait behind it", async () => {
		const realNow = Date.now.bind(Date);
		let ahead = 0;
		vi.spyOn(Date, "now").mockImplementation(() => realNow() + ahead);
		const { goOn } = await startHeavyCall("silent");
		const waiting = Array.from({ length: 10 }, () => startHeavyCall("silent"));
		await expect(startHeavyCall("silent")).rejects.toMatchObject({ code: "RATE_LIMITED" });
		ahead = 7_000;
		const ends = await Promise.allSettled(waiting);
		expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(["rejected"]));
		ahead = 14_000;
		goOn();
		// The time begins anew whenever the call goes on.
		ahead = 27_000;
		const next = startHeavyCall("silent");
		ahead = 30_000;
		await expect(next).resolves.toBeDefined();
	});
});
