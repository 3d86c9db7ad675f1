import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { displayCode } from "../../src/codes/code.ts";
import { messages } from "../../src/languages/messages.ts";
import { fill } from "../../src/languages/template.ts";
import { mint, send, signUp } from "../support/remote.ts";
import { openPage, picture, violations } from "./chromium.ts";

const registry = inject("origin");
const { lagos, retired } = inject("codes");

/** A shop's page, of another origin and under as strict a policy as a page can have. What was sent to it last stands in `sent`. */
const POLICY = [
	"default-src 'none'",
	`script-src ${registry}`,
	`connect-src ${registry}`,
	"form-action 'self'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
].join("; ");

let server: Server;
let shop = "";
let sent = "";
/** The tag of a script on the page that pins one. */
let pinned = "";

/** The shop in React (test/clients/react-shop.tsx), as its own bundler makes it of the package. */
async function reactShop(): Promise<string> {
	const root = path.join(import.meta.dirname, "../..");
	const { outputFiles } = await build({
		entryPoints: [path.join(root, "test/clients/react-shop.tsx")],
		alias: { "address-registry/react": path.join(root, "dist/address-code.js") },
		bundle: true,
		write: false,
		format: "iife",
		jsx: "automatic",
		define: { "process.env.NODE_ENV": '"development"' },
	});
	return outputFiles[0]!.text;
}

function shopPage(language: string): string {
	return `<!doctype html><html lang="${language}"><title>Shop</title><meta name="viewport" content="width=device-width">
		<main><h1>Shop</h1><form method="post" action="/order">
		<address-code name="delivery" required details><label>Address code <input name="delivery" required></label></address-code>
		<button>Order</button></form></main>
		<script type="module" src="${registry}/address-code.js"></script></html>`;
}

beforeAll(async () => {
	server = createServer((request, response) => {
		response.setHeader("Content-Type", "text/html; charset=utf-8");
		if (request.url === "/react") {
			response.end(`<!doctype html><html lang="en"><title>Shop</title><div id="shop" data-registry="${registry}"></div>
				<script type="module" src="/react.js"></script></html>`);
			return;
		}
		if (request.url === "/pinned") {
			response.end(`<!doctype html><title>Shop</title><address-code name="delivery"></address-code>${pinned}`);
			return;
		}
		if (request.url === "/react.js") {
			response.setHeader("Content-Type", "text/javascript");
			reactShop().then((text) => response.end(text));
			return;
		}
		response.setHeader("Content-Security-Policy", POLICY);
		if (request.method === "GET") {
			const language = new URL(request.url ?? "", "http://shop.example").searchParams.get("lang") ?? "en";
			response.end(shopPage(language));
			return;
		}
		sent = "";
		request.on("data", (chunk: Buffer) => {
			sent += chunk;
		});
		request.on("end", () => response.end("<!doctype html><title>Ordered</title><p>Ordered"));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

interface Shop {
	page: Page;
	/** Calls of the registry's API. */
	asked: string[];
	complaints: string[];
	/** What the field says. */
	says(): Promise<string | null>;
	type(text: string): Promise<void>;
}

async function openShop(options: { lang?: string; javaScriptEnabled?: boolean } = {}): Promise<Shop> {
	const { lang = "en", javaScriptEnabled = true } = options;
	const { page, complaints } = await openPage({ javaScriptEnabled });
	const asked: string[] = [];
	page.on("request", (request) => request.url().startsWith(`${registry}/v1/`) && asked.push(request.url()));
	await page.goto(`${shop}/?lang=${lang}`);
	if (javaScriptEnabled) await page.waitForFunction("customElements.get('address-code') !== undefined");
	return {
		page,
		asked,
		complaints,
		says: () => page.locator("address-code output").textContent(),
		async type(text) {
			const field = page.locator("address-code input[part=code]");
			await field.fill("");
			await field.pressSequentially(text);
		},
	};
}

describe("<address-code> on a page of another origin", () => {
	it("asks once, when the code is complete, shows where it is and sends it with unit and note", async () => {
		const { page, asked, says, type } = await openShop();
		await type(displayCode(lagos).slice(0, -1));
		await page.waitForTimeout(300);
		expect(asked).toEqual([]);
		await page.locator("address-code input[part=code]").press("End");
		await page.keyboard.type(displayCode(lagos).slice(-1));
		await expect.poll(says).toContain("Nigeria");
		expect(asked).toEqual([`${registry}/v1/public/addresses/${lagos}`]);
		await page.locator("address-code input[part=unit]").fill(" 3 b");
		await page.locator("address-code input[part=note]").fill("Ring twice");
		await picture(page, "address-code");
		expect(await violations(page)).toEqual([]);
		await page.keyboard.press("Enter");
		await page.waitForURL("**/order");
		expect(Object.fromEntries(new URLSearchParams(sent))).toEqual({
			delivery: lagos,
			delivery_unit: "3B",
			delivery_note: "Ring twice",
		});
		// And, because a unit was entered, for the units.
		const at = `${registry}/v1/public/addresses/${lagos}`;
		expect(asked).toEqual([at, `${at}/units`]);
	});

	it("names the kind of mistake without asking, and the form does not go", async () => {
		const { page, asked, says, type } = await openShop();
		const { codeWrong, codeLetter, codeMalformed } = messages.en.pages;
		const wrong = lagos.slice(0, -1) + String((Number(lagos.at(-1)) + 1) % 10);
		for (const [text, said] of [
			[wrong, codeWrong],
			["NG-O311-48211", codeLetter],
			["12 Allen Avenue", codeMalformed],
		] as const) {
			await type(text);
			expect(await says()).toBe(said);
			expect(await page.evaluate("document.querySelector('form').checkValidity()")).toBe(false);
			await page.keyboard.press("Enter");
		}
		expect(asked).toEqual([]);
		await type("");
		expect(await page.evaluate("document.querySelector('address-code').validity.valueMissing")).toBe(true);
	});

	it("tells of a retired code, and of one that no address has", async () => {
		const { page, says, type } = await openShop();
		const errors: string[] = [];
		await page.exposeFunction("told", (code: string) => errors.push(code));
		await page.evaluate(
			"document.querySelector('address-code').addEventListener('error', (event) => told(event.detail.code))",
		);
		await type(retired);
		await expect.poll(says).toContain(messages.en.pages.retired.title);
		expect(await page.evaluate("document.querySelector('form').checkValidity()")).toBe(false);
		await type("NG-0421-58212");
		await expect.poll(says).toBe(`${messages.en.pages.notFound.title}.`);
		await expect.poll(() => errors).toEqual(["ADDRESS_RETIRED", "ADDRESS_NOT_FOUND"]);
	});

	it("offers the code to use instead of a retired one, and takes it at the button", async () => {
		const { page, says, type } = await openShop();
		await type("ZZ-0000-00025");
		const button = page.locator("address-code button[part=successor]");
		await expect.poll(() => button.textContent()).toBe("Use ZZ-0000-00009 instead.");
		expect(await violations(page)).toEqual([]);
		await button.click();
		await expect.poll(() => page.evaluate("document.querySelector('address-code').value")).toBe("ZZ000000009");
		await expect.poll(says).not.toContain(messages.en.pages.retired.title);
		expect(await button.isVisible()).toBe(false);
		expect(await page.evaluate("document.querySelector('form').checkValidity()")).toBe(true);
	});

	it.each([
		["a link", `${registry}/a/${lagos}?unit=3b`],
		["a chat", `${lagos} / 3b, ask for Chidi`],
		["a code", `${displayCode(lagos)} / 3b`],
	])("takes the unit out of %s", async (_, text) => {
		const { page } = await openShop();
		await page.locator("address-code input[part=code]").fill(text);
		const sent = () => page.evaluate("Object.fromEntries(new FormData(document.querySelector('form')))");
		expect(await sent()).toEqual({ delivery: lagos, delivery_unit: "3B", delivery_note: "" });
		await page.locator("address-code input[part=unit]").fill("4A");
		expect(await sent()).toMatchObject({ delivery_unit: "4A" });
		await page.evaluate("document.querySelector('form button').remove()");
		await page.locator("address-code input[part=unit]").press("Enter");
		await page.waitForURL("**/order");
	});

	it("takes a link to a private address, sends it apart, and says when it has ended", async () => {
		const { token } = await signUp(registry);
		const code = await mint(registry, token, { lat: 6.5301, lng: 3.3805, label: "Quiet house", visibility: "private" });
		const { body } = await send(registry, { path: `/v1/addresses/${code}/share`, token, body: {} });
		const { page, asked, says } = await openShop();
		const field = page.locator("address-code input[part=code]");
		const sends = () => page.evaluate("Object.fromEntries(new FormData(document.querySelector('form')))");
		const isValid = () => page.evaluate("document.querySelector('form').checkValidity()");
		await field.fill(displayCode(code));
		await expect.poll(says).toBe(messages.en.field.private);
		expect(await isValid()).toBe(false);
		await field.fill(`Here it is: ${body.url}`);
		await expect.poll(says).toContain("Quiet house");
		expect(await isValid()).toBe(true);
		expect(await sends()).toMatchObject({ delivery: code, delivery_share: body.url });
		// A token in a path would stand in logs.
		expect(asked.map((url) => new URL(url).pathname).join()).not.toContain("share");
		await send(registry, { method: "DELETE", path: `/v1/addresses/${code}/share`, token });
		await field.fill("");
		await field.fill(`${body.url}`);
		await expect.poll(says).toBe(messages.en.field.ended);
		expect(await isValid()).toBe(false);
	});

	it("remarks a unit that is not listed, and the form still goes", async () => {
		const { token } = await signUp(registry);
		const code = await mint(registry, token, { lat: 6.5302, lng: 3.3806, label: "Tower" });
		await send(registry, { method: "PUT", path: `/v1/addresses/${code}/units/3B`, token, body: { label: "" } });
		const { page, asked, says } = await openShop();
		await page.locator("address-code input[part=code]").fill(`${displayCode(code)} / 99Z`);
		await expect.poll(says).toContain(fill(messages.en.field.unlisted, { unit: "99Z" }));
		expect(await page.evaluate("document.querySelector('form').checkValidity()")).toBe(true);
		await page.locator("address-code input[part=unit]").fill("3 b");
		await page.keyboard.press("Tab");
		await expect.poll(says).not.toContain("99Z");
		// Where nothing is listed, nothing is missing.
		await page.locator("address-code input[part=code]").fill(`${displayCode(lagos)} / 99Z`);
		await expect.poll(() => asked.filter((url) => url.endsWith("/units")).length).toBe(2);
		expect(await says()).toContain("Nigeria");
		expect(await says()).not.toContain("99Z");
	});

	it("is a controlled field of a page in React, which complains of nothing while it is typed", async () => {
		const { page, complaints } = await openPage({});
		await page.goto(`${shop}/react`);
		const field = page.locator("address-code input[part=code]");
		const says = () => page.locator("address-code output").textContent();
		await field.pressSequentially("NG-1");
		expect(await page.locator("#typed").textContent()).toBe("NG-1");
		expect(await says()).toBe("");
		await field.pressSequentially(displayCode(lagos).slice(4));
		await expect.poll(says).toContain("Nigeria");
		await expect.poll(() => page.locator("#typed").textContent()).toBe(lagos);
		await page.locator("address-code input[part=unit]").fill("3b");
		await page.getByRole("button", { name: "Order" }).click();
		await page.waitForURL("**/order");
		expect(new URLSearchParams(sent).get("delivery")).toBe(lagos);
		expect(new URLSearchParams(sent).get("delivery_unit")).toBe("3B");
		expect(complaints).toEqual([]);
	});

	it("can be filled before it stands on a page", async () => {
		const { page } = await openShop();
		const field = "Object.assign(document.createElement('address-code'), { value: 'ng 1377 48215' })";
		expect(await page.evaluate(`document.body.appendChild(${field}).value`)).toBe("NG137748215");
	});

	it("can be filled before its script comes, and speaks the page's language in a shadow root", async () => {
		const { page } = await openShop({ lang: "fr" });
		await page.route(`${registry}/address-code.js`, async (route) => {
			await page.evaluate(`document.querySelector("address-code").value = "${lagos}"`);
			await route.continue();
		});
		await page.reload({ waitUntil: "load" });
		const field = page.locator("address-code input[part=code]");
		expect(await field.inputValue()).toBe(lagos);
		await field.fill(retired);
		expect(await page.evaluate("document.querySelector('address-code').value")).toBe(retired);
		await page.evaluate(
			"document.querySelector('main').attachShadow({ mode: 'open' }).append(document.querySelector('address-code'))",
		);
		expect(await page.locator("main label").first().textContent()).toContain("Code d’adresse");
	});

	it("asks its own origin where registry is empty, and tells the developer of one that is none", async () => {
		const { page, complaints, says } = await openShop();
		const warnings: string[] = [];
		page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
		const setRegistry = (origin: string) =>
			page.evaluate(
				`Object.assign(document.querySelector("address-code"), { value: "" }).setAttribute("registry", "${origin}")`,
			);
		const field = page.locator("address-code input[part=code]");
		await setRegistry("");
		await field.fill(lagos);
		await expect.poll(says).toContain("Nigeria");
		expect(warnings).toEqual([]);
		for (const [origin, why] of [
			["addr.example", /registry="addr.example".*Invalid base URL/],
			["localhost:8787", /registry="localhost:8787"/],
			["https://other.example", /registry="https:\/\/other.example".*connect-src/],
		] as const) {
			await setRegistry(origin);
			await field.fill(lagos);
			await expect.poll(() => warnings.at(-1)).toMatch(why);
			expect(await says()).toBe(messages.en.field.unchecked);
		}
		// The browser names what the shop's policy has kept the page from.
		const refused = complaints.splice(0);
		expect(refused.filter((complaint) => !complaint.includes("Content Security Policy"))).toEqual([]);
	});

	it("says that it could not check while the registry is away, and the form still goes", async () => {
		const { page, says, type } = await openShop();
		await page.route(`${registry}/v1/**`, (route) => route.abort());
		await type(lagos);
		await expect.poll(says).toBe(messages.en.field.unchecked);
		await page.getByRole("button").click();
		await page.waitForURL("**/order");
		expect(new URLSearchParams(sent).get("delivery")).toBe(lagos);
	});

	it("is a plain input without a script", async () => {
		const { page } = await openShop({ javaScriptEnabled: false });
		await page.locator("input[name=delivery]").fill(displayCode(lagos));
		await page.getByRole("button").click();
		await page.waitForURL("**/order");
		expect(new URLSearchParams(sent).get("delivery")).toBe(displayCode(lagos));
	});

	it.each(Object.keys(messages) as (keyof typeof messages)[])("speaks %s", async (lang) => {
		const { page, says, type } = await openShop({ lang });
		const { pages, field } = messages[lang];
		expect(await page.locator("address-code label").first().textContent()).toBe(pages.codeField);
		expect(await page.locator("address-code label").nth(1).textContent()).toBe(field.unit);
		const direction =
			"getComputedStyle(document.querySelector('address-code').shadowRoot.querySelector('output')).direction";
		expect(await page.evaluate(direction)).toBe(lang === "ar" ? "rtl" : "ltr");
		await type("NG-O311-48211");
		expect(await says()).toBe(pages.codeLetter);
		expect(await violations(page)).toEqual([]);
		if (lang === "ar") await picture(page, "address-code-ar");
	});
});

it("runs in the version that a page pins, and not where the bytes are others", async () => {
	const guide = await (await fetch(`${registry}/docs/guides/checkout.md`)).text();
	const [tag = ""] = /<script type="module" crossorigin[\s\S]*?<\/script>/.exec(guide) ?? [];
	const { page, complaints } = await openShop();
	const open = async (script: string) => {
		pinned = script;
		await page.goto(`${shop}/pinned`, { waitUntil: "load" });
		return page.evaluate("customElements.get('address-code') !== undefined");
	};
	expect(await open(tag)).toBe(true);
	expect(complaints).toEqual([]);
	expect(await open(tag.replace(/sha384-..../, "sha384-AAAA"))).toBe(false);
	expect(complaints.splice(0).join()).toContain("integrity");
});

it("/client.js on a page of another origin resolves, judges and speaks codes", async () => {
	const { page } = await openShop();
	const found = await page.evaluate(
		`import("${registry}/client.js").then(async ({ createClient, parseCode, spoken, RegistryError }) => {
			const client = createClient({ registry: "${registry}" });
			const { country_name } = await client.resolve("${displayCode(lagos)}");
			const refusal = await client.resolve("NG-0421-58213").catch((error) => error);
			return [country_name, refusal instanceof RegistryError && refusal.code, parseCode("x").mistake, spoken("${lagos}")];
		})`,
	);
	const aloud = displayCode(lagos)
		.split("-")
		.map((part) => [...part].join(" "));
	expect(found).toEqual(["Nigeria", "BAD_CHECK_DIGIT", "partial", aloud.join(", ")]);
});
