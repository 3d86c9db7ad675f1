import { readFileSync } from "node:fs";
import { Resvg } from "@resvg/resvg-js";
import jsQR from "jsqr";
import { describe, expect, it } from "vitest";
import { type CardFont, canDraw, drawText, unpackCardFont, widthOf } from "../../src/print/card-font.ts";
import { cardPng, qrPng, sharedPng } from "../../src/print/card-png.ts";
import { Picture } from "../../src/print/picture.ts";
import { PLATE_HEIGHT, PLATE_WIDTH, plateSvg } from "../../src/print/plate.ts";
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

/** How many lines of text a card has below its plate and its QR symbol, which end 72 mm from its top. */
function linesBelowQr(image: PixelImage): number {
	const isInked = darkRows(image).map((dark) => dark > 0);
	const starts = isInked.flatMap((inked, y) => (inked && !isInked[y - 1] && y > 572 ? [y] : []));
	// Marks above a letter may stand apart from it: what starts within half a line is the same line.
	return starts.filter((y, index) => index === 0 || y - (starts[index - 1] ?? 0) > 20).length;
}

/** An SVG with each line of text as the outlines of a font, so that the fonts of the machine decide nothing. */
function withOutlines(svg: string, { bold }: CardFont): string {
	return svg.replace(/<text ([^>]*)>([^<]*)<\/text>/g, (_, attributes: string, text: string) => {
		const of = (name: string) => Number(new RegExp(`(?:^| )${name}="([\\d.]+)"`).exec(attributes)?.[1]);
		const size = of("font-size");
		const natural = widthOf(bold, text) * size;
		const width = of("textLength") || natural;
		const left = of("x") - (attributes.includes('text-anchor="end"') ? width : 0);
		let pen = 0;
		let data = "";
		for (const character of text) {
			const { contours, advance } = bold.get(character)!;
			for (const contour of contours) {
				const all = contour.flatMap((at, index) => {
					const next = contour[(index + 1) % contour.length]!;
					const middle = { x: (at.x + next.x) / 2, y: (at.y + next.y) / 2, isOn: true };
					return at.isOn || next.isOn ? [at] : [at, middle];
				});
				const start = all.findIndex(({ isOn }) => isOn);
				const turned = [...all.slice(start), ...all.slice(0, start + 1)];
				data += turned
					.map(({ x, y, isOn }, index) => {
						const letter = index === 0 ? "M" : isOn ? (turned[index - 1]!.isOn ? "L" : "") : "Q";
						return `${letter}${x + pen} ${-y} `;
					})
					.join("");
				data += "Z";
			}
			pen += advance;
		}
		const [across, down] = [(size / 1000) * (width / natural), size / 1000];
		return `<path transform="translate(${left} ${of("y")}) scale(${across} ${down})" fill="#fff" d="${data}"/>`;
	});
}

describe("the plate of a code", () => {
	it.each(["NG137781920", "ZZ137748215", "WM000100004"])(
		"is the same in SVG and in pixels, letter by letter: %s",
		async (canonical) => {
			const shared = readPng(await sharedPng(font, canonical, "", ""));
			const svg = plateSvg(canonical).replace("<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `);
			const drawn = new Resvg(withOutlines(svg, font), {
				background: "#fff",
				font: { loadSystemFonts: false },
			}).render();
			expect([drawn.width, drawn.height]).toEqual([PLATE_WIDTH, PLATE_HEIGHT]);
			// Asked for once: each time they are copied.
			const { pixels } = drawn;
			let others = 0;
			for (let y = 0; y < PLATE_HEIGHT; y += 1) {
				for (let x = 0; x < PLATE_WIDTH; x += 1) {
					const ofPng = shared.data[((y + 40) * shared.width + x + 100) * 4]!;
					if (Math.abs(ofPng - pixels[(y * PLATE_WIDTH + x) * 4]!) > 100) others += 1;
				}
			}
			// Edges, which two rasters smooth each in its own way: a letter that lies a unit aside makes ten times as many.
			expect(others).toBeLessThan(60);
		},
	);
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
		const png = await cardPng(font, { url: URL_OF_QR, canonical: "NG042158212", place: "Somolu", label: "Blue gate" });
		expect(png.length).toBeLessThan(20 * 1024);
		const image = readPng(png);
		expect([image.width / 8, image.height / 8, image.pixelsPerMetre]).toEqual([74, 105, 8000]);
		expect(await readQrSymbols(image)).toEqual([URL_OF_QR]);
		expect(linesBelowQr(image)).toBe(3);
	});

	it.each([
		["a name and a label in Arabic are left out", "القاهرة", "بيت الشيخ أحمد", 1],
		["a label in Arabic is left out", "Cairo", "بيت الشيخ أحمد", 2],
		["a long name takes the lines that the label leaves", "Būlāq Abū al Ilā 2 km south-east, Cairo", "Blue gate", 4],
		["a long label ends in an ellipsis", "Somolu", "behind the mosque ".repeat(11), 5],
		["a long host is written smaller", "Somolu", "Blue gate", 3, "https://address-registry.example.workers.dev"],
	])("%s", async (_, place, label, lines, origin = "https://addr.example") => {
		const card = { url: `${origin}/a/NG042158212`, canonical: "NG042158212", place, label };
		const image = readPng(await cardPng(font, card));
		expect(linesBelowQr(image)).toBe(lines);
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
		expect(colourAt(800, 130)).toEqual([0x0b, 0x5d, 0x4e]);
		expect(colourAt(113, 250)).toEqual([255, 255, 255]);
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
