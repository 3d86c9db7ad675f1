import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { login as signIn } from "../../src/accounts/actions.ts";
import { hashPassword } from "../../src/accounts/password.ts";
import * as accountStore from "../../src/accounts/store.ts";
import { sha256Hex } from "../../src/crypto/hash.ts";
import { openDatabase } from "../../src/db/open.ts";
import { inOneTrip } from "../../src/db/statement.ts";
import { SESSIONS_OF_YOUNG_ACCOUNT, SESSIONS_PER_ACCOUNT } from "../../src/settings/limits.ts";
import { DAY } from "../../src/time/time.ts";
import { call, json, post, problem } from "../support/client.ts";
import { logged } from "../support/logged.ts";
import { PASSWORD, type SignedInUser, signUp } from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";
import { countOf, sql, value } from "../support/sql.ts";

interface Pair {
	access: string;
	refresh: string;
}

const refresh = (token: string) => post("/v1/auth/token/refresh", { refresh: token });
const logout = (token: string) => post("/v1/auth/logout", { refresh: token });
const me = (token: string) => call("/v1/auth/me", { token });
const login = (phone: string, password: string = PASSWORD) => post("/v1/auth/login", { phone, password });

async function refused(answer: Response | Promise<Response>, code = "INVALID_TOKEN"): Promise<void> {
	const response = await answer;
	expect(response.headers.get("Cache-Control")).toBe("no-store");
	expect(await json(response, 401)).toMatchObject({ code });
}

const LIVE_SESSIONS = "select count(*) from sessions where user_id = ? and revoked_at is null";

/** How many refresh tokens of an account are kept. */
const tokensOf = (userId: string) =>
	value("select count(*) from refresh_tokens join sessions on sessions.id = session_id where user_id = ?", userId);

describe("a refresh token", () => {
	it("is stored as a hash alone, and traded for a new pair of the same session, which starts its 30 days anew", async () => {
		const { refresh: first, user } = await signUp();
		expect(JSON.stringify(await sql("select * from refresh_tokens"))).not.toContain(first);
		await sql("update sessions set expires_at = expires_at - 1000000 where user_id = ?", user.id);
		const response = await refresh(first);
		expect(response.headers.get("Cache-Control")).toBe("no-store");
		const pair = await json<Pair>(response);
		expect(Object.keys(pair).sort()).toEqual(["access", "refresh"]);
		expect(await json(me(pair.access))).toMatchObject(user);
		expect(pair.refresh).not.toBe(first);
		const results = await sql("select expires_at from sessions where user_id = ?", user.id);
		expect(results).toHaveLength(1);
		expect(Number(results[0]?.expires_at)).toBeGreaterThan(Date.now() + 30 * 86_400_000 - 60_000);
		await json(refresh(pair.refresh));
	});

	it("of a session is one of two that are kept; one that comes again ends its session at any time, and no other", async () => {
		const first = await signUp();
		const other = await json<SignedInUser>(login(first.user.phone));
		let last = await json<Pair>(refresh(first.refresh));
		for (let time = 0; time < 20; time += 1) last = await json<Pair>(refresh(last.refresh));
		expect(await tokensOf(first.user.id)).toBe(2 + 1);
		await json(me(last.access));
		await refused(refresh(first.refresh));
		await refused(refresh(last.refresh));
		await refused(me(last.access));
		await refused(me(first.access));
		await json(me(other.access));
		await json(refresh(other.refresh));
	});

	it("that is made up with the id of a session ends nothing, and no id of a session stands in the log", async () => {
		const { access, refresh: token } = await signUp();
		const name = token.slice(0, 22);
		const madeUp = [name + "A".repeat(43), name + "A".repeat(43) + "0".repeat(32), token.replace(/.$/, "x")];
		const lines = await logged(async () => {
			for (const forged of madeUp) {
				await refused(refresh(forged));
				await refused(logout(forged));
			}
		}, "refresh_token_refused");
		expect(lines).toHaveLength(6);
		expect(JSON.stringify(lines)).not.toContain(name);
		expect(lines[0]).toMatchObject({ reason: "unknown", session: expect.stringMatching(/^[0-9a-f]{16}$/) });
		await json(me(access));
		await json(refresh(token));
	});

	it("yields at most one pair to eight requests that race, and the session ends with the first replay", async () => {
		for (let round = 0; round < 5; round += 1) {
			const { refresh: token, user } = await signUp();
			const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(token)));
			expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401, 401, 401]);
			const winner = answers.find(({ status }) => status === 200);
			await refused(refresh((await json<Pair>(winner!)).refresh));
			expect(await tokensOf(user.id)).toBe(2);
		}
	});

	/** Stores a token as versions before 1.2.0 did, by all bits of its hash. */
	const lengthen = (token: string) =>
		sql("update refresh_tokens set hash = ?1 where hash = substr(?1, 1, 32)", sha256Hex(token));

	it("is good, and ends its session when it comes again, also where an earlier version stored it", async () => {
		const { user, ...first } = await signUp();
		await lengthen(first.refresh);
		const second = await json<Pair>(refresh(first.refresh));
		// One of an earlier version is followed by one of this and the other way round: both serve while one replaces the other.
		const third = await json<Pair>(refresh(second.refresh));
		await lengthen(third.refresh);
		const fourth = await json<Pair>(refresh(third.refresh));
		expect(await tokensOf(user.id)).toBe(2);
		await refused(refresh(third.refresh));
		await refused(refresh(fourth.refresh));
		await refused(me(fourth.access));
		const again = await json<Pair>(login(user.phone));
		await lengthen(again.refresh);
		expect((await logout(again.refresh)).status).toBe(204);
		await refused(me(again.access));
	});

	it("is stored by 128 bits of its hash", async () => {
		const { refresh: token } = await signUp();
		const next = await json<Pair>(refresh(token));
		for (const each of [token, next.refresh])
			expect(await countOf("refresh_tokens", "hash", sha256Hex(each).slice(0, 32))).toBe(1);
	});

	it.each([64, 32])(
		"is rotated once when the database's answer is lost and the same rotation runs again: %i digits stored",
		async (digits) => {
			const { refresh: token, user } = await signUp();
			const now = Date.now();
			const hashes = { usedHash: sha256Hex(token), nextHash: sha256Hex(`next of ${user.id}`).slice(0, digits) };
			const rotation = { ...hashes, nextExpiresAt: now + 1000, lifetime: 180 * DAY, now };
			const rotate = async (changed = {}) =>
				(await inOneTrip(openDatabase(env), accountStore.rotateRefreshToken({ ...rotation, ...changed }))).sessions;
			const first = await rotate();
			expect(first).toMatchObject([{ userId: user.id }]);
			expect(await rotate()).toEqual(first);
			expect(await rotate({ nextHash: "another" })).toEqual([]);
		},
	);

	it("is refused when it is garbage, an access token, expired, or of another shape", async () => {
		const { access, refresh: token, user } = await signUp();
		await refused(refresh("garbage"));
		await refused(refresh(access));
		await refused(refresh(`${token}x`));
		const expire =
			"update refresh_tokens set expires_at = 1 where session_id in (select id from sessions where user_id = ?)";
		await sql(expire, user.id);
		await refused(refresh(token));
		await problem(post("/v1/auth/token/refresh", {}), 400, "INVALID_REQUEST");
	});
});

describe("signing out", () => {
	it("ends one session at once and leaves the others", async () => {
		const first = await signUp();
		const other = await json<SignedInUser>(login(first.user.phone));
		expect((await logout(first.refresh)).status).toBe(204);
		await refused(me(first.access));
		await refused(refresh(first.refresh));
		for (const used of [first.refresh, "garbage"]) await refused(logout(used));
		await json(me(other.access));
	});

	it("ends the session of a used refresh token too, however long ago it was used", async () => {
		const { refresh: first } = await signUp();
		const second = await json<Pair>(refresh(first));
		const { access } = await json<Pair>(refresh(second.refresh));
		expect((await logout(first)).status).toBe(204);
		await refused(me(access));
		await refused(logout(first));
	});
});

it("a session past the number that an account keeps ends the oldest one, and no sign-in is refused", async () => {
	const { user, access: oldest } = await signUp();
	await sql("update users set created_at = 1 where id = ?", user.id);
	const names = JSON.stringify(Array.from({ length: SESSIONS_PER_ACCOUNT - 3 }, (_, index) => `ses_${index}`));
	const fill = "insert into sessions (id, user_id, created_at, expires_at) select value, ?1, ?2, ?2 from json_each(?3)";
	await sql(fill, user.id, Date.now() + 60_000, names);
	const signedIn: string[] = [];
	for (let times = 0; times < 5; times += 1) signedIn.push((await json<Pair>(login(user.phone))).access);
	expect(await countOf("sessions", "user_id", user.id)).toBe(SESSIONS_PER_ACCOUNT);
	expect(await tokensOf(user.id)).toBe(3);
	await refused(me(oldest));
	await refused(me(signedIn[1] ?? ""));
	for (const token of signedIn.slice(2)) await json(me(token));
});

it("an account keeps four sessions in its first month, or opening accounts would fill the database", async () => {
	const { user, access: oldest } = await signUp();
	const newest: string[] = [];
	for (let times = 0; times < SESSIONS_OF_YOUNG_ACCOUNT; times += 1)
		newest.push((await json<Pair>(login(user.phone))).access);
	expect(await countOf("sessions", "user_id", user.id)).toBe(SESSIONS_OF_YOUNG_ACCOUNT);
	expect(await tokensOf(user.id)).toBe(SESSIONS_OF_YOUNG_ACCOUNT);
	await refused(me(oldest));
	for (const token of newest) await json(me(token));
});

describe("changing the password", () => {
	const change = (token: string, current_password: string, new_password: string) =>
		post("/v1/auth/password/change", { current_password, new_password }, { token });
	const NEW = "nine green hens";

	it("ends every session, this one's old tokens too, and returns a fresh pair", async () => {
		const first = await signUp();
		const other = await json<SignedInUser>(login(first.user.phone));
		const pair = await json<Pair>(change(first.access, PASSWORD, NEW));
		expect(Object.keys(pair).sort()).toEqual(["access", "refresh"]);
		for (const { access, refresh: token } of [first, other]) {
			await refused(me(access));
			await refused(refresh(token));
		}
		expect(await json(me(pair.access))).toMatchObject(first.user);
		await json(refresh(pair.refresh));
		await refused(login(first.user.phone), "INVALID_CREDENTIALS");
		await json(login(first.user.phone, NEW));
	});

	it("needs the current password, and refuses a weak new one", async () => {
		const { access, user } = await signUp();
		await refused(change(access, "not my password", NEW), "INVALID_CREDENTIALS");
		for (const weak of ["short", "password1", "PassWord1", "aaaaaaaaaa", user.phone]) {
			expect(await json(change(access, PASSWORD, weak), 400), weak).toMatchObject({ code: "WEAK_PASSWORD" });
		}
		await json(login(user.phone));
		await json(me(access));
	});

	it("is decided by the database when two race", async () => {
		const { access, user } = await signUp();
		const passwords = ["nine green hens", "four black cats", "five white mice"];
		const answers = await Promise.all(passwords.map((password) => change(access, PASSWORD, password)));
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
		expect(await value(LIVE_SESSIONS, user.id)).toBe(1);
		const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? "";
		await json(login(user.phone, winner));
	});
});

it("no sign-in with the old password outlives a change that comes while it is proved", async () => {
	const { access, user } = await signUp();
	const change = { current_password: PASSWORD, new_password: "nine green hens" };
	let batches = 0;
	const batch = async (statements: D1PreparedStatement[]) => {
		batches += 1;
		// The first reads the account. The second signs in, once the password has been proved.
		if (batches === 2) await json(post("/v1/auth/password/change", change, { token: access }));
		return env.DB.batch(statements);
	};
	const DB = { prepare: (query: string) => env.DB.prepare(query), batch } as unknown as D1Database;
	const late = signIn(testRegistry({}, { DB }), user.phone, PASSWORD, false);
	await expect(late).rejects.toMatchObject({ code: "INVALID_CREDENTIALS" });
	expect(await value(LIVE_SESSIONS, user.id)).toBe(1);
});

describe("a password hash", () => {
	it("of lower cost is made anew at the next sign-ins, which may race", async () => {
		const { user } = await signUp();
		const cheap = hashPassword(PASSWORD, { logN: 10, r: 8, p: 1 });
		const stored = () => value("select password_hash from users where id = ?", user.id);
		// Of an account that keeps as many sessions as there are racers.
		await sql("update users set password_hash = ?, created_at = 1 where id = ?", cheap, user.id);
		await refused(login(user.phone, "not my password"), "INVALID_CREDENTIALS");
		expect(await stored()).toBe(cheap);
		const answers = await Promise.all(Array.from({ length: 5 }, () => login(user.phone)));
		for (const answer of answers) await json(me((await json<SignedInUser>(answer)).access));
		const renewed = await stored();
		expect(renewed).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/);
		await json(login(user.phone));
		expect(await stored()).toBe(renewed);
	});
});
