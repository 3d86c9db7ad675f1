import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { lastCode } from "../support/one-time-codes.ts";
import { expectNoSidewaysScroll, picture, violations, visit } from "./chromium.ts";
import { newPhone, next, PASSWORD, signUp } from "./holder.ts";

const NEW_PASSWORD = "eight green goats";

/** As E.164. */
const international = (phone: string) => `+234${phone.slice(1)}`;

/** Somebody who has just opened an account; their number, as it is dialled in Nigeria. */
async function newHolder() {
	const { page } = await visit("/my/sign-up", { viewport: { width: 320, height: 640 } });
	return { page, phone: await signUp(page) };
}

/** Nothing reaches beyond the screen, and axe finds nothing. */
async function expectSound(page: Page, name: string): Promise<void> {
	await expectNoSidewaysScroll(page);
	expect(await violations(page)).toEqual([]);
	await picture(page, name);
}

/** routes/console-phone.test.ts goes the same ways without a script. */
describe("in a registry that sends SMS", () => {
	it("a forgotten password is set anew by the code that the phone gets", async () => {
		const { page, phone } = await newHolder();
		await page.context().clearCookies();
		await page.goto("/my/sign-in");
		await page.getByRole("link", { name: "I forgot my password" }).click();
		await page.selectOption("#country", "NG");
		await page.fill("#phone", phone);
		await expectSound(page, "forgot-phone");
		await next(page).click();
		await page.locator("#otp").waitFor();
		await expectSound(page, "forgot-code");
		expect(page.url()).not.toContain(phone.slice(1));
		expect(await page.locator("#otp").getAttribute("autocomplete")).toBe("one-time-code");
		await page.fill("#otp", await lastCode(international(phone)));
		await page.fill("#password", NEW_PASSWORD);
		await next(page).click();
		await page.waitForURL("**/my?did=reset");
		expect(await page.locator(".notice").textContent()).toContain("The password is changed.");
	});

	it("the phone number is changed by the code that the new one gets, and the password", async () => {
		const { page } = await newHolder();
		await page.goto("/my/account");
		await page.getByRole("link", { name: "Change the phone number" }).click();
		const other = newPhone();
		await page.selectOption("#country", "NG");
		await page.fill("#phone", other);
		await next(page).click();
		await page.fill("#otp", await lastCode(international(other)));
		await page.fill("#password", PASSWORD);
		await expectSound(page, "phone-code");
		await next(page).click();
		await page.waitForURL("**/my/account?did=phone");
		expect(await page.locator("main dd").textContent()).toBe(`${international(other)} (verified)`);
	});
});
