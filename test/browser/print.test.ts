import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { languages } from "../../src/languages/languages.ts";
import { type PixelImage, readQrSymbols } from "../support/read-qr.ts";
import { expectNoSidewaysScroll, openPage, PICTURES, picture, spoken, violations, visit } from "./chromium.ts";
import { createAddress, signUp } from "./holder.ts";
import type { Place } from "./serve.ts";

/** What a cheap office printer or a photo of a sign resolves. */
const DOTS_PER_INCH = 150;
const DOTS_PER_MM = DOTS_PER_INCH / 25.4;

const codes = inject("codes");

/** What a page is on paper, as a printer would put it there: pictures of its sheets, and its text. */
async function print(page: Page, name: string, options: Parameters<Page["pdf"]>[0] = { preferCSSPageSize: true }) {
	const stem = path.join(PICTURES, name);
	const pdf = `${stem}.pdf`;
	await page.pdf({ path: pdf, ...options });
	execFileSync("pdftoppm", ["-r", String(DOTS_PER_INCH), pdf, stem]);
	const pages = Number(/Pages:\s+(\d+)/.exec(execFileSync("pdfinfo", [pdf], { encoding: "utf8" }))?.[1]);
	const sheets = Array.from({ length: pages }, (_, page) => {
		const file = `${stem}-${page + 1}.ppm`;
		const image = readPpm(readFileSync(file));
		// Ten megabytes each; the PDF beside it is for people to look at.
		rmSync(file);
		return image;
	});
	return { sheets, text: execFileSync("pdftotext", ["-layout", pdf, "-"], { encoding: "utf8" }) };
}

/** A binary PPM (netpbm P6): a header of four words, then three bytes a pixel. */
function readPpm(file: Buffer): PixelImage {
	const [header = "", width, height] =
		/^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(file.subarray(0, 40).toString("latin1")) ?? [];
	const image = { width: Number(width), height: Number(height) };
	const data = new Uint8ClampedArray(image.width * image.height * 4).fill(255);
	for (let pixel = 0; pixel < image.width * image.height; pixel += 1) {
		for (let colour = 0; colour < 3; colour += 1) {
			data[pixel * 4 + colour] = file[header.length + pixel * 3 + colour] ?? 0;
		}
	}
	return { ...image, data };
}

/** Millimetres from each side of the paper to the first ink. */
function margins({ width, height, data }: PixelImage) {
	const found = { left: width, top: height, right: width, bottom: height };
	for (let y = 0; y < height; y += 1) {
		for (let x = 0; x < width; x += 1) {
			if ((data[(y * width + x) * 4] ?? 255) > 200) continue;
			found.left = Math.min(found.left, x);
			found.top = Math.min(found.top, y);
			found.right = Math.min(found.right, width - 1 - x);
			found.bottom = Math.min(found.bottom, height - 1 - y);
		}
	}
	return Math.min(...Object.values(found)) / DOTS_PER_MM;
}

/** How high the digits of a plate are, in millimetres: the ink of the second line of the topmost plate of a sheet. */
function digitHeight({ width, height, data }: PixelImage): number {
	const isFace = (x: number, y: number) => {
		const [red = 0, green = 0, blue = 0] = data.subarray((y * width + x) * 4);
		return red < 40 && green > 70 && green < 110 && blue > 60 && blue < 100;
	};
	const isPaper = (x: number, y: number) => (data[(y * width + x) * 4] ?? 0) > 128;
	const rowOf = (y: number) => Array.from({ length: width }, (_, x) => x).filter((x) => isFace(x, y));
	const top = Array.from({ length: height }, (_, y) => y).find((y) => rowOf(y).length > width / 3)!;
	// Halfway down its first line a plate is as wide as it is.
	const across = rowOf(top + Math.round(width / 20));
	const [left, right] = [across[0]!, across.at(-1)!];
	const plate = right - left;
	const [from, to] = [left + Math.round(plate * 0.035), right - Math.round(plate * 0.035)];
	const isInked = (y: number) => Array.from({ length: to - from }, (_, x) => from + x).some((x) => isPaper(x, y));
	// From the middle of the digits up and down as far as there is ink.
	const middle = top + Math.round(plate * 0.28);
	let [first, last] = [middle, middle];
	while (isInked(first - 1)) first -= 1;
	while (isInked(last + 1)) last += 1;
	return (last - first + 1) / DOTS_PER_MM;
}

/** A picture at a part of its size, each pixel the mean of those it stands for. */
function shrunk({ width, height, data }: PixelImage, factor: number): PixelImage {
	const small = { width: Math.floor(width * factor), height: Math.floor(height * factor) };
	const pixels = new Uint8ClampedArray(small.width * small.height * 4).fill(255);
	for (let y = 0; y < small.height; y += 1) {
		for (let x = 0; x < small.width; x += 1) {
			const [left, right] = [x / factor, (x + 1) / factor];
			const [top, bottom] = [y / factor, (y + 1) / factor];
			let [sum, area] = [0, 0];
			for (let v = Math.floor(top); v < bottom && v < height; v += 1) {
				for (let u = Math.floor(left); u < right && u < width; u += 1) {
					const part = (Math.min(u + 1, right) - Math.max(u, left)) * (Math.min(v + 1, bottom) - Math.max(v, top));
					sum += part * data[(v * width + u) * 4]!;
					area += part;
				}
			}
			pixels.fill(sum / area, (y * small.width + x) * 4, (y * small.width + x) * 4 + 3);
		}
	}
	return { ...small, data: pixels };
}

const printed: Place[] = ["lagos", "cairo", "giza", "kano", "tunis", "maputo"];

describe("the print sheet", () => {
	it.each(printed)("for %s is one A4 page whose seven QR symbols all lead to the address, on A5 too", async (place) => {
		const { page } = await visit(`/a/${codes[place]}/print`, { locale: /cairo|giza/.test(place) ? "ar" : "en" });
		const { sheets, text } = await print(page, `print-${place}`);
		expect(sheets).toHaveLength(1);
		const [sheet] = sheets as [PixelImage];
		expect(sheet.width / DOTS_PER_MM).toBeCloseTo(210, 0);
		expect(sheet.height / DOTS_PER_MM).toBeCloseTo(297, 0);
		expect(margins(sheet)).toBeGreaterThan(9);
		const urls = Array.from({ length: 7 }, () => `${inject("origin")}/a/${codes[place]}`);
		expect(await readQrSymbols(sheet)).toEqual(urls);
		expect(await readQrSymbols(shrunk(sheet, Math.SQRT1_2))).toEqual(urls);
		const [country, zone, unit] = spoken(codes[place]).split("-") as [string, string, string];
		expect(text.split(`${country} ${zone}`)).toHaveLength(8);
		expect(text.split(unit)).toHaveLength(8);
		expect(text).toContain(new URL(inject("origin")).host);
	});

	it.each([
		["a4", 210, 297, 40, 7],
		["a4-whole", 297, 210, 62, 1],
		["a5", 210, 148, 40, 1],
		["letter", 215.9, 279.4, 40, 7],
		["letter-whole", 279.4, 215.9, 62, 1],
	])(
		"on %s, %d x %d mm, has digits of at least %d mm and %d QR symbols",
		async (paper, width, height, digits, symbols) => {
			const { page } = await visit(`/a/${codes.lagos}/print?paper=${paper}`);
			const [sheet, ...more] = (await print(page, `print-${paper}`)).sheets as [PixelImage];
			expect(more).toEqual([]);
			expect(sheet.width / DOTS_PER_MM).toBeCloseTo(width, 0);
			expect(sheet.height / DOTS_PER_MM).toBeCloseTo(height, 0);
			// A quarter of an inch is what printers need.
			expect(margins(sheet)).toBeGreaterThan(6.35);
			const measured = digitHeight(sheet);
			console.info(`Digits on ${paper}: ${measured.toFixed(1)} mm`);
			expect(measured).toBeGreaterThanOrEqual(digits);
			const read = await readQrSymbols(sheet);
			expect(read).toHaveLength(symbols);
			expect(await readQrSymbols(shrunk(sheet, Math.SQRT1_2)), "at half its area").toEqual(read);
		},
	);

	it("offers the other papers, and a map only where it is asked for", async () => {
		const { page } = await visit(`/a/${codes.lagos}/print`);
		expect(await page.locator(".sign .streets").count()).toBe(0);
		await page.locator("main summary").click();
		await page.getByRole("link", { name: "With a map" }).click();
		expect(await page.locator(".sign .streets").count()).toBe(1);
		await page.locator("main summary").click();
		await page.getByRole("link", { name: "A4, whole page" }).click();
		await page.waitForURL("**/print?map=1&paper=a4-whole");
		expect(await page.locator(".sign .streets").count()).toBe(1);
	});

	it("says without a script how to print", async () => {
		const { page } = await visit(`/a/${codes.lagos}/print`, { javaScriptEnabled: false });
		expect(await page.getByText("To print, open the menu of your browser").isVisible()).toBe(true);
		expect(await page.locator("main button:visible").count()).toBe(0);
	});

	it.each([
		["3b", "3B"],
		["Shop 12, upper block", "Shop 12, upper block"],
		["شقة ٣ب", "شقة ٣ب"],
	])("is of the flat %s where that is asked for, and its QR symbol leads to the flat", async (asked, unit) => {
		const { page } = await visit(`/a/${codes.lagos}/print?${new URLSearchParams({ unit: asked })}`);
		const { sheets, text } = await print(page, "print-unit");
		const found = await readQrSymbols(sheets[0] as PixelImage);
		expect(found.map((url) => new URL(url).searchParams.get("unit"))).toEqual(Array.from({ length: 7 }, () => unit));
		expect(new Set(found.map((url) => new URL(url).pathname))).toEqual(new Set([`/a/${codes.lagos}`]));
		if (unit === "3B") expect(text.split("/ 3B")).toHaveLength(8);
	});

	it("keeps marks that pile up on a label off the texts above and below it", async () => {
		const { page } = await visit(`/a/${codes.accra}/print`);
		const others = [".crest", ".sign .plate", ".sticker .plate"].map((text) => page.locator(text).first());
		const seen = () => Promise.all(others.map((text) => text.screenshot()));
		const among = await seen();
		await page.evaluate(
			`for (const label of document.querySelectorAll("[class^=named], .sticker p")) label.style.color = "transparent"`,
		);
		expect(await seen()).toEqual(among);
	});

	it.each(Object.keys(languages))("cuts off no letter in %s", async (language) => {
		const { page } = await openPage({ viewport: { width: 1280, height: 900 } });
		for (const place of printed) {
			const unit = place === "giza" ? "&unit=Ground+floor+left&paper=a5" : "";
			await page.goto(`/a/${codes[place]}/print?lang=${language}${unit}`);
			// The room of a line holds its letters; so where each room lies inside of what is cut, so does each letter.
			const beyond = await page.evaluate<
				string[]
			>(`[...document.querySelectorAll(".sign, .sticker")].flatMap((whole) => {
				const room = whole.getBoundingClientRect();
				const clear = parseFloat(getComputedStyle(whole).paddingLeft) - 0.5;
				return [...whole.querySelectorAll("p, span, svg")].filter((part) => {
					const box = part.getBoundingClientRect();
					const words = part.closest(".words")?.getBoundingClientRect() ?? room;
					return box.left < room.left + clear || box.right > room.right - clear || box.top < words.top || box.bottom > words.bottom + 0.5 || box.bottom > room.bottom - clear
						|| part.closest("svg") === null && part.scrollWidth > part.clientWidth + 1 || parseFloat(getComputedStyle(part).lineHeight) < 1.29 * parseFloat(getComputedStyle(part).fontSize);
				}).map((part) => part.outerHTML.slice(0, 200));
			})`);
			expect(beyond, place).toEqual([]);
			const [said] = await page.locator(".sign").allInnerTexts();
			if (place === "giza" || place === "maputo") expect(said, place).not.toMatch(/^.{150,}…$/m);
		}
	});
});

describe("the sheets of several addresses, printed from the list", () => {
	it.each([
		["signs", "Door signs", [2, 1]],
		["stickers", "Stickers", [9]],
		["cards", "Cards", [3]],
	] as const)(
		"%s stand whole on their pages, and every QR symbol leads to its address",
		async (kind, button, symbols) => {
			const { page } = await visit("/my/sign-up");
			await signUp(page);
			const own: string[] = [];
			for (const place of ["6.51, 3.37", "6.52, 3.37", "6.53, 3.37"]) own.push(await createAddress(page, place));
			await page.goto("/my");
			await page.getByRole("button", { name: button }).click();
			await page.waitForURL("**/my/print**");
			await expectNoSidewaysScroll(page);
			await picture(page, `print-${kind}-on-a-phone`);
			const { sheets, text } = await print(page, `print-${kind}`);
			const found = await Promise.all(sheets.map(readQrSymbols));
			expect(found.map(({ length }) => length)).toEqual(symbols);
			const urls = own.map((code) => `${inject("origin")}/a/${code}`);
			expect([...new Set(found.flat())].sort()).toEqual(urls.sort());
			const host = new URL(inject("origin")).host;
			for (const code of own) expect(text).toContain(code.slice(6));
			if (kind === "cards") for (const code of own) expect(text).toContain(`${host}/${spoken(code)}`);
		},
	);
});

it("the sheet shows whole on a phone", async () => {
	const { page } = await visit(`/a/${codes.lagos}/print`);
	const box = await page.locator(".sheet").boundingBox();
	expect(box?.x).toBeGreaterThanOrEqual(0);
	expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
	await expectNoSidewaysScroll(page);
	await picture(page, "print-on-a-phone");
});

it.each(printed)("the page of an address itself prints as one clean page for %s", async (place) => {
	const { page } = await visit(`/a/${codes[place]}`, { locale: /cairo|giza/.test(place) ? "ar" : "en" });
	const { sheets, text } = await print(page, `page-${place}`, { format: "A4" });
	expect(sheets).toHaveLength(1);
	expect(await readQrSymbols(sheets[0] as PixelImage)).toEqual([`${inject("origin")}/a/${codes[place]}`]);
	expect(text).toContain(`${new URL(inject("origin")).host}/${spoken(codes[place])}`);
	for (const word of ["Google Maps", "Copy", "Address Registry", "Kiswahili"]) expect(text).not.toContain(word);
});

describe("the door card", () => {
	it.each(printed)("for %s is A7, readable, and keeps 5 mm from every edge", async (place) => {
		const { page } = await visit(`/v1/addresses/${codes[place]}/label.svg`);
		const svg = await page.request.get(`/v1/addresses/${codes[place]}/label.svg`);
		expect(await svg.text()).toMatch(/^<svg [^>]*width="74mm" height="105mm"/);
		// On a page of its own size, as a browser prints it.
		await page.goto("about:blank");
		await page.setContent(
			`<style>@page{size:74mm 105mm;margin:0}body{margin:0}svg{display:block}</style>${await svg.text()}`,
		);
		const { sheets, text } = await print(page, `label-${place}`);
		const [card] = sheets as [PixelImage];
		expect(margins(card)).toBeGreaterThanOrEqual(4.9);
		expect(await readQrSymbols(card)).toEqual([`${inject("origin")}/a/${codes[place]}`]);
		expect(text).toContain(`${codes[place].slice(0, 2)} ${codes[place].slice(2, 6)}`);
	});
});

it("a sign for each flat of an address is printed from the page of its flats", async () => {
	const { page } = await visit("/my/sign-up");
	await signUp(page);
	const code = await createAddress(page);
	for (const unit of ["3B", "4"]) {
		await page.goto(`/my/${code}/units`);
		await page.fill("#unit", unit);
		await page.locator("form button.first").click();
		await page.waitForURL("**/units");
	}
	await page.getByRole("link", { name: "Print a sign for each" }).click();
	await page.waitForURL("**/my/print**");
	const { sheets } = await print(page, "print-flats");
	const found = (await Promise.all(sheets.map(readQrSymbols))).flat();
	expect(found.sort()).toEqual([`${inject("origin")}/a/${code}?unit=3B`, `${inject("origin")}/a/${code}?unit=4`]);
});

it.each(["en", "fr", "ar", "ha"])(
	"the recovery code of a new holder is one tap from their address, and prints below its sign, in %s",
	async (locale) => {
		const { page, context } = await openPage({ locale });
		await context.grantPermissions(["clipboard-read", "clipboard-write"]);
		const canonical = await createAddress(page);
		await page.locator("form[action^='/my/account/recovery'] button").click();
		await page.waitForURL("**/my/account/recovery**");
		const code = (await page.locator(".secret").textContent())?.trim() ?? "";
		expect(code).toMatch(/^([\dA-Z]{4}-){5}[\dA-Z]{4}$/);
		await page.locator("[data-does=copy]").click();
		expect(await page.evaluate("navigator.clipboard.readText()")).toBe(code);
		expect(await page.locator("[data-does=print]").isVisible()).toBe(true);
		await expectNoSidewaysScroll(page);
		expect(await violations(page)).toEqual([]);
		await picture(page, `recovery-code-${locale}`);
		const { sheets, text } = await print(page, `recovery-code-${locale}`);
		expect(await Promise.all(sheets.map(readQrSymbols))).toEqual([[`${inject("origin")}/a/${canonical}`]]);
		expect(text.split(code).length, "once").toBe(2);
		await page.locator(".how .button.first").click();
		await page.waitForURL(`**/my/${canonical}?new=**`);
		expect(await page.locator("form[action^='/my/account/recovery']").count()).toBe(0);
	},
);
