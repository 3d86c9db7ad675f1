import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { codeOfSerial, displayCode } from "../../src/codes/code.ts";
import { call, freshAddress, json, post } from "../support/client.ts";
import { inOneMinute } from "../support/minute.ts";
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
		const answer = await send([`1) ${here.display}, ring`, "", wrong, "hello", `${there.display} / 3B, ask for Chidi`]);
		expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
		const page = await answer.text();
		const [, stops = ""] = /<ol id="stops">(.*?)<\/ol>/s.exec(page) ?? [];
		const items = stops.split("<li").slice(1);
		expect(items).toHaveLength(3);
		expect(items[0]).toContain("Blue gate");
		expect(items[1]).toContain(wrong);
		expect(items[1]).toContain("There is a mistake in this code");
		expect(items[2]).toContain(`href="/a/${there.canonical}?unit=3B"`);
		expect(items[2]).toContain("1.1 km from the previous one");
		expect(items[2]).toContain(`destination=${(LAGOS.lat + 0.01).toFixed(6)}%2C`);
		expect(page).toContain("2 of 3 found");
		expect(page).toMatch(/<details><summary>Lines without a code: 1<\/summary><p[^>]*><bdi>hello<\/bdi>/);
		const [, way = ""] = /<li id="way".*?<a class="button" href="([^"]*)"/s.exec(page) ?? [];
		expect(way).toMatch(
			/^https:\/\/www\.google\.com\/maps\/dir\/\?api=1&amp;destination=[\d.]+%2C[\d.]+&amp;waypoints=[\d.]+%2C[\d.]+$/,
		);
		expect(page).toContain("Route to the next 2");
		expect(stops).not.toMatch(/Chidi|hello/);
	});

	it("finds the codes of a chat, equal ones once, several on a line, and one that is broken over two", async () => {
		const { access } = await signUp();
		const here = await mint(access, { ...LAGOS, label: "Blue gate" });
		const there = await mint(access, { lat: LAGOS.lat + 0.01, lng: LAGOS.lng, label: "Green gate" });
		const chat = [
			`Amina: ${here.display}; ${there.display}`,
			`then flat 3B, ${here.display.slice(0, 8)}`,
			`${here.display.slice(8)} please`,
			"NG-1377-8192O",
			"1377-81920",
		];
		const answer = await call("/list", {
			method: "POST",
			body: String(new URLSearchParams({ codes: chat.join("\n") })),
			headers: { "Content-Type": "application/x-www-form-urlencoded", "CF-IPCountry": "NG" },
		});
		const page = await answer.text();
		const [, stops = ""] = /<ol id="stops">(.*?)<\/ol>/s.exec(page) ?? [];
		const items = stops.split("<li data-l").slice(1);
		expect(items).toHaveLength(4);
		expect(items[0]).toContain("Blue gate");
		expect(items[0]).toContain(`href="/a/${here.canonical}?unit=3B"`);
		expect(items[1]).toContain("Green gate");
		expect(items[2]).toContain("Did you mean \u2068NG-1377-81920\u2069?");
		expect(items[2]).toContain('href="/a/NG137781920"');
		expect(items[3]).toContain("Which country is this code in?");
		expect(items[3]).toMatch(/<a class="button" href="\/a\/NG137781920">Nigeria/);
		expect(page).toContain("2 of 4 found");
	});

	it("of more than thirty codes counts as a batch of its network, and no shorter one does", async () => {
		const codes = Array.from({ length: 31 }, (_, zone) => {
			const units = Array.from({ length: 20 }, (_, unit) => codeOfSerial("ZW", String(3000 + zone), unit));
			return units.find((code) => code !== undefined);
		});
		const from = freshAddress();
		const settings = { PER_MINUTE_60: env.THREE_A_MINUTE };
		const list = async (count: number, more = {}) => {
			const body = String(new URLSearchParams({ codes: codes.slice(0, count).join("\n") }));
			const headers = { "Content-Type": "application/x-www-form-urlencoded" };
			return (await post("/list", body, { headers, from, settings, ...more })).status;
		};
		const statuses = await inOneMinute(async () => {
			const large = [await list(31), await list(31), await list(31), await list(31)];
			return { large, small: await list(30), neighbour: await list(31, { from: freshAddress() }) };
		});
		expect(statuses).toEqual({ large: [200, 200, 200, 429], small: 200, neighbour: 200 });
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
		expect(shown).toContain(`href="/a/${canonical}${new URL(url).search}"`);
		expect(refused ?? "").not.toContain("This address is private");
		expect(await (await send([canonical])).text()).toContain("This address is private");
		const query = new URLSearchParams({ code: `Come to ${url} at noon` });
		const found = await call(`/a?${query}`, { redirect: "manual" });
		expect(found.headers.get("Location")).toBe(`/a/${canonical}${new URL(url).search}`);
	});

	it("takes 100 codes among any lines, and names the first of 101 that is too many", async () => {
		const codes = Array.from({ length: 120 }, (_, unit) => codeOfSerial("NG", "0009", unit) ?? []).flat();
		const lines = codes.slice(0, 101).flatMap((code) => ["one more", displayCode(code), code]);
		expect((await send(lines.slice(3))).status).toBe(200);
		const answer = await send(lines);
		expect(answer.status).toBe(400);
		const page = await answer.text();
		expect(page).toContain("this list has 101");
		expect(page).toContain(`\u2068${displayCode(codes[100]!)}\u2069`);
	});

	it("asks for a code where there is none", async () => {
		expect((await call("/list")).status).toBe(200);
		expect(await (await call("/?lang=fr")).text(), "the home page").toContain('href="/list?lang=fr"');
		expect(await (await send([" "])).text()).toContain("There is no address code in this text.");
		const page = await (await send(["hello", "see you at 8"])).text();
		expect(page).toContain("There is no address code in this text.");
		expect(page).toContain("hello\r\nsee you at 8</textarea>");
	});
});

it("the registry can be installed on a home screen", async () => {
	const answer = await call("/manifest.webmanifest");
	expect(answer.headers.get("Content-Type")).toBe("application/manifest+json");
	expect(await answer.json()).toMatchObject({ name: "Address Registry", start_url: "/", display: "standalone" });
	expect(await (await call("/")).text()).toContain('<link rel="manifest" href="/manifest.webmanifest"');
});
