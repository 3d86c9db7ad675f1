import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { drawingPath } from "../../src/addresses/address-cache.ts";
import { call, ORIGIN } from "../support/client.ts";
import { LAGOS, mint, signUp } from "../support/people.ts";
import { underWaits } from "../support/waits.ts";

/** Static assets that go through `answer`, with a count of the files read. Each is a binding of its own, so nothing of it is kept yet. */
function assets(answer: (name: string, real: () => Promise<Response>) => Promise<Response>) {
	const read: string[] = [];
	const ASSETS = {
		fetch: (url: URL) => {
			const name = url.pathname.split("/").at(-1) ?? "";
			read.push(name);
			return answer(name, () => env.ASSETS.fetch(url));
		},
	} as unknown as Fetcher;
	return { ASSETS, read };
}

const missing = () => Promise.resolve(new Response(null, { status: 404 }));

describe("the messages of a language", () => {
	it("are read once, and none for whoever calls the API", async () => {
		const { ASSETS, read } = assets((_, real) => real());
		await call("/v1/public/addresses/x", { settings: { ASSETS } });
		expect(read).toEqual([]);
		for (const path of ["/", "/my/sign-in"]) await call(path, { settings: { ASSETS } });
		expect(read).toEqual(["messages-en.json"]);
		for (let time = 0; time < 3; time += 1) {
			const page = await (await call("/?lang=sw", { settings: { ASSETS } })).text();
			expect(page).toContain('<html lang="sw"');
			await call("/my/sign-in?lang=sw", { settings: { ASSETS } });
		}
		expect(read).toEqual(["messages-en.json", "messages-sw.json"]);
	});

	it.each([
		["missing", missing],
		["too slow", () => new Promise<Response>(() => {})],
		["not what they should be", () => Promise.resolve(new Response("<html>"))],
	])("where they are %s, pages speak English, nobody keeps them, and links keep the language", async (_, answer) => {
		const { access } = await signUp();
		const code = String((await mint(access, LAGOS)).canonical);
		const { ASSETS } = assets((name, real) => (name === "messages-fr.json" ? answer() : real()));
		const settings = { ASSETS };
		const paths = ["/", `/a/${code}`, `/a/${code}/print`, "/my/sign-in"];
		const check = async (path: string) => {
			const response = await call(`${path}?lang=fr`, { settings });
			expect(response.status, path).toBe(200);
			expect(response.headers.get("Content-Language"), path).toBe("en");
			expect(response.headers.get("Cache-Control"), path).toMatch(/no-store/);
			const html = await response.text();
			expect(html, path).toContain('<html lang="en" dir="ltr">');
			expect(html, path).toMatch(/<a href="\/my\?lang=fr"[^>]*>My addresses<\/a>/);
		};
		await underWaits({ assetsRead: 1000 }, () => Promise.all(paths.map(check)));
		expect(await caches.default.match(ORIGIN + drawingPath(code, 1, "page-fr-asked"))).toBeUndefined();
	});

	it.each(["/", "/a/NG137748215", "/my/sign-in", "/operate", "/nowhere"])(
		"where those of English are missing too, %s is a plain page that says to come back, and the API answers",
		async (path) => {
			const { ASSETS } = assets(missing);
			const request = { settings: { ASSETS }, headers: { Accept: "text/html" } };
			const response = await call(`${path}?lang=fr`, request);
			expect(response.status).toBe(503);
			expect(response.headers.get("Content-Type")).toBe("text/html; charset=UTF-8");
			expect(response.headers.get("Retry-After")).toBe("5");
			expect(response.headers.get("Cache-Control")).toMatch(/no-store/);
			expect(await response.text()).toContain("Try again shortly.");
			expect((await call("/v1/public/addresses/x", request)).status).toBe(400);
		},
	);
});
