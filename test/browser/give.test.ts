import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { displayCode } from "../../src/codes/code.ts";
import { type Language, languages } from "../../src/languages/languages.ts";
import { messages } from "../../src/languages/messages.ts";
import { fill } from "../../src/languages/template.ts";
import { expectNoSidewaysScroll, openPage, type PageOptions, picture, violations } from "./chromium.ts";
import { createAddress, fillCredentials, next, signUp } from "./holder.ts";

const registry = inject("origin");
const { lagos, cairo } = inject("codes");
const { give, list } = messages.en.console;

/** A shop under a strict policy, and a website that is up to no good. Each is an origin of its own. */
const POLICY = [
	"default-src 'none'",
	`script-src ${registry}`,
	`connect-src ${registry}`,
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
].join("; ");

const servers: Server[] = [];

async function serve(policy: Record<string, string>, body: string): Promise<string> {
	const server = createServer((_, response) => {
		response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...policy });
		response.end(`<!doctype html><html lang="en"><title>Site</title><main><h1>Site</h1>${body}</main></html>`);
	});
	servers.push(server);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let shop = "";
let other = "";

beforeAll(async () => {
	shop = await serve(
		{ "Content-Security-Policy": POLICY },
		`<form action="/order"><address-code name="delivery" required give></address-code><button>Order</button></form>
		<script type="module" src="${registry}/address-code.js"></script>`,
	);
	other = await serve({}, "");
});
afterAll(() => {
	for (const server of servers) server.close();
});

/** A text as a page shows it, without marks of direction. */
const plain = (text: string | null) => (text ?? "").replace(/[\u2066-\u2069]/g, "");

const say = (text: string, values: Record<string, string>) =>
	plain(fill(text as never, { shop, registry: messages.en.pages.siteName, ...values } as never));

const entered = (page: Page) => page.evaluate<string>("document.querySelector('address-code').value");
const sending = (tab: Page) => tab.locator("[data-sends]");

/** The tab that a tap on the field's button opens. */
async function tap(page: Page): Promise<Page> {
	const [tab] = await Promise.all([
		page.context().waitForEvent("page"),
		page.getByRole("button", { name: messages.en.field.give }).click(),
	]);
	await tab.waitForURL(`${registry}/give?**`);
	return tab;
}

async function openShop(page: Page): Promise<void> {
	await page.goto(shop);
	await page.waitForFunction("customElements.get('address-code') !== undefined");
}

const show = (tab: Page) => tab.getByRole("button", { name: give.show }).click();

/** A shop's customer who has an address at the registry, in the tab where they choose one; its code. */
async function customer(options: PageOptions & { isPrivate?: boolean } = {}) {
	const { page, requests, complaints } = await openPage(options);
	await signUp(page);
	const code = await createAddress(page, "6.5251, 3.3799");
	if (options.isPrivate) {
		await page.goto(`/my/${code}`);
		await page.locator("details:has([value=private]) > summary").click();
		await page.check("[value=private]");
		await page.locator("form:has([value=private]) button").click();
		await page.waitForURL("**did=saved**");
	}
	requests.length = 0;
	await openShop(page);
	return { page, requests, complaints, code };
}

/** Waits until the page takes a click. */
const enabled = (tab: Page) => expect.poll(() => sending(tab).first().isEnabled()).toBe(true);

describe("a customer without a code", () => {
	it("sends the code of an address to the shop, which shows it before it counts", async () => {
		const { page, requests, code } = await customer();
		const second = () => requests.filter((url) => url.includes("/given-code@"));
		expect(second()).toEqual([]);
		await page.evaluate(`globalThis.heard = [];
			for (const type of ["input", "change"]) document.querySelector("form").addEventListener(type, () => heard.push(type))`);
		const tab = await tap(page);
		expect(second()).toHaveLength(1);
		expect(plain(await tab.locator("header").textContent())).toBe(say(give.title as never, {}));
		expect(await violations(tab)).toEqual([]);
		await show(tab);
		await enabled(tab);
		const name = say(give.send as never, { code: displayCode(code) });
		expect(plain(await sending(tab).textContent())).toBe(name);
		expect(await violations(tab)).toEqual([]);
		await picture(tab, "give-choice");
		expect(await entered(page)).toBe("");
		await Promise.all([tab.waitForEvent("close"), sending(tab).click()]);
		expect(await entered(page)).toBe(code);
		await expect.poll(() => page.locator("address-code output").textContent()).toContain("Blue gate");
		expect(new Set(await page.evaluate<string[]>("heard"))).toEqual(new Set(["input", "change"]));
		expect(new URL(page.url()).pathname, "the form has not been sent").toBe("/");
		expect(await page.evaluate("new FormData(document.querySelector('form')).get('delivery')")).toBe(code);
		expect(await page.evaluate("document.querySelector('form').checkValidity()")).toBe(true);
		expect(await page.getByRole("button", { name: messages.en.field.give }).isVisible()).toBe(false);
	});

	it("is never asked for a password there, and comes back from a tab that cannot reach this one", async () => {
		const { page } = await openPage({});
		await openShop(page);
		const tab = await tap(page);
		await show(tab);
		expect(await tab.locator("input[type=password]").count()).toBe(0);
		const link = tab.getByRole("link", { name: list.create });
		const [making] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
		await making.waitForURL("**/my/new");
		expect(await making.evaluate("opener")).toBeNull();
		await making.fill("#place", "6.5261, 3.3789");
		await making.locator("form:has(#place) button[type=submit]").click();
		await making.fill("#label", "Green door");
		await making.locator("button.first[value=right]").click();
		await making.waitForURL("**/check**");
		await fillCredentials(making);
		await next(making).click();
		await making.waitForURL(/\/my\/[A-Z]{2}\d{9}/);
		await making.close();
		await show(tab);
		await enabled(tab);
		await Promise.all([tab.waitForEvent("close"), sending(tab).click()]);
		await expect.poll(() => page.locator("address-code output").textContent()).toContain("Green door");
	});

	it("sends the code of a private address alone, or with a link that shows it for a week", async () => {
		const { page, code } = await customer({ isPrivate: true });
		const says = () => page.locator("address-code output").textContent();
		let tab = await tap(page);
		await show(tab);
		await enabled(tab);
		await Promise.all([tab.waitForEvent("close"), sending(tab).first().click()]);
		await expect.poll(says).toBe(messages.en.field.private);
		expect(await entered(page)).toBe(code);
		await page.evaluate("document.querySelector('address-code').value = ''");
		tab = await tap(page);
		await show(tab);
		await enabled(tab);
		const days = say(give.link as never, { days: "7 days" });
		expect(plain(await tab.locator("main").textContent())).toContain(days);
		await Promise.all([tab.waitForEvent("close"), sending(tab).last().click()]);
		await expect.poll(says).toContain("Blue gate");
		expect(await page.evaluate("new FormData(document.querySelector('form')).get('delivery_share')")).toMatch(
			new RegExp(`^${registry}/a/${code}\\?share=`),
		);
	});

	it.each(Object.keys(languages) as Language[])("is told all of it in %s, on a narrow screen", async (language) => {
		const { page } = await customer({ viewport: { width: 240, height: 640 }, isPrivate: true });
		await page.goto(`${registry}/give?to=https://${"long-name-of-a-".repeat(4)}.shop.example&nonce=n&lang=${language}`);
		const fits = async () => {
			for (const width of [240, 360]) {
				await page.setViewportSize({ width, height: 640 });
				await expectNoSidewaysScroll(page);
			}
			expect(await violations(page)).toEqual([]);
		};
		await fits();
		const words = messages[language].console.give;
		await page.getByRole("button", { name: words.show }).click();
		await page.getByRole("heading", { name: words.choose }).waitFor();
		await enabled(page);
		await fits();
		await sending(page).last().click();
		await page.waitForURL("**/give/send**");
		await fits();
	});
});

describe("who attacks it", () => {
	it("learns nothing on a site that opens the page in a shop's name", async () => {
		const { page, code } = await customer();
		await page.goto(other);
		await page.evaluate("globalThis.heard = []; addEventListener('message', ({ data }) => heard.push(data))");
		const [tab] = await Promise.all([
			page.context().waitForEvent("page"),
			page.evaluate(`void open("${registry}/give?to=${encodeURIComponent(shop)}&nonce=n")`),
		]);
		await show(tab);
		await enabled(tab);
		await sending(tab).click();
		await tab.waitForURL("**/give/send**");
		expect(await tab.locator(".secret").textContent()).toBe(displayCode(code));
		await tab.waitForTimeout(300);
		expect(await tab.locator("#received").isVisible()).toBe(false);
		expect(await page.evaluate("heard")).toEqual([]);
		// The browser says that the message was for another origin.
		expect(tab.isClosed()).toBe(false);
	});

	it("enters no code by a message from another window, origin or tap, nor one that is none", async () => {
		const { page } = await openPage({});
		await openShop(page);
		await page.evaluate(
			"globalThis.tabs = []; const own = open; globalThis.open = (...asked) => { const tab = own.apply(window, asked); tabs.push([tab, asked[0]]); return tab; }",
		);
		await tap(page);
		const tell = (message: { source?: string; origin?: string; data?: string }) =>
			page.evaluate(`{
				const [tab, url] = tabs[0];
				const nonce = url.searchParams.get("nonce");
				const { source = tab, origin = "${registry}", data = { nonce, code: "${lagos}" } } =
					{ ${Object.entries(message).map(([name, value]) => `${name}: ${value}`)} };
				dispatchEvent(new MessageEvent("message", { source, origin, data }));
			}`);
		const wrong = lagos.slice(0, -1) + String((Number(lagos.at(-1)) + 1) % 10);
		for (const forged of [
			{ source: "window" },
			{ source: "null" },
			{ origin: `"${other}"` },
			{ origin: `"${registry}.example"` },
			{ origin: '"null"' },
			{ data: `{ nonce: "another", code: "${lagos}" }` },
			{ data: `{ code: "${lagos}" }` },
			{ data: "null" },
			{ data: `"${lagos}"` },
			{ data: `{ nonce, code: "${wrong}" }` },
			{ data: `{ nonce, code: "<b>${lagos}</b>" }` },
			{ data: `{ nonce, code: ["${lagos}"] }` },
		]) {
			await tell(forged);
			expect(await entered(page), JSON.stringify(forged)).toBe("");
		}
		await tell({ data: `{ nonce, code: "${lagos}", share: "x y?unit=9" }` });
		expect(await entered(page)).toBe(lagos);
		expect(await page.evaluate("document.querySelector('address-code').share")).toBe("");
		// What was taken is taken once.
		await tell({ data: `{ nonce, code: "${cairo}" }` });
		expect(await entered(page)).toBe(lagos);
	});

	it("takes no click that was meant for another page, nor a key that was held", async () => {
		const { page } = await customer();
		const tab = await tap(page);
		await show(tab);
		await tab.getByRole("heading", { name: give.choose }).waitFor();
		const button = sending(tab).first();
		// As a second click does, that falls on this page when another window closes.
		const click = async () => {
			const box = (await button.boundingBox())!;
			await tab.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
			await tab.waitForTimeout(200);
			return new URL(tab.url()).pathname;
		};
		const off = () => button.isDisabled();
		await tab.reload();
		expect(await off()).toBe(true);
		await button.focus().catch(() => {});
		await tab.keyboard.press("Enter");
		expect(await click()).toBe("/give");
		await enabled(tab);
		for (const event of ["blur", "focus", "pageshow", "resize"]) {
			await tab.evaluate(`dispatchEvent(new Event("${event}"))`);
			expect(await off(), event).toBe(true);
			expect(await click()).toBe("/give");
			await enabled(tab);
		}
		await tab.evaluate("document.hasFocus = () => false; dispatchEvent(new Event('blur'))");
		await tab.waitForTimeout(1000);
		expect(await off()).toBe(true);
		// No link can give a button the focus.
		expect(await tab.locator("button[id], [autofocus]").count()).toBe(0);
	});

	it("can neither frame it nor send its form", async () => {
		const { page, complaints, code } = await customer();
		await page.goto(other);
		const framed = `${registry}/give?to=${encodeURIComponent(other)}`;
		await page.evaluate(`document.body.append(Object.assign(document.createElement("iframe"), { src: "${framed}" }))`);
		await expect.poll(() => complaints.splice(0).join()).toMatch(/frame-ancestors/);
		await page.evaluate(`{
			const form = document.createElement("form");
			Object.assign(form, { method: "post", action: "${registry}/give/send" });
			for (const [name, value] of Object.entries({ to: "${other}", nonce: "n", code: "${code}" }))
				form.append(Object.assign(document.createElement("input"), { name, value }));
			document.body.append(form);
			form.submit();
		}`);
		await page.waitForURL("**/give/send");
		expect(await page.locator("main").textContent()).toContain(messages.en.console.errors.form);
		expect(await page.content()).not.toContain(code);
	});

	it("sends nobody's code but one's own", async () => {
		const { page } = await customer();
		const tab = await tap(page);
		await show(tab);
		await enabled(tab);
		await tab.evaluate(`document.querySelector("[data-sends]").value = "${lagos}"`);
		await sending(tab).click();
		await tab.waitForURL("**/give/send**");
		expect(await tab.locator("main").textContent()).toContain(messages.en.console.errors.FORBIDDEN);
		expect(await tab.locator("#given").count()).toBe(0);
		expect(await entered(page)).toBe("");
	});
});

describe("where nothing can be sent", () => {
	it("shows the code to copy in an application's own browser, which opens no tab", async () => {
		const { page, code } = await customer({ permissions: ["clipboard-read", "clipboard-write"] });
		await page.evaluate("globalThis.open = () => null");
		await page.getByRole("button", { name: messages.en.field.give }).click();
		await page.waitForURL(`${registry}/give?**`);
		await show(page);
		await enabled(page);
		expect(plain(await sending(page).textContent())).toBe(say(give.display as never, { code: displayCode(code) }));
		await sending(page).click();
		await page.getByRole("button", { name: messages.en.pages.copy }).click();
		expect(await page.evaluate("navigator.clipboard.readText()")).toBe(displayCode(code));
		expect(await page.locator("#received").isVisible()).toBe(false);
	});

	it("shows the code to copy once the shop's page is gone, and a closed tab changes nothing", async () => {
		const { page, code } = await customer();
		const closed = await tap(page);
		await closed.close();
		expect(await entered(page)).toBe("");
		const tab = await tap(page);
		await show(tab);
		await enabled(tab);
		await page.goto(`${shop}/elsewhere`);
		await sending(tab).click();
		await tab.waitForURL("**/give/send**");
		expect(await tab.locator(".secret").textContent()).toBe(displayCode(code));
		expect(await tab.locator("#received").isVisible()).toBe(false);
		expect(tab.isClosed()).toBe(false);
	});

	it("lists one's codes without a script, and offers to send none", async () => {
		const { page, code } = await customer();
		const state = await page.context().storageState();
		const { page: bare } = await openPage({ javaScriptEnabled: false, storageState: state });
		await bare.goto(`/give?to=${encodeURIComponent(shop)}`);
		await show(bare);
		expect(await bare.locator("main").textContent()).toContain(displayCode(code));
		expect(await sending(bare).isVisible()).toBe(false);
		expect(plain(await bare.locator("noscript").textContent())).toContain(say(give.copy as never, {}));
	});

	it("has no button where the shop asks for none, or the field is off", async () => {
		const { page } = await openPage({});
		await openShop(page);
		const button = page.getByRole("button", { name: messages.en.field.give });
		expect(await button.isVisible()).toBe(true);
		for (const [name, value] of [
			["disabled", true],
			["readOnly", true],
			["give", false],
		] as const) {
			await page.evaluate(`document.querySelector("address-code").${name} = ${value}`);
			expect(await button.isVisible(), name).toBe(false);
			await page.evaluate(`document.querySelector("address-code").${name} = ${!value}`);
			expect(await button.isVisible(), name).toBe(true);
		}
	});
});
