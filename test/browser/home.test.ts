import { describe, expect, inject, it } from "vitest";
import { expectNoSidewaysScroll, picture, spoken, visit } from "./chromium.ts";

const { cairo, lagos } = inject("codes");
/** The same code with a digit mistyped: one more in the last place, which no check digit forgives. */
const mistyped = lagos.slice(0, 10) + ((Number(lagos[10]) + 1) % 10);

describe("the home page", () => {
	it("judges a code while it is typed, and resolves it", async () => {
		const { page } = await visit("/");
		const box = page.getByLabel("Address code");
		const says = page.locator("#state");
		await box.pressSequentially(spoken(mistyped).slice(0, -1));
		expect(await says.textContent()).toBe("");
		await box.press(mistyped.slice(-1));
		expect(await says.textContent()).toContain("at least one character is wrong");
		await picture(page, "home-mistyped");
		await box.press("Backspace");
		await box.press(lagos.slice(-1));
		expect(await says.textContent()).toBe("The code is complete.");
		await box.press("Enter");
		await page.waitForURL(`**/a/${lagos}`);
		expect(await page.locator("h1 .unseen").textContent()).toBe(spoken(lagos));
	});

	it("groups a code as one types it, ticks it off, and leaves alone what is mended in the middle", async () => {
		const { page } = await visit("/");
		const box = page.getByLabel("Address code");
		const seen: string[] = [];
		for (const character of lagos.toLowerCase()) {
			await box.press(character);
			seen.push(await box.inputValue());
		}
		const [country, zone, rest] = spoken(lagos).split("-");
		expect(seen).toEqual([
			...["N", country],
			...Array.from(zone!, (_, index) => `${country}-${zone!.slice(0, index + 1)}`),
			...Array.from(rest!, (_, index) => `${country}-${zone}-${rest!.slice(0, index + 1)}`),
		]);
		expect(await page.evaluate("getComputedStyle(document.querySelector('#state'), '::before').content")).toContain(
			"✓",
		);
		await picture(page, "home-complete");
		expect(await box.evaluate((input) => input.scrollWidth <= input.clientWidth), "all of the code is seen").toBe(true);
		await page.evaluate("document.querySelector('#code').setSelectionRange(4, 4)");
		await box.press("9");
		expect(await box.inputValue()).toBe(`${spoken(lagos).slice(0, 4)}9${spoken(lagos).slice(4)}`);
		for (const nothing of ["", "  "]) {
			await box.fill(nothing);
			await page.getByRole("button", { name: "Find" }).click();
			expect(await page.locator("#state").textContent()).toBe("A code is two letters followed by nine digits.");
		}
		expect(await box.evaluate((input) => input.matches(":focus"))).toBe(true);
	});

	it("takes the code out of a pasted sentence, and says that no letter belongs among the digits", async () => {
		const { page } = await visit("/");
		const box = page.getByLabel("Address code");
		const says = page.locator("#state");
		await box.focus();
		const pasted = JSON.stringify(`My address is ${spoken(lagos)}, behind the mosque`);
		await page.evaluate(`{const box = document.querySelector("#code"); box.value = ${pasted};
			box.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste" }))}`);
		expect(await box.inputValue()).toBe(spoken(lagos));
		expect(await says.textContent()).toBe("The code is complete.");
		expect(await box.getAttribute("aria-invalid")).toBe("false");
		await page.evaluate(`{const box = document.querySelector("#code"); box.value = ${JSON.stringify(`${inject("origin")}/a/${lagos}?unit=3b`)};
			box.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste" }))}`);
		expect(await box.inputValue()).toBe(`${spoken(lagos)} / 3B`);
		const opening = `${inject("origin")}/a/${lagos}?share=t1.0.5f`;
		await page.evaluate(`{const box = document.querySelector("#code"); box.value = ${JSON.stringify(opening)};
			box.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste" }))}`);
		expect(await box.inputValue()).toBe(opening);
		expect(await says.textContent()).toBe("The code is complete.");
		await box.fill(`${inject("origin")}/a/${lagos} ${inject("origin")}/a/${cairo}`);
		expect(await says.textContent()).toBe("");
		await box.press("Enter");
		await page.waitForURL("**/a/**");
		expect(await page.locator("ul.buttons a").count()).toBe(2);
		await box.fill(`${lagos.slice(0, 2)}O`);
		await box.pressSequentially(lagos.slice(3));
		expect(await says.textContent()).toContain("come only digits");
		expect(await box.getAttribute("aria-invalid")).toBe("true");
	});

	it.each(["en", "ar"])("fits a phone in %s", async (language) => {
		const { page, requests } = await visit(`/?lang=${language}`);
		await expectNoSidewaysScroll(page);
		expect(requests).toHaveLength(1);
		await picture(page, `home-${language}`);
	});
});

it.each([
	[240, 100],
	[360, 150],
	[360, 200],
])("the header wraps below a long name on %d pixels at %d %% of the text's size", async (width, percent) => {
	for (const lang of ["en", "ar", "fr"]) {
		const { page } = await visit(`/?lang=${lang}`, { viewport: { width, height: 740 } });
		await page.evaluate(`document.querySelector(".home span").textContent = "Lagos State Address Registry";
			document.documentElement.style.fontSize = "${percent}%"`);
		const { height } = (await page.locator("header.site").boundingBox())!;
		expect(height / 740, `${lang}: ${height} pixels`).toBeLessThanOrEqual(0.25);
		await expectNoSidewaysScroll(page);
		for (const link of await page.locator("header.site a").all()) {
			expect((await link.boundingBox())!.height).toBeGreaterThanOrEqual(43.5);
		}
	}
});

it.each(["en", "ar", "fr"])(
	"the name in the header keeps its place while the rest of the header arrives in %s",
	async (lang) => {
		const { page } = await visit(`/?lang=${lang}`);
		const place = () => page.locator(".home span").boundingBox();
		const whole = await place();
		await page.evaluate("document.querySelector('header nav').remove()");
		expect(await place()).toEqual(whole);
	},
);

it("nothing reaches beyond the sides of 240 pixels", async () => {
	for (const lang of ["en", "ar"]) {
		const { page } = await visit(`/?lang=${lang}`, { viewport: { width: 240, height: 640 } });
		const paths = [
			"/",
			`/a/${lagos}`,
			`/a/${cairo}?unit=3B`,
			`/a/${lagos}/print`,
			"/list",
			"/help",
			"/my/sign-up",
			"/my/new",
		];
		for (const path of paths) {
			await page.goto(`${path}${path.includes("?") ? "&" : "?"}lang=${lang}`);
			await expectNoSidewaysScroll(page);
		}
	}
});
