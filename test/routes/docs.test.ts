import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { endpoints } from "../../src/api.ts";
import { api, chapterPath, endpointPath, OBJECTS_PATH } from "../../src/docs/chapters.ts";
import { apiDocument, type OpenApiDocument } from "../../src/docs/openapi.ts";
import { problemTable } from "../../src/errors.ts";
import { call, json, ORIGIN } from "../support/client.ts";

async function page(path: string): Promise<{ html: string; policy: string; headers: Headers }> {
	const answer = await call(path);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
	return {
		html: await answer.text(),
		policy: answer.headers.get("Content-Security-Policy") ?? "",
		headers: answer.headers,
	};
}

it("names every value of a parameter, the empty one too", async () => {
	for (const path of [OBJECTS_PATH, ...api.tags.map(({ name }) => chapterPath(name))]) {
		const { html } = await page(path);
		expect(html.replace(/<[^>]+>/g, ""), path).not.toMatch(/\bor\s+or\b/);
	}
});

describe("/openapi.json", () => {
	it("is the document for this origin, open to every page and quick to revalidate", async () => {
		const answer = await call("/openapi.json", { headers: { Origin: "https://editor.example" } });
		expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
		const etag = answer.headers.get("ETag") ?? "";
		const document = await json<OpenApiDocument>(answer);
		expect(document).toEqual(JSON.parse(JSON.stringify(apiDocument(ORIGIN))));
		// The first call of all works on a registry without an SMS gateway.
		const registering = JSON.stringify(document.paths["/v1/auth/register"]?.post?.requestBody);
		expect(registering).toContain('"example":{"phone":"+2348031234567","password":"correct horse battery"}');
		expect((await call("/openapi.json", { headers: { "If-None-Match": etag } })).status).toBe(304);
	});

	it("links to the origin of the request while WEB_URL is unset, under an ETag of its own", async () => {
		const settings = { WEB_URL: "" };
		const one = await call("/openapi.json", { origin: "https://one.example", settings });
		const two = await call("/openapi.json", { origin: "https://two.example", settings });
		expect(one.headers.get("ETag")).not.toBe(two.headers.get("ETag"));
		expect(await json(one)).toMatchObject({ servers: [{ url: "https://one.example" }] });
		const hosts = new Set((await two.text()).match(/[\w-]+\.(example|test|invalid)\b/g));
		expect([...hosts].sort()).toEqual(["addr.example", "two.example"]);
	});

	it("says who can read the point and the texts: at the top, where an address is created, and at its label", async () => {
		const document = await json<{
			info: { description: string };
			paths: Record<string, { post: { description: string } }>;
			components: { schemas: Record<string, { properties: { label: { description: string } } }> };
		}>(call("/openapi.json"));
		const { info, paths, components } = document;
		expect(info.description).toContain("Everyone who has the code of an address can read");
		expect(paths["/v1/addresses"]?.post.description).toContain(
			"Everyone who has the code can read the exact point and the texts",
		);
		for (const schema of ["NewAddress", "AddressChange"]) {
			expect(components.schemas[schema]?.properties.label.description, schema).toContain("It is public");
		}
		for (const path of ["/docs", "/llms.txt"]) {
			expect(await (await call(path)).text(), path).toContain("Everyone who has the code of an address can read");
		}
	});
});

describe("/docs", () => {
	/** Every page of the reference, by its path. */
	async function reference(): Promise<Map<string, string>> {
		const paths = ["/docs", OBJECTS_PATH, ...api.tags.map(({ name }) => chapterPath(name))];
		return new Map(await Promise.all(paths.map(async (path) => [path, (await page(path)).html] as const)));
	}

	it("shows every operation in its chapter, and every link leads somewhere", async () => {
		const pages = await reference();
		const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
		for (const endpoint of endpoints) {
			const html = pages.get(chapterPath(endpoint.tag)) ?? "";
			expect(idsOf(html)).toContain(endpoint.id);
			expect(html).toContain(endpoint.path);
		}
		const links = new Set<string>();
		for (const [path, html] of pages) {
			for (const [, link = ""] of html.matchAll(/href="([/#][^"]*)"/g))
				links.add(link.startsWith("#") ? path + link : link);
		}
		expect(links.size).toBeGreaterThan(endpoints.length);
		for (const link of links) {
			const [path = "", anchor] = link.split("#");
			const html = pages.get(path);
			if (html === undefined) expect((await call(path)).status, path).toBe(200);
			else if (anchor) expect(idsOf(html), link).toContain(anchor);
		}
	});

	it.each(["backup", "webhook", "react", "geojson", "python", "locality"])(
		"has an answer to a search for %s",
		async (word) => {
			const index = await json<{ title: string; text: string }[]>(call("/docs/search.json"));
			expect(index.filter(({ title, text }) => `${title} ${text}`.toLowerCase().includes(word)).length).toBeGreaterThan(
				0,
			);
		},
	);

	it("shows no backtick of its own texts", async () => {
		for (const [path, html] of await reference()) {
			const shown = html.replace(/<(pre|textarea|script|style|code)[\s\S]*?<\/\1>|<[^>]*>/g, "");
			expect(shown.match(/.{0,40}`.{0,40}/)?.[0], path).toBeUndefined();
		}
	});

	it("serves each guide as Markdown too, all in one text, and the changelog", async () => {
		const markdown = await call("/docs/guides/checkout.md");
		expect(markdown.headers.get("Content-Type")).toContain("text/markdown");
		const text = await markdown.text();
		expect(text).toMatch(/^# A field in your checkout\n/);
		expect(text).toContain("export async function deliveryOf");
		expect((await page("/docs/guides/checkout")).html).toContain('href="/docs/guides/checkout.md"');
		const all = await (await call("/llms-full.txt")).text();
		for (const title of ["# Address registry", "# A field in your checkout", "# Operate a registry"])
			expect(all).toContain(title);
		expect(all).not.toContain("registry.invalid");
		expect((await page("/docs/changelog")).html).toContain("Changelog");
	});

	it("finds every endpoint, error and guide by its heading", async () => {
		const index = await json<{ title: string; path: string }[]>(call("/docs/search.json"));
		for (const endpoint of endpoints) expect(index.map(({ path }) => path)).toContain(endpointPath(endpoint));
		for (const path of new Set(index.map(({ path }) => path.split("#")[0] ?? "")))
			expect((await call(path)).status, path).toBe(200);
	});

	it("is pages of at most 25 KB over the wire that fetch nothing and run no script but their own", async () => {
		for (const path of (await reference()).keys()) {
			const { html, policy } = await page(path);
			const compressed = new Response(new Blob([html]).stream().pipeThrough(new CompressionStream("gzip")));
			expect((await compressed.arrayBuffer()).byteLength).toBeLessThan(25_000);
			expect(html).not.toMatch(/ (src|onclick|onload|style)=|<link rel="stylesheet"/);
			expect(policy).not.toContain("unsafe");
			const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = ""]) => script);
			expect(scripts.length).toBeGreaterThan(0);
			for (const script of scripts) {
				expect(policy).toContain(`'sha256-${createHash("sha256").update(script).digest("base64")}'`);
			}
			expect(policy).toContain("default-src 'none'");
			expect(policy).toContain("frame-ancestors 'none'");
		}
	});
});

describe("a version of the field that a page pins", () => {
	const load = (path: string) => call(path, { headers: { Origin: "https://shop.example" } });

	it("is named in the guide with its digest, and may be loaded from any origin and kept for good", async () => {
		const guide = await (await call("/docs/guides/checkout.md")).text();
		const [, path = "", digest] = /(\/address-code@[^"]+)"\s+integrity="(sha384-[^"]+)"/.exec(guide) ?? [];
		const answer = await load(path);
		expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "text/javascript; charset=utf-8"]);
		expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
		expect(answer.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
		expect(answer.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
		expect(
			`sha384-${createHash("sha384")
				.update(await answer.text())
				.digest("base64")}`,
		).toBe(digest);
	});

	it("is served for good once a deployment has put it into the bucket, and nothing else of the bucket is", async () => {
		await env.ZONES.put("address-code@0.9.0-00000000.js", "older");
		expect(await (await load("/address-code@0.9.0-00000000.js")).text()).toBe("older");
		expect(await json(load("/address-code@0.9.0-00000001.js"), 404)).toMatchObject({ code: "NOT_FOUND" });
		await env.ZONES.put("other.js", "secret");
		for (const path of [
			`/address-code@${"9".repeat(2_000)}.js`,
			"/other.js",
			"/address-code@..%2fother.js",
			"/address-code@%2e%2e%2fother.js",
		])
			expect((await load(path)).status, path).toBe(404);
	});
});

it.each(["docs/..%5c", "problems/..%5c", "docs/guides/..%5c..%5c"])(
	"/%s leads to no file beside the documentation",
	async (path) => {
		for (const file of ["world.zones", "data%5ccommon-passwords.bin", "openapi.json"])
			expect((await call(`/${path}${file}`)).status, file).toBe(404);
	},
);

describe("/docs/guides", () => {
	it("lists the guides, and every link in them leads to a page and a heading that are there", async () => {
		const { html: list } = await page("/docs/guides");
		const guides = [...list.matchAll(/<dt><a href="(\/docs\/guides\/[a-z-]+)">/g)].map(([, path = ""]) => path);
		expect(guides).toContain("/docs/guides/operate");
		const pages = new Map<string, string>();
		for (const path of guides) pages.set(path, (await page(path)).html);
		let anchors = 0;
		for (const [path, html] of pages) {
			expect(html.replace(/<script>.*<\/script>/s, "")).not.toMatch(
				/\]\(|href="(?!\/docs\/guides\/[\w-]+\.md")[^"]*\.md/,
			);
			for (const [, link = "", anchor] of html.matchAll(/href="(\/[^"#]*|)(?:#([^"]*))?"/g)) {
				if (link) expect((await call(link)).status, `${path} to ${link}`).toBe(200);
				if (anchor === undefined) continue;
				expect(pages.get(link || path), `${path} to ${link}#${anchor}`).toContain(` id="${anchor}"`);
				anchors += 1;
			}
		}
		expect(anchors).toBeGreaterThan(0);
	});

	it("credits GeoNames and OpenStreetMap on every page of the documentation, as their licences ask", async () => {
		for (const path of ["/docs", "/problems", "/docs/guides"]) {
			const { html } = await page(path);
			expect(html).toContain("GeoNames</a>");
			expect(html).toContain("© OpenStreetMap contributors</a>");
			expect(html).toContain("opendatacommons.org/licenses/odbl");
		}
	});
});

describe("/problems", () => {
	it.each(Object.keys(problemTable))("explains %s", async (code) => {
		const { html } = await page(`/problems/${code}`);
		expect(html).toContain(code);
		expect(html).toContain("How to fix it");
	});

	it("lists them all, and knows no other", async () => {
		const { html } = await page("/problems");
		for (const code of Object.keys(problemTable)) expect(html).toContain(`href="/problems/${code}"`);
		for (const name of ["NO_SUCH_THING", "toString", "..%2fworld.zones"]) {
			const answer = await call(`/problems/${name}`);
			expect(answer.headers.get("Cache-Control")).toBe("no-store");
			expect(await json(answer, 404)).toMatchObject({
				code: "NOT_FOUND",
				detail: expect.stringContaining("/problems"),
			});
		}
	});
});

it("/llms.txt has a title, a summary and lists of links that lead somewhere (llmstxt.org)", async () => {
	const answer = await call("/llms.txt");
	expect(answer.headers.get("Content-Type")).toMatch(/^text\/plain/);
	const text = await answer.text();
	expect(text).toMatch(/^# [^\n]+\n\n> [^\n]+\n/);
	const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link = ""]) => new URL(link));
	expect(links.length).toBeGreaterThan(endpoints.length);
	for (const path of new Set(links.map(({ pathname }) => pathname))) {
		expect((await call(path)).status, path).toBe(200);
	}
});
