import { expect, inject, it } from "vitest";
import { expectNoSidewaysScroll, openPage, picture, spoken, violations } from "./chromium.ts";

it("a courier's list is ordered from where the device is, and kept in the fragment alone", async () => {
	const { page } = await openPage({ geolocation: { latitude: 6.5, longitude: 3.4 }, permissions: ["geolocation"] });
	const asked: string[] = [];
	page.on("request", (request) => asked.push(request.url()));
	const { lagos, kano, cairo } = inject("codes");
	await page.goto("/list");
	await page.fill("#codes", [cairo, "hello", `${lagos} / 3B`, kano].join("\n"));
	await page.getByRole("button", { name: "Find" }).last().click();
	await page.locator("#stops").waitFor();
	expect(await violations(page)).toEqual([]);
	await expectNoSidewaysScroll(page);
	await picture(page, "list");
	await page.getByRole("button", { name: "Sort for a short route" }).click();
	const ordered = [`${lagos}%20%2F%203B`, kano, cairo];
	await expect.poll(() => new URL(page.url()).hash).toBe(`#${ordered.join(",")}`);
	expect(await page.locator("[data-distance]").first().textContent()).toMatch(/^3\.\d km from the previous one$/);
	await page.goto("about:blank");
	await page.goto(`/list#${ordered.join(",")}`);
	await page.locator("#stops").waitFor();
	expect(await page.locator("#stops .code").allInnerTexts()).toEqual([
		`${spoken(lagos)} / 3B`,
		...[kano, cairo].map(spoken),
	]);
	expect(await page.getByText("3 of 3 found").count()).toBe(1);
	// Done stops leave the way, and both that and the map application are kept.
	const way = () => page.locator("#way a").getAttribute("href");
	expect(await way()).toMatch(/^https:\/\/www\.google\.com\/.*waypoints=.*%7C/);
	await page.getByLabel("Done").first().check();
	expect(await way()).toMatch(/^https:\/\/www\.google\.com\/.*waypoints=(?!.*%7C)/);
	await page.getByLabel("Map app").selectOption("Apple Maps");
	expect(await way()).toMatch(/^https:\/\/maps\.apple\.com\/directions\?destination=[^&]*&waypoint=[^&]*$/);
	await page.reload();
	await page.locator("#stops").waitFor();
	expect(await page.getByLabel("Done").first().isChecked()).toBe(true);
	expect(await way()).toMatch(/^https:\/\/maps\.apple\.com\//);
	await page.getByLabel("Done").first().uncheck();
	expect(await violations(page)).toEqual([]);
	await picture(page, "list-round");
	expect(asked.filter((url) => url.split("#")[0]!.includes(lagos))).toEqual([]);
});
