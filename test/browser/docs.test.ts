import { describe, expect, inject, it } from "vitest";
import { en } from "../../src/languages/messages-en.ts";
import { expectNoSidewaysScroll, picture, violations, visit } from "./chromium.ts";

const { lagos } = inject("codes");

describe("the documentation of the API", () => {
	it("lets a reader try every step in the sandbox, and asks before it changes anything", async () => {
		const { page, requests } = await visit("/docs/resolve");
		const tryIt = async (id: string, starts: string, asks = true) => {
			const button = page.locator(`#${id} form button[type=submit]`);
			const output = page.locator(`#${id} output`);
			if (asks) {
				const before = await output.textContent();
				await button.click();
				expect(await button.textContent()).toContain("This changes data");
				expect(await output.textContent()).toBe(before);
			}
			await button.click();
			await expect.poll(() => output.textContent()).toMatch(new RegExp(`^${starts}`));
			return (await output.textContent()) ?? "";
		};
		await page.locator("#resolveAddress input[name=code]").fill(lagos);
		expect(await tryIt("resolveAddress", "200", false)).toContain(`"canonical": "${lagos}"`);
		await page.goto("/docs/accounts");
		await tryIt("register", "201");
		expect(await page.locator("#token").inputValue()).toMatch(/^ey/);
		await tryIt("logIn", "200");
		await page.goto("/docs/addresses");
		await page.evaluate("sessionStorage.clear()");
		await page.reload();
		expect(await tryIt("createAddress", "401")).toContain("UNAUTHENTICATED");
		await page.locator("#sandbox").click();
		await expect.poll(() => page.locator("#key").inputValue()).toMatch(/^addr_test_/);
		expect(await tryIt("createAddress", "201")).toContain('"owned": true');
		expect(await tryIt("getAddress", "200", false)).toContain('"owned": true');
		expect(await tryIt("changeAddress", "200")).toContain('"owned": true');
		expect(await tryIt("retireAddress", "204")).not.toContain("code");
		await picture(page, "docs");
		const origin = inject("origin");
		expect(requests.filter((url) => !url.startsWith(origin))).toEqual([]);
	});

	it("finds a heading by its words", async () => {
		const { page } = await visit("/docs");
		await page.locator("#search").fill("check digit");
		await page.locator("#found a").first().waitFor();
		expect(await page.locator("#found a").first().getAttribute("href")).toMatch(/check-digit|BAD_CHECK_DIGIT/);
		await page.locator("#search").fill("retire an address");
		await page.getByRole("link", { name: "Retire an address: DELETE" }).click();
		await page.waitForURL("**/docs/addresses#retireAddress");
		await page.locator("#search").fill("time travel");
		await page.locator("#found small").first().waitFor();
		expect(await page.locator("#found small").first().textContent()).toContain("Time Travel");
		await page.locator("#search").fill("xylophone");
		await expect.poll(() => page.locator("#found").textContent()).toBe("Nothing found");
	});

	it("runs the checkout's form in its guide, with what a shop's server finds", async () => {
		const { page, requests } = await visit("/docs/guides/checkout");
		const field = page.locator("address-code input[part=code]");
		const [sent, found] = [page.locator("#demo > output").first(), page.locator("#demo > output").last()];
		const order = () => page.getByRole("button", { name: "Order" }).click();
		await field.fill("NG-1377-48215");
		await expect.poll(() => page.locator("address-code output").textContent()).toContain("Nigeria");
		await page.locator("address-code input[part=unit]").fill("3 b");
		await order();
		expect(await sent.textContent()).toContain("delivery=NG137748215\ndelivery_unit=3B");
		await expect.poll(() => found.textContent()).toContain('"lat": 6.5244');
		await page.locator("address-code").scrollIntoViewIfNeeded();
		await picture(page, "docs-checkout");
		// What a server must refuse by itself: the field stops the form as soon as it has heard that there is no such address.
		await page.locator("#demo form").evaluate((form) => form.setAttribute("novalidate", ""));
		for (const [code, refusal] of [
			["ZZ-0000-00025", "ADDRESS_RETIRED"],
			["ZZ-0000-00009", "SANDBOX"],
		] as const) {
			await field.fill(code);
			await order();
			await expect.poll(() => found.textContent()).toContain(`"refused": "${refusal}`);
		}
		expect(requests.filter((url) => !url.startsWith(inject("origin")))).toEqual([]);
	});

	it.each([
		"/docs",
		"/docs/guides/checkout",
		"/problems",
		"/problems/BAD_CHECK_DIGIT",
		"/docs/guides",
		"/docs/guides/operate",
		"/docs/addresses",
	])("%s reads without a script, at 360 pixels", async (path) => {
		const { page, requests } = await visit(path, { javaScriptEnabled: false });
		await expectNoSidewaysScroll(page);
		expect(await page.getByRole("button").count()).toBe(0);
		expect(requests.filter((url) => !url.endsWith("/address-code.js"))).toHaveLength(1);
		for (const name of [en.pages.find, en.pages.mine]) {
			expect(await page.getByRole("banner").getByRole("link", { name }).isVisible(), name).toBe(true);
		}
		await picture(page, `no-script${path.replaceAll("/", "-")}`);
	});

	it("meets WCAG 2.2 AA by axe", async () => {
		for (const path of [
			"/docs",
			"/problems",
			"/problems/BAD_CHECK_DIGIT",
			"/docs/guides",
			"/docs/guides/security",
			"/docs/guides/checkout",
			"/docs/addresses",
			"/docs/objects",
		]) {
			const { page } = await visit(path);
			expect(await violations(page), path).toEqual([]);
		}
	});
});
