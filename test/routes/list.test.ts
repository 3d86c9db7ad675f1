import { describe, expect, it } from "vitest";
import { call, json, post } from "../support/client.ts";
import { LAGOS, mint, signUp } from "../support/people.ts";

const send = (lines: string[]) =>
	post("/list", String(new URLSearchParams({ codes: lines.join("\r\n") })), {
		headers: { "Content-Type": "application/x-www-form-urlencoded" },
	});

describe("a list of codes", () => {
	it("answers words, distances and links in the order entered, and each mistake beside its line", async () => {
		const { access } = await signUp();
		const here = await mint(access, { ...LAGOS, label: "Blue gate" });
		const there = await mint(access, { lat: LAGOS.lat + 0.01, lng: LAGOS.lng, label: "Green gate" });
		const wrong = `${here.canonical.slice(0, 10)}${(Number(here.canonical[10]) + 1) % 10}`;
		const answer = await send([`1) ${here.display}, ring`, "", wrong, "hello", `${there.display} / 3B`]);
		expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
		const [, stops = ""] = /<ol id="stops">(.*?)<\/ol>/s.exec(await answer.text()) ?? [];
		const items = stops.split("<li").slice(1);
		expect(items).toHaveLength(4);
		expect(items[0]).toContain("Blue gate");
		expect(items[1]).toContain(wrong);
		expect(items[1]).toContain("There is a mistake in this code");
		expect(items[2]).toContain("This is not an address code");
		expect(items[3]).toContain(`/a/${there.canonical}?unit=3B`);
		expect(items[3]).toContain("1.1 km from the previous one");
		expect(items[3]).toContain(`destination=${(LAGOS.lat + 0.01).toFixed(6)}%2C`);
	});

	it("names the address that a retired one has moved to", async () => {
		const { access } = await signUp();
		const [old, { canonical }] = [await mint(access, LAGOS), await mint(access, { ...LAGOS, lat: LAGOS.lat + 0.01 })];
		await call(`/v1/addresses/${old.canonical}`, { method: "DELETE", token: access, body: { successor: canonical } });
		expect(await (await send([old.display])).text()).toContain(`<a href="/a/${canonical}"`);
	});

	it("shows a private address to whoever enters its link", async () => {
		const { access } = await signUp();
		const { canonical } = await mint(access, { ...LAGOS, label: "Blue gate", visibility: "private" });
		const { url } = await json<{ url: string }>(post(`/v1/addresses/${canonical}/share`, {}, { token: access }), 201);
		const page = await (await send([`Ring twice at ${url}.`, canonical])).text();
		const [shown, refused] = page.split('<ol id="stops">')[1]!.split("</li>");
		expect(shown).toContain("Blue gate");
		expect(shown).toContain(`href="/a/${canonical}${new URL(url).search}.`);
		expect(refused).toContain("This address is private");
		const query = new URLSearchParams({ code: `Come to ${url} at noon` });
		const found = await call(`/a?${query}`, { redirect: "manual" });
		expect(found.headers.get("Location")).toBe(`/a/${canonical}${new URL(url).search}`);
	});

	it("takes 100 lines, and names the first of 101 that is too many", async () => {
		const lines = Array.from({ length: 101 }, (_, index) => `line ${index + 1}`);
		expect((await send(lines.slice(1))).status).toBe(200);
		const answer = await send(lines);
		expect(answer.status).toBe(400);
		const page = await answer.text();
		expect(page).toContain("this list has 101");
		expect(page).toContain("\u2068line 101\u2069");
	});

	it("asks for a code where there is none", async () => {
		expect((await call("/list")).status).toBe(200);
		expect(await (await call("/?lang=fr")).text(), "the home page").toContain('href="/list?lang=fr"');
		expect(await (await send([" "])).text()).toContain("Enter at least one code.");
	});
});

it("the registry can be installed on a home screen", async () => {
	const answer = await call("/manifest.webmanifest");
	expect(answer.headers.get("Content-Type")).toBe("application/manifest+json");
	expect(await answer.json()).toMatchObject({ name: "Address Registry", start_url: "/", display: "standalone" });
	expect(await (await call("/")).text()).toContain('<link rel="manifest" href="/manifest.webmanifest"');
});
