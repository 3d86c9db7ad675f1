import { describe, expect, it } from "vitest";
import { call, json, problem } from "../support/client.ts";
import { ConsoleVisitor } from "../support/console-visitor.ts";
import { freshPhone, PASSWORD, type SignedInUser, signUp } from "../support/people.ts";
import { row, sql } from "../support/sql.ts";

const DAY = 86_400_000;
const ANDROID = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0";

interface Session {
	id: string;
	device: string | null;
	created_at: string;
	last_used_at: string;
	current: boolean;
}

const sessionsOf = async (token: string) =>
	(await json<{ data: Session[] }>(call("/v1/auth/sessions", { token }))).data;
const end = (token: string, id: string) => call(`/v1/auth/sessions/${id}`, { method: "DELETE", token });
const post = (path: string, body: object, userAgent?: string) =>
	call(path, { method: "POST", body, headers: userAgent ? { "User-Agent": userAgent } : {} });
const refresh = (token: string) => post("/v1/auth/token/refresh", { refresh: token });

describe("the sessions of an account", () => {
	it("are listed with device and times, newest first, and end one by one at once", async () => {
		const credentials = { phone: freshPhone(), password: PASSWORD };
		const first = await json<SignedInUser>(post("/v1/auth/register", credentials, ANDROID), 201);
		const second = await json<SignedInUser>(post("/v1/auth/login", credentials, FIREFOX));
		const listed = await sessionsOf(second.access);
		expect(listed.map(({ device, current }) => [device, current])).toEqual([
			["Firefox on Linux", true],
			["Chrome on Android", false],
		]);
		expect(listed[0]?.last_used_at).toBe(listed[0]?.created_at);
		const ended = listed[1]?.id ?? "";
		expect((await end(second.access, ended)).status).toBe(204);
		await problem(call("/v1/auth/me", { token: first.access }), 401, "INVALID_TOKEN");
		await json(refresh(first.refresh), 401);
		expect((await sessionsOf(second.access)).map(({ device }) => device)).toEqual(["Firefox on Linux"]);
		await problem(end(second.access, ended), 404, "NOT_FOUND");
		expect((await end(second.access, listed[0]?.id ?? "")).status).toBe(204);
		await json(call("/v1/auth/me", { token: second.access }), 401);
	});

	it("tell when each was last refreshed", async () => {
		const { refresh: token, user } = await signUp();
		await sql("update sessions set created_at = ?1, last_seen_at = ?1 where user_id = ?2", Date.now() - DAY, user.id);
		const { access } = await json<SignedInUser>(refresh(token));
		const [session] = await sessionsOf(access);
		expect(Date.parse(session?.last_used_at ?? "") - Date.parse(session?.created_at ?? "")).toBeGreaterThanOrEqual(DAY);
	});

	it("are nobody else's to see or end", async () => {
		const [owner, other] = [await signUp(), await signUp()];
		const [session] = await sessionsOf(owner.access);
		await problem(end(other.access, session?.id ?? ""), 404, "NOT_FOUND");
		expect((await sessionsOf(other.access)).map(({ id }) => id)).not.toContain(session?.id);
		await json(call("/v1/auth/me", { token: owner.access }));
	});

	it("hold those of browsers too", async () => {
		const { user } = await signUp();
		const visitor = await new ConsoleVisitor().open("/my/sign-in");
		await visitor.send("/my/sign-in", { country: "NG", phone: user.phone, password: PASSWORD });
		const { access } = await json<SignedInUser>(post("/v1/auth/login", { phone: user.phone, password: PASSWORD }));
		expect(await sessionsOf(access)).toHaveLength(3);
	});
});

describe("a session ends after SESSION_DAYS_MAX, however much it is used", () => {
	const aged = async (days: number) => {
		const signedIn = await signUp();
		await sql("update sessions set created_at = ? where user_id = ?", Date.now() - days * DAY, signedIn.user.id);
		return signedIn;
	};

	it("a refresh shortly before its end lasts until then and no longer", async () => {
		const { refresh: token, user } = await aged(179);
		const pair = await json<SignedInUser>(refresh(token));
		const session = await row<{ created_at: number; expires_at: number; token_expires_at: number }>(
			"select s.created_at, s.expires_at, max(t.expires_at) as token_expires_at from sessions s join refresh_tokens t on t.session_id = s.id and t.consumed_at is null where user_id = ?",
			user.id,
		);
		expect(session?.expires_at).toBe((session?.created_at ?? 0) + 180 * DAY);
		expect(session?.token_expires_at).toBe(session?.expires_at);
		await json(call("/v1/auth/me", { token: pair.access }));
	});

	it("a refresh after its end is refused as an expired one", async () => {
		const { refresh: token } = await aged(181);
		await problem(refresh(token), 401, "INVALID_TOKEN");
	});

	it("follows the setting", async () => {
		const { refresh: token } = await aged(3);
		const body = { refresh: token };
		const settings = { SESSION_DAYS_MAX: 2 };
		await json(call("/v1/auth/token/refresh", { method: "POST", body, settings }), 401);
		await json(refresh(token));
	});
});
