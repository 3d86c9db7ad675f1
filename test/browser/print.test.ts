import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { type PixelImage, readQrSymbols } from "../support/read-qr.ts";
import { expectNoSidewaysScroll, openPage, PICTURES, picture, spoken, visit } from "./chromium.ts";
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

const printed: Place[] = ["lagos", "cairo", "giza", "kano", "tunis", "maputo"];

describe("the print sheet", () => {
	it.each(printed)("for %s is one A4 page whose thirteen QR symbols all lead to the address", async (place) => {
		const { page } = await visit(`/a/${codes[place]}/print`, { locale: /cairo|giza/.test(place) ? "ar" : "en" });
		const { sheets, text } = await print(page, `print-${place}`);
		expect(sheets).toHaveLength(1);
		const [sheet] = sheets as [PixelImage];
		expect(sheet.width / DOTS_PER_MM).toBeCloseTo(210, 0);
		expect(sheet.height / DOTS_PER_MM).toBeCloseTo(297, 0);
		expect(margins(sheet)).toBeGreaterThan(9);
		const url = `${inject("origin")}/a/${codes[place]}`;
		expect(await readQrSymbols(sheet)).toEqual(Array.from({ length: 13 }, () => url));
		// Large on every sticker, and where to type it on those and on the sign, whose plate has the country's letters by themselves.
		expect(text.split(spoken(codes[place]))).toHaveLength(26);
		expect(text.split(`${new URL(inject("origin")).host}/${spoken(codes[place])}`)).toHaveLength(14);
		expect(text).not.toContain("Address Registry");
	});

	it("stands on Letter too, with fewer stickers", async () => {
		const { page } = await visit(`/a/${codes.lagos}/print`);
		await page.getByRole("link", { name: "Use Letter paper" }).click();
		await page.waitForURL("**/print?paper=letter");
		const [sheet, ...more] = (await print(page, "print-letter")).sheets as [PixelImage];
		expect(more).toEqual([]);
		expect([sheet.width, sheet.height].map((dots) => dots / DOTS_PER_INCH)).toEqual([8.5, 11]);
		expect(margins(sheet)).toBeGreaterThan(9);
		expect(await readQrSymbols(sheet)).toHaveLength(9);
	});

	it("keeps marks that pile up on a label off the texts above and below it", async () => {
		const { page } = await visit(`/a/${codes.accra}/print`);
		const others = [".scan", ".lies", ".sticker .number"].map((text) => page.locator(text).first());
		const seen = () => Promise.all(others.map((text) => text.screenshot()));
		const among = await seen();
		await page.evaluate(
			`for (const label of document.querySelectorAll("[class^=named], .typed + p")) label.style.color = "transparent"`,
		);
		expect(await seen()).toEqual(among);
	});

	it.each(["en", "fr", "pt", "ar", "ha", "sw"])("cuts off no letter in %s", async (language) => {
		const { page } = await openPage({ viewport: { width: 1280, height: 900 } });
		for (const place of printed) {
			await page.goto(`/a/${codes[place]}/print?lang=${language}`);
			// The room of a line holds its letters; so where each room lies inside of what is cut, so does each letter.
			const beyond = await page.evaluate<
				string[]
			>(`[...document.querySelectorAll(".sign, .sticker")].flatMap((whole) => {
				const room = whole.getBoundingClientRect();
				return [...whole.querySelectorAll("p, span, svg")].filter((part) => {
					const box = part.getBoundingClientRect();
					const words = part.closest(".words")?.getBoundingClientRect() ?? room;
					return box.left < room.left || box.right > room.right + 0.5 || box.top < words.top || box.bottom > words.bottom + 0.5
						|| part.scrollWidth > part.clientWidth + 1 || parseFloat(getComputedStyle(part).lineHeight) < 1.29 * parseFloat(getComputedStyle(part).fontSize);
				}).map((part) => part.outerHTML.slice(0, 200));
			})`);
			expect(beyond, place).toEqual([]);
			const said = await page.locator(".sign").innerText();
			if (place === "giza" || place === "maputo") expect(said, place).not.toMatch(/^.{150,}…$/m);
		}
	});
});

describe("the sheets of several addresses, printed from the list", () => {
	it.each([
		["signs", "Door signs", [2, 1]],
		["stickers", "Stickers", [12]],
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
			for (const code of own) expect(text).toContain(`${host}/${spoken(code)}`);
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
		expect(text).toContain(spoken(codes[place]));
	});
});
