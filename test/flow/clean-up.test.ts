import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { sha256Hex } from "../../src/crypto/hash.ts";
import { DAY } from "../../src/time/time.ts";
import { call, json, patch, post } from "../support/client.ts";
import { freeCodes } from "../support/fill-zone.ts";
import { runHour } from "../support/hour.ts";
import { AT_LAGOS, LAGOS, mint, newKey, PASSWORD, register, signUp, signUpAgent } from "../support/people.ts";
import { countOf, row, sql, value } from "../support/sql.ts";

it("keeps what a revoked key was for a while, and the tokens of an ended session for a day", async () => {
	const { access, refresh, user } = await signUp();
	const { id } = await newKey({ access });
	await call(`/v1/keys/${id}`, { method: "DELETE", token: access });
	await post("/v1/auth/logout", { refresh });
	const left = async () => [
		await countOf("api_keys", "user_id", user.id),
		await countOf("sessions", "user_id", user.id),
		await countOf("refresh_tokens", "hash", sha256Hex(refresh).slice(0, 32)),
	];
	await runHour(Date.now() + DAY - 60_000);
	expect(await left()).toEqual([1, 1, 1]);
	await runHour(Date.now() + DAY + 60_000);
	expect(await left()).toEqual([1, 0, 0]);
	await runHour(Date.now() + 89 * DAY);
	expect(await left()).toEqual([1, 0, 0]);
	await runHour(Date.now() + 91 * DAY);
	expect(await left()).toEqual([0, 0, 0]);
});

it("erases an address some days after it was retired, and its code stays burnt with its successor", async () => {
	const { access } = await signUp();
	const agent = await signUpAgent();
	const { canonical } = await mint(access, { ...LAGOS, label: "Mama Ada's house" });
	const successor = await mint(access, LAGOS);
	const path = `/v1/addresses/${canonical}`;
	const { updated_at } = await json(patch(path, { label: "Mama Ada's" }, { token: access }));
	await json(post(`${path}/attestations`, { level: 1, updated_at, ...AT_LAGOS }, { token: agent.access }), 201);
	await json(call(`${path}/units/3B`, { method: "PUT", token: access, body: {} }));
	await call(path, { method: "DELETE", token: access, body: { successor: successor.canonical } });
	await runHour(Date.now() + 29 * DAY);
	await json(call(`${path}/history`, { token: access }));
	await runHour(Date.now() + 31 * DAY);
	for (const table of ["addresses", "address_changes", "attestations", "units"])
		expect(await countOf(table, "canonical", canonical), table).toBe(0);
	expect(await row("select * from burnt_codes where canonical = ?", canonical)).toEqual({
		canonical,
		retired_at: expect.any(Number),
		successor: successor.canonical,
	});
	expect(await json(call(`/v1/public/addresses/${canonical}`), 410)).toMatchObject({ successor: successor.canonical });
	await json(call(`/v1/public/addresses/${successor.canonical}`));
});

it("erases nothing that the journal's own run then writes down again", async () => {
	const codes = JSON.stringify([...(await freeCodes("NG", "9700"))].slice(0, 200));
	const insert = `insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at, retired_at)
		select value, '', 6.5, 3.3, 'Mama Ada', 'usr_erased', 0, 1 from json_each(?)`;
	await sql(insert, codes);
	await runHour();
	expect(await value("select count(*) from addresses where owner_id = 'usr_erased'")).toBe(0);
	expect((await env.ZONES.list({ prefix: "issued-codes/NG9700" })).objects).toEqual([]);
});

it("a code leads to no address of an account that was erased, whether it was burnt before or not", async () => {
	const { access } = await signUp();
	const [first, second, last] = [await mint(access, LAGOS), await mint(access, LAGOS), await mint(access, LAGOS)];
	const retire = async ({ canonical }: { canonical: string }) =>
		call(`/v1/addresses/${canonical}`, { method: "DELETE", token: access, body: { successor: last.canonical } });
	const successors = async () => {
		const of = (table: string) => `select successor from ${table} where canonical in (?1, ?2)`;
		const query = `${of("burnt_codes")} union all ${of("addresses")}`;
		return (await sql(query, first.canonical, second.canonical)).map(({ successor }) => successor);
	};
	expect((await retire(first)).status).toBe(204);
	await sql("update addresses set retired_at = retired_at - ? where retired_at > 0", 31 * DAY);
	await runHour(Date.now());
	expect((await retire(second)).status).toBe(204);
	expect(await successors()).toEqual([last.canonical, last.canonical]);
	await json(call("/v1/auth/me", { method: "DELETE", token: access, body: { password: PASSWORD } }), 202);
	await runHour(Date.now() + 31 * DAY);
	expect(await successors()).toEqual([null, null]);
});

it("an Idempotency-Key is forgotten after a week, and the address stays", async () => {
	const { access } = await signUp();
	const headers = { "Idempotency-Key": "order-1" };
	const { canonical } = await mint(access, LAGOS, headers);
	await runHour(Date.now() + 6 * DAY);
	expect((await mint(access, LAGOS, headers)).canonical).toBe(canonical);
	await runHour(Date.now() + 8 * DAY);
	const kept = await row("select idempotency_key, request_hash from addresses where canonical = ?", canonical);
	expect(kept).toEqual({ idempotency_key: null, request_hash: null });
	await json(call(`/v1/public/addresses/${canonical}`));
	expect((await mint(access, LAGOS, headers)).canonical).not.toBe(canonical);
});

it("an account is erased a month after it was opened where it was never used, and no other", async () => {
	const [unused, owner, keeper, returned] = [await register(), await register(), await register(), await register()];
	await mint(owner.access, LAGOS);
	await newKey(keeper);
	await json(post("/v1/auth/login", { phone: returned.user.phone, password: PASSWORD }));
	const opened = [unused, owner, keeper, returned].map(({ user }) => user.id);
	const kept = async () => {
		const rows = await sql<{ id: string }>("select id from users");
		return opened.filter((id) => rows.some((row) => row.id === id));
	};
	await runHour(Date.now() + 29 * DAY);
	expect(await kept()).toEqual(opened);
	for (const days of [31, 62]) {
		await runHour(Date.now() + days * DAY);
		expect(await kept()).toEqual(opened.slice(1));
	}
});
