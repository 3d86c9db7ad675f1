import { randomInt } from "node:crypto";
import type { Locator, Page } from "playwright-core";

/** A phone number, as it is dialled in Nigeria, that no other test has: all files of tests share one registry. */
export function newPhone(): string {
	return `0805${String(randomInt(10_000_000)).padStart(7, "0")}`;
}

export const PASSWORD = "seven blue goats";

/** The button that a form of the console is sent with. */
export const next = (page: Page): Locator => page.locator("main form button.first:visible").last();

/** Fills in the phone number and password of somebody new; the number, as it is dialled in Nigeria. */
export async function fillCredentials(page: Page): Promise<string> {
	const phone = newPhone();
	await page.selectOption("#country", "NG");
	await page.fill("#phone", phone);
	await page.fill("#password", PASSWORD);
	return phone;
}

/** Opens an account; its number. */
export async function signUp(page: Page): Promise<string> {
	await page.goto("/my/sign-up");
	const phone = await fillCredentials(page);
	await next(page).click();
	await page.waitForURL((url) => url.pathname === "/my");
	return phone;
}

/** Takes the first step of creating an address, by a pasted place. */
export async function pastePlace(page: Page, place = "6.5244, 3.3792"): Promise<void> {
	await page.goto("/my/new");
	await page.fill("#place", place);
	await page.locator("form:has(#place) button[type=submit]").click();
	await page.waitForURL("**/spot**");
}

/** Creates an address at a pasted place, and opens an account where nobody is signed in; its code. */
export async function createAddress(page: Page, place?: string): Promise<string> {
	await pastePlace(page, place);
	await page.fill("#label", "Blue gate");
	await page.locator("button.first[value=right]").click();
	await page.waitForURL("**/check**");
	if (await page.locator("#phone").count()) await fillCredentials(page);
	await next(page).click();
	await page.waitForURL(/\/my\/[A-Z]{2}\d{9}/);
	return /[A-Z]{2}\d{9}/.exec(page.url())?.[0] ?? "";
}
