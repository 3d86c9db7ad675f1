import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { expectNoSidewaysScroll, picture, violations, visit } from "./chromium.ts";
import { signUp } from "./holder.ts";

const ITEMS = 230;
/** As a spreadsheet in French writes it: two lines at fault, one at sea, and two meters 2 m apart. */
const LINES = [
	"external_id;lat;lng;label",
	...Array.from({ length: ITEMS }, (_, index) =>
		`m${index};${(6.3 + index / 1000).toFixed(3)};3,3;Portail ${index}`.replace(".", ","),
	),
	"twin;6,30002;3,3;",
	"sea;-45;-20;",
	";6,5;3,3;",
	"m1;6,5;3,3;",
];
const file = (lines = LINES) => ({
	name: "meters.csv",
	mimeType: "text/csv",
	buffer: Buffer.from(`\ufeff${lines.join("\r\n")}\r\n`),
});

const choose = (page: Page, lines?: string[]) => page.setInputFiles("#file", file(lines));
const create = (page: Page) => page.locator("#points-file button");
const links = { codes: "#points-file a >> nth=0", faults: "#points-file a >> nth=1" };
const shown = async (page: Page) => (await page.locator("#report").allInnerTexts()).join("\n");

async function download(page: Page, name: keyof typeof links): Promise<string[]> {
	const [download] = await Promise.all([page.waitForEvent("download"), page.locator(links[name]).click()]);
	expect(download.suggestedFilename()).toBe(`meters.csv.${name}.csv`);
	return readFileSync(await download.path(), "utf8")
		.trimEnd()
		.split("\n");
}

it("creates the addresses of a CSV file, stopped in the middle and begun anew, each once", {
	timeout: 120_000,
}, async () => {
	const { page } = await visit("/my/sign-up");
	await signUp(page);
	await page.getByRole("link", { name: "Addresses from a file" }).click();
	await choose(page);
	await create(page).waitFor();
	expect(await create(page).textContent()).toBe(`Create the addresses (${ITEMS + 1})`);
	const plan = await shown(page);
	expect(plan).toContain("Columns that are read: external_id, lat, lng, label");
	for (const told of [
		`To be created: ${ITEMS + 1}`,
		"Cannot be created: 3",
		"Line 234 has no external_id.",
		/Nigeria.: 231/,
		/Line 233 \(.sea.\): There is no country/,
	])
		expect(plan).toMatch(told);
	expect(plan).toMatch(/twin.+m0.: 2 m/);
	expect(plan, "of a zone where this account has no address").not.toContain("Codes left");
	expect(await violations(page)).toEqual([]);
	await expectNoSidewaysScroll(page);
	await picture(page, "points-file");

	// The second batch is created, and its answer is lost; so is the rest.
	let asked = 0;
	await page.route("**/my/file", async (route) => {
		asked += 1;
		if (asked === 2) await route.fetch();
		return asked === 1 ? route.continue() : route.abort();
	});
	await create(page).click();
	await expect.poll(() => page.locator("#points-file [role=status]").textContent()).toMatch(/Choose the file again/);
	expect((await download(page, "codes")).filter((line) => /;created(;|$)/.test(line))).toHaveLength(100);
	await page.unroute("**/my/file");

	await page.reload();
	await choose(page);
	await create(page).waitFor();
	expect(await create(page).textContent()).toBe(`Create the addresses (${ITEMS + 1 - 200})`);
	await create(page).click();
	await expect.poll(() => shown(page)).toMatch(/Created: 31/);
	const written = await download(page, "codes");
	expect(written[0]).toBe("\ufeffline;external_id;code;status;locality;region");
	const made = written.flatMap((line) => /^\d+;\w+;([A-Z]{2}-\d{4}-\d{5});(created|existing);/.exec(line)?.[1] ?? []);
	expect(new Set(made).size).toBe(ITEMS + 1);
	expect(written).toHaveLength(ITEMS + 2);
	// As they were sent, so that they can be mended and sent again.
	const faults = await download(page, "faults");
	expect(faults[0]).toBe("\ufeffexternal_id;lat;lng;label;fault");
	expect(faults.slice(1).map((line) => line.split(";").slice(0, 3).join(";"))).toEqual([
		"sea;-45;-20",
		";6,5;3,3",
		"m1;6,5;3,3",
	]);

	await choose(page, [...LINES.slice(0, 3), "m2;6,302;3,3;Portail bleu"]);
	await expect
		.poll(() => shown(page))
		.toMatch(/Already yours, with other values, which stay unchanged\s+.?m2.?: label$/);
});

it("speaks the visitor's language, and refuses a file by line", async () => {
	const { page } = await visit("/my/sign-up");
	await signUp(page);
	await page.goto("/my/file?lang=ar");
	await choose(page, ["external_id,lat,colour", "a,1,red"]);
	await expect.poll(() => page.locator("#points-file [role=status]").textContent()).toContain("العمود");
	expect(await violations(page)).toEqual([]);
	const many = Array.from({ length: 2001 }, (_, index) => `m${index},${6.3 + index / 10_000},3.3,`);
	await choose(page, ["external_id,lat,lng,label", ...many, `long,6.5,3.3,${"x".repeat(201)}`]);
	await create(page).waitFor({ timeout: 60_000 });
	expect(await page.locator("#points-file [role=status]").textContent()).toMatch(/2000 .*\(UTC\)/);
	expect(await shown(page)).toContain("السطر 2003: يجب أن يكون label");
	expect(await page.locator("main").getByRole("link", { name: "API" }).count()).toBe(0);
	const refused = ["far,6.5,3.3,,7;3", "named,6.5,3.3,Atlantis,", "sea,-45,-20,,"];
	await choose(page, ["external_id,lat,lng,locality,entrance", ...refused, "good,6.5,3.3,,"]);
	await create(page).waitFor();
	const told = await shown(page);
	expect(told).toMatch(/السطر 2 \(.?far.?\): يجب ألا يبعد المدخل/);
	expect(told).toMatch(/السطر 3 \(.?named.?\): يجب أن يكون «locality»/);
	expect(told).toMatch(/السطر 4 \(.?sea.?\): /);
	expect(told, "nothing in English").not.toMatch(/\b(the|must|Choose|near)\b/);
	await page.context().clearCookies({ name: /session/ });
	await choose(page, ["external_id,lat,lng", "a,6.5,3.3"]);
	await expect.poll(() => page.locator("#points-file [role=status]").textContent()).toContain("بقيت هذه الصفحة مفتوحة");
});

it("says what to use instead where no script runs", async () => {
	const { page } = await visit("/my/sign-up", { javaScriptEnabled: false });
	await page.selectOption("#country", "NG");
	await signUp(page);
	await page.goto("/my/file");
	expect(await page.locator("#points-file").isVisible()).toBe(false);
	await page.getByRole("link", { name: /command line or the API/ }).click();
	expect(new URL(page.url()).pathname).toBe("/docs/guides/meters");
});
