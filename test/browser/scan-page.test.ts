import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { languages } from "../../src/languages/languages.ts";
import { expectNoSidewaysScroll, openPage, picture, spoken, visit } from "./chromium.ts";
import type { Place } from "./serve.ts";

/** The most that a page may weigh, compressed: without a map, with one, and to print. */
const BYTES_MAX = { plain: 7 * 1024, mapped: 14 * 1024, sheet: 15 * 1024 };

const codes = inject("codes");

/** Unfolds the ways to copy, and takes one of them. */
async function copy(page: Page, name: string): Promise<void> {
	const ways = page.locator("details").first();
	await ways.evaluate((element) => element.setAttribute("open", ""));
	await page.getByRole("button", { name, exact: true }).click();
}

describe("the page behind the QR, on a phone", () => {
	it.each<[string, string, Place, string, string]>([
		["English", "en-NG", "lagos", "ltr", "Nigeria"],
		["Arabic", "ar-EG", "cairo", "rtl", "مصر"],
		["French", "fr-CD", "goma", "ltr", "Congo-Kinshasa"],
		["Swahili", "sw-KE", "nairobi", "ltr", "Kenya"],
	])("in %s: one request, everything on it, nothing cut off", async (_, locale, place, direction, country) => {
		const { page, requests } = await visit(`/a/${codes[place]}`, { locale });
		const html = page.locator("html");
		expect(await html.getAttribute("lang")).toBe(locale.slice(0, 2));
		expect(await html.getAttribute("dir")).toBe(direction);
		const code = page.getByRole("heading", { level: 1 });
		expect(await code.locator(".unseen").textContent()).toBe(spoken(codes[place]));
		expect(await code.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
		expect(await page.locator("main").textContent()).toContain(country);
		await expectNoSidewaysScroll(page);
		expect(requests).toEqual([`${inject("origin")}/a/${codes[place]}`]);
		await picture(page, `scan-${locale}`);
	});

	it("leads to every map, the QR image, the card and the print sheet", async () => {
		const { page } = await visit(`/a/${codes.lagos}`);
		const links = await page.locator("main a").evaluateAll((found) => found.map((link) => link.getAttribute("href")));
		for (const link of [
			"https://www.google.com/maps/dir/?api=1&destination=6.524400%2C3.379200",
			"https://maps.apple.com/?daddr=6.524400%2C3.379200",
			"https://waze.com/ul?ll=6.524400%2C3.379200&navigate=yes",
			"https://www.openstreetmap.org/directions?to=6.524400%2C3.379200",
			`https://m.uber.com/ul/?action=setPickup&pickup=my_location&dropoff%5Blatitude%5D=6.524400&dropoff%5Blongitude%5D=3.379200&dropoff%5Bnickname%5D=${spoken(codes.lagos)}`,
			`geo:6.524400,3.379200?q=6.524400,3.379200(${spoken(codes.lagos)})`,
			`/a/${codes.lagos}/contact.vcf`,
			`/v1/addresses/${codes.lagos}/qr.svg`,
			`/v1/addresses/${codes.lagos}/label.svg`,
			`/a/${codes.lagos}/print`,
		]) {
			expect(links).toContain(link);
		}
		for (const link of links.filter((href) => href?.startsWith("/"))) {
			expect((await page.request.get(link ?? "")).status(), link ?? "").toBe(200);
		}
	});

	it("copies coordinates, code, Plus Code and link", async () => {
		const { page } = await visit(`/a/${codes.lagos}`, { permissions: ["clipboard-read", "clipboard-write"] });
		for (const [name, text] of [
			["Copy: Coordinates", "6.524400, 3.379200"],
			["Copy code", spoken(codes.lagos)],
			["Copy: Plus Code", "6FR5G9FH+QM8"],
			["Copy: Link", `${inject("origin")}/a/${codes.lagos}`],
		] as const) {
			await copy(page, name);
			await expect.poll(() => page.getByRole("status").textContent()).toBe("Copied");
			expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(text);
			await expect.poll(() => page.getByRole("button", { name, exact: true }).textContent()).toMatch(/^Copy/);
		}
	});

	it("selects what it may not copy", async () => {
		const { page, context } = await openPage();
		await context.addInitScript("navigator.clipboard.writeText = async () => { throw new Error('not here') }");
		await page.goto(`/a/${codes.lagos}`);
		for (const [name, text] of [
			["Copy: Coordinates", "6.524400, 3.379200"],
			["Copy: Link", `${inject("origin")}/a/${codes.lagos}`],
		] as const) {
			await copy(page, name);
			await expect.poll(() => page.evaluate<string>("String(getSelection())")).toBe(text);
		}
		await picture(page, "copy-refused");
	});

	it("works without a script: no dead buttons, all of the content", async () => {
		const { page } = await visit(`/a/${codes.lagos}`, { javaScriptEnabled: false });
		expect(await page.locator("main button:visible").count()).toBe(0);
		await page.locator("summary").first().click();
		for (const text of [
			"Blue gate, behind the mosque",
			"Nigeria",
			"6.524400, 3.379200",
			"6FR5G9FH+QM8",
			"Not verified",
		]) {
			expect(await page.getByText(text).first().isVisible(), text).toBe(true);
		}
		await page.getByText("Language: English").click();
		await page.getByRole("link", { name: "Português" }).click();
		expect(await page.locator("html").getAttribute("lang")).toBe("pt");
		await picture(page, "scan-without-script");
	});

	it.each([true, false])("shares its link where the device can (%s), and copies it elsewhere", async (can) => {
		const { page, context } = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
		await context.addInitScript(
			can ? "navigator.share = async (what) => { globalThis.shared = what }" : "delete Navigator.prototype.share",
		);
		await page.goto(`/a/${codes.lagos}`);
		const button = page.getByRole("button", { name: "Share", exact: true });
		await button.click();
		if (can) {
			expect(await page.evaluate<object>("shared")).toMatchObject({ url: `${inject("origin")}/a/${codes.lagos}` });
		} else {
			await expect
				.poll(() => page.evaluate<string>("navigator.clipboard.readText()"))
				.toBe(`${inject("origin")}/a/${codes.lagos}`);
		}
	});

	it.each(Object.entries(codes).filter(([name]) => name !== "retired"))(
		"keeps to its weight in every language, print sheet included (%s)",
		async (name, code) => {
			for (const language of Object.keys(languages)) {
				const page = await (await fetch(`${inject("origin")}/a/${code}?lang=${language}`)).text();
				const isMapped = page.includes('<svg class="streets"');
				if (name === "lagos") expect(isMapped).toBe(true);
				expect(gzipSync(page).length, language).toBeLessThan(isMapped ? BYTES_MAX.mapped : BYTES_MAX.plain);
				const sheet = await (await fetch(`${inject("origin")}/a/${code}/print?lang=${language}`)).text();
				expect(gzipSync(sheet).length, language).toBeLessThan(BYTES_MAX.sheet);
			}
		},
	);

	it("leads an iPhone to its own maps and offers Google's, whichever was taken last first", async () => {
		const userAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)";
		const { page } = await visit(`/a/${codes.lagos}`, { userAgent });
		const ways = () =>
			page
				.locator(".go, .go + .button")
				.evaluateAll((links) => links.map((link) => [link.textContent, new URL(link.getAttribute("href")!).host]));
		expect(await ways()).toEqual([
			["Directions · Apple Maps", "maps.apple.com"],
			["Google Maps", "www.google.com"],
		]);
		await page.route("https://www.google.com/**", (route) => route.fulfill({ body: "a map" }));
		await page.getByRole("link", { name: "Google Maps" }).click();
		await page.waitForURL("https://www.google.com/**");
		await page.goto(`/a/${codes.lagos}`);
		expect(await ways()).toEqual([
			["Directions · Google Maps", "www.google.com"],
			["Apple Maps", "maps.apple.com"],
		]);
	});

	it("leads everybody else to Google's maps", async () => {
		const { page } = await visit(`/a/${codes.lagos}`, { userAgent: "Mozilla/5.0 (Linux; Android 14)" });
		const link = await page.getByRole("link", { name: "Directions", exact: true }).getAttribute("href");
		expect(new URL(link ?? "").host).toBe("www.google.com");
		expect(await page.locator(".go + .button").count()).toBe(0);
	});

	it.each<Place>(["lagos", "cairo", "monaco", "giza"])("has Directions in its upper 560 pixels: %s", async (place) => {
		const { page } = await visit(`/a/${codes[place]}`, { locale: /cairo|giza/.test(place) ? "ar" : "en" });
		expect((await page.locator(".go").boundingBox())!.y).toBeLessThan(560);
		await expectNoSidewaysScroll(page);
	});

	it("of a flat goes on with the flat by every way of sending it", async () => {
		const { page, context } = await openPage();
		await context.addInitScript("navigator.share = async (what) => { globalThis.shared = what }");
		await page.goto(`/a/${codes.lagos}?unit=3b`);
		const url = `${inject("origin")}/a/${codes.lagos}?unit=3B`;
		await page.getByRole("button", { name: "Share", exact: true }).click();
		expect(await page.evaluate<object>("shared")).toMatchObject({ url });
		const sent = await page.getByRole("link", { name: "WhatsApp" }).getAttribute("href");
		expect(new URL(sent!).searchParams.get("text")).toBe(
			`Blue gate, behind the mosque\n${spoken(codes.lagos)} / 3B\n${url}`,
		);
		expect(await page.getByRole("button", { name: "Copy code" }).getAttribute("data-text")).toBe(
			`${spoken(codes.lagos)} / 3B`,
		);
		const contact = await page.getByRole("link", { name: "Add to contacts", includeHidden: true }).getAttribute("href");
		expect(await (await page.request.get(contact!)).text()).toContain(`${spoken(codes.lagos)} / 3B`);
		expect(await page.title()).toContain(`${spoken(codes.lagos)} / 3B`);
	});

	it("says the code group by group, in words", async () => {
		const { page } = await visit(`/a/${codes.lagos}`, { locale: "fr", javaScriptEnabled: false });
		const said = await page.locator(".groups").textContent();
		expect(said).toMatch(/^NG N G1377 un trois sept sept\d{5}( [a-zé]+){5}$/);
	});
});

describe("a hostile label", () => {
	it.each<[string, Place, string]>([
		["a script", "nairobi", "<script>alert(1)</script><img src=x onerror=alert(2)>"],
		["200 emoji", "kano", "😀".repeat(200)],
		["a right-to-left override", "tunis", "edoc lecrap"],
		["accents piled up", "accra", `\u00f4${"\u0302".repeat(8)}`.repeat(5)],
		["one word of 200 letters", "maputo", `${"W".repeat(199)}!`],
	])("of %s is only text, and moves nothing else", async (_, place, shown) => {
		const { page, requests } = await visit(`/a/${codes[place]}`);
		expect(await page.locator(".label").textContent()).toBe(shown);
		await expectNoSidewaysScroll(page);
		expect(requests).toHaveLength(1);
		// What follows the label starts where it starts on a page with an ordinary label.
		const where = await page.locator(".where").boundingBox();
		const trust = await page.locator(".badge").boundingBox();
		expect(where?.x).toBe(trust?.x);
		expect(await page.title()).toMatch(new RegExp(`^${spoken(codes[place])} · [^\u2066-\u2069]+$`));
		await picture(page, `hostile-${place}`);
		await page.goto(`/a/${codes[place]}/print`);
		const sheet = await page.locator(".sheet").boundingBox();
		for (const part of await page.locator(".sign, .sticker").all()) {
			const box = await part.boundingBox();
			expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((sheet?.x ?? 0) + (sheet?.width ?? 0));
		}
	});
});
