import { env } from "cloudflare:workers";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { endpoints } from "../../src/api.ts";
import { app, openPages } from "../../src/app.ts";
import { watch } from "../../src/jobs/watch.ts";
import { ZoneMap } from "../../src/operate/pages/zone-map.tsx";
import { call, json, ORIGIN, post } from "../support/client.ts";
import { allOfSuite } from "../support/databases.ts";
import { countOthers, forgetWatch } from "../support/hour.ts";
import { logged } from "../support/logged.ts";
import { acted, OperatorVisitor, operatorSettings, operatorToken } from "../support/operators.ts";
import { LAGOS, mint, newKey, newOwner, PASSWORD, type SignedInUser, signUp, signUpAgent } from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";
import { sql, value } from "../support/sql.ts";

const reason = "Ticket 4711";

await openPages();

/** Paths of operators' pages as the router serves them, by one method. */
const pathsOf = (method: string) =>
	app.routes
		.filter((route) => route.method === method && /^\/operate(\/|$)/.test(route.path))
		.map(({ path }) => path.replace(":code", "NG137748215").replace(":country", "NG").replace(/:\w+/, "usr_x"));

const FORMS = pathsOf("POST");
const PAGES = [...new Set(pathsOf("GET"))];

it("every act of the API has a form", () => {
	const acts = endpoints.filter(({ method, path }) => method === "post" && path.startsWith("/v1/operator/"));
	expect(FORMS).toHaveLength(acts.length);
	expect(PAGES).toEqual(expect.arrayContaining([...FORMS, "/operate/reports", "/operate/pending-phones"]));
});

/** How many acts are kept. */
const kept = async () => Number(await value("select count(*) from operator_acts where act <> 'look'"));

describe.each(PAGES)("%s", (path) => {
	it("asks a stranger to sign in, and logs it", async () => {
		const [person, agent] = [await signUp(), await signUpAgent()];
		const { key } = await newKey(person);
		const headers: Record<string, string>[] = [
			{},
			{ Authorization: `Bearer ${person.access}` },
			{ Authorization: `Bearer ${agent.access}` },
			{ Authorization: `Api-Key ${key}` },
			{ "Cf-Access-Jwt-Assertion": await operatorToken({ exp: 1 }) },
			{ Cookie: `__Host-operator=${await operatorToken()}` },
		];
		for (const sent of headers) {
			for (const method of FORMS.includes(path) ? ["GET", "POST"] : ["GET"]) {
				const lines = await logged(async () => {
					const answer = await call(path, { method, headers: sent, settings: operatorSettings });
					expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([401, "private, no-store"]);
					const text = await answer.text();
					expect(text).toContain("sign in with your organisation");
					expect(text).not.toMatch(/<nav|<form/);
				}, "operator_refused");
				expect(lines).toHaveLength(1);
			}
		}
	});

	it("is not there while no issuer is set", async () => {
		const headers = { Authorization: `Bearer ${await operatorToken()}`, Accept: "text/html" };
		const answer = await call(path, { headers });
		expect(answer.status).toBe(404);
		expect(await answer.text()).not.toMatch(/operator/i);
	});
});

describe.each(FORMS)("the form %s", (path) => {
	it("is refused from another site, and does nothing", async () => {
		const visitor = await new OperatorVisitor().open(path);
		const fields = visitor.fields(path, { reason });
		const other = (await new OperatorVisitor().open(path)).fields(path, { reason });
		const before = await kept();
		const own = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };
		const sent: [URLSearchParams, Record<string, string>][] = [
			[fields, { Origin: "https://evil.example" }],
			[fields, { Origin: "null" }],
			[fields, { ...own, "Sec-Fetch-Site": "cross-site" }],
			[fields, { ...own, "Sec-Fetch-Site": "same-site" }],
			[new URLSearchParams({ reason }), own],
			[other, own],
		];
		for (const [form, headers] of sent) {
			const answer = await visitor.post(path, form, headers);
			expect(answer.status).toBe(403);
			await answer.body?.cancel();
		}
		expect(await kept()).toBe(before);
	});

	it.each(["", "no", "y".repeat(501)])("wants a reason, and not %j", async (bad) => {
		const visitor = await new OperatorVisitor().open(path);
		const before = await kept();
		await visitor.send(path, { reason: bad });
		expect(visitor.status).toBe(400);
		expect(/id="\w+-error"/.test(visitor.html), visitor.text).toBe(true);
		expect(await kept()).toBe(before);
	});
});

/** Sends the form of an act as an operator would, from the page of the account, and proves that it is kept once: for each account concerned. */
async function act(
	visitor: OperatorVisitor,
	path: string,
	filled: Record<string, string> = {},
	times = 1,
): Promise<void> {
	const before = await kept();
	expect(visitor.html, path).toContain(`href="${path}`);
	await visitor.open(/href="([^"]*)"/.exec(visitor.html.slice(visitor.html.indexOf(`href="${path}`)))?.[1] ?? path);
	expect(visitor.status).toBe(200);
	await visitor.send(path, { reason, ...filled });
	expect(visitor.status, visitor.text).toBe(200);
	expect(visitor.text).toContain("Recorded with your name and reason.");
	expect(await kept()).toBe(before + times);
}

async function find(who: string, settings: Record<string, string> = {}): Promise<OperatorVisitor> {
	const visitor = new OperatorVisitor(settings);
	await visitor.open("/operate");
	await visitor.send("/operate/accounts/find", { who, reason });
	return visitor;
}

const me = ({ access }: SignedInUser) => call("/v1/auth/me", { token: access });

describe("an operator", () => {
	it.each(["phone", "code", "id"] as const)("finds a person by %s, and no phone stands in a URL", async (by) => {
		const owner = await signUp();
		const { canonical } = await mint(owner.access, { ...LAGOS, label: "Blue gate" });
		const who = { phone: owner.user.phone.replace("+234", "+234 "), code: canonical, id: owner.user.id }[by];
		const before = await kept();
		const visitor = await find(who);
		expect(visitor.path).toContain(`/operate/accounts/${owner.user.id}`);
		expect(decodeURIComponent(visitor.path)).not.toContain(owner.user.phone.slice(4));
		expect(visitor.text).toContain(owner.user.phone);
		expect(visitor.text).toContain("Blue gate");
		expect(visitor.text.includes("The address you searched for")).toBe(by === "code");
		expect(visitor.html).not.toContain(owner.access);
		expect(await kept()).toBe(before + 1);
	});

	it.each([
		["0803 123 4567", "Begin the phone number with a plus sign", 400],
		["+234 803 999 9999", "no account", 404],
		["NG-1377-48216", "check digit", 400],
		["", "", 400],
		["1377-81920", "Which country is this code in?", 400],
	])("who looks for %j is told what is wrong, at the field", async (who, said, status) => {
		const visitor = await find(who);
		expect(visitor.status, visitor.text).toBe(status);
		expect(visitor.text).toContain(said);
		expect(visitor.html).toContain('id="who-error"');
		expect(visitor.html).toContain(`value="${reason}"`);
	});

	it("means the registry's own country where none is named", async () => {
		const { user } = await signUp();
		const ofNigeria = user.phone.replace("+234", "0");
		expect(ofNigeria).toMatch(/^0\d{10}$/);
		const visitor = await find(ofNigeria, { REGISTRY_COUNTRY: "NG" });
		expect(visitor.path).toContain(`/operate/accounts/${user.id}`);
		const asked = await find("1377-81920", { REGISTRY_COUNTRY: "NG" });
		const buttons = [...asked.html.matchAll(/name="who" value="(\w\w-1377-81920)"/g)].map(([, code]) => code);
		expect([buttons[0], buttons.length > 5]).toEqual(["NG-1377-81920", true]);
		await asked.send("/operate/accounts/find", { who: "NG-1377-81920" });
		expect([asked.status, asked.html.includes("no such address")], asked.text).toEqual([404, false]);
	});

	it("suspends, restores, signs out, makes an agent and sets allowances, by one act each", async () => {
		const person = await signUp();
		const path = `/operate/accounts/${person.user.id}`;
		const visitor = await find(person.user.phone);
		await act(visitor, `${path}/suspend`);
		await json(me(person), 403);
		await act(visitor, `${path}/restore`);
		await json(me(person));
		await act(visitor, `${path}/role`, { role: "agent" });
		expect(visitor.text).toContain("Agent");
		await act(visitor, `${path}/role`, { role: "user" });
		await act(visitor, `${path}/allowance`, { new_addresses_per_day: "5000", unknown_codes_per_minute: "" });
		expect(visitor.text).toContain("New addresses per day: 5000");
		await act(visitor, `${path}/allowance`, { new_addresses_per_day: "", unknown_codes_per_minute: "" });
		expect(visitor.text).toContain("The usual limits");
		await act(visitor, `${path}/sign-out`);
		await json(me(person), 401);
	});

	it("says that an account is closed, and not that it is in use", async () => {
		const { user } = await signUp();
		await sql("update users set erase_at = ? where id = ?", Date.now() + 1e8, user.id);
		const visitor = await find(user.phone);
		expect(visitor.text).toMatch(/State\s*Closed/);
		await act(visitor, `/operate/accounts/${user.id}/suspend`);
		expect(visitor.text).toMatch(/State\s*Suspended since .*, Closed/);
	});

	it("grants a key the changes, hides an address, shows it and retires it", async () => {
		const person = await signUp();
		const { canonical } = await mint(person.access, LAGOS);
		const { canonical: successor } = await mint(person.access, LAGOS);
		const key = await newKey(person);
		const visitor = await find(canonical);
		const scopes = `/operate/keys/${key.id}/scopes`;
		await visitor.open(`${scopes}?scopes=addresses:read`);
		expect(visitor.html).toContain('value="addresses:read" checked');
		await visitor.open(`/operate/accounts/${person.user.id}`);
		await act(visitor, scopes, { scopes: "changes:read" });
		expect(visitor.text).toContain("live: changes:read");
		await act(visitor, `/operate/keys/${key.id}/revoke`);
		expect(visitor.text).not.toContain("live: changes:read");
		const path = `/operate/addresses/${canonical}`;
		const asStranger = async () => (await call(`/v1/public/addresses/${canonical}`)).status;
		await act(visitor, `${path}/hide`);
		expect(await asStranger()).toBe(403);
		await act(visitor, `${path}/show`);
		expect(await asStranger()).toBe(200);
		await act(visitor, `${path}/retire`, { successor });
		expect(await asStranger()).toBe(410);
	});

	it("does nothing that cannot be kept: act and record are one batch", async () => {
		const { user, canonical } = await newOwner({ ...LAGOS, label: "Quietwater door", visibility: "private" });
		const visitor = await find(user.phone);
		const tables = ["users", "sessions", "addresses", "allowances"];
		const all = () => Promise.all(tables.map((table) => sql(`select * from ${table}`)));
		const before = await all();
		for (const database of allOfSuite)
			await database.exec(
				"create trigger none_kept before insert on operator_acts begin select raise(abort, 'the disk is full'); end",
			);
		try {
			for (const [path, filled] of Object.entries({
				[`accounts/${user.id}/suspend`]: {},
				[`accounts/${user.id}/sign-out`]: {},
				[`accounts/${user.id}/role`]: { role: "agent" },
				[`accounts/${user.id}/allowance`]: { new_addresses_per_day: "9" },
				[`addresses/${canonical}/read`]: {},
				[`addresses/${canonical}/hide`]: {},
				[`addresses/${canonical}/retire`]: {},
			})) {
				await visitor.openAndSend(`/operate/${path}`, { reason, ...filled });
				expect(visitor.status, path).toBeGreaterThanOrEqual(500);
				expect(visitor.html, path).not.toContain("Quietwater");
			}
			expect(await all()).toEqual(before);
		} finally {
			for (const database of allOfSuite) await database.exec("drop trigger none_kept");
		}
	});

	it("reads reports, lets the owner read one, and decides it", async () => {
		const { canonical } = await newOwner();
		const body = { kind: "gone", text: "A <b>car park</b> now." };
		const made = post(`/v1/public/addresses/${canonical}/reports`, body);
		const { id } = await json<{ id: string }>(made, 201);
		const visitor = await new OperatorVisitor().open("/operate");
		expect(visitor.text).toMatch(/\d+ reports? (is|are) waiting/);
		await visitor.open("/operate/reports");
		expect(visitor.html).toContain("A &lt;b&gt;car park&lt;/b&gt; now.");
		const path = `/operate/reports/${id}`;
		await act(visitor, `${path}/text`);
		await act(visitor, `${path}/decide`, { decision: "hide" });
		expect(visitor.html).not.toContain(path);
		expect((await call(`/v1/public/addresses/${canonical}`)).status).toBe(403);
		await visitor.open("/operate/reports?all=1");
		expect(visitor.text).toContain("hide. “Ticket 4711”");
		await visitor.open(`/operate/acts?about=${canonical}`);
		expect(visitor.text).toMatch(/Decide: hide.*Report-text/);
	});

	it("decides a report with everything in sight: words, address, both points and earlier reports", async () => {
		const { canonical } = await newOwner({ ...LAGOS, label: "Blue gate" });
		const report = async (body: object) =>
			(await json<{ id: string }>(post(`/v1/public/addresses/${canonical}/reports`, body), 201)).id;
		await report({ kind: "no_access", text: "A wall." });
		const id = await report({
			kind: "wrong_place",
			text: "It moved.",
			lat: LAGOS.lat + 0.001,
			lng: LAGOS.lng,
		});
		const visitor = await new OperatorVisitor().open(`/operate/reports/${id}/decide`);
		for (const part of [
			"Wrong place",
			"It moved.",
			"Blue gate",
			canonical.slice(6),
			"111 m north of the pin",
			"A wall.",
		]) {
			expect(visitor.text, part).toContain(part);
		}
		expect(visitor.html).toContain('<svg class="spot"');
		expect(visitor.html).toContain('class="first-fix"');
		// A successor is asked for only where the address is retired.
		expect(visitor.html).toContain("form:has([value=retire]:checked) .field:has(#successor){display:block}");
	});

	it("finds a person by the number as it is dialled where the operator is", async () => {
		const owner = await signUp();
		class InNigeria extends OperatorVisitor {
			override ask(path: string, init: Parameters<typeof call>[1] = {}): Promise<Response> {
				const headers = new Headers(init.headers);
				headers.set("CF-IPCountry", "NG");
				return super.ask(path, { ...init, headers });
			}
		}
		const visitor = new InNigeria();
		await visitor.open("/operate");
		await visitor.send("/operate/accounts/find", { who: owner.user.phone.replace("+234", "0"), reason });
		expect(visitor.path).toBe(`/operate/accounts/${owner.user.id}`);
		expect(visitor.text).toContain("Make this account an agent");
		await visitor.open(`/operate/accounts/${owner.user.id}/role?role=agent`);
		expect(visitor.html).toContain(">Make this account an agent</button>");
		const { canonical, display } = await mint(owner.access, LAGOS);
		await visitor.open("/operate");
		await visitor.send("/operate/accounts/find", { who: `Amina: it is ${display}, flat 3B`, reason });
		expect(visitor.path, "by a code in what somebody wrote").toBe(
			`/operate/accounts/${owner.user.id}?code=${canonical}`,
		);
	});

	it("decides on numbers that two accounts claim", async () => {
		const [agent, holder, claimant] = [await signUp(), await signUp(), await signUp()];
		await acted(`accounts/${agent.user.id}/role`, { role: "agent", reason });
		const body = { phone: holder.user.phone, user_id: claimant.user.id };
		await post("/v1/auth/attest-phone", body, { token: agent.access });
		const accepted = { accept: true, current_password: PASSWORD };
		await post("/v1/auth/me/pending-phone", accepted, { token: claimant.access });
		const path = `/operate/accounts/${claimant.user.id}`;
		const visitor = await new OperatorVisitor().open("/operate");
		expect(visitor.html).toContain('href="/operate/pending-phones"');
		await visitor.open("/operate/pending-phones");
		for (const { user } of [agent, holder]) expect(visitor.html).toContain(`/operate/accounts/${user.id}`);
		await visitor.open(`/operate/accounts/${holder.user.id}`);
		expect(visitor.text).toContain("Another account claims its number");
		await act(visitor, `${path}/refuse-phone`);
		expect(visitor.text).not.toContain("Pending phone number");
		await post("/v1/auth/attest-phone", body, { token: agent.access });
		await post("/v1/auth/me/pending-phone", accepted, { token: claimant.access });
		await visitor.open(path);
		await act(visitor, `${path}/pass-phone`, {}, 2);
		expect(visitor.text).toContain(`${holder.user.phone}, verified`);
	});

	it("reads who did this by account, address, operator and act, page by page", async () => {
		const { user, canonical } = await newOwner();
		await acted(`addresses/${canonical}/hide`, { reason: "First reason" });
		for (let count = 0; count < 20; count += 1) {
			await acted(`addresses/${canonical}/${count % 2 ? "hide" : "show"}`, { reason: `Reason ${count}` });
		}
		const visitor = new OperatorVisitor();
		const [country, zone, rest] = [canonical.slice(0, 2), canonical.slice(2, 6), canonical.slice(6)];
		await visitor.open(`/operate/acts?about=${country}-${zone}-${rest}`);
		expect(visitor.text).toContain("by ada@addr.example");
		expect(visitor.text).toContain(`Account with the number …${user.phone.slice(-4)}`);
		expect(visitor.html).toContain(`title="${user.id}"`);
		expect(visitor.text).not.toContain(user.id);
		expect(visitor.text).not.toContain("First reason");
		await visitor.open(/href="(\/operate\/acts\?[^"]*cursor[^"]*)"/.exec(visitor.html)![1]!.replaceAll("&amp;", "&"));
		expect(visitor.text).toContain("First reason");
		expect(visitor.text).not.toContain("Older acts");
		await visitor.open(`/operate/acts?about=${user.id}&act=suspend`);
		expect(visitor.text).toContain("None.");
		await visitor.open("/operate/acts?operator=bob@addr.example");
		expect(visitor.text).toContain("None.");
	});
});

describe("the map of a country", () => {
	it.each(["NG", "RU", "FJ", "MC"])("shows the zones of %s in one piece", async (country) => {
		const visitor = await new OperatorVisitor().open(`/operate/zones/${country}`);
		expect(visitor.status).toBe(200);
		const boxes = visitor.html.split("M").length;
		const [, width, height] = /viewBox="0 0 (\d+) (\d+)" role="img"/.exec(visitor.html)!.map(Number);
		expect(Math.max(width!, height!)).toBe(1000);
		expect(boxes).toBeGreaterThan(country === "MC" ? 5 : 100);
	});

	it.each(["BR", "BD", "NG"])("takes at most 30 KB for %s, however full each zone is", async (country) => {
		const placed = await testRegistry().zones.zonesOf(country);
		const fillOf = new Map(placed.map(({ zone }) => [zone, Math.random()]));
		const drawn = (zones: typeof placed) => String(ZoneMap({ zones, fillOf, title: "" }));
		expect(gzipSync(drawn(placed)).length).toBeLessThanOrEqual(30 * 1024);
		// A country of many small official zones, whose boxes lie across each other.
		const official = placed.flatMap(({ zone, bounds: { south, west, north, east } }) =>
			[0.001, 0.002].map((by) => ({
				zone,
				bounds: { south: south + by, west: west + by, north: north + by, east: east + by },
			})),
		);
		expect(gzipSync(drawn(official)).length).toBeLessThanOrEqual(30 * 1024);
	});

	it("colours a zone by its issued numbers, and lists the fullest", async () => {
		const { zone, zone_name: name } = await newOwner({ lat: 12.0022, lng: 8.592 });
		await forgetWatch();
		await countOthers();
		await watch(env, Date.now());
		const visitor = await new OperatorVisitor().open("/operate/zones/NG");
		expect(visitor.html).toContain('<path class="fill1" d="M');
		expect(visitor.html).toContain(`<th scope="row">${zone} ${name}</th>`);
	});

	it("of no country says so", async () => {
		for (const [country, status] of [
			["QQ", 404],
			["nigeria", 400],
		] as const) {
			expect((await new OperatorVisitor().open(`/operate/zones/${country}`)).status).toBe(status);
		}
		expect((await new OperatorVisitor().open("/operate/zones?country=ng")).path).toBe("/operate/zones/NG");
	});
});

describe("the operator of a developer's machine", () => {
	const settings = { ...operatorSettings, OPERATORS_ISSUER: "local", OPERATORS_AUDIENCE: "local" };
	const localToken = (jti: string) => operatorToken({ iss: "local", aud: "local", email_verified: true, jti });
	const headers = { "CF-Connecting-IP": "127.0.0.1" };

	it("hands a token over once in the URL, and then has a cookie that no other site's request carries", async () => {
		const token = await localToken("a");
		const hand = () => call(`/operate?token=${token}`, { headers, settings, redirect: "manual" });
		const answer = await hand();
		expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/operate"]);
		const cookie = answer.headers.getSetCookie().find((text) => text.includes(token));
		expect(cookie).toMatch(/^__Host-operator=\S+; Max-Age=3[56]\d\d; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
		const Cookie = cookie!.split(";")[0]!;
		expect((await call("/operate", { headers: { ...headers, Cookie }, settings })).status).toBe(200);
		const reopened = await call(`/operate?token=${token}`, {
			headers: { ...headers, Cookie },
			settings,
			redirect: "manual",
		});
		expect(reopened.headers.get("Location")).toBe("/operate");
		const again = await hand();
		expect(again.status).toBe(401);
		expect(await again.text()).toContain("operator-token");
		expect((await call("/operate?token=x.y.z", { headers, settings })).status).toBe(401);
	});

	it("is not there for anyone who comes over a network", async () => {
		const path = `/operate?token=${await localToken("b")}`;
		for (const address of ["203.0.113.7", "10.0.0.1"]) {
			expect((await call(path, { headers: { "CF-Connecting-IP": address }, settings })).status).toBe(404);
		}
		expect((await call(path, { headers, settings, redirect: "manual" })).status).toBe(303);
	});

	it("is no operator of any other issuer, by URL or by cookie", async () => {
		const token = await operatorToken();
		for (const headers of [{}, { Cookie: `__Host-operator=${token}` }]) {
			expect((await call(`/operate?token=${token}`, { headers, settings: operatorSettings })).status).toBe(401);
		}
	});
});

it("says no more of an account that is not there than that", async () => {
	const visitor = await new OperatorVisitor().open("/operate/accounts/usr_x");
	expect([visitor.status, visitor.text.includes("There is no account")]).toEqual([404, true]);
});
