import { describe, expect, it } from "vitest";
import { call } from "../support/client.ts";
import { ConsoleVisitor, newHolder } from "../support/console-visitor.ts";
import { countStatements } from "../support/count-statements.ts";
import { sql, value } from "../support/sql.ts";

const SHOP = "https://shop.example";
const to = (origin: string) => `/give?to=${encodeURIComponent(origin)}&nonce=n-1`;

/** What an answer is, without what differs between any two. */
async function whole(answer: Response): Promise<unknown> {
	const headers = [...answer.headers].filter(([name]) => !/^(x-request-id|set-cookie|ratelimit.*)$/.test(name));
	const html = (await answer.text()).replace(/name="form_token" value="\w+"/g, "");
	return [answer.status, headers, html, html.length];
}

/** The visitor on the page with their addresses. */
async function choosing(visitor: ConsoleVisitor): Promise<ConsoleVisitor> {
	await visitor.open(to(SHOP));
	return visitor.send("/give");
}

describe("the page that a shop opens", () => {
	it("is the same whoever is signed in, and reads nothing to find out", async () => {
		const { visitor } = await newHolder();
		const stranger = new ConsoleVisitor();
		await stranger.open("/my/new");
		const [known, unknown] = [await visitor.ask(to(SHOP)), await stranger.ask(to(SHOP))];
		expect(await whole(known)).toEqual(await whole(unknown));
		expect(await countStatements(() => visitor.ask(to(SHOP)))).toBe(0);
	});

	it("keeps its opener, which no other page does, and is for no frame and no cache", async () => {
		for (const path of [to(SHOP), "/give"]) {
			const { headers } = await call(path);
			expect(headers.get("Cross-Origin-Opener-Policy"), path).toBe("unsafe-none");
			expect(headers.get("X-Frame-Options"), path).toBe("DENY");
			expect(headers.get("Content-Security-Policy"), path).toContain("frame-ancestors 'none'");
			expect(headers.get("Cache-Control"), path).toBe("private, no-store");
		}
		for (const path of ["/", "/my/new", "/my/sign-in", "/privacy", "/a/NG-0421-58212", "/give/send/x", "/givex"]) {
			const { headers } = await call(path, { headers: { Accept: "text/html" } });
			expect(headers.get("Cross-Origin-Opener-Policy"), path).toBe("same-origin");
		}
	});

	it.each([
		["https://shop.example", "shop.example"],
		["https://shop.example:8443", "shop.example:8443"],
		["https://xn--shp-hoa.example", "xn--shp-hoa.example"],
		["http://localhost:3000", "http://localhost:3000"],
		["http://127.0.0.1:3000", "http://127.0.0.1:3000"],
	])("names %s as %s", async (origin, name) => {
		const visitor = await new ConsoleVisitor().open(to(origin));
		expect(visitor.status).toBe(200);
		expect(visitor.text).toContain(`for \u2066${name}\u2069`);
		expect(visitor.html).toContain(`name="to" value="${origin}"`);
	});

	it.each([
		"",
		"null",
		"*",
		"shop.example",
		"http://shop.example",
		"http://localhost.shop.example",
		"https://shop.example/",
		"https://shop.example/path",
		"https://SHOP.example",
		"https://shóp.example",
		"https://user@shop.example",
		"https://shop.example:443",
		"https://a.example,https://b.example",
		"javascript:alert(1)",
		"data:text/html,x",
		"file:///etc",
		'https://shop.example"><script>',
		`https://${"a.".repeat(150)}example`,
	])("sends nothing to %j", async (origin) => {
		const visitor = await new ConsoleVisitor().open(to(origin));
		expect(visitor.status).toBe(400);
		expect(visitor.text).toContain("The website that opened this page is not named");
		expect(visitor.html).not.toContain("<form");
	});

	it("drops a nonce that no field makes", async () => {
		for (const nonce of ['"><b>', "x".repeat(65), "a b"]) {
			const { html } = await new ConsoleVisitor().open(`/give?to=${SHOP}&nonce=${encodeURIComponent(nonce)}`);
			expect(html).toContain('name="nonce" value=""');
		}
	});
});

describe("who may send what", () => {
	it("asks for a form of this registry's own", async () => {
		const { visitor, canonical } = await newHolder();
		await choosing(visitor);
		const good = visitor.fields("/give/send", { code: canonical });
		for (const headers of [
			{ Origin: SHOP, "Sec-Fetch-Site": "cross-site" },
			{ Origin: SHOP },
			{ Origin: "null", "Sec-Fetch-Site": "same-origin" },
		]) {
			const answer = await visitor.post("/give/send", good, headers);
			expect(answer.status).toBe(403);
			expect(await answer.text()).not.toContain(canonical);
		}
		const { form_token: _, ...rest } = Object.fromEntries(good);
		const without = await visitor.post("/give/send", new URLSearchParams(rest));
		expect(without.status).toBe(403);
		expect((await visitor.post("/give/send", good)).status).toBe(200);
	});

	it("never asks for a password, and leads out of its tab alone to sign in", async () => {
		const visitor = await new ConsoleVisitor().open(to(SHOP));
		for (const path of ["/give", "/give/send"]) {
			const form = new URLSearchParams({ ...Object.fromEntries(visitor.fields("/give")), code: "NG042158212" });
			const answer = await visitor.post(path, form);
			const html = await answer.text();
			expect(answer.status, path).toBe(200);
			expect(answer.headers.get("Location")).toBeNull();
			expect(html).not.toMatch(/type="password"|name="phone"/);
			const links = [...html.matchAll(/<a [^>]*href="(\/my[^"]*)"[^>]*>/g)];
			expect(links.map(([, href]) => href)).toEqual(["/my/new", "/my/sign-in"]);
			for (const [link] of links) expect(link).toMatch(/target="_blank" rel="noopener"/);
		}
	});

	it("sends one's own codes alone, and no code that has been retired", async () => {
		const { visitor, canonical } = await newHolder();
		const another = await newHolder();
		await choosing(visitor);
		for (const name of ["code", "link"]) {
			const form = visitor.fields("/give/send", {});
			form.set(name, another.canonical);
			const answer = await visitor.post("/give/send", form);
			expect([answer.status, (await answer.text()).includes('id="given"')], name).toEqual([403, false]);
		}
		const form = visitor.fields("/give/send", { code: canonical });
		await sql("update addresses set retired_at = 1 where canonical = ?", canonical);
		expect((await visitor.post("/give/send", form)).status).toBe(410);
		await choosing(visitor);
		expect(visitor.text).not.toContain("Send \u2066");
	});

	it("tells the holder of a suspended account, and lists nothing", async () => {
		const { visitor, canonical } = await newHolder();
		await visitor.open(to(SHOP));
		const owner = await value("select owner_id from addresses where canonical = ?", canonical);
		await sql("update users set disabled_at = 1 where id = ?", owner);
		await visitor.send("/give");
		expect(visitor.text).toContain("The operator has suspended this account.");
		expect(visitor.html).not.toContain(canonical);
	});
});

describe("what is sent", () => {
	it("is the code, to the script of the page, and nothing else of the address", async () => {
		const { visitor, canonical } = await newHolder();
		await choosing(visitor);
		await visitor.send("/give/send", { code: canonical });
		const [given = ""] = /<div id="given"[^>]*>/.exec(visitor.html) ?? [];
		expect(given).toBe(`<div id="given" data-to="${SHOP}" data-nonce="n-1" data-code="${canonical}">`);
		expect(visitor.html).not.toContain("Blue gate");
	});

	it("is a link to a private address that ends in a week, where that is chosen", async () => {
		const { visitor, canonical } = await newHolder();
		await sql("update addresses set visibility = 'private' where canonical = ?", canonical);
		await choosing(visitor);
		expect(visitor.text).toContain("cannot see the place");
		expect(visitor.text).toContain("for 7 days");
		await visitor.send("/give/send", { code: canonical });
		expect(visitor.html).not.toContain("data-share");
		await choosing(visitor);
		await visitor.send("/give/send", { link: canonical });
		const [, token] = /data-share="([^"]+)"/.exec(visitor.html) ?? [];
		const shown = await call(`/v1/public/addresses/${canonical}?share=${token}`);
		expect(await shown.json()).toMatchObject({ label: "Blue gate" });
		const days = (Number.parseInt(token!.split(".")[0]!, 36) * 1000 - Date.now()) / 86_400_000;
		expect(Math.round(days)).toBe(7);
	});

	it("can be searched for among many, and who has none is led to make one", async () => {
		const { visitor, canonical } = await newHolder();
		await visitor.open(to(SHOP));
		const form = visitor.fields("/give");
		form.set("q", "no such words");
		const none = await (await visitor.post("/give", form)).text();
		expect(none).not.toContain(canonical);
		expect(none).toContain('name="q"');
		form.set("q", "blue");
		expect(await (await visitor.post("/give", form)).text()).toContain(canonical);
	});
});
