import { readFileSync } from "node:fs";
import jsQR from "jsqr";
import { describe, expect, it } from "vitest";
import { Bitmap } from "../../src/print/bitmap.ts";
import { canDraw, drawText, unpackCardFont, widthOf } from "../../src/print/card-font.ts";
import { cardPng, qrPng } from "../../src/print/card-png.ts";
import { encodePng } from "../../src/print/png.ts";
import { readPng } from "../support/read-png.ts";
import { type PixelImage, readQrSymbols } from "../support/read-qr.ts";

const URL_OF_QR = "https://addr.example/a/NG042158212";
const font = await unpackCardFont(new Uint8Array(readFileSync("src/print/card-font.bin")));

/** How many dark pixels each row of a picture has. */
function darkRows({ width, height, data }: PixelImage): number[] {
	return Array.from(
		{ length: height },
		(_, y) => Array.from({ length: width }, (_, x) => data[(y * width + x) * 4]).filter((grey) => grey === 0).length,
	);
}

/** How many lines of text a card has below its QR symbol and its code. */
function linesBelowCode(image: PixelImage): number {
	const isInked = darkRows(image).map((dark) => dark > 0);
	const starts = isInked.flatMap((inked, y) => (inked && !isInked[y - 1] && y > 520 ? [y] : []));
	// Marks above a letter may stand apart from it: what starts within half a line is the same line.
	return starts.filter((y, index) => index === 0 || y - (starts[index - 1] ?? 0) > 20).length;
}

describe("a PNG image", () => {
	it.each([1, 7, 8, 9, 31])("keeps every pixel of a picture %d wide, and its printed size", async (width) => {
		const bitmap = new Bitmap(width, 3);
		bitmap.fill(width - 1, 1, 5, 1);
		const image = readPng(await encodePng(bitmap, 8000));
		expect([image.width, image.height, image.pixelsPerMetre]).toEqual([width, 3, 8000]);
		expect(darkRows(image)).toEqual([0, 1, 0]);
		expect(image.data[(width * 2 - 1) * 4]).toBe(0);
	});
});

describe("the QR symbol as PNG", () => {
	it("is read by two decoders and is 40 mm wide", async () => {
		const image = readPng(await qrPng(URL_OF_QR));
		expect(jsQR(image.data, image.width, image.height)?.data).toBe(URL_OF_QR);
		expect(await readQrSymbols(image)).toEqual([URL_OF_QR]);
		expect(image.width / image.pixelsPerMetre).toBeCloseTo(0.04, 4);
	});
});

describe("the card as PNG", () => {
	it("is A7, holds the QR symbol, and takes a few kilobytes", async () => {
		const png = await cardPng(font, URL_OF_QR, "NG042158212", "Somolu", "Blue gate");
		expect(png.length).toBeLessThan(8 * 1024);
		const image = readPng(png);
		expect([image.width / 8, image.height / 8, image.pixelsPerMetre]).toEqual([74, 105, 8000]);
		expect(await readQrSymbols(image)).toEqual([URL_OF_QR]);
		expect(linesBelowCode(image)).toBe(3);
	});

	it.each([
		["a name and a label in Arabic are left out", "القاهرة", "بيت الشيخ أحمد", 1],
		["a label in Arabic is left out", "Cairo", "بيت الشيخ أحمد", 2],
		["a long label ends in an ellipsis", "Somolu", "behind the mosque ".repeat(11), 5],
		["a long host has lines of its own", "Somolu", "Blue gate", 5, "https://address-registry.example.workers.dev"],
	])("%s", async (_, zoneName, label, lines, origin = "https://addr.example") => {
		const image = readPng(await cardPng(font, `${origin}/a/NG042158212`, "NG042158212", zoneName, label));
		expect(linesBelowCode(image)).toBe(lines);
		expect(
			darkRows(image)
				.slice(800)
				.every((dark) => dark === 0),
		).toBe(true);
	});
});

describe("the letters of the card", () => {
	it.each([
		"Blue gate, No. 5 (left) 50% off @ 12:30!",
		"Ọ̀ṣun, Ẹ̀bá, Ṣàngó",
		"Ɓoye ɗan ƙofa ƴar",
		"Près du marché à Côte d’Ivoire",
		"São João, ação",
		"Ŋkɔ ɛve ɖo",
		"Đường Ứng",
	])("draw %s", (text) => {
		expect(canDraw(font, text)).toBe(true);
		expect(widthOf(font, text)).toBe(widthOf(font, text.normalize("NFD")));
	});

	it.each(["بيت", "ቤት", "घर", "😀", "Дом"])("do not draw %s", (text) => {
		expect(canDraw(font, text)).toBe(false);
	});

	it("put a mark over a capital above it, and never beside", () => {
		const [plain, marked] = ["E", "É"].map((text) => {
			const bitmap = new Bitmap(64, 64);
			drawText(bitmap, font, text, { left: 8, baseline: 48 });
			return bitmap.bytes.map((byte) => ~byte);
		});
		expect(widthOf(font, "É")).toBe(widthOf(font, "E"));
		expect(plain?.every((byte, index) => (byte & (marked?.[index] ?? 0)) === byte)).toBe(true);
		expect(marked).not.toEqual(plain);
	});
});
