import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { entryPath } from "../../src/addresses/address-cache.ts";
import { readShare, writeShare } from "../../src/addresses/share-link.ts";
import { endpoints } from "../../src/api.ts";
import { readSigningSecrets, type SigningSecrets } from "../../src/settings/signing-secrets.ts";
import { call, json, ORIGIN, patch, post, problem, settle } from "../support/client.ts";
import { ConsoleVisitor, fillDraft, newcomer, newHolder } from "../support/console-visitor.ts";
import { logged } from "../support/logged.ts";
import { acted, OperatorVisitor, operate } from "../support/operators.ts";
import {
	AT_LAGOS,
	LAGOS,
	type Minted,
	mint,
	newKey,
	newOwner,
	newRecoveryCode,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { sql, value } from "../support/sql.ts";

/** Digits and words that stand nowhere else, so that any trace of the address is found. */
const HOME = { lat: 6.524_417_3, lng: 3.379_288_1, label: "Quietwater door" };
const TRACES = /6\.5244|3\.3792|Quietwater|6FR5G9/;

/** Every way in which anyone may ask for a code. */
const PUBLIC_WAYS = (canonical: string) => [
	`/v1/public/addresses/${canonical}`,
	`/v1/public/addresses/${canonical}?format=geojson`,
	`/v1/public/addresses/${canonical}.geojson`,
	`/v1/public/addresses/${canonical}?share=t1m2ko.0.5f2b6c0a9d3e4f718293a4b5c6d7e8f9`,
	`/a/${canonical}`,
	`/a/${canonical}?lang=ar`,
	`/a/${canonical}?share=nonsense`,
	`/a/${canonical}/print`,
	`/a/${canonical}?unit=3B`,
	`/v1/public/addresses/${canonical}/units`,
	`/a/${canonical}/contact.vcf`,
	`/a/${canonical}/og.png`,
	`/v1/addresses/${canonical}/qr.svg`,
	`/v1/addresses/${canonical}/qr.png`,
	`/v1/addresses/${canonical}/label.svg`,
	`/v1/addresses/${canonical}/label.png`,
];

let owner: SignedInUser;
let stranger: SignedInUser;
beforeAll(async () => {
	[owner, stranger] = await Promise.all([signUp(), signUp()]);
});

const makePrivate = (canonical: string) =>
	json<Minted>(patch(`/v1/addresses/${canonical}`, { visibility: "private" }, { token: owner.access }));

const shareOf = async (canonical: string, body?: object, token = owner.access) => {
	const made = post(`/v1/addresses/${canonical}/share`, body, { token });
	const { url, expires_at } = await json<{ url: string; expires_at: string }>(made, 201);
	return { token: new URL(url).searchParams.get("share") ?? "", expires_at };
};

/** No public way tells anything, and no cache holds anything of it. */
async function expectSilence(canonical: string): Promise<void> {
	for (const path of PUBLIC_WAYS(canonical)) {
		const answer = await call(path);
		const text = await answer.text();
		expect(text, path).not.toMatch(TRACES);
		expect(JSON.stringify([...answer.headers]), path).not.toMatch(TRACES);
		expect(answer.headers.get("Cache-Control"), path).toContain("no-store");
		expect(answer.status, path).toBe(/v1.*\.(svg|png)$/.test(path) ? 200 : 403);
	}
	await settle();
	// Nothing else leads to what is drawn of it.
	const kept = await caches.default.match(ORIGIN + entryPath(canonical));
	expect((await kept?.text()) ?? "").not.toMatch(TRACES);
}

describe("a private address", () => {
	it("is made private at its creation, and says so to its owner", async () => {
		const { canonical } = await mint(owner.access, { ...HOME, visibility: "private" });
		const record = await json(call(`/v1/addresses/${canonical}`, { token: owner.access }));
		expect(record).toMatchObject({ ...HOME, visibility: "private", owned: true });
		await expectSilence(canonical);
	});

	it("tells nobody more than its zone once it is switched, just after it was looked up in every way", async () => {
		const { canonical, zone } = await mint(owner.access, HOME);
		for (const path of PUBLIC_WAYS(canonical)) expect((await call(path)).status, path).toBe(200);
		await settle();
		await makePrivate(canonical);
		await expectSilence(canonical);
		expect(await json(call(`/v1/public/addresses/${canonical}`), 403)).toMatchObject({
			code: "ADDRESS_PRIVATE",
			country: "NG",
			zone,
			zone_name: expect.any(String),
			region: expect.any(String),
		});
		// The second time from what the cache keeps of it.
		expect(await json(call(`/v1/public/addresses/${canonical}`), 403)).toMatchObject({ zone });
	});

	it("is closed to other accounts, to their keys and to batches", async () => {
		const { canonical } = await mint(owner.access, { ...HOME, visibility: "private" });
		await problem(call(`/v1/addresses/${canonical}`, { token: stranger.access }), 403, "ADDRESS_PRIVATE");
		const batch = await post("/v1/public/addresses/batch", { codes: [canonical] }, { token: stranger.access });
		const text = await batch.text();
		expect(text).not.toMatch(TRACES);
		expect(JSON.parse(text)).toMatchObject({ data: [{ status: "failed", problem: { code: "ADDRESS_PRIVATE" } }] });
		const own = await json(post("/v1/public/addresses/batch", { codes: [canonical] }, { token: owner.access }));
		expect(own).toMatchObject({ data: [{ status: "found", address: HOME }] });
	});

	it("keeps its verification when it is switched, and its retries under an Idempotency-Key", async () => {
		const key = { "Idempotency-Key": "private-1" };
		const { canonical } = await mint(owner.access, { ...HOME, visibility: "private" }, key);
		await sql("update addresses set verification_level = 2 where canonical = ?", canonical);
		const changed = await json(patch(`/v1/addresses/${canonical}`, { visibility: "public" }, { token: owner.access }));
		expect(changed).toMatchObject({ visibility: "public", verification_level: 2 });
		expect((await mint(owner.access, { ...HOME, visibility: "private" }, key)).canonical).toBe(canonical);
	});

	it("is shown by the page without a preview for messengers, by a link that works", async () => {
		const { canonical } = await mint(owner.access, { ...HOME, visibility: "private" });
		const { token, expires_at } = await shareOf(canonical, { days: 3 });
		const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
		expect(days).toBeGreaterThan(2.9);
		expect(days).toBeLessThan(3.1);

		const record = await call(`/v1/public/addresses/${canonical}?share=${token}`);
		expect(record.headers.get("Cache-Control")).toBe("no-store");
		expect(await record.json()).toMatchObject(HOME);
		const page = await call(`/a/${canonical}?share=${token}`);
		expect(page.headers.get("Cache-Control")).toBe("no-store");
		expect(page.headers.get("Referrer-Policy")).toBe("no-referrer");
		const html = await page.text();
		expect(html).toContain(HOME.label);
		// Whoever sends it on sends the link that opens it.
		const link = `${ORIGIN}/a/${canonical}?share=${token}`;
		expect(html.split(`data-text="${link}"`)).toHaveLength(3);
		expect(html).toContain(`%0A${encodeURIComponent(link)}"`);
		expect(html).toContain("noindex");
		const [head = ""] = html.split("</head>");
		expect(head).not.toMatch(TRACES);
		expect(head).not.toContain("og:");
		expect((await call(`/a/${canonical}/og.png?share=${token}`)).status).toBe(403);
		// What hangs on the street tells no passer-by where it is, once it is a picture.
		const sign = await (await call(`/a/${canonical}/print?share=${token}`)).text();
		expect(sign).toContain(HOME.label);
		expect(sign).not.toContain("6FR5G9");
		// The ways between its pages keep the token; those to others do not.
		for (const kept of [`/a/${canonical}/print?share=${token}`, `/a/${canonical}/contact.vcf?share=${token}`]) {
			expect(html).toContain(`href="${kept}"`);
			expect((await call(kept)).status).toBe(200);
		}
		expect(sign).toContain(`href="/a/${canonical}?share=${token}"`);
		expect(sign, "the other languages").toContain(`href="?share=${token}&amp;lang=fr"`);
		expect(sign).not.toContain("og:");
		expect(html).toContain('href="/my"');
		await expectSilence(canonical);
	});

	it("is resolved by its link in the place of the code", async () => {
		const { canonical } = await mint(owner.access, { ...HOME, visibility: "private" });
		const { token } = await shareOf(canonical);
		const link = encodeURIComponent(`${ORIGIN}/a/${canonical}?share=${token}`);
		for (const path of [link, `${link}.geojson`, `${link}/units`]) {
			const answer = await call(`/v1/public/addresses/${path}`);
			expect([answer.status, answer.headers.get("Cache-Control")], path).toEqual([200, "no-store"]);
		}
		expect((await call(`/v1/public/addresses/${link}x`)).status).toBe(403);
		// Who is signed in makes an address at its place as everybody does.
		const { visitor } = await newHolder();
		await visitor.openAndSend("/my/new", { place: decodeURIComponent(link) });
		expect(visitor.path).toBe("/my/new/spot");
		// A page needs the token where its own links keep it from.
		expect((await call(`/a/${link}`)).status).toBe(403);
	});

	it("ends all links at once, and a link to another address shows nothing", async () => {
		const { canonical } = await mint(owner.access, { ...HOME, visibility: "private" });
		const other = await mint(owner.access, { ...LAGOS, visibility: "private" });
		const { token } = await shareOf(canonical);
		const ask = async (code: string, share = token) =>
			(await call(`/v1/public/addresses/${code}?share=${share}`)).status;
		expect([await ask(other.canonical), await ask(canonical)]).toEqual([403, 200]);
		const ended = await call(`/v1/addresses/${canonical}/share`, { method: "DELETE", token: owner.access });
		expect(ended.status).toBe(204);
		expect(await ask(canonical)).toBe(403);
		expect(await ask(canonical, (await shareOf(canonical)).token)).toBe(200);
	});

	it("is shared and switched by its owner alone", async () => {
		const { canonical } = await mint(owner.access, HOME);
		for (const method of ["POST", "DELETE"]) {
			expect((await call(`/v1/addresses/${canonical}/share`, { method, token: stranger.access })).status).toBe(403);
			expect((await call(`/v1/addresses/${canonical}/share`, { method })).status).toBe(401);
		}
		for (const days of [0, 366, 1.5, "7"]) {
			const answer = post(`/v1/addresses/${canonical}/share`, { days }, { token: owner.access });
			expect(await json(answer, 400)).toMatchObject({ errors: [{ path: "days" }] });
		}
	});

	it("stays private, and none becomes so, where the registry makes none", async () => {
		const settings = { PRIVATE_ADDRESSES: "off" };
		const { canonical } = await mint(owner.access, { ...HOME, visibility: "private" });
		await problem(call(`/v1/public/addresses/${canonical}`, { settings }), 403, "ADDRESS_PRIVATE");
		expect(await (await call(`/a/${canonical}?share=made-up`, { settings })).text()).not.toMatch(TRACES);
		const { token } = await shareOf(canonical);
		expect(await json(call(`/v1/public/addresses/${canonical}?share=${token}`, { settings }))).toMatchObject(HOME);
		const refused = post("/v1/addresses", { ...HOME, visibility: "private" }, { token: owner.access, settings });
		expect(await json(refused, 400)).toMatchObject({ errors: [{ path: "visibility" }] });
		const opened = { visibility: "public" };
		const path = `/v1/addresses/${canonical}`;
		expect(await json(patch(path, opened, { token: owner.access, settings }))).toMatchObject(opened);
		await json(patch(path, { visibility: "private" }, { token: owner.access, settings }), 400);
	});
});

describe("every way to a private address", () => {
	/** A place of its own, which no other address of this file is at. */
	const QUIET = { lat: 6.517_771_9, lng: 3.391_188_2, label: "Hidden brook", external_id: "quiet-home" };
	const TRACES = /6\.51777|3\.39118|Hidden brook/;

	/** Every endpoint of holders and of everybody, as it would be asked for an address and what belongs to it. */
	function waysTo(canonical: string): { method: string; path: string; body: object | undefined }[] {
		const queries = ["", "?mine=1", "?external_id=quiet-home"];
		const bodies: object[] = [
			{ codes: [canonical] },
			{ label: "Mine" },
			{ items: [{ external_id: "quiet-home", lat: 6.6, lng: 3.4 }] },
		];
		return endpoints
			.filter(({ path }) => !path.startsWith("/v1/operator/") && !path.endsWith(".png"))
			.flatMap(({ method: name, path: template }) => {
				const method = name.toUpperCase();
				const path = template.replace(/\{(canonical|code)\}/, canonical).replace(/\{\w+\}/g, "3B");
				const asked = (query: string, body?: object) => ({ method, path: path + query, body });
				return method === "GET" ? queries.map((query) => asked(query)) : bodies.map((body) => asked("", body));
			});
	}

	it("is closed to every credential but its owner's session and keys that may write it", async () => {
		const holder = await signUp();
		const body = { ...QUIET, visibility: "private" };
		const { canonical } = await json<Minted>(
			post("/v1/addresses/batch", { items: [body] }, { token: holder.access }).then(async (answer) => {
				const { data } = await answer.json<{ data: { address: Minted }[] }>();
				return Response.json(data[0]?.address);
			}),
		);
		const keyWith = async (scopes: string[], mode = "live") =>
			(await newKey(holder, { mode, scopes: scopes.filter((scope) => scope !== "changes:read") })).key;
		const followed = await newKey(holder);
		await acted(`keys/${followed.id}/scopes`, { scopes: ["addresses:read", "changes:read"], reason: "A mirror" });
		const revoked = await newKey(holder, { scopes: ["addresses:write"] });
		await call(`/v1/keys/${revoked.id}`, { method: "DELETE", token: holder.access });
		const closedTo: Record<string, string> = {
			nobody: "",
			"a stranger": stranger.access,
			"a stranger's key": (await newKey(stranger, { scopes: ["addresses:write"] })).key,
			"a key that reads": await keyWith(["addresses:read"]),
			"a test key that writes": await keyWith(["addresses:write"], "test"),
			"a key that follows": followed.key,
			"a revoked key": revoked.key,
		};
		for (const [who, token] of Object.entries(closedTo)) {
			for (const { method, path, body } of waysTo(canonical)) {
				// A stranger may close their own account, which would end the test.
				if (method === "DELETE" && path === "/v1/auth/me") continue;
				const answer = await call(path, { method, body, ...(token ? { token } : {}) });
				expect(await answer.text(), `${who}: ${method} ${path} ${JSON.stringify(body)}`).not.toMatch(TRACES);
			}
		}
		// The same walk finds it where it may be found, so that it looks where there is something to find.
		const open = { "its owner": holder.access, "a key that writes": await keyWith(["addresses:write"]) };
		for (const [who, token] of Object.entries(open)) {
			const found = new Set<string>();
			for (const { method, path, body } of waysTo(canonical)) {
				if (method !== "GET" && path !== "/v1/public/addresses/batch") continue;
				const text = await (await call(path, { method, token, body })).text();
				if (TRACES.test(text)) found.add(path);
			}
			const always = [
				"/v1/addresses",
				"/v1/addresses?external_id=quiet-home",
				`/v1/addresses/${canonical}`,
				"/v1/changes?mine=1",
				"/v1/public/addresses/batch",
			];
			expect([...found].sort(), who).toEqual(expect.arrayContaining(always));
		}
	});
});

describe("a link to a private address", () => {
	const opens = async (canonical: string, token: string) =>
		(await call(`/v1/public/addresses/${canonical}?share=${token}`)).status === 200;
	const newHome = (access: string) => mint(access, { ...HOME, visibility: "private" });

	it("ends with the password, and with the last session that is ended, whoever made it", async () => {
		const holder = await signUp();
		const { canonical } = await newHome(holder.access);
		const { key } = await newKey(holder, { scopes: ["addresses:write"] });
		const made = [await shareOf(canonical, { days: 365 }, holder.access), await shareOf(canonical, undefined, key)];
		for (const { token } of made) expect(await opens(canonical, token)).toBe(true);
		const body = { current_password: PASSWORD, new_password: "nine green hens" };
		const { access } = await json<SignedInUser>(post("/v1/auth/password/change", body, { token: holder.access }));
		for (const { token } of made) expect(await opens(canonical, token)).toBe(false);
		const { token } = await shareOf(canonical, undefined, access);
		const other = await json<SignedInUser>(
			post("/v1/auth/login", { phone: holder.user.phone, password: body.new_password }),
		);
		const sessionsOf = async () =>
			(await json<{ data: { id: string; current: boolean }[] }>(call("/v1/auth/sessions", { token: access }))).data;
		const elsewhere = (await sessionsOf()).find(({ current }) => !current);
		await call(`/v1/auth/sessions/${elsewhere?.id}`, { method: "DELETE", token: access });
		await problem(call("/v1/auth/me", { token: other.access }), 401, "INVALID_TOKEN");
		expect(await opens(canonical, token)).toBe(true);
		const [last] = await sessionsOf();
		await call(`/v1/auth/sessions/${last?.id}`, { method: "DELETE", token: access });
		expect(await opens(canonical, token)).toBe(false);
	});

	it("ends with a forgotten password, and where an operator signs its maker out", async () => {
		const holder = await signUp();
		const { canonical } = await newHome(holder.access);
		const first = await shareOf(canonical, undefined, holder.access);
		const body = {
			phone: holder.user.phone,
			recovery_code: await newRecoveryCode(holder),
			new_password: "nine green hens",
		};
		const { access } = await json<SignedInUser>(post("/v1/auth/password/reset", body));
		expect(await opens(canonical, first.token)).toBe(false);
		const second = await shareOf(canonical, undefined, access);
		await acted(`accounts/${holder.user.id}/sign-out`, { reason: "Their phone is stolen" });
		expect(await opens(canonical, second.token)).toBe(false);
	});

	it("ends with the key that made it, and no other does", async () => {
		const holder = await signUp();
		const { canonical } = await newHome(holder.access);
		const [stolen, kept] = [
			await newKey(holder, { scopes: ["addresses:write"] }),
			await newKey(holder, { scopes: ["addresses:write"] }),
		];
		const byStolen = await shareOf(canonical, { days: 365 }, stolen.key);
		const others = [await shareOf(canonical, undefined, kept.key), await shareOf(canonical, undefined, holder.access)];
		await call(`/v1/keys/${stolen.id}`, { method: "DELETE", token: holder.access });
		expect(await opens(canonical, byStolen.token)).toBe(false);
		for (const { token } of others) expect(await opens(canonical, token)).toBe(true);
		// Nor does it come back once the record of the key is deleted.
		await sql("delete from api_keys where id = ?", stolen.id);
		expect(await opens(canonical, byStolen.token)).toBe(false);
	});

	it("stands in the history of its address, and that of a stranger's attempt does not", async () => {
		const holder = await signUp();
		const { canonical } = await newHome(holder.access);
		await problem(post(`/v1/addresses/${canonical}/share`, {}, { token: stranger.access }), 403, "FORBIDDEN");
		const { expires_at } = await shareOf(canonical, { days: 30 }, holder.access);
		const history = await json<{ data: object[] }>(
			call(`/v1/addresses/${canonical}/history`, { token: holder.access }),
		);
		const at = expect.any(String);
		expect(history.data).toEqual([
			{ at, change: "created" },
			{ at, change: "shared", expires_at },
		]);
		const { visitor, canonical: shown } = await newHolder();
		await visitor.open(`/my/${shown}`);
		await visitor.send(`/my/${shown}/visibility`, { visibility: "private" });
		await visitor.send(`/my/${shown}/share`);
		await visitor.open(`/my/${shown}/history`);
		expect(visitor.text).toContain("Link made. It works until:");
	});
});

it.each(["the draft has expired", "another tab has a public draft"])(
	"a new address that a person wants private is never made public, though %s",
	async (what) => {
		const visitor = await new ConsoleVisitor().open("/my/new");
		await visitor.send("/my/new", { place: "6.5244, 3.3792" });
		await visitor.send("/my/new/spot", { go: "right", label: "Blue gate", visibility: "private" });
		expect(visitor.text).toContain("Only you and people to whom you give a link can see the place");
		expect(visitor.text).not.toContain("Anyone who has the code, or guesses it");
		const sent = visitor.fields("/my/new/check", newcomer());
		visitor.cookies.delete("__Host-draft");
		if (what !== "the draft has expired") await fillDraft(visitor);
		const answer = await visitor.post("/my/new/check", sent);
		const [, canonical] = /\/my\/([A-Z]{2}\d{9})/.exec(answer.headers.get("Location") ?? "") ?? [];
		await problem(call(`/v1/public/addresses/${canonical}`), 403, "ADDRESS_PRIVATE");
	},
);

it.each(["private", "hidden"])("the place of a %s address cannot be had by creating one there", async (kept) => {
	const { canonical } = await mint(owner.access, { ...HOME, visibility: kept === "private" ? kept : "public" });
	if (kept === "hidden") await acted(`addresses/${canonical}/hide`, { reason: "Ticket 4" });
	const visitor = await new ConsoleVisitor().open("/my/new");
	await visitor.send("/my/new", { place: canonical });
	expect([visitor.path, visitor.cookies.has("__Host-draft")]).toEqual(["/my/new", false]);
	expect(visitor.html).not.toContain(String(HOME.lat));
	expect(visitor.text).toContain("This address is private");
});

it("sends a private address on by a link that opens it, and not by one that nobody else can open", async () => {
	const { visitor, canonical } = await newHolder();
	const sent = () =>
		[...visitor.html.matchAll(/wa\.me\/\?text=([^"]*)|data-text="([^"]*)"/g)].map(([, a, b]) => a ?? b ?? "");
	expect(sent()).toHaveLength(2);
	await visitor.send(`/my/${canonical}/visibility`, { visibility: "private" });
	expect(sent()).toEqual([]);
	await visitor.send(`/my/${canonical}/share`);
	for (const text of sent()) {
		const [url = ""] = /https:\S+/.exec(decodeURIComponent(text).replaceAll("&amp;", "&")) ?? [];
		expect(await (await call(url.replace(ORIGIN, ""))).text()).toContain("Blue gate");
	}
	expect(sent()).toHaveLength(2);
});

describe("the token of a link", () => {
	const secrets = [
		{ id: "new", secret: new Uint8Array(32).fill(1) },
		{ id: "old", secret: new Uint8Array(32).fill(2) },
	] as const;
	const now = 1_800_000_000_000;
	const share = { count: 40, expiresAt: now + 60_000, accountCount: 2, keyId: `key_${"aZ09".repeat(6).slice(2)}` };

	const read = (code: string, token: string, at = now, accepted: SigningSecrets = [...secrets]) =>
		readShare(accepted, code, token, at);

	it("is read while its secret is kept and it has not expired", () => {
		const token = writeShare([secrets[1]], "NG031148211", share);
		expect(read("NG031148211", token)).toEqual(share);
		expect(read("NG031148211", token, now, [secrets[0]])).toBeUndefined();
		expect(read("NG031148211", token, share.expiresAt)).toBeUndefined();
		expect(read("NG031148212", token)).toBeUndefined();
	});

	it("opens no private address when the secret of access tokens signed it, as versions before 1.0.0 did", async () => {
		const { canonical } = await newOwner({ ...HOME, visibility: "private" });
		const told = {
			count: 0,
			accountCount: 0,
			expiresAt: Math.ceil(Date.now() / 1000) * 1000 + 60_000,
			keyId: undefined,
		};
		const open = (name: "JWT_SECRETS" | "SHARE_SECRETS") => {
			const token = writeShare(readSigningSecrets(env[name]), canonical, told);
			return call(`/v1/public/addresses/${canonical}?share=${token}`);
		};
		expect(await json(open("SHARE_SECRETS"))).toMatchObject({ label: HOME.label });
		await problem(open("JWT_SECRETS"), 403, "ADDRESS_PRIVATE");
	});

	it("is refused with any character changed", () => {
		const token = writeShare([...secrets], "NG031148211", share);
		for (let index = 0; index < token.length; index += 1) {
			const changed = token.slice(0, index) + (token[index] === "1" ? "2" : "1") + token.slice(index + 1);
			expect(read("NG031148211", changed), changed).toBeUndefined();
		}
	});
});

describe("an operator", () => {
	it.each(["API", "page"])("reads a private address by an act with a reason alone, by %s", async (way) => {
		const { canonical, ...holder } = await newOwner({ ...HOME, visibility: "private" });
		const reason = `They wrote of ${canonical}`;
		const path = `addresses/${canonical}/read`;
		const visitor = await new OperatorVisitor().open(`/operate/accounts/${holder.user.id}`);
		expect(visitor.html).toContain(`/operate/${path}`);
		expect(visitor.html).not.toMatch(TRACES);
		expect(visitor.text).toContain("Private, created");
		expect(JSON.stringify(await acted(`accounts/${holder.user.id}`))).not.toMatch(TRACES);
		await json(operate(path, {}), 400);
		if (way === "API") {
			const read = await acted(path, { reason });
			expect(read).toMatchObject({ canonical, ...HOME, account: holder.user.id, hidden_at: null });
		} else {
			await visitor.open(`/operate/${path}`);
			expect(visitor.html).not.toMatch(TRACES);
			await visitor.send(`/operate/${path}`, { reason });
			expect([visitor.status, visitor.text]).toEqual([200, expect.stringContaining(HOME.label)]);
			expect(visitor.text).toContain(String(HOME.lat));
			expect(visitor.html).toContain(`href="/operate/accounts/${holder.user.id}?code=${canonical}"`);
		}
		expect(await acted(`acts?subject=${canonical}`)).toMatchObject({
			data: [{ act: "read", reason, account: holder.user.id, operator: "ada@addr.example" }],
		});
		const held = await json(call("/v1/auth/me/export", { token: holder.access }));
		expect(held).toMatchObject({ operator_acts: expect.arrayContaining([expect.objectContaining({ act: "read" })]) });
		await expectSilence(canonical);
	});
});

describe("an agent who is about to visit a private address", () => {
	const newHome = async () => {
		const { canonical } = await mint(owner.access, HOME);
		await makePrivate(canonical);
		return canonical;
	};
	const read = (canonical: string, token: string) => call(`/v1/addresses/${canonical}`, { token });

	it("reads and attests it signed in, and its owner sees that an agent did, and not who", async () => {
		const agent = await signUpAgent();
		const canonical = await newHome();
		expect(await json(read(canonical, agent.access))).toMatchObject({ label: HOME.label, lat: HOME.lat });
		const attestation = { level: 2, ...AT_LAGOS };
		await json(post(`/v1/addresses/${canonical}/attestations`, attestation, { token: agent.access }), 201);
		const history = await json<{ data: { change: string }[] }>(
			call(`/v1/addresses/${canonical}/history`, { token: owner.access }),
		);
		expect(history.data.filter(({ change }) => change === "read")).toHaveLength(1);
		expect(JSON.stringify(history)).not.toContain(agent.user.id);
		const exported = await json<{ private_reads: object[] }>(call("/v1/auth/me/export", { token: agent.access }));
		expect(exported.private_reads).toMatchObject([{ canonical }]);
		expect(await json(operate(`accounts/${agent.user.id}`))).toMatchObject({ private_reads: [{ canonical }] });
		await expectSilence(canonical);
	});

	it("reads 50 a day, and each of them as often as they like", async () => {
		const agent = await signUpAgent();
		const [canonical, other] = [await newHome(), await newHome()];
		const first = await read(canonical, agent.access);
		expect(first.headers.get("RateLimit")).toContain('"private-reads";r=49;');
		await sql("update daily_counts set count = 50 where subject = ?", `${agent.user.id}:private-reads`);
		await json(read(canonical, agent.access));
		await problem(read(other, agent.access), 429, "QUOTA_EXCEEDED");
	});

	it("is shown to operators where they read more in a day than anybody visits", async () => {
		const agent = await signUpAgent();
		const events = async (reads: number) => {
			await sql("update daily_counts set count = ? where subject = ?", reads, `${agent.user.id}:private-reads`);
			const canonical = await newHome();
			const lines = await logged(() => json(read(canonical, agent.access)), "many_private_reads");
			// Once more says nothing new.
			expect(await logged(() => json(read(canonical, agent.access)), "private_address_read")).toEqual([]);
			return lines.length;
		};
		expect([await events(0), await events(14), await events(15), await events(16)]).toEqual([0, 0, 1, 0]);
	});

	it("reads none by an API key, in a batch, to create another there, that an operator hides, or once they are no agent any more", async () => {
		const agent = await signUpAgent();
		const canonical = await newHome();
		const { key } = await newKey(agent, { scopes: ["addresses:write"] });
		await problem(read(canonical, key), 403, "ADDRESS_PRIVATE");
		const batch = { method: "POST", token: agent.access, body: { codes: [canonical] } };
		expect(await (await call("/v1/public/addresses/batch", batch)).text()).not.toMatch(TRACES);
		const { visitor, canonical: own } = await newHolder();
		const theirs = "(select owner_id from addresses where canonical = ?)";
		await sql(`update users set role = 'agent' where id = ${theirs}`, own);
		await visitor.openAndSend("/my/new", { place: canonical });
		expect(visitor.text).toContain("This address is private");
		// What its owner alone may ask for is no reading of it.
		await problem(call(`/v1/addresses/${canonical}/reports`, { token: agent.access }), 403, "FORBIDDEN");
		await acted(`addresses/${canonical}/hide`, { reason: "Ticket 4" });
		await problem(read(canonical, agent.access), 403, "ADDRESS_PRIVATE");
		await acted(`addresses/${canonical}/show`, { reason: "Ticket 4" });
		await acted(`accounts/${agent.user.id}/role`, { role: "user", reason: "Ticket 4" });
		await problem(read(canonical, agent.access), 403, "ADDRESS_PRIVATE");
		expect(await value("select count(*) as n from private_reads where canonical = ?", canonical)).toBe(0);
	});

	it("leaves strangers, with a session of the console too, as they are", async () => {
		const canonical = await newHome();
		await problem(read(canonical, stranger.access), 403, "ADDRESS_PRIVATE");
		const visitor = new ConsoleVisitor();
		expect(await (await visitor.ask(`/my/attest?code=${canonical}`)).text()).not.toMatch(TRACES);
	});
});

it("an address that an operator hides opens by no link either, and its owner reads why", async () => {
	const { visitor, canonical } = await newHolder();
	const owner = await value("select owner_id from addresses where canonical = ?", canonical);
	const phone = await value("select phone from users where id = ?", owner);
	const { access } = await json<SignedInUser>(post("/v1/auth/login", { phone, password: PASSWORD }));
	const { token } = await shareOf(canonical, undefined, access);
	const ways = ["/a", "/v1/public/addresses"].map((path) => `${path}/${canonical}?share=${token}`);
	for (const way of ways) expect(await (await call(way)).text(), way).toContain("Blue gate");
	await acted(`addresses/${canonical}/hide`, { reason: "The gate of somebody else." });
	for (const way of ways) expect(await (await call(way)).text(), way).not.toContain("Blue gate");
	await visitor.open(`/my/${canonical}`);
	expect(visitor.text).toContain("Reason: The gate of somebody else.");
	await acted(`addresses/${canonical}/show`, { reason: "It is theirs." });
	await visitor.open(`/my/${canonical}`);
	expect(visitor.text).not.toContain("Reason:");
});
