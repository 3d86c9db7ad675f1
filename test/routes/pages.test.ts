import { env } from "cloudflare:workers";
import jsQR from "jsqr";
import { afterEach, describe, expect, it } from "vitest";
import { normalizeCode } from "../../src/codes/code.ts";
import { DEMO_CODE } from "../../src/codes/demo.ts";
import { choosePaper } from "../../src/print/paper.ts";
import { call, json, ORIGIN, post, problem } from "../support/client.ts";
import { LAGOS, newOwner } from "../support/people.ts";
import { readPng } from "../support/read-png.ts";
import { rowsOf } from "../support/vectors.ts";
import field from "../vectors/field.csv?raw";
import messyCodes from "../vectors/messy-codes.csv?raw";

afterEach(() => env.ZONES.put("world.zones", env.TEST_ZONES));

const freshAddress = async (label = "Blue gate") => (await newOwner({ ...LAGOS, label })).canonical;

async function hashOf(text: string): Promise<string> {
	const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
	return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

describe("a page for people", () => {
	it("allows its own content and nothing else", async () => {
		const code = await freshAddress();
		for (const path of ["/", `/a/${code}`, `/a/${code}/print`, "/a/NG-0421-58213"]) {
			const response = await call(path);
			const html = await response.text();
			const policy = response.headers.get("Content-Security-Policy") ?? "";
			expect(policy, path).toContain("default-src 'none'");
			expect(policy, path).toContain("frame-ancestors 'none'");
			expect(policy, path).toContain("base-uri 'none'");
			expect(policy, path).not.toMatch(/unsafe|https?:|\*/);
			const inlined = [...html.matchAll(/<(style|script)>([\s\S]*?)<\/\1>/g)];
			expect(inlined.length, path).toBeGreaterThan(0);
			for (const [, , text = ""] of inlined) expect(policy, path).toContain(await hashOf(text));
			expect(policy, path).toContain("script-src 'self';");
			expect(html, path).toMatch(/<script type="module" src="\/files\//);
			expect(html, path).not.toMatch(/ style=| on\w+=|<link rel="stylesheet"|<script>|src="(?!\/files\/)|<img/);
			expect(response.headers.get("X-Content-Type-Options"), path).toBe("nosniff");
			expect(response.headers.get("Referrer-Policy"), path).toBe("no-referrer");
			expect(response.headers.get("Strict-Transport-Security"), path).toMatch(/max-age=\d{8}/);
			expect(response.headers.get("Content-Type"), path).toBe("text/html; charset=UTF-8");
			expect(response.headers.get("X-Request-Id"), path).toMatch(/^req_/);
		}
	});

	const enter = async (code: string, headers: Record<string, string> = {}) => {
		const found = await call(`/a?${new URLSearchParams({ code })}`, { redirect: "manual" });
		const path = found.headers.get("Location") ?? "";
		return { path, page: await (await call(path, { headers })).text() };
	};

	it("asks for the country of the nine digits on a plate, the visitor's own first, and of those that the check digit allows", async () => {
		for (const entered of ["1377-81920", "137781920", " 1377 81920 ", "١٣٧٧-٨١٩٢٠"]) {
			const { page } = await enter(entered, { "CF-IPCountry": "NG" });
			expect(page).toContain("<h1>Which country is this code in?</h1>");
			const codes = [...page.matchAll(/<a class="button" href="\/a\/([A-Z]{2}137781920)">/g)].map(([, code]) => code);
			expect(codes[0]).toBe("NG137781920");
			expect(codes.length).toBeGreaterThan(5);
			expect(codes.length).toBeLessThan(60);
		}
		const own = await call("/a/1377-81920", {
			headers: { "CF-IPCountry": "GH" },
			settings: { REGISTRY_COUNTRY: "ng" },
		});
		expect(/<a class="button" href="\/a\/(\w+)">([^<]+)/.exec(await own.text())?.slice(1)).toEqual([
			"NG137781920",
			"Nigeria (NG)",
		]);
		const { page } = await enter("1377-81920", { "CF-IPCountry": "FR" });
		expect(page).not.toContain("/a/FR137781920");
		const answer = await call("/a/1377-81920?lang=fr");
		expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([400, "no-store"]);
		expect(await answer.text()).toContain("Dans quel pays est ce code");
		expect((await call("/v1/public/addresses/137781920")).status).toBe(400);
	});

	it("keeps the flat that is named behind the nine digits of a plate", async () => {
		const { page } = await enter("1377 81920 / 3B, ask for Chidi", { "CF-IPCountry": "NG" });
		expect(page).toContain('<a class="button" href="/a/NG137781920?unit=3B">');
	});

	it.each(rowsOf<[string, string, string]>(messyCodes))("makes of a code %s what it says", async (_, text, told) => {
		const { path, page } = await enter(text);
		const [kind = "", unit = ""] = told.split("/");
		const query = unit && `?${new URLSearchParams({ unit })}`;
		if (kind === "NG137781920") expect(path).toBe(`/a/${kind}${query}`);
		else if (kind === "country?") expect(page).toContain(`<a class="button" href="/a/NG137781920${query}">`);
		else if (kind === "meant?") expect(page).toContain("Did you mean \u2068NG-1377-81920\u2069?");
		else expect(page).toContain("There is a mistake in this code");
		const list = await post("/list", String(new URLSearchParams({ codes: text })), {
			headers: { "Content-Type": "application/x-www-form-urlencoded" },
		});
		const [, stops = ""] = /<ol id="stops">(.*?)<\/ol>/s.exec(await list.text()) ?? [];
		expect(stops.split("<li data-l"), "a stop of a list").toHaveLength(2);
		if (kind !== "wrong") expect(stops).toContain("NG137781920");
	});

	it.each(
		rowsOf<[string, string, string]>(field)
			.filter(([kind]) => kind === "named code")
			.map(([, text, code]) => [text, code]),
	)("takes the country from its name: %j", async (text = "", code = "") => {
		expect((await enter(text)).path).toBe(`/a/${code}`);
	});

	it("takes no country from the name of a person, nor from one that its check digit does not fit", async () => {
		for (const text of ["ask for Jordan, it is 1377 49236", "send it to us 1377 49232", "Kenya 1377 49234"]) {
			expect((await enter(text)).page, text).toContain("<h1>Which country is this code in?</h1>");
		}
	});

	it.each([
		[
			"from NG-1377-49234 to KE-1377-49238",
			"<h1>Which of these codes?</h1>",
			'href="/a/NG137749234">',
			'href="/a/KE137749238">',
		],
		...["NG-1377-49234-12", "It is NG-1377-49234-12, opposite the big mosque, ask for Mama Tunde please"].map(
			(text) => [text, "<h1>Is this the address?</h1>", "\u2068-12\u2069", 'href="/a/NG137749234">'],
		),
		[
			"NG-1377-49234 / Block C staircase number 12, third floor, blue door on the left side",
			"\u2068/ Block C staircase number 12\u2069",
			'href="/a/NG137749234">',
		],
		["NG-1377-49234 or KE-1377-49235", "\u2068KE-1377-49235\u2069", 'href="/a/NG137749234">'],
		["1377 4923", "After the two letters come nine digits. Here there are 8."],
		["NG 1377 492345", "After the two letters come nine digits. Here there are 10."],
		["49234", "Enter the small line above them too."],
		["I am at the blue gate behind the big mosque, and my code is 1377 49234, flat 3", 'href="/a/NG137749234?unit=3">'],
		["bring it to ke 1377 49238 today", 'href="/a/KE137749238">Kenya (KE)</a></li></ul><details>'],
	])("asks, or says what is missing: %s", async (text, ...said) => {
		const { path, page } = await enter(text);
		for (const part of said) expect(page).toContain(part);
		expect(path.length).toBeLessThan(100);
	});

	it.each([
		["6.5244, 3.3792", "6.5244,3.3792"],
		["6FR5G9FH+QM", "6.524437,3.379187"],
		[
			"https://www.google.com/maps/place/Gate/@6.5,3.3,17z/data=!3m1!4b1!4m6!3m5!1s0x0!8m2!3d6.5244!4d3.3792!16s",
			"6.5244,3.3792",
		],
	])("leads on from a place that was entered instead: %s", async (text, point) => {
		const { path, page } = await enter(text);
		expect(path).toBe(`/a/${encodeURIComponent(point)}`);
		expect(page).toContain("<h1>This is a place, not a code</h1>");
		expect(page).toMatch(/Zone: <bdi>NG-\d{4}<\/bdi>/);
		expect(page).toContain(`https://www.google.com/maps/search/?api=1&amp;query=${encodeURIComponent(point)}`);
		const address = `/my/new?place=${encodeURIComponent(point)}`;
		expect(page).toContain(`href="${address}"`);
		expect(await (await call(address)).text()).toContain(`value="${point}"`);
	});

	it("leads on from a short Plus Code beside a town, and from coordinates at sea, which are in no zone", async () => {
		const { page } = await enter("G9FH+QM Lagos, Nigeria");
		expect(page).toContain("<h1>This is a place, not a code</h1>");
		expect(page).toContain(`href="/my/new?${new URLSearchParams({ place: "G9FH+QM Lagos, Nigeria" })}"`);
		const sea = await enter("-40.1234, -20.1234");
		expect(sea.page).toContain("Open on a map");
		expect(sea.page).not.toContain("Zone: ");
	});

	it("asks whether a code was meant whose letters and digits are mixed up, and how to read back one with a wrong digit", async () => {
		for (const typed of ["NG-1377-8192O", "NG1377B1920", "NG-1377-81S20", "NG-1377-8l920", "N6-1377-81920"]) {
			const { page } = await enter(typed);
			expect(page, typed).toContain("Did you mean \u2068NG-1377-81920\u2069?");
			expect(page, typed).toContain('<a class="button" href="/a/NG137781920">');
		}
		const { page } = await enter("NG-1377-81921");
		expect(page).not.toContain("Did you mean");
		expect(page).toContain("Read it back in groups: \u2068NG\u00a0·\u00a01377\u00a0·\u00a081921\u2069.");
	});

	it("is found by what people speak and paste, and nothing of a chat stands in its address", async () => {
		const code = await freshAddress();
		const spoken = `${code[0]} ${code[1]}, ${[...code.slice(2, 6)].join(" ")}, ${[...code.slice(6)].join(" ")}`;
		const link = `https://registry.test/a/${code}?unit=3B`;
		for (const [entered, path] of [
			[spoken, `/a/${code}`],
			[`Come to ${code.slice(0, 2)}-${code.slice(2, 6)}-${code.slice(6)} flat 3b, ask for Chidi`, `/a/${code}?unit=3B`],
			[`https://l.facebook.com/l.php?u=${encodeURIComponent(link)}&h=x`, `/a/${code}?unit=3B`],
			[`${link}.`, `/a/${code}?unit=3B`],
		] as const) {
			expect((await enter(entered)).path).toBe(path);
		}
		const { path } = await enter(
			`I will be at the blue gate behind the mosque at noon, ask for Chidi, and call me before you come`,
		);
		expect(path.length).toBeLessThan(100);
	});

	it("is that of a code behind which a chat left the mark of its sentence", async () => {
		const code = await freshAddress();
		for (const mark of [",", ".", ")", "!", "…", "،", ").", "%2C", "*"]) {
			expect((await call(`/a/${code}${mark}`)).status, mark).toBe(200);
		}
		for (const mark of [",", "%2C."]) expect((await call(`/a/NG042158212${mark}`)).status).toBe(404);
		expect((await call(`/v1/public/addresses/${code},`)).status).toBe(400);
	});

	it("has its scripts, and the styles of a further page of the console, in files that browsers keep", async () => {
		const first = await (await call("/my/sign-in")).text();
		const sheet = /<link rel="stylesheet" href="(\/files\/console-\w+\.css)" media="not all"\/>/.exec(first)?.[1] ?? "";
		const script = /<script type="module" src="([^"]+)"/.exec(first)?.[1] ?? "";
		for (const [path, type] of [
			[sheet, "text/css"],
			[script, "text/javascript"],
		] as const) {
			const { status, headers } = await env.ASSETS.fetch(new URL(path, ORIGIN));
			expect([status, headers.get("Cache-Control")], path).toEqual([200, "public, max-age=31536000, immutable"]);
			expect(headers.get("Content-Type"), path).toContain(type);
		}
		const ask = (referer: string) => call("/my/sign-in", { headers: { Referer: referer } });
		const further = await ask(`${ORIGIN}/my/new`);
		expect(further.headers.get("Content-Security-Policy")).toContain("style-src 'self';");
		const html = await further.text();
		expect(html).toContain(`<link rel="stylesheet" href="${sheet}"/>`);
		expect(html).not.toContain("<style>");
		for (const other of [`${ORIGIN}/`, "https://elsewhere.example/my"])
			expect(await (await ask(other)).text()).toContain("<style>");
	});

	it("is answered in the language asked for, and says so to caches", async () => {
		const code = await freshAddress();
		for (const [path, header, language] of [
			[`/a/${code}`, "fr-CD, fr;q=0.9, en;q=0.8", "fr"],
			[`/a/${code}?lang=ar`, "fr", "ar"],
			[`/a/${code}`, "yo", "en"],
		] as const) {
			const response = await call(path, { headers: { "Accept-Language": header } });
			expect(response.headers.get("Content-Language")).toBe(language);
			expect(response.headers.get("Vary")).toContain("Accept-Language");
			const html = await response.text();
			expect(html).toMatch(
				new RegExp(`^<!DOCTYPE html><html lang="${language}" dir="${language === "ar" ? "rtl" : "ltr"}">`),
			);
			// A language that was asked for by name is kept by links; one that the browser asks for needs no keeping.
			expect(html.includes(`/print?lang=${language}"`)).toBe(path.includes("?lang="));
		}
	});

	it("is kept for a minute at most, and not at all where it reports a mistake", async () => {
		const code = await freshAddress();
		const response = await call(`/a/${code}`);
		const ages = (response.headers.get("Cache-Control") ?? "").matchAll(/max(?:-)?age=(\d+)/g);
		const seconds = [...ages].map(([, age]) => Number(age));
		expect(seconds.length).toBeGreaterThan(0);
		expect(Math.max(...seconds)).toBeLessThanOrEqual(60);
		for (const wrong of ["hello", "NG-0421-58213", "NG000000003"]) {
			expect((await call(`/a/${wrong}`)).headers.get("Cache-Control")).toMatch(/no-store|max-age=10\b/);
		}
	});

	it("tells other sites what it is, and search engines to stay away from addresses", async () => {
		const code = await freshAddress('"><script>alert(1)</script>');
		const html = await (await call(`/a/${code.toLowerCase()}`)).text();
		expect(html).toContain('<meta name="robots" content="noindex"/>');
		expect(html).toContain(`<link rel="canonical" href="${ORIGIN}/a/${code}"/>`);
		expect(html).toContain(`<meta property="og:url" content="${ORIGIN}/a/${code}"/>`);
		expect(html).toMatch(/<meta property="og:title" content="NG-\d{4}-\d{5} · &quot;&gt;&lt;script&gt;/);
		expect(html).not.toContain("<script>alert");
		expect(await (await call("/")).text()).not.toContain("noindex");
	});

	it("of a code that was refused says so at the box, which keeps what can be fixed and has the focus", async () => {
		const { access, canonical: retired } = await newOwner();
		await call(`/v1/addresses/${retired}`, { method: "DELETE", token: access });
		for (const [code, title, error] of [
			["hello", "This is not an address code", "A code is two letters followed by nine digits."],
			["NGX42158212", "This is not an address code", "come only digits."],
			["NG-0421-58213", "There is a mistake in this code", "at least one character is wrong."],
			["NG000000003", "No address has this code", "No address has this code"],
			[retired, "This address has been retired", ""],
		] as const) {
			const html = (await (await call(`/a/${code}`)).text()).replaceAll("\u2011", "-");
			const value = code === retired ? "" : code;
			expect(/<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1]).toContain(title);
			const named = html.match(/[A-Z]{2}-?\d{4}-?\d{5}/g) ?? [];
			const others = named.filter((name) => ![code, DEMO_CODE].map(normalizeCode).includes(normalizeCode(name)));
			expect(others, "never the code of another address").toEqual([]);
			expect(html).toContain(`name="code" value="${value}"`);
			expect(html.includes("Check the code and try again"), code).toBe(error !== "");
			expect(html.includes('autofocus="" aria-invalid="true" aria-describedby="state help"'), code).toBe(error !== "");
			expect(/id="state"[^>]*>([^<]*)</.exec(html)?.[1], code).toContain(error);
			// As on its sign where it is known, and as it was entered where it is not.
			const shown = code === retired ? retired.replace(/^(..)(....)/, "$1-$2-") : code;
			expect(/<title>[^<]* · ([^<]*)<\/title>/.exec(html)?.[1]).toBe(shown);
		}
	});

	it("is not sent again to who has it, and keeps its policy", async () => {
		const code = await freshAddress();
		for (const path of ["/", `/a/${code}`]) {
			const first = await call(path);
			const again = await call(path, { headers: { "If-None-Match": first.headers.get("ETag") ?? "" } });
			expect(again.status, path).toBe(304);
			for (const name of ["Content-Security-Policy", "Content-Language", "Vary", "Cache-Control"]) {
				expect(again.headers.get(name), `${name} of ${path}`).toBe(first.headers.get(name));
			}
			const headers = { "If-None-Match": first.headers.get("ETag") ?? "", "Accept-Language": "fr" };
			const french = await call(path, { headers });
			expect(french.status, path).toBe(200);
		}
	});

	it("answers HEAD, and any other method with a problem", async () => {
		const code = await freshAddress();
		const head = await call(`/a/${code}`, { method: "HEAD" });
		expect(head.status).toBe(200);
		expect(await head.text()).toBe("");
		expect((await post(`/a/${code}`, {})).status).toBe(405);
	});
});

describe("the box of the home page leads", () => {
	it.each([
		["?code=NG-0421-58212", "/a/NG042158212"],
		["?code=+ng+0421+58212+&lang=fr", "/a/NG042158212?lang=fr"],
		["?code=NG-0421-58213", "/a/NG-0421-58213"],
		[`?code=${encodeURIComponent("../v1/auth/me?x#y")}`, `/a/${encodeURIComponent("../v1/auth/me?x#y")}`],
		["?code=//evil.example", "/a/%2F%2Fevil.example"],
		[`?code=${encodeURIComponent("https://addr.example/a/NG042158212")}`, "/a/NG042158212"],
		[`?code=${encodeURIComponent(" addr.example/a/ng-0421-58212/print?lang=fr ")}`, "/a/NG042158212"],
		[`?code=${encodeURIComponent("https://addr.example/a/NG042158213")}`, "/a/NG042158213"],
		["?code=NG/0421/58212", "/a/NG042158212"],
		[`?code=${encodeURIComponent("My address is NG-0421-58212, behind the mosque")}`, "/a/NG042158212"],
		[`?code=${encodeURIComponent("It is NG-0421-58213.")}`, "/a/NG042158213"],
		["?code=..", "/"],
		["?code=", "/"],
		["", "/"],
	])("from /a%s to %s", async (query, location) => {
		const response = await call(`/a${query}`, { redirect: "manual" });
		expect(response.status).toBe(302);
		expect(response.headers.get("Location")).toBe(location);
	});
});

describe("a code that leads nowhere gets a page with", () => {
	it.each([
		["NG-0421-5821", 400],
		["NG-0421-58213", 400],
		["%3Cscript%3Ealert(1)%3C%2Fscript%3E", 400],
		["%ZZ", 400],
		["x".repeat(5000), 400],
		["NG/0421/58213", 400],
		["NG000000003", 404],
	])("%s: %d", async (code, status) => {
		for (const path of [`/a/${code}`, `/a/${code}/print`]) {
			const response = await call(path);
			expect(response.status, path).toBe(status);
			const html = await response.text();
			expect(html).toMatch(/^<!DOCTYPE html>/);
			expect(html).toContain('<form action="/a">');
			expect(html).not.toContain("<script>alert");
			expect(html.length).toBeLessThan(20_000);
		}
	});
});

describe("a path that nothing has", () => {
	const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

	it("is a page with the box for who asks for one, in their language", async () => {
		for (const path of ["/nope", "/A/NG-0421-58213", "/%ZZ", "/v10", "/docs/guides/nothing"]) {
			const response = await call(path, { headers: { ...BROWSER, "Accept-Language": "fr" } });
			expect(response.status, path).toBe(404);
			expect(response.headers.get("Cache-Control")).toBe("no-store");
			const html = await response.text();
			expect(html).toContain("Cette page n’existe pas");
			expect(html).toContain('<form action="/a">');
		}
	});

	it("is a problem for everyone else, and under /v1 for all", async () => {
		for (const [path, headers] of [
			["/nope", {}],
			["/nope", { Accept: "*/*" }],
			["/nope", { Accept: "application/json, text/html;q=0.5" }],
			["/v1/nope", BROWSER],
			["/v1", BROWSER],
		] as const) {
			await problem(call(path, { headers }), 404, "NOT_FOUND");
		}
	});

	it.each([
		["/NG-0421-58212", "/a/NG042158212"],
		["/ng%200421%2058212/?lang=ar", "/a/NG042158212?lang=ar"],
		["/A/NG042158212", "/a/NG042158212"],
	])("that ends in a code leads to its page: %s", async (path, location) => {
		const response = await call(path, { headers: BROWSER, redirect: "manual" });
		expect(response.status).toBe(302);
		expect(response.headers.get("Location")).toBe(location);
	});
});

describe("a crest", () => {
	const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(1)</script></svg>';
	const settings = { REGISTRY_CREST: "crest-1.svg" };

	it("stands in the header as a picture, from the bucket, and runs nothing", async () => {
		await env.ZONES.put("crest-1.svg", SVG);
		const page = await call("/", { settings });
		const header = /<header[\s\S]*?<\/header>/.exec(await page.text())?.[0];
		expect(header).toContain('<img src="/crest/crest-1.svg" alt=""');
		expect(header).not.toContain("<svg");
		expect(page.headers.get("Content-Security-Policy")).toContain("img-src 'self' data:");
		const { status, headers } = await call("/crest/crest-1.svg", { settings });
		expect([status, headers.get("Content-Type")]).toEqual([200, "image/svg+xml"]);
		expect(headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'.*sandbox$/);
		expect((await call("/crest/crest-1.svg")).status).toBe(404);
	});

	it("that is missing, too large or none of a file is refused in a sentence, or left out", async () => {
		await env.ZONES.delete("crest-1.svg");
		expect((await call("/crest/crest-1.svg", { settings })).status).toBe(404);
		await env.ZONES.put("crest-1.svg", "x".repeat(64 * 1024 + 1));
		expect(await json(call("/crest/crest-1.svg", { settings }), 404)).toMatchObject({
			detail: "The bucket holds no crest-1.svg of at most 64 KiB, which REGISTRY_CREST names.",
		});
		const elsewhere = await call("/", { settings: { REGISTRY_CREST: "https://elsewhere.example/x.svg" } });
		expect(/<header[\s\S]*?<\/header>/.exec(await elsewhere.text())?.[0]).toContain("<svg");
	});
});

describe("the sheet to print", () => {
	it("has the plate, the region and whose registry it is on its sign", async () => {
		const code = await freshAddress();
		const settings = { REGISTRY_NAME: "Lagos <Addresses>" };
		const html = await (await call(`/a/${code}/print`, { settings })).text();
		const [sign = ""] = /<div class="sign [\s\S]*?<ul class="stickers">/.exec(html) ?? [];
		const parts = ['class="plate"', ">Lagos</text>", "Lagos &lt;Addresses&gt;", "say all eleven characters"];
		for (const part of parts) expect(sign).toContain(part);
	});

	it("is of the country's paper, or of the one that is asked for", async () => {
		const code = await freshAddress();
		const paperOf = async (query: string) =>
			/@page\{size:([\w ]+)/.exec(await (await call(`/a/${code}/print${query}`)).text())?.[1];
		const papers = await Promise.all(["", "?paper=letter", "?paper=a4-whole", "?paper=napkin"].map(paperOf));
		expect(papers).toEqual(["A4 portrait", "letter portrait", "A4 landscape", "A4 portrait"]);
		expect(choosePaper(undefined, "MX")).toBe("letter");
	});
});

it("label.svg shows on other people's pages, and its label is only text", async () => {
	const code = await freshAddress("</text><script>alert(1)</script>");
	const response = await call(`/v1/addresses/${code}/label.svg`);
	expect(response.status).toBe(200);
	expect(response.headers.get("Content-Type")).toMatch(/^image\/svg\+xml/);
	expect(response.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
	expect(response.headers.get("Content-Disposition")).toBe(
		`inline; filename="${code.slice(0, 2)}-${code.slice(2, 6)}-${code.slice(6)}-label.svg"`,
	);
	expect(await response.text()).not.toContain("<script");
	expect((await call("/v1/addresses/NG-0421-58213/label.svg")).status).toBe(400);
});

it("the picture of a shared link is named by the page of an address, by its whole URL and its size, and is cached as that is", async () => {
	const code = await freshAddress();
	const page = await call(`/a/${code}`);
	const html = await page.text();
	const meta = (name: string) => new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(html)?.[1];
	expect(["og:image", "og:image:width", "og:image:height", "twitter:card"].map(meta)).toEqual([
		`${ORIGIN}/a/${code}/og.png`,
		"1200",
		"630",
		"summary_large_image",
	]);
	const picture = await call(`/a/${code}/og.png`);
	expect(picture.headers.get("Content-Type")).toBe("image/png");
	for (const name of ["Cache-Control", "Cache-Tag"]) expect(picture.headers.get(name)).toBe(page.headers.get(name));
	expect(await picture.text()).toMatch(/^.PNG/);
});

it("qr.png and label.png are PNG images whose QR code leads to the page of the address, with an ETag each", async () => {
	const { canonical, qr_url } = await newOwner({ ...LAGOS, label: "Blue gate" });
	const tags = new Set<string | null>();
	for (const file of ["qr.png", "label.png"]) {
		const answer = await call(`/v1/addresses/${canonical}/${file}`);
		expect(answer.headers.get("Content-Type")).toBe("image/png");
		expect(answer.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
		tags.add(answer.headers.get("ETag"));
		const { data, width, height } = readPng(new Uint8Array(await answer.arrayBuffer()));
		expect(jsQR(data, width, height)?.data, file).toBe(qr_url);
	}
	expect(tags.size).toBe(2);
});

describe("the service worker", () => {
	it("weighs at most 3 KB, is asked for again with every visit, and may fetch from its own origin alone", async () => {
		const answer = await call("/offline.js");
		expect(answer.headers.get("Content-Type")).toMatch(/^text\/javascript/);
		expect(answer.headers.get("Cache-Control")).toBe("no-cache");
		expect(answer.headers.get("Content-Security-Policy")).toBe("default-src 'none'; connect-src 'self'");
		expect((await answer.text()).length).toBeLessThanOrEqual(3 * 1024);
	});

	it("is let keep public addresses, the list and the home page, and no other page", async () => {
		const code = await freshAddress();
		const mayKeep = async (path: string) => (await (await call(path)).text()).includes("<main data-as-of=");
		for (const path of ["/", "/list", `/a/${code}`]) expect(await mayKeep(path), path).toBe(true);
		for (const path of ["/my/sign-in", "/help", `/a/${code}/print`, "/a/NG-0421-58213"]) {
			expect(await mayKeep(path), path).toBe(false);
		}
	});

	it("that is switched off deletes what was kept and leaves, and no page asks for it", async () => {
		const settings = { OFFLINE_PAGES: "off" };
		const worker = await call("/offline.js", { settings });
		expect(worker.headers.get("Cache-Control")).toBe("no-cache");
		expect(await worker.text()).toMatch(/caches\.delete\("seen"\).*unregister/);
		expect(await (await call("/", { settings })).text()).not.toContain("data-as-of");
	});
});

it("the manifest has an icon that a launcher may cut to its shape", async () => {
	const { icons, start_url } = await json<{ icons: { src: string; purpose?: string }[]; start_url: string }>(
		call("/manifest.webmanifest"),
	);
	expect(start_url).toBe("/");
	expect(icons.map(({ purpose }) => purpose)).toEqual([undefined, "maskable"]);
});
