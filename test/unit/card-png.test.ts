import { readFileSync } from "node:fs";
import jsQR from "jsqr";
import { describe, expect, it } from "vitest";
import { canDraw, drawText, unpackCardFont, widthOf } from "../../src/print/card-font.ts";
import { cardPng, qrPng, sharedPng } from "../../src/print/card-png.ts";
import { Picture } from "../../src/print/picture.ts";
import { encodePng } from "../../src/print/png.ts";
import { readPng } from "../support/read-png.ts";
import { type PixelImage, readQrSymbols } from "../support/read-qr.ts";

const URL_OF_QR = "https://addr.example/a/NG042158212";
const font = await unpackCardFont(new Uint8Array(readFileSync("src/print/card-font.bin")));

/** How many dark pixels each row of a picture has. */
function darkRows({ width, height, data }: PixelImage): number[] {
	return Array.from(
		{ length: height },
		(_, y) => Array.from({ length: width }, (_, x) => data[(y * width + x) * 4]).filter((red) => red! < 128).length,
	);
}

/** How many lines of text a card has below its QR symbol and its plate. */
function linesBelowPlate(image: PixelImage): number {
	const isInked = darkRows(image).map((dark) => dark > 0);
	const starts = isInked.flatMap((inked, y) => (inked && !isInked[y - 1] && y > 549 ? [y] : []));
	// Marks above a letter may stand apart from it: what starts within half a line is the same line.
	return starts.filter((y, index) => index === 0 || y - (starts[index - 1] ?? 0) > 20).length;
}

describe("a picture of a plate", () => {
	it.each([
		["card", (code: string) => cardPng(font, `https://addr.example/a/${code}`, code, "", "")],
		["shared", (code: string) => sharedPng(font, code, "", "")],
	])("on the %s says TEST below the digits for the sandbox alone", async (_, draw) => {
		const [test, live] = [readPng(await draw("ZZ137748215")), readPng(await draw("NG137748215"))];
		const isMarked = (y: number) =>
			Array.from({ length: test.width >> 1 }, (_, x) => (y * test.width + (test.width >> 1) + x) * 4).some(
				(at) => test.data[at] !== live.data[at],
			);
		// Below the QR symbol of the card, on its plate; the other picture is the plate alone.
		const top = test.width > test.height ? 0 : 410;
		const rows = Array.from({ length: test.height * 0.6 }, (_, y) => top + y).filter((y) => y < 540 && isMarked(y));
		expect(rows.length).toBeGreaterThan(10);
		expect((rows.at(-1) ?? 0) - (rows[0] ?? 0)).toBe(rows.length - 1);
	});
});

describe("a PNG image", () => {
	it.each([1, 7, 8, 9, 31])("keeps every pixel of a picture %d wide, and its printed size", async (width) => {
		const picture = new Picture(width, 3);
		picture.fill(width - 1, 1, 5, 1);
		const image = readPng(await encodePng(picture, 8000));
		expect([image.width, image.height, image.pixelsPerMetre]).toEqual([width, 3, 8000]);
		expect(darkRows(image)).toEqual([0, 1, 0]);
		expect(image.data[(width * 2 - 1) * 4]).toBe(0);
	});

	it("has smooth edges: each pixel is as dark as the part of it that a shape covers, also where the shape has a hole", async () => {
		const picture = new Picture(8, 8);
		const square = (from: number, to: number) => [from, from, to, from, to, to, from, to];
		picture.paint([square(1.5, 6.5), [3.25, 3, 3.25, 5, 5, 5, 5, 3]], "black");
		const { data } = readPng(await encodePng(picture, 8000));
		const row = (y: number) =>
			Array.from({ length: 8 }, (_, x) => Math.round((4 * (255 - data[(y * 8 + x) * 4]!)) / 255) / 4);
		expect(row(1)).toEqual([0, 0.25, 0.5, 0.5, 0.5, 0.5, 0.25, 0]);
		expect(row(3)).toEqual([0, 0.5, 1, 0.25, 0, 1, 0.5, 0]);
	});

	it("paints half of a pixel for the half that a slope leaves, and cuts off what reaches beyond", async () => {
		const picture = new Picture(4, 4);
		picture.paint([[-4, -4, 8, 8, -4, 8]], "face");
		const { data } = readPng(await encodePng(picture, 8000));
		const [red, green, blue] = [0x0b, 0x5d, 0x4e];
		expect([...data.subarray(4 * 4, 4 * 4 + 3)]).toEqual([red, green, blue]);
		expect([...data.subarray(3 * 4, 3 * 4 + 3)]).toEqual([255, 255, 255]);
		expect(data[0]).toBeGreaterThan(red + 100);
		expect(data[0]).toBeLessThan(255 - 100);
	});
});

it("the QR symbol as PNG is read by two decoders and is 40 mm wide", async () => {
	const image = readPng(await qrPng(URL_OF_QR));
	expect(jsQR(image.data, image.width, image.height)?.data).toBe(URL_OF_QR);
	expect(await readQrSymbols(image)).toEqual([URL_OF_QR]);
	expect(image.width / image.pixelsPerMetre).toBeCloseTo(0.04, 4);
});

describe("the card as PNG", () => {
	it("is A7, holds the QR symbol, and takes a few kilobytes", async () => {
		const png = await cardPng(font, URL_OF_QR, "NG042158212", "Somolu", "Blue gate");
		expect(png.length).toBeLessThan(20 * 1024);
		const image = readPng(png);
		expect([image.width / 8, image.height / 8, image.pixelsPerMetre]).toEqual([74, 105, 8000]);
		expect(await readQrSymbols(image)).toEqual([URL_OF_QR]);
		expect(linesBelowPlate(image)).toBe(3);
	});

	it.each([
		["a line stands for a name and a label in Arabic", "القاهرة", "بيت الشيخ أحمد", 2],
		["a line stands for a label in Arabic", "Cairo", "بيت الشيخ أحمد", 3],
		["a long name takes the lines that the label leaves", "Būlāq Abū al Ilā 2 km south-east, Cairo", "Blue gate", 4],
		["a long label ends in an ellipsis", "Somolu", "behind the mosque ".repeat(11), 5],
		["a long host has lines of its own", "Somolu", "Blue gate", 5, "https://address-registry.example.workers.dev"],
	])("%s", async (_, zoneName, label, lines, origin = "https://addr.example") => {
		const image = readPng(await cardPng(font, `${origin}/a/NG042158212`, "NG042158212", zoneName, label));
		expect(linesBelowPlate(image)).toBe(lines);
		expect(
			darkRows(image)
				.slice(800)
				.every((dark) => dark === 0),
		).toBe(true);
	});
});

it("the picture of a shared link shows the plate in its colours, 1200 x 630, whatever the words are", async () => {
	for (const [zoneName, label] of [
		["Somolu", "behind the mosque ".repeat(11)],
		["القاهرة", "بيت الشيخ أحمد"],
	] as const) {
		const png = await sharedPng(font, "NG042158212", zoneName, label);
		expect(png.length).toBeLessThan(40 * 1024);
		const { width, height, data } = readPng(png);
		expect([width, height]).toEqual([1200, 630]);
		const colourAt = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)];
		expect(colourAt(700, 130)).toEqual([0x0b, 0x5d, 0x4e]);
		expect(colourAt(140, 130)).toEqual([0x07, 0x44, 0x3a]);
		expect(colourAt(600, 620)).toEqual([255, 255, 255]);
	}
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
		expect(canDraw(font.regular, text)).toBe(true);
		expect(widthOf(font.regular, text)).toBe(widthOf(font.regular, text.normalize("NFD")));
	});

	it.each(["بيت", "ቤት", "घर", "😀", "Дом"])("do not draw %s", (text) => {
		expect(canDraw(font.regular, text)).toBe(false);
	});

	it("put a mark over a capital above it, and never beside", () => {
		const [plain, marked] = ["E", "É"].map((text) => {
			const picture = new Picture(64, 64);
			drawText(picture, font.regular, text, { left: 8, baseline: 48, size: 32 });
			return picture.bytes;
		});
		expect(widthOf(font.regular, "É")).toBe(widthOf(font.regular, "E"));
		expect(plain?.every((dark, index) => dark <= (marked?.[index] ?? 0))).toBe(true);
		expect(marked).not.toEqual(plain);
	});
});
