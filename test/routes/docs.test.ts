import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { endpoints } from "../../src/api.ts";
import { apiDocument } from "../../src/docs/openapi.ts";
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

describe("/openapi.json", () => {
	it("is the document for this origin, open to every page and quick to revalidate", async () => {
		const answer = await call("/openapi.json", { headers: { Origin: "https://editor.example" } });
		expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
		const etag = answer.headers.get("ETag") ?? "";
		expect(await json(answer)).toEqual(JSON.parse(JSON.stringify(apiDocument(ORIGIN))));
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
});

describe("/docs", () => {
	it("shows every operation, and every link on it leads somewhere", async () => {
		const { html } = await page("/docs");
		const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
		for (const { id, path } of endpoints) {
			expect(ids).toContain(id);
			expect(html).toContain(path);
		}
		const anchors = [...html.matchAll(/href="#([^"]+)"/g)];
		const paths = [...html.matchAll(/href="(\/[^"#]*)"/g)];
		expect(Math.min(anchors.length, paths.length)).toBeGreaterThan(endpoints.length / 2);
		for (const [, anchor] of anchors) expect(ids).toContain(anchor);
		for (const [, path = ""] of paths) {
			expect((await call(path)).status, path).toBe(200);
		}
	});

	it("is one response of at most 30 KB over the wire that fetches nothing and runs no script but its own", async () => {
		const { html, policy } = await page("/docs");
		const compressed = new Response(new Blob([html]).stream().pipeThrough(new CompressionStream("gzip")));
		expect((await compressed.arrayBuffer()).byteLength).toBeLessThan(30 * 1024);
		expect(html).not.toMatch(/ (src|onclick|onload|style)=|<link rel="stylesheet"/);
		expect(policy).not.toContain("unsafe");
		const [, script = ""] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? [];
		const hash = createHash("sha256").update(script).digest("base64");
		expect(policy).toContain(`script-src 'sha256-${hash}'`);
		expect(policy).toContain("default-src 'none'");
		expect(policy).toContain("frame-ancestors 'none'");
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

	it("is where the type of a real error leads", async () => {
		const { type } = await json<{ type: string }>(call("/v1/public/addresses/NG-0421-58213"), 400);
		await page(new URL(type).pathname);
	});
});

describe("/llms.txt", () => {
	it("has a title, a summary and lists of links that lead somewhere (llmstxt.org)", async () => {
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
});
