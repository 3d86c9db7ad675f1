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

it("asks which countries are right where a minus is lost, and creates nothing in another", async () => {
	const { page } = await visit("/my/sign-up");
	await signUp(page);
	await page.goto("/my/file");
	const many = Array.from({ length: 100 }, (_, index) => `bad${index},north,3.3`);
	const lines = ["external_id,lat,lng", ...many, "a,6.5244,3.3792", "b,6.5254,3.3792", "c,6.5,-3.3"];
	await choose(page, lines);
	await create(page).waitFor();
	const boxes = page.locator("#points-file fieldset label");
	expect((await boxes.allInnerTexts()).map((text) => text.replace(/[\u2066-\u2069]/g, ""))).toEqual([
		"2 in Nigeria",
		"1 in Côte d’Ivoire",
	]);
	expect(await create(page).isDisabled()).toBe(true);
	expect(await violations(page)).toEqual([]);
	await expectNoSidewaysScroll(page);
	const [place, button] = [await boxes.first().boundingBox(), await create(page).boundingBox()];
	expect(button!.y - place!.y, "beside the button, above all lines at fault").toBeLessThan(300);
	// A hundred lines of one kind are one line.
	expect(await shown(page)).toMatch(/Cannot be created, by kind\s+100 like this one: Line 2 has no lat/);
	await boxes.first().locator("input").check();
	expect(await create(page).textContent()).toBe("Create the addresses (2)");
	await create(page).click();
	await expect.poll(() => shown(page)).toMatch(/Created: 2/);
	expect(await shown(page)).toMatch(/To be created: 1/);
	expect((await page.locator("#points-file p").allInnerTexts()).join()).toMatch(/1 in .?Côte d’Ivoire/);
});

it("takes the columns that the visitor names, text in Windows-1252, and names a workbook", async () => {
	const { page } = await visit("/my/sign-up");
	await signUp(page);
	await page.goto("/my/file");
	const says = () => page.locator("#points-file [role=status]").textContent();
	const set = (name: string, buffer: Buffer) => page.setInputFiles("#file", { name, mimeType: "text/csv", buffer });
	await set("meters.xlsx", Buffer.from("PK\u0003\u0004[Content_Types].xml", "latin1"));
	await expect.poll(says).toMatch(/workbook \(xlsx\).*CSV in UTF-8/);
	await set("meters.csv", Buffer.from("Compteur;Nord;Est;Rue\nm1;6,5244;3,3792;Café bleu\n", "latin1"));
	await expect.poll(says).toMatch(/the column external_id is missing/);
	expect(await violations(page)).toEqual([]);
	for (const [column, name] of [
		["external_id", "Compteur"],
		["lat", "Nord"],
		["lng", "Est"],
		["label", "Rue"],
	] as const)
		await page.selectOption(`#column-${column}`, name);
	await create(page).waitFor();
	expect(await says()).not.toContain("missing");
	const told = (await shown(page)).replace(/[\u2066-\u2069]/g, "");
	expect(told).toContain("Compteur → external_id, Nord → lat, Est → lng, Rue → label");
	expect(told).toMatch(/read in Windows-1252.*: Café/);
	await expectNoSidewaysScroll(page);
	await create(page).click();
	await expect.poll(() => shown(page)).toMatch(/Created: 1/);
	await page.goto("/my");
	expect(await page.locator("main").textContent()).toContain("Café bleu");
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
