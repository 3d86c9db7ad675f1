import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/db/open.ts";
import { ONE_ROW } from "../../src/db/refusal.ts";
import { query as build, statement } from "../../src/db/statement.ts";
import { call, json, post } from "../support/client.ts";
import { databaseThrough } from "../support/database.ts";
import { LAGOS, mint, newKey, PASSWORD, type SignedInUser, signUp } from "../support/people.ts";
import { callerOf as callerOfToken, testRegistry } from "../support/registry.ts";
import { countOf, sql as query, value } from "../support/sql.ts";

const db = openDatabase(env);

const callerOf = (signedIn: SignedInUser) => callerOfToken(testRegistry(), signedIn);

/** The same tables as another database would hold them: its statements cannot run in a batch with those of the first. */
const elsewhere: Database = openDatabase({ ...env, DB: databaseThrough((work) => work()) });

/** A statement that reads a number. */
const one = statement(() => build.select({ one: sql<number>`1`.as("one") }).from(ONE_ROW))({});

async function signOut({ refresh }: SignedInUser): Promise<void> {
	await call("/v1/auth/logout", { method: "POST", body: { refresh } });
}

describe("a caller", () => {
	it("is nobody until a trip has proved the session, and then the user of it", async () => {
		const owner = await signUp();
		const caller = await callerOf(owner);
		expect(() => caller.userId).toThrow("Nobody has proved this caller");
		await caller.prove();
		expect(caller.userId).toBe(owner.user.id);
	});

	it("whose session has ended is refused before anything is read or written", async () => {
		const owner = await signUp();
		const caller = await callerOf(owner);
		await signOut(owner);
		await expect(caller.run(db, one)).rejects.toMatchObject({ code: "INVALID_TOKEN" });
		expect(() => caller.userId).toThrow("Nobody has proved this caller");
	});

	it("reads in another database beside the check, and learns nothing of it where that refuses", async () => {
		const owner = await signUp();
		const caller = await callerOf(owner);
		expect(await caller.run(elsewhere, one)).toEqual([{ one: 1 }]);
		expect(caller.userId).toBe(owner.user.id);
		await signOut(owner);
		await expect((await callerOf(owner)).run(elsewhere, one)).rejects.toMatchObject({ code: "INVALID_TOKEN" });
	});

	it("whose session has ended mints nothing, spends nothing and changes nothing", async () => {
		const owner = await signUp();
		const { canonical } = await mint(owner.access, { ...LAGOS, label: "Mine" });
		await signOut(owner);
		const headers = { "Idempotency-Key": "late" };
		const send = (method: string, path: string, body?: object) =>
			json(call(path, { method, token: owner.access, headers, ...(body ? { body } : {}) }), 401);
		await send("POST", "/v1/addresses", LAGOS);
		await send("POST", "/v1/addresses", { lat: 0, lng: 0 });
		await send("PATCH", `/v1/addresses/${canonical}`, { label: "x" });
		await send("DELETE", `/v1/addresses/${canonical}`);
		await send("POST", "/v1/keys", { name: "k", mode: "live" });
		const addresses = await query("select label, version, retired_at from addresses where owner_id = ?", owner.user.id);
		expect(addresses).toEqual([{ label: "Mine", version: 1, retired_at: null }]);
		expect(await value("select count from daily_counts where subject = ?", `${owner.user.id}:new-addresses`)).toBe(1);
		expect(await countOf("api_keys", "user_id", owner.user.id)).toBe(0);
	});
});

it("an account that is deleted stops at once, with every credential of it", async () => {
	const { access, refresh, user } = await signUp();
	const { key } = await newKey({ access });
	const { canonical } = await mint(access, LAGOS);
	await query("delete from users where id = ?", user.id);
	for (const refused of [
		call("/v1/auth/me", { token: access }),
		post("/v1/addresses", LAGOS, { token: access }),
		call(`/v1/addresses/${canonical}`, { headers: { Authorization: `Api-Key ${key}` } }),
		post("/v1/auth/login", { phone: user.phone, password: PASSWORD }),
		post("/v1/auth/token/refresh", { refresh }),
	]) {
		await json(refused, 401);
	}
});
