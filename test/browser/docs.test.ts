import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { expectNoSidewaysScroll, launchChromium, picture, visit } from "./chromium.ts";

let browser: Browser;
beforeAll(async () => {
	browser = await launchChromium();
});
afterAll(() => browser.close());

const { lagos } = inject("codes");

/** How long an answer may take to come, in milliseconds: registering hashes a password, and the machine may be busy. */
const ANSWER = { timeout: 30_000 };

describe("the documentation of the API", () => {
	it("lets a reader sign in, create an address and resolve it, without leaving the page", async () => {
		const { page, complaints, requests, close } = await visit(browser, "/docs");
		const tryIt = async (id: string, starts: string) => {
			await page.locator(`#${id} button`).click();
			const output = page.locator(`#${id} output`);
			await expect.poll(() => output.textContent(), ANSWER).toMatch(new RegExp(`^${starts}`));
			return (await output.textContent()) ?? "";
		};
		await page.locator("#resolveAddress input[name=code]").fill(lagos);
		expect(await tryIt("resolveAddress", "200")).toContain(`"canonical": "${lagos}"`);
		await page.locator("#resolveAddress input[name=format]").fill("geojson");
		expect(await tryIt("resolveAddress", "200 OK\\n(.*\\n)*content-type: application/geo")).toContain('"Feature"');
		expect(await tryIt("createAddress", "401")).toContain("UNAUTHENTICATED");
		await page.locator("#register textarea").fill('{"phone":"+2348031234599","password":"seven blue goats"}');
		await tryIt("register", "201");
		expect(await page.locator("#credential").inputValue()).toMatch(/^Bearer ey/);
		expect(await tryIt("createAddress", "201")).toContain('"owned": true');
		expect(await page.locator("#resolveAddress input[name=code]").inputValue()).toBe(lagos);
		expect(await tryIt("getAddress", "200")).toContain('"owned": true');
		expect(await tryIt("createAddress", "201")).toContain('"owned": true');
		expect(await tryIt("retireAddress", "204")).not.toContain("code");
		await picture(page, "docs");
		expect(complaints).toEqual([]);
		const origin = inject("origin");
		expect(requests.filter((url) => !url.startsWith(origin))).toEqual([]);
		await close();
	});

	it.each(["/docs", "/problems", "/problems/BAD_CHECK_DIGIT"])(
		"%s reads without a script, at 360 pixels",
		async (path) => {
			const { page, complaints, requests, close } = await visit(browser, path, { javaScriptEnabled: false });
			await expectNoSidewaysScroll(page);
			expect(await page.getByRole("button").count()).toBe(0);
			expect(requests).toHaveLength(1);
			for (const name of ["Find", "Create an address", "My addresses"]) {
				expect(await page.getByRole("banner").getByRole("link", { name }).isVisible(), name).toBe(true);
			}
			expect(complaints).toEqual([]);
			await picture(page, `no-script${path.replaceAll("/", "-")}`);
			await close();
		},
	);

	it.each(["light", "dark"] as const)("meets WCAG 2.2 AA by axe, %s", async (colorScheme) => {
		const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
		for (const path of ["/docs", "/problems", "/problems/BAD_CHECK_DIGIT"]) {
			const { page, close } = await visit(browser, path, { colorScheme });
			await page.evaluate(axe);
			const { violations } = await page.evaluate<AxeResults>(
				'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })',
			);
			expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
			await close();
		}
	});
});
