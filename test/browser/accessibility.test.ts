import { describe, expect, inject, it } from "vitest";
import { picture, spoken, violations, visit } from "./chromium.ts";

const { lagos, cairo, nairobi } = inject("codes");

describe("WCAG 2.2 AA by axe", () => {
	const paths = [
		"/",
		`/a/${lagos}`,
		`/a/${cairo}?lang=ar`,
		`/a/${nairobi}`,
		`/a/${lagos}/print`,
		`/a/${cairo}/report?lang=ar`,
		"/privacy",
		"/privacy?lang=ar",
		"/about",
		"/help?lang=fr",
		"/a/NG-0421-58213?lang=fr",
	];
	it.each(paths)("finds nothing on %s", async (path) => {
		const { page } = await visit(path);
		expect(await violations(page)).toEqual([]);
	});

	it("would find a fault if there were one", async () => {
		const { page } = await visit("/");
		await page.evaluate("document.querySelector('label').remove()");
		await page.evaluate(
			"document.styleSheets[0].insertRule('@media (prefers-color-scheme: dark) { main * { color: #222 !important; background: #111 !important } }', 0)",
		);
		const found = await violations(page);
		expect(found).toContainEqual(expect.stringMatching(/^label by light/));
		expect(found).toContainEqual(expect.stringMatching(/^color-contrast by dark/));
	});
});

it("by keyboard only finds an address and reaches everything on its page, always seeing where one is", async () => {
	const { page } = await visit("/");
	const focused = () =>
		page.evaluate<{ tag: string; text: string; outline: string }>(
			`(() => { const e = document.activeElement; return { tag: e.tagName, text: e.textContent, outline: getComputedStyle(e).outlineStyle } })()`,
		);
	while ((await focused()).tag !== "INPUT") await page.keyboard.press("Tab");
	await page.keyboard.type(lagos);
	await page.keyboard.press("Tab");
	expect(await focused()).toMatchObject({ tag: "BUTTON", outline: "solid" });
	await page.keyboard.press("Enter");
	await page.waitForURL(`**/a/${lagos}`);
	expect(await page.getByRole("heading", { level: 1, name: spoken(lagos), exact: true }).count()).toBe(1);

	const reached: string[] = [];
	const all = await page.locator("a:visible, button:visible, summary:visible, select:visible").count();
	for (let step = 0; step < all; step += 1) {
		await page.keyboard.press("Tab");
		const { text, outline } = await focused();
		expect(outline, text).toBe("solid");
		reached.push(text);
	}
	expect(reached).toEqual(
		await page.locator("a:visible, button:visible, summary:visible, select:visible").allTextContents(),
	);
	await picture(page, "keyboard-focus");
});

it("nothing moves, so there is nothing to calm for people who asked for reduced motion", async () => {
	const { page } = await visit(`/a/${lagos}`);
	expect(await page.content()).not.toMatch(/animation|transition|@keyframes|<animate/);
});

it.each([320, 360, 1280])(
	"a screen of %d pixels, and text at twice its size, need no scrolling sideways",
	async (width) => {
		const { page } = await visit(`/a/${lagos}`, { viewport: { width, height: 700 } });
		const overflow = () => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
		expect(await overflow()).toBeLessThanOrEqual(0);
		await page.evaluate("document.documentElement.style.fontSize = '200%'");
		expect(await overflow()).toBeLessThanOrEqual(0);
		// Nothing reaches into the padding of its card either.
		const beyond = await page.evaluate<string[]>(`[...document.querySelectorAll("section")].flatMap(card => {
			const right = card.getBoundingClientRect().right - parseFloat(getComputedStyle(card).paddingRight);
			const parts = [...card.querySelectorAll(".code span, .button, button")];
			return parts.filter(part => part.getBoundingClientRect().right > right + 1).map(part => part.textContent);
		})`);
		expect(beyond).toEqual([]);
		const broken = `[...document.querySelectorAll(".icons span")]
			.filter((name) => name.getClientRects().length > name.textContent.split(" ").length).map((name) => name.textContent)`;
		expect(await page.evaluate(broken), "no word of a button is broken").toEqual([]);
	},
);
