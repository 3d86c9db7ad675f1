import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { displayCode } from "../../src/codes/code.ts";
import { openPage } from "./chromium.ts";

const registry = inject("origin");
const { lagos } = inject("codes");
const libraries = path.join(import.meta.dirname, "forms");

/** A program of a shop (test/browser/forms) with its libraries, as one script. */
async function bundled(program: string): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [path.join(libraries, program)],
		bundle: true,
		write: false,
		format: "esm",
		tsconfigRaw: { compilerOptions: { jsx: "react-jsx", jsxImportSource: "react" } },
		define: {
			"process.env.NODE_ENV": '"development"',
			__VUE_OPTIONS_API__: "true",
			__VUE_PROD_DEVTOOLS__: "false",
			__VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
		},
		logLevel: "error",
	});
	return outputFiles[0]!.text;
}

let server: Server;
let shop = "";
/** The page that the shop serves, and the form that was sent to it last. */
let html = "";
let sent = "";

beforeAll(async () => {
	if (!existsSync(path.join(libraries, "node_modules")))
		execFileSync("npm", ["ci", "--silent", "--no-audit", "--no-fund"], { cwd: libraries, stdio: "inherit" });
	server = createServer(async (request, response) => {
		const [, program] = /^\/programs\/([\w.-]+)$/.exec(request.url ?? "") ?? [];
		response.setHeader("Content-Type", program ? "text/javascript" : "text/html; charset=utf-8");
		if (request.method === "POST") {
			sent = "";
			for await (const chunk of request) sent += chunk;
		}
		response.end(program ? await bundled(program) : html);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 180_000);
afterAll(() => void server.close());

const PLAIN = `<label>Address code <input name="delivery" required></label>`;
const FIELD_SCRIPT = `<script type="module" src="${registry}/address-code.js"></script>`;

function formWith({ attributes = "", inside = "" } = {}): string {
	return `<form method="post"><input name="first" value="Ada"><address-code name="delivery" required ${attributes}>${inside}</address-code>
		<button>Order</button></form>`;
}

async function open(body: string): Promise<Page> {
	const { page } = await openPage();
	html = `<!doctype html><html lang="en"><title>Shop</title><script>registry = "${registry}"</script>${body}</html>`;
	sent = "";
	await page.goto(shop);
	await page.waitForFunction("customElements.get('address-code') !== undefined");
	return page;
}

const typed = (page: Page) => page.locator("address-code input[part=code]");
const values = (text: string) => Object.fromEntries(new URLSearchParams(text));

async function fillIn(page: Page): Promise<void> {
	await typed(page).fill(displayCode(lagos));
	await expect.poll(() => page.locator("address-code output").textContent()).toContain("Nigeria");
}

describe("<address-code> in a form that jQuery sends", () => {
	const program = `<script type="module" src="/programs/jquery.js"></script>`;
	const globally = `<script type="module" src="/programs/jquery-validate.js"></script>`;

	it.each([
		["a jQuery that nobody else sees, with an input inside", PLAIN, FIELD_SCRIPT + program],
		[
			"inputs for the unit and the note inside too",
			`${PLAIN}<input name="delivery_unit"><p>Note <input></p>`,
			FIELD_SCRIPT + program,
		],
		["a jQuery before the field's script", "", globally + FIELD_SCRIPT + program],
		["a jQuery after the field's script", "", FIELD_SCRIPT + globally + program],
	])("%s: serialize() has the code, unit and note once, and so has the form", async (_, inside, scripts) => {
		const page = await open(formWith({ attributes: "details", inside }) + scripts);
		await page.waitForFunction("window.serialized");
		await fillIn(page);
		await page.locator("address-code input[part=unit]").fill("3b");
		await page.locator("address-code input[part=note]").fill("Ring twice");
		const expected = { first: "Ada", delivery: lagos, delivery_unit: "3B", delivery_note: "Ring twice" };
		const serialized = await page.evaluate<string>("serialized()");
		expect(values(serialized)).toEqual(expected);
		expect(serialized.split("&")).toHaveLength(4);
		const native = "Array.from(new FormData(document.forms[0]), ([name, value]) => [name, value])";
		expect(await page.evaluate(native)).toEqual(Object.entries(expected));
		await page.getByRole("button").click();
		await expect.poll(() => values(sent)).toEqual(expected);
	});

	it("fills, reads and hears the field under its name, which may be its id too", async () => {
		const page = await open(formWith({ attributes: `id="delivery"`, inside: PLAIN }) + FIELD_SCRIPT + program);
		await page.waitForFunction("window.serialized");
		await page.evaluate("fill('ng 1377 48215')");
		expect(await page.evaluate("read()")).toBe("NG137748215");
		expect(await page.evaluate("document.forms[0].elements.delivery.value")).toBe("NG137748215");
		expect(await page.evaluate("document.querySelector('address-code').value")).toBe("NG137748215");
		await fillIn(page);
		await typed(page).blur();
		expect(new Set(await page.evaluate<string[]>("heard.slice(-1)"))).toEqual(new Set([`delivery=${lagos}`]));
		expect(await page.evaluate("document.forms[0].elements.delivery.address.country")).toBe("NG");
		await page.evaluate("document.forms[0].reset()");
		expect(await page.evaluate("serialized()")).toBe("first=Ada&delivery=");
		await page.evaluate("document.querySelector('address-code').disabled = true");
		expect(await page.evaluate("serialized()")).toBe("first=Ada");
	});

	it("jQuery Validate asks for a code, and no longer once it is there", async () => {
		const page = await open(formWith({ inside: PLAIN }) + FIELD_SCRIPT + globally);
		await page.waitForFunction("document.forms[0]?.noValidate");
		await page.getByRole("button").click();
		const told = page.locator("address-code label.error");
		await expect.poll(() => told.textContent()).toBe("This field is required.");
		expect(await told.isVisible()).toBe(true);
		expect(await page.evaluate("document.activeElement.shadowRoot?.activeElement.part.value")).toBe("code");
		expect(sent).toBe("");
		await fillIn(page);
		await expect.poll(() => told.isVisible()).toBe(false);
		await page.getByRole("button").click();
		await expect.poll(() => values(sent).delivery).toBe(lagos);
	});
});

describe("<address-code> under the libraries of forms", () => {
	it.each([
		["React Hook Form", "react-hook-form.jsx"],
		["VeeValidate", "vee-validate.js"],
	])("%s asks for a code, hears it, and fills it in", async (_, program) => {
		const page = await open(
			`<div id="shop"></div>${FIELD_SCRIPT}<script type="module" src="/programs/${program}"></script>`,
		);
		const order = () => page.getByRole("button", { name: "Order" }).click();
		await order();
		await expect.poll(() => page.locator("#told").textContent()).toBe("Where to?");
		await fillIn(page);
		await order();
		await expect.poll(() => page.evaluate("window.ordered?.delivery")).toBe(lagos);
		await page.getByRole("button", { name: "Last address" }).click();
		await expect.poll(() => typed(page).inputValue()).toBe("ZZ-0000-00009");
	});

	it("React goes on from the server's page without a complaint", async () => {
		const rendered = `<form><address-code name="delivery" registry="${registry}"></address-code><p id="told"></p><button type="submit">Order</button><button type="button">Last address</button></form>`;
		const page = await open(
			`<div id="shop">${rendered}</div>${FIELD_SCRIPT}<script type="module" src="/programs/react-hook-form.jsx"></script>`,
		);
		await fillIn(page);
		await page.getByRole("button", { name: "Order" }).click();
		await expect.poll(() => page.evaluate("window.ordered?.delivery")).toBe(lagos);
	});
});

describe("<address-code> as a control of a form", () => {
	const field = "document.querySelector('address-code')";

	it.each([
		["an input inside", PLAIN],
		["nothing inside", ""],
	])("has what an input has, with %s", async (_, inside) => {
		const page = await open(
			`<label id="l" for="d">Where</label>${formWith({ attributes: `id="d" placeholder="NG-" autocomplete="shipping" readonly`, inside })}${FIELD_SCRIPT}`,
		);
		expect(
			await page.evaluate(`(({ name, type, required, disabled, placeholder, readOnly, form, labels, willValidate, value }) =>
				({ name, type, required, disabled, placeholder, readOnly, isInForm: form === document.forms[0], labels: [...labels].map(({ id }) => id), willValidate, value }))(${field})`),
		).toEqual({
			name: "delivery",
			type: "address-code",
			required: true,
			disabled: false,
			placeholder: "NG-",
			readOnly: true,
			isInForm: true,
			labels: ["l"],
			willValidate: false,
			value: "",
		});
		expect(await typed(page).getAttribute("placeholder")).toBe("NG-");
		expect(await typed(page).getAttribute("autocomplete")).toBe("shipping");
		expect(await typed(page).isEditable()).toBe(false);
		await page.evaluate(`${field}.readOnly = false`);
		const areValid = "[...document.forms[0].elements].every((control) => control.checkValidity())";
		expect(await page.evaluate(areValid)).toBe(false);
		expect(await page.evaluate(`${field}.validationMessage`)).not.toBe("");
		expect(await page.evaluate(`${field}.reportValidity()`)).toBe(false);
		await fillIn(page);
		expect(await page.evaluate(areValid)).toBe(true);
		await page.evaluate(`${field}.setCustomValidity("We do not deliver there")`);
		expect(await page.evaluate(`${field}.validationMessage`)).toBe("We do not deliver there");
		expect(await page.evaluate("document.forms[0].checkValidity()")).toBe(false);
		await page.evaluate(`${field}.setCustomValidity("")`);
		expect(await page.evaluate("document.forms[0].checkValidity()")).toBe(true);
		await page.evaluate(`${field}.value = undefined`);
		expect(await page.evaluate(`${field}.value`)).toBe("");
		await page.evaluate(`${field}.name = "pickup"`);
		await page.evaluate(`${field}.value = "NG137748215"`);
		const pairs = "[...new FormData(document.forms[0])].map((pair) => pair.join('=')).join('&')";
		expect(await page.evaluate(pairs)).toBe("first=Ada&pickup=NG137748215");
		await page.evaluate(
			"document.forms[0].append(Object.assign(document.createElement('fieldset'), { disabled: true }))",
		);
		await page.evaluate(`document.querySelector("fieldset").append(${field})`);
		expect(await page.evaluate(pairs)).toBe("first=Ada");
		expect(await typed(page).isDisabled()).toBe(true);
	});

	it.each([
		["with an input inside", PLAIN],
		["with nothing inside", ""],
	])("sends one change for a code that is typed once, %s", async (_, inside) => {
		const page = await open(formWith({ inside }) + FIELD_SCRIPT);
		await page.evaluate(
			`heard = []; ${field}.addEventListener("change", ({ target }) => heard.push([target.value, target.address?.country]))`,
		);
		await fillIn(page);
		await page.keyboard.press("Tab");
		expect(await page.evaluate("heard")).toEqual([[lagos, "NG"]]);
		await typed(page).fill("");
		await page.keyboard.press("Tab");
		expect(await page.evaluate("heard.length")).toBe(2);
		await fillIn(page);
		await page.keyboard.press("Tab");
		expect(await page.evaluate("heard.length")).toBe(3);
	});

	it("sends the code once where the parser or a library puts the input in later", async () => {
		const page = await open(`<form method="post"></form>${FIELD_SCRIPT}`);
		await page.evaluate(`document.forms[0].append(document.createElement("address-code"))`);
		const label = `Object.assign(document.createElement("label"), { innerHTML: 'Code <input name="delivery">' })`;
		await page.evaluate(`${field}.append(${label})`);
		await fillIn(page);
		const pairs = "[...new FormData(document.forms[0])].map((pair) => pair.join('=')).join('&')";
		expect(await page.evaluate(pairs)).toBe(`delivery=${lagos}`);
		// A library that makes the page what the server has rendered puts the plain input back.
		await page.evaluate(`${field}.replaceChildren(${label})`);
		expect(await page.evaluate(pairs)).toBe(`delivery=${lagos}`);
		expect(await page.locator("address-code label", { hasText: /^Code/ }).count()).toBe(0);
		await page.evaluate(`${field}.replaceChildren()`);
		expect(await page.evaluate(pairs)).toBe(`delivery=${lagos}`);
	});

	it("belongs to a form elsewhere that it names, and keeps what was typed when it moves", async () => {
		const page = await open(
			`<form id="order" method="post"></form><address-code form="order" name="delivery">${PLAIN}</address-code><main></main>${FIELD_SCRIPT}`,
		);
		await fillIn(page);
		const pairs = "[...new FormData(document.forms[0])].map((pair) => pair.join('=')).join('&')";
		expect(await page.evaluate(pairs)).toBe(`delivery=${lagos}`);
		await page.evaluate(`document.querySelector("main").append(${field})`);
		expect(await page.evaluate(pairs)).toBe(`delivery=${lagos}`);
	});

	it("checks codes in a browser without AbortSignal.any or AbortSignal.timeout", async () => {
		const { page } = await openPage();
		await page.addInitScript("delete AbortSignal.any; delete AbortSignal.timeout");
		html = `<!doctype html><title>Shop</title>${formWith()}${FIELD_SCRIPT}`;
		await page.goto(shop);
		await fillIn(page);
		expect(await page.evaluate("AbortSignal.any === undefined && AbortSignal.timeout === undefined")).toBe(true);
	});
});
