import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { cleanUp } from "../../src/jobs/clean-up.ts";
import { extendRecord } from "../../src/journal/maintain.ts";
import { forgetCached } from "../support/caches.ts";
import { call, freshAddress, json, ORIGIN, patch, post, problem } from "../support/client.ts";
import { databasesThrough } from "../support/databases.ts";
import { freeCodes } from "../support/fill-zone.ts";
import {
	AT_LAGOS,
	mint,
	newKey,
	newOwner,
	newRecoveryCode,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { codeFor, postWithCodes } from "../support/request-codes.ts";
import { countOf, sql } from "../support/sql.ts";

const DAY = 86_400_000;
const NEW = "nine green hens";

const login = (phone: string) => post("/v1/auth/login", { phone, password: PASSWORD });
const close = (token: string, password = PASSWORD, settings = {}) =>
	call("/v1/auth/me", { method: "DELETE", token, body: { password }, settings });
const resolve = (canonical: string) => call(`/v1/public/addresses/${canonical}`);

/**
 * What a person leaves in every table: an account with a proved phone, a key, a code by SMS, and addresses live and retired that were
 * changed, attested and reported, and have units.
 */
async function someone() {
	const mark = crypto.randomUUID();
	const label = `Gate ${mark}`;
	const point = { lat: 6.524_411 + Math.random() / 1e5, lng: 3.379_211 + Math.random() / 1e5 };
	const moved = { lat: point.lat + 1e-5, lng: point.lng + 1e-5 };
	const signedIn = await signUp();
	const { access: token, user } = signedIn;
	const agent = await signUpAgent();
	const { key } = await newKey(signedIn, { name: `Shop ${label}`, scopes: ["addresses:write"] });
	const proof = { phone: user.phone, code: await codeFor(user.phone, { token }) };
	await json(postWithCodes("/v1/auth/otp/verify", proof, { token }));
	await newRecoveryCode(signedIn);
	const live = await mint(token, { ...point, label });
	const retired = await mint(token, { ...point, label: `${label} (old)` }, { "Idempotency-Key": mark });
	const path = `/v1/addresses/${live.canonical}`;
	const attestation = { level: 2, note: `At ${label}`, ...AT_LAGOS };
	await json(post(`${path}/attestations`, attestation, { token: agent.access }), 201);
	await json(patch(path, { ...moved, label: `${label} (new)`, directions: `By ${label}` }, { token }));
	await json(call(`${path}/units/2`, { method: "PUT", token, body: { label: `Flat of ${label}` } }));
	await json(post(`/v1/public/addresses/${live.canonical}/reports`, { kind: "other", text: `No ${label}` }), 201);
	await call(`/v1/addresses/${retired.canonical}`, { method: "DELETE", token });
	return { ...signedIn, key, mark, label, point, moved, live: live.canonical, retired: retired.canonical };
}

/** Every table whose rows hold one of some values in any column, as text or within a text. */
async function tablesWith(values: (string | number)[]): Promise<string[]> {
	const tables = await sql<{ name: string }>(
		"select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'",
	);
	expect(tables.length).toBeGreaterThan(10);
	const found: string[] = [];
	for (const { name } of tables) {
		const results = await sql(`select * from "${name}"`);
		const text = JSON.stringify(results);
		for (const value of values) if (text.includes(String(value))) found.push(`${name}: ${value}`);
	}
	return found;
}

describe("the export of what is held about a person", () => {
	it("holds account, sessions, keys, phone proofs, codes sent and addresses as GeoJSON with their history", async () => {
		const person = await someone();
		const { access: token, user, label, point, moved } = person;
		const answer = await call("/v1/auth/me/export", { token });
		expect(answer.headers.get("Cache-Control")).toBe("no-store");
		const data = await json<{ addresses: { features: { id: string; properties: { history: object[] } }[] } }>(answer);
		const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
		expect(data).toMatchObject({
			exported_at: time,
			account: { ...user, phone_verified: true, role: "user", has_recovery_code: true },
			sessions: [{ created_at: time, last_used_at: time, ended_at: null }],
			keys: [{ name: `Shop ${label}`, scopes: ["addresses:read", "addresses:write"], revoked_at: null }],
			phone_proofs: [{ phone: user.phone, method: "otp", replaced_phone: null, proved_at: time }],
			one_time_codes: [{ phone: user.phone, sent_at: time, used_at: time }],
			addresses: { type: "FeatureCollection" },
		});
		const featureOf = (canonical: string) => data.addresses.features.find(({ id }) => id === canonical);
		expect(data.addresses.features).toHaveLength(2);
		expect(featureOf(person.retired)).toMatchObject({ properties: { retired_at: time } });
		expect(featureOf(person.live)).toMatchObject({
			geometry: { type: "Point", coordinates: [moved.lng, moved.lat] },
			properties: { label: `${label} (new)`, retired_at: null },
		});
		for (const event of [
			{ change: "created" },
			{ change: "attested", level: 2 },
			{ change: "label", previous_label: label },
			{ change: "point", previous_lat: point.lat, previous_lng: point.lng },
		]) {
			expect(featureOf(person.live)?.properties.history).toContainEqual(expect.objectContaining(event));
		}
	});

	it("reads the addresses of a city in parts, smaller with a longer history, each once, and breaks off where one cannot be read", async () => {
		const { access: token, user } = await signUp();
		const codes = [...(await freeCodes("NG", "9001"))].slice(0, 1_203);
		await sql(
			"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at, version) select value, '', 0, 0, 'Blue gate', ?, 1700000000000 + key, 50 from json_each(?)",
			user.id,
			JSON.stringify(codes),
		);
		for (const canonical of [codes[0], codes[1_202]]) {
			await json(post(`/v1/public/addresses/${canonical}/reports`, { kind: "other", text: "No gate" }), 201);
		}
		const sizes: number[] = [];
		let isAway = false;
		const settings = databasesThrough(async (work) => {
			if (isAway) throw new Error("D1_ERROR: Network connection lost.");
			const answer = await work();
			sizes.push(JSON.stringify(answer).length);
			return answer;
		});
		const exported = () => call("/v1/auth/me/export", { token, settings });
		type Export = { addresses: { features: { id: string }[] }; reports: { canonical: string }[] };
		const data = await json<Export>(exported());
		expect(data.addresses.features.map(({ id }) => id)).toEqual(codes.toReversed());
		expect(data.reports.map(({ canonical }) => canonical)).toEqual([codes[1_202], codes[0]]);
		expect(Math.max(...sizes)).toBeLessThan(120_000);
		const answer = await app.fetch(
			new Request(`${ORIGIN}/v1/auth/me/export`, {
				headers: { Authorization: `Bearer ${token}`, "CF-Connecting-IP": freshAddress() },
			}),
			{ ...env, ...settings },
			createExecutionContext(),
		);
		isAway = true;
		expect(answer.status).toBe(200);
		await expect(answer.text()).rejects.toThrow();
		await problem(exported(), 503, "UNAVAILABLE");
	});

	it("is made twenty times a day, by the API and the console together, and is not counted where it is refused", async () => {
		const { access: token, user } = await signUp();
		const exported = () => call("/v1/auth/me/export", { token });
		const first = await exported();
		expect([first.status, first.headers.get("RateLimit")]).toEqual([200, expect.stringContaining('"exports";r=19;')]);
		await first.text();
		await sql("update daily_counts set count = 19 where subject = ?", `${user.id}:exports`);
		expect((await json<{ exported_at: string }>(exported())).exported_at).toBeTruthy();
		await problem(exported(), 429, "QUOTA_EXCEEDED");
		expect(await sql("select count from daily_counts where subject = ?", `${user.id}:exports`)).toEqual([
			{ count: 20 },
		]);
		const other = await signUp();
		await json(call("/v1/auth/me/export", { token: other.access }));
	});

	it("holds no secret, no hash of one, and nothing of anybody else", async () => {
		const [{ access: token, refresh, key, user }, other] = [await someone(), await someone()];
		const text = await (await call("/v1/auth/me/export", { token })).text();
		const results = await sql<{ hash: string }>(
			"select password_hash as hash from users where id = ?1 union select recovery_hash from users where id = ?1 union select hash from api_keys where user_id = ?1 union select code_hash from otp_codes where user_id = ?1",
			user.id,
		);
		expect(results).toHaveLength(4);
		const secrets = [refresh, key, ...results.map(({ hash }) => hash)];
		const foreign = [other.user.id, other.user.phone, other.label, other.live];
		for (const hidden of [...secrets, ...foreign]) expect(text).not.toContain(hidden);
	});
});

describe("deleting an account", () => {
	it("needs the password", async () => {
		const { access, user } = await signUp();
		await problem(close(access, "not my password"), 401, "INVALID_CREDENTIALS");
		expect(await json(call("/v1/auth/me", { token: access }))).toMatchObject(user);
	});

	it("ends sessions and keys and hides the addresses at once", async () => {
		const person = await someone();
		const { access, refresh, key, live } = person;
		const before = Date.now();
		const { erased_at } = await json<{ erased_at: string }>(close(access), 202);
		expect(Date.parse(erased_at)).toBeGreaterThanOrEqual(before + 7 * DAY);
		expect(Date.parse(erased_at)).toBeLessThan(Date.now() + 7 * DAY + 1);
		await forgetCached(live);
		await problem(resolve(live), 410, "ADDRESS_RETIRED");
		await json(call(`/v1/addresses/${live}/qr.svg`), 410);
		const page = await call(`/a/${live}`);
		expect([page.status, (await page.text()).includes("This address is closed for now")]).toEqual([410, true]);
		await json(call("/v1/auth/me", { token: access }), 401);
		await json(post("/v1/auth/token/refresh", { refresh }), 401);
		await json(call("/v1/addresses", { token: key }), 401);
	});

	it("is undone by signing in before the time has come: what was retired before stays so", async () => {
		const { access, user, key, live, retired, label } = await someone();
		await json(close(access), 202);
		await cleanUp(env, Date.now() + 6 * DAY);
		const { access: again } = await json<SignedInUser>(login(user.phone));
		expect(await json(call("/v1/auth/me", { token: again }))).toMatchObject({ id: user.id });
		expect(await json(resolve(live))).toMatchObject({ label: `${label} (new)` });
		expect(await json(call("/v1/addresses", { token: key }))).toMatchObject({ data: [{ canonical: live }] });
		await json(resolve(retired), 410);
		await cleanUp(env, Date.now() + 8 * DAY);
		await json(resolve(live));
	});

	it("is undone by a recovery code too", async () => {
		const { access, user, canonical } = await newOwner();
		const recovery_code = await newRecoveryCode({ access });
		await json(close(access), 202);
		const reset = { phone: user.phone, recovery_code, new_password: NEW };
		const { access: again } = await json<SignedInUser>(post("/v1/auth/password/reset", reset));
		await json(call("/v1/auth/me", { token: again }));
		await json(resolve(canonical));
	});

	it("keeps closed addresses until then where retired ones are erased sooner", async () => {
		const { access, user, canonical } = await newOwner();
		await json(close(access), 202);
		await cleanUp({ ...env, RETIRED_ADDRESSES_KEPT_DAYS: 0 }, Date.now() + DAY);
		await json(login(user.phone));
		await json(resolve(canonical));
	});

	it("refuses to sign in once the time has come, before the clean-up too, as for an unknown phone", async () => {
		const { access, user } = await signUp();
		await json(close(access, PASSWORD, { ACCOUNT_ERASURE_DAYS: 0 }), 202);
		await problem(login(user.phone), 401, "INVALID_CREDENTIALS");
	});

	it("leaves no phone, point or label anywhere in the database, and the codes burnt", async () => {
		const person = await someone();
		const stays = await someone();
		const { user, mark, point, moved, live, retired } = person;
		const traces = [user.phone, user.id, mark, point.lat, point.lng, moved.lat, moved.lng];
		expect((await tablesWith(traces)).length).toBeGreaterThan(10);
		await json(close(person.access), 202);
		await cleanUp(env, Date.now() + 8 * DAY);
		// The same hour names what the journal holds in its record, and forgets the list of what to name.
		await extendRecord(env, Date.now() + 8 * DAY);
		// The random name alone stays, so that no restored backup brings the account back.
		expect(await tablesWith(traces.filter((trace) => trace !== user.id))).toEqual([]);
		expect(await tablesWith([user.id])).toEqual([`erased_accounts: ${user.id}`]);
		await forgetCached(live);
		for (const canonical of [live, retired]) {
			await json(resolve(canonical), 410);
			expect(await countOf("burnt_codes", "canonical", canonical)).toBe(1);
		}
		await json(login(user.phone), 401);
		// Nobody else is touched, but for what any clean-up deletes.
		await json(resolve(stays.live));
		expect(await tablesWith([stays.user.phone])).toEqual(
			expect.arrayContaining([`users: ${stays.user.phone}`, `phone_proofs: ${stays.user.phone}`]),
		);
		// The number is free for a new account.
		await json(post("/v1/auth/register", { phone: user.phone, password: PASSWORD }), 201);
	});

	it("lets nobody delete the phone proofs of an account that exists", async () => {
		const { user } = await someone();
		const wipe = sql("delete from phone_proofs where user_id = ?", user.id);
		await expect(wipe).rejects.toThrow(/only ever added/);
	});
});
