/** What a request writes depends on what it asks, and not on what the account has. Quotas count what may grow: test/attack/growth.test.ts. */
import { beforeAll, describe, expect, it } from "vitest";
import { tellClosings } from "../../src/addresses/settle-actions.ts";
import { endpoints } from "../../src/api.ts";
import { perDay } from "../../src/settings/limits.ts";
import { forgetCached } from "../support/caches.ts";
import { call, json, post, problem, settle } from "../support/client.ts";
import { ConsoleVisitor } from "../support/console-visitor.ts";
import { databasesThrough } from "../support/databases.ts";
import { acted, operatorSettings, operatorToken } from "../support/operators.ts";
import {
	AT_LAGOS,
	freshPhone,
	LAGOS,
	mint,
	newKey,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";
import { sql, value } from "../support/sql.ts";

const reason = "Ticket 4711";
const NEW_PASSWORD = "nine green hens";

let networks = 0;
/** A network of its own, around which nobody has been counted yet. */
const freshNetwork = () => {
	networks += 1;
	return `172.${16 + (networks >> 8)}.${networks & 255}.1`;
};

let written = 0;
const counting = {
	...operatorSettings,
	...databasesThrough(async (work) => {
		const answer = await work();
		for (const result of [answer].flat() as Partial<D1Result>[]) written += result?.meta?.rows_written ?? 0;
		return answer;
	}),
};

/** How many rows a request writes, with their entries in indexes, and what it is answered. */
async function rowsWritten(ask: () => Promise<Response>): Promise<{ status: number; rows: number; text: string }> {
	await settle();
	written = 0;
	const answer = await ask();
	const text = await answer.text();
	await settle();
	return { status: answer.status, rows: written, text };
}

interface Holder extends SignedInUser {
	/** An address as it was minted, one that changes, and one that is retired. */
	codes: [visited: string, changed: string, retired: string];
	agent: SignedInUser;
	agentId: string;
	/** What answers have named: ids of keys, reports and sessions, and secrets. */
	named: Record<string, string>;
	ownKey: string;
}

let holders = 0;
async function holderOf(count: number): Promise<Holder> {
	const [owner, agent] = [await signUp(), await signUpAgent()];
	const codes: string[] = [];
	for (let index = 0; index < 3; index += 1) codes.push((await mint(owner.access, LAGOS)).canonical);
	holders += 1;
	await sql(
		`insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at)
		select 'NG' || printf('%09d', 900000000 + ? * 10000 + value), 'Zone', 6.5, 3.4, 'Gate', ?, ? from generate_series(1, ?)`.replace(
			"generate_series(1, ?)",
			"json_each(?)",
		),
		holders,
		owner.user.id,
		Date.now(),
		JSON.stringify(Array.from({ length: count - codes.length }, (_, index) => index)),
	);
	const { id: ownKey } = await newKey(owner);
	return { ...owner, codes: codes as Holder["codes"], agent, agentId: agent.user.id, named: {}, ownKey };
}

let few: Holder;
let many: Holder;
beforeAll(async () => {
	few = await holderOf(10);
	many = await holderOf(1_000);
});

type Step = (holder: Holder) => {
	path?: Record<string, string>;
	body?: unknown;
	token?: string;
	keep?: Record<string, string>;
};

const asOperator = (body: object = {}) => ({ body: { reason, ...body }, token: "operator" });

/**
 * Every endpoint that may write, in an order in which each finds what it needs, with what it is sent. The values of a path are those of the
 * holder unless it says others. `keep` names fields of the answer that later steps send.
 */
const steps: [endpoint: string, step: Step][] = [
	["POST /v1/public/addresses/batch", ({ codes }) => ({ body: { codes } })],
	["POST /v1/addresses", () => ({ body: LAGOS })],
	["POST /v1/addresses/batch", () => ({ body: { items: [{ external_id: "meter-1", ...LAGOS }] } })],
	["PATCH /v1/addresses/{canonical}", ({ codes }) => ({ path: { canonical: codes[1] }, body: { label: "Blue gate" } })],
	[
		"PUT /v1/addresses/{canonical}/units/{unit}",
		({ codes }) => ({ path: { canonical: codes[1] }, body: { label: "Third floor" } }),
	],
	["DELETE /v1/addresses/{canonical}/units/{unit}", ({ codes }) => ({ path: { canonical: codes[1] } })],
	["POST /v1/addresses/{canonical}/share", () => ({ body: {} })],
	["DELETE /v1/addresses/{canonical}/share", () => ({})],
	[
		"POST /v1/public/addresses/{code}/reports",
		() => ({ body: { kind: "gone", text: "" }, token: "", keep: { report: "id" } }),
	],
	[
		"POST /v1/addresses/{canonical}/reports/{id}/answer",
		({ named }) => ({ path: { id: named.report! }, body: { text: "It stands." } }),
	],
	["POST /v1/operator/reports/{id}/text", ({ named }) => ({ path: { id: named.report! }, ...asOperator() })],
	[
		"POST /v1/operator/reports/{id}/decide",
		({ named }) => ({ path: { id: named.report! }, ...asOperator({ decision: "nothing" }) }),
	],
	[
		"POST /v1/addresses/{canonical}/attestations",
		({ agent }) => ({ body: { level: 1, note: "", ...AT_LAGOS }, token: agent.access }),
	],
	["POST /v1/operator/addresses/{code}/read", () => asOperator()],
	["POST /v1/operator/addresses/{code}/hide", () => asOperator()],
	["POST /v1/operator/addresses/{code}/show", () => asOperator()],
	["DELETE /v1/addresses/{canonical}", ({ codes }) => ({ path: { canonical: codes[2] } })],
	["POST /v1/operator/addresses/{code}/retire", ({ codes }) => ({ path: { code: codes[1] }, ...asOperator() })],
	["POST /v1/operator/accounts/{id}/hand-over", ({ codes }) => asOperator({ code: codes[0] })],
	["POST /v1/operator/accounts/find", ({ user }) => asOperator({ phone: user.phone })],
	["POST /v1/operator/accounts/{id}/role", () => asOperator({ role: "agent" })],
	["POST /v1/operator/accounts/{id}/allowance", () => asOperator({ new_addresses_per_day: 5_000 })],
	["POST /v1/operator/accounts/{id}/suspend", () => asOperator()],
	["POST /v1/operator/accounts/{id}/restore", () => asOperator()],
	["POST /v1/operator/accounts/{id}/pass-phone", () => asOperator()],
	["POST /v1/operator/accounts/{id}/refuse-phone", () => asOperator()],
	[
		"POST /v1/operator/accounts/{id}/recovery",
		({ agentId }) => asOperator({ agent: agentId, evidence: "pin_on_site" }),
	],
	["POST /v1/addresses/{canonical}/recovery-code", ({ agent }) => ({ body: AT_LAGOS, token: agent.access })],
	["POST /v1/auth/otp/signed-out", ({ user }) => ({ body: { phone: user.phone }, token: "" })],
	["POST /v1/auth/otp/request", () => ({ body: { phone: freshPhone() } })],
	["POST /v1/auth/otp/verify", () => ({ body: { phone: freshPhone(), code: "12345678", current_password: PASSWORD } })],
	[
		"POST /v1/auth/attest-phone",
		({ agent, user }) => ({ body: { phone: user.phone, user_id: user.id }, token: agent.access }),
	],
	["POST /v1/auth/me/pending-phone", () => ({ body: { accept: false, current_password: PASSWORD } })],
	["POST /v1/auth/me/phone-claimed", () => ({ body: { object: true } })],
	["POST /v1/keys", () => ({ body: { name: "Shop", mode: "live", password: PASSWORD }, keep: { key: "id" } })],
	[
		"POST /v1/operator/keys/{id}/scopes",
		({ named }) => ({ path: { id: named.key! }, ...asOperator({ scopes: ["addresses:read"] }) }),
	],
	["POST /v1/operator/keys/{id}/revoke", ({ named }) => ({ path: { id: named.key! }, ...asOperator() })],
	["DELETE /v1/keys/{id}", ({ ownKey }) => ({ path: { id: ownKey } })],
	["POST /v1/auth/register", () => ({ body: { phone: freshPhone(), password: PASSWORD }, token: "" })],
	["POST /v1/auth/recovery-code", () => ({ body: { password: PASSWORD }, keep: { recovery: "recovery_code" } })],
	[
		"POST /v1/auth/password/change",
		() => ({ body: { current_password: PASSWORD, new_password: NEW_PASSWORD }, keep: { access: "access" } }),
	],
	[
		"POST /v1/auth/password/reset",
		({ user, named }) => ({
			body: { phone: user.phone, recovery_code: named.recovery, new_password: PASSWORD },
			token: "",
			keep: { access: "access", refresh: "refresh" },
		}),
	],
	[
		"POST /v1/auth/token/refresh",
		({ named }) => ({ body: { refresh: named.refresh }, token: "", keep: { access: "access", refresh: "refresh" } }),
	],
	["DELETE /v1/auth/sessions/{id}", () => ({ path: { id: "ses_0123456789012345678901" } })],
	["DELETE /v1/auth/me", () => ({ body: { password: PASSWORD } })],
	[
		"POST /v1/auth/login",
		({ user }) => ({
			body: { phone: user.phone, password: PASSWORD },
			token: "",
			keep: { access: "access", refresh: "refresh" },
		}),
	],
	["POST /v1/operator/accounts/{id}/sign-out", ({ agentId }) => ({ path: { id: agentId }, ...asOperator() })],
	["POST /v1/auth/logout", ({ named }) => ({ body: { refresh: named.refresh }, token: "" })],
];

/** Those that are refused here, for want of a gateway of SMS, a claim of a number, disuse or an account that is missing: the same for both. */
const REFUSED =
	/otp|pass-phone|refuse-phone|hand-over|pending-phone|phone-claimed|sessions\/\{id\}|\/recovery$|addresses.*recovery-code/;

describe("an account with 1,000 addresses writes as many rows as one with 10", () => {
	it("is asked of every endpoint that may write", () => {
		const all = endpoints.filter(({ method }) => method !== "get");
		expect(steps.map(([endpoint]) => endpoint).sort()).toEqual(
			all.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(),
		);
	});

	async function send(holder: Holder, method: string, template: string, step: ReturnType<Step>) {
		const own = { canonical: holder.codes[0], code: holder.codes[0], unit: "3b", id: holder.user.id, ...step.path };
		const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
			encodeURIComponent((own as Record<string, string>)[name] ?? "x"),
		);
		const { token = holder.named.access ?? holder.access } = step;
		return rowsWritten(async () =>
			call(path, {
				method,
				body: step.body,
				token: token === "operator" ? await operatorToken() : token,
				settings: counting,
				from: freshNetwork(),
			}),
		);
	}

	it.each(steps)("%s", async (endpoint, step) => {
		const [method = "", path = ""] = endpoint.split(" ");
		const results: { status: number; rows: number; text: string }[] = [];
		// The first refusal of a day makes rows for its event and for its count, whoever is refused.
		if (REFUSED.test(endpoint)) for (const holder of [few, many]) await send(holder, method, path, step(holder));
		for (const holder of [few, many]) {
			const asks = step(holder);
			const result = await send(holder, method, path, asks);
			for (const [name, field] of Object.entries(asks.keep ?? {})) holder.named[name] = JSON.parse(result.text)[field];
			results.push(result);
		}
		const [one, other] = results as [(typeof results)[number], (typeof results)[number]];
		if (!REFUSED.test(endpoint)) expect(one.status, one.text).toBeLessThan(300);
		expect({ status: other.status, rows: other.rows }).toEqual({ status: one.status, rows: one.rows });
	});

	it("is true of every endpoint that only reads too", async () => {
		for (const holder of [few, many]) {
			const body = { phone: holder.user.phone, password: PASSWORD };
			holder.named.access = (await json<SignedInUser>(post("/v1/auth/login", body))).access;
		}
		for (const { method, path, access } of endpoints.filter(({ method }) => method === "get")) {
			const token = path.startsWith("/v1/operator") ? "operator" : access ? undefined : "";
			const step = { ...(token === undefined ? {} : { token }) };
			// What is noted at the first reading alone is noted.
			for (const holder of [few, many]) await send(holder, method, path, step);
			const [one, other] = [await send(few, method, path, step), await send(many, method, path, step)];
			expect(other.rows, path).toBe(one.rows);
		}
	});

	it("is true of the forms by which the console closes an account and opens it again", async () => {
		const rows: number[][] = [];
		for (const { user } of [await holderOf(10), await holderOf(1_000)]) {
			const visitor = new ConsoleVisitor(counting as never);
			const sent: number[] = [];
			await visitor.openAndSend("/my/sign-in", { country: "NG", phone: user.phone, password: PASSWORD });
			for (const [path, fields] of [
				["/my/account/delete", { password: PASSWORD }],
				["/my/sign-in", { country: "NG", phone: user.phone, password: PASSWORD }],
			] as const) {
				await visitor.open(path);
				await settle();
				written = 0;
				await visitor.send(path, fields);
				await settle();
				sent.push(written);
			}
			expect(visitor.text).toContain("open again");
			rows.push(sent);
		}
		expect(rows[1]).toEqual(rows[0]);
	});
});

describe("closing an account", () => {
	const close = (token: string) => call("/v1/auth/me", { method: "DELETE", token, body: { password: PASSWORD } });
	const signIn = async ({ user }: SignedInUser) =>
		(await json<SignedInUser>(post("/v1/auth/login", { phone: user.phone, password: PASSWORD }))).access;

	it("is refused the third time in a day, and signing in never is", async () => {
		const owner = await signUp();
		const { canonical } = await mint(owner.access, LAGOS);
		let token = owner.access;
		for (let times = 0; times < perDay.closings.quota; times += 1) {
			await json(close(token), 202);
			token = await signIn(owner);
		}
		const refused = await close(token);
		expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
		await problem(refused, 429, "QUOTA_EXCEEDED");
		await json(call(`/v1/addresses/${canonical}`, { token }));
		await json(call(`/v1/addresses/${canonical}`, { token: await signIn(owner) }));
	});

	it("shuts every door to its addresses at once, and signing in opens them again", async () => {
		const owner = await signUp();
		const [open, withdrawn] = [await mint(owner.access, LAGOS), await mint(owner.access, LAGOS)];
		const { canonical } = open;
		const label = `Gate ${canonical}`;
		await json(call(`/v1/addresses/${canonical}`, { method: "PATCH", token: owner.access, body: { label } }));
		const successor = { method: "DELETE", token: owner.access };
		expect((await call(`/v1/addresses/${withdrawn.canonical}?successor=${canonical}`, successor)).status).toBe(204);
		const { id, key } = await newKey(await signUp());
		await acted(`keys/${id}/scopes`, { scopes: ["addresses:read", "changes:read"], reason });
		const agent = await signUpAgent();
		// Long ago, so that whoever asks for what has changed since now is told that nothing has.
		await sql("update addresses set created_at = 5, updated_at = 5 where canonical = ?", canonical);
		const batch = async (updated_since?: string) =>
			(
				await json<{ data: object[] }>(
					post(
						"/v1/public/addresses/batch",
						{ codes: [canonical], ...(updated_since && { updated_since }) },
						{ token: key },
					),
				)
			).data;
		/** Every endpoint and page that takes a code, with what a reader is answered. */
		const doors = endpoints
			.filter(
				({ method, path }) => method === "get" && /\{(code|canonical)\}/.test(path) && !path.startsWith("/v1/operator"),
			)
			.map(({ path }) => path.replace(/\{(code|canonical)\}/, canonical));
		expect(doors.length).toBeGreaterThan(8);
		const pages = [`/a/${canonical}`, `/a/${canonical}/print`];
		const ask = async (path: string) => {
			await forgetCached(canonical);
			const answer = await call(path, { token: path.startsWith("/v1/addresses") ? agent.access : undefined } as never);
			return { status: answer.status, text: await answer.text() };
		};
		const now = () => new Date().toISOString();
		expect(await batch(now())).toMatchObject([{ status: "unchanged" }]);
		const before = await Promise.all([...doors, ...pages].map(async (path) => (await ask(path)).status));
		await json(close(owner.access), 202);
		for (const [index, path] of [...doors, ...pages].entries()) {
			const { status, text } = await ask(path);
			// An endpoint of the owner alone says so to others first, open or closed.
			if (before[index] === 200) expect(status, path).toBe(410);
			expect(status, path).not.toBe(200);
			expect(text, path).not.toContain(label);
		}
		expect(await batch()).toMatchObject([{ problem: { code: "ADDRESS_RETIRED" } }]);
		expect(await batch(now())).toMatchObject([{ problem: { code: "ADDRESS_RETIRED" } }]);
		const attesting = post(
			`/v1/addresses/${canonical}/attestations`,
			{ level: 1, note: "", ...AT_LAGOS },
			{ token: agent.access },
		);
		await problem(attesting, 410, "ADDRESS_RETIRED");
		await problem(
			post(`/v1/public/addresses/${canonical}/reports`, { kind: "gone", text: "" }),
			410,
			"ADDRESS_RETIRED",
		);
		let feed = "";
		for (let path: string | null = "/v1/changes?limit=1000"; path; ) {
			const page: Response = await call(path, { token: key });
			feed += await page.text();
			path = page.headers.has("Link") ? `/v1/changes?limit=1000&after=${page.headers.get("Next-Cursor")}` : null;
		}
		expect(feed).toContain(canonical);
		expect(feed).not.toContain(label);
		await tellClosings(testRegistry());
		expect(await value("select count(*) from changes where canonical = ? and kind = 'retired'", canonical)).toBe(1);

		const seenClosed = now();
		await signIn(owner);
		const after = await Promise.all([...doors, ...pages].map(async (path) => (await ask(path)).status));
		expect(after).toEqual(before);
		expect(await batch()).toMatchObject([{ address: { label } }]);
		// Whoever was told that it is closed is not told that nothing has changed since.
		expect(await batch(seenClosed)).toMatchObject([{ address: { label } }]);
		await tellClosings(testRegistry());
		expect(await value("select count(*) from changes where canonical = ? and kind = 'shown'", canonical)).toBe(1);
	});

	it("is told to the feed of each address, in batches, and again from the start where it is opened halfway", async () => {
		const { user, access } = await holderOf(1_200);
		const told = (kind: string) =>
			value(
				"select count(*) from changes where kind = ? and canonical in (select canonical from addresses where owner_id = ?)",
				kind,
				user.id,
			);
		await json(close(access), 202);
		// A run of the job that is cut off after its first batch.
		await sql("update closed_owners set is_told = 1 where owner_id <> ?", user.id);
		expect(await told("retired")).toBe(0);
		await tellClosings(testRegistry());
		expect(await told("retired")).toBe(1_200);
		await tellClosings(testRegistry());
		expect(await told("retired")).toBe(1_200);
		await signIn({ user } as SignedInUser);
		await tellClosings(testRegistry());
		expect(await told("shown")).toBe(1_200);
	});

	it("by version 1.3.0 stands until its holder signs in", async () => {
		const owner = await signUp();
		const { canonical } = await mint(owner.access, LAGOS);
		await json(close(owner.access), 202);
		// As the tables stand that 1.3.0 leaves, or after the statement that the changelog has for going back to it.
		await sql(
			"update addresses set retired_at = 5, closed_with_account = 1, version = version + 1, updated_at = 5 where retired_at is null and owner_id = ?",
			owner.user.id,
		);
		await forgetCached(canonical);
		await problem(call(`/v1/public/addresses/${canonical}`), 410, "ADDRESS_RETIRED");
		const token = await signIn(owner);
		await json(call(`/v1/public/addresses/${canonical}`));
		expect(await json(call("/v1/addresses", { token }))).toMatchObject({ data: [{ canonical }] });
	});
});
