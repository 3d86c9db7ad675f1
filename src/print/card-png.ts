import { displayCode } from "../codes/code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import { whereToType, wrapText } from "./card.ts";
import { type CardFont, canDraw, drawText, widthOf } from "./card-font.ts";
import { hole, PIN_RINGS, type Ring, roundedRectangle } from "./outline.ts";
import { Picture } from "./picture.ts";
import { plainLabel } from "./plain-label.ts";
import { PLATE_HEIGHT, PLATE_WIDTH, TEST_MARK } from "./plate.ts";
import { encodePng } from "./png.ts";
import { drawQr, qrSymbol } from "./qr.ts";

/** 203 dots an inch, the resolution of label printers; the card of 74 x 105 mm (ISO 216 A7) has 592 x 840 of them. */
const PIXELS_PER_MM = 8;
const WIDTH = 74 * PIXELS_PER_MM;
const HEIGHT = 105 * PIXELS_PER_MM;
const MARGIN = 5 * PIXELS_PER_MM;
const TEXT_WIDTH = WIDTH - 2 * MARGIN;
/** Most of the card's width that the QR symbol takes, in pixels. */
const QR_SIDE_MAX = 46 * PIXELS_PER_MM;
const FONT_SIZE = 4 * PIXELS_PER_MM;
const LINE_HEIGHT = FONT_SIZE * 1.3;
/** Lines below the plate: where to type the code, the zone's name and the label. */
const LINES_MAX = 5;

/** Pixels of a module in the image of a QR symbol alone, and the side it is to be printed with, in metres. */
const QR_PIXELS_PER_MODULE = 12;
const QR_SIDE_METRES = 0.04;

/** What stands on a picture instead of words in a script that its letters lack, so that nobody takes it for all there is. */
const WORDS_ELSEWHERE = "The words are on the page";

/** The QR symbol that leads to `url`, as a PNG image. */
export function qrPng(url: string): Promise<Uint8Array<ArrayBuffer>> {
	const { modules, size } = qrSymbol(url);
	const side = size * QR_PIXELS_PER_MODULE;
	const picture = new Picture(side, side);
	drawQr(picture, modules, 0, 0, QR_PIXELS_PER_MODULE);
	return encodePng(picture, Math.round(side / QR_SIDE_METRES));
}

/** Draws the plate of a code, as `plateSvg` does; `left`, `top` and `width` in pixels. */
function drawPlate(
	picture: Picture,
	{ bold }: CardFont,
	display: string,
	left: number,
	top: number,
	width: number,
): void {
	const [country = "", zone = "", unit = ""] = display.split("-");
	const scale = width / PLATE_WIDTH;
	const placed = (rings: readonly Ring[], size = 1, x = 0, y = 0) =>
		rings.map((ring) =>
			ring.map((at, index) => (index % 2 === 0 ? left + (x + at * size) * scale : top + (y + at * size) * scale)),
		);
	const face = roundedRectangle(0, 0, PLATE_WIDTH, PLATE_HEIGHT, 26);
	// To a whole pixel, or paper would shine through where the two colours meet.
	const panel = Math.round(130 * scale) / scale;
	picture.paint(placed([face]), "face");
	picture.paint(placed([face.map((at, index) => (index % 2 === 0 ? Math.min(at, panel) : at))]), "country");
	const [outer, inner] = [roundedRectangle(7, 7, 626, 162, 21), roundedRectangle(11, 11, 618, 154, 17)];
	picture.paint(placed([outer, hole(inner)]), "paper");
	picture.paint(placed(PIN_RINGS, 4.1, 16, 18), "paper");
	const write = (text: string, x: number, y: number, size: number, stretch: number) =>
		drawText(picture, bold, text, {
			left: left + x * scale,
			baseline: top + y * scale,
			size: size * scale,
			stretch,
			colour: "paper",
		});
	write(country, 66 - (widthOf(bold, country) * 40) / 2, 149, 40, 1);
	const digits = `${zone}-${unit}`;
	write(digits, 152, 119, 84, 456 / (84 * widthOf(bold, digits)));
	const { text, x, y, size } = TEST_MARK;
	if (isSandboxCode(country)) write(text, x - (widthOf(bold, text) * size) / 2, y, size, 1);
}

/** A writer of lines of text in the middle of a picture, each below the one before. */
function lineWriter(picture: Picture, { regular }: CardFont, width: number, size: number, top: number) {
	let baseline = top;
	const linesOf = (text: string, linesMax: number): string[] =>
		wrapText(text, width / size, linesMax, (line) => widthOf(regular, line));
	return {
		linesOf,
		/** Lines of each of some texts that there is room for; one that says so stands for those in another script. */
		wordsOf(texts: readonly (readonly [text: string, linesMax: number])[], linesMax: number): string[] {
			const drawn = texts.filter(([text]) => canDraw(regular, text));
			const isPartial = drawn.length < texts.length;
			const lines: string[] = [];
			for (const [text, most] of drawn) {
				const room = Math.min(most, linesMax - lines.length - (isPartial ? 1 : 0));
				if (text && room > 0) lines.push(...linesOf(text, room));
			}
			return isPartial ? [...lines, WORDS_ELSEWHERE] : lines;
		},
		write(lines: readonly string[]): void {
			for (const line of lines) {
				baseline += size * (LINE_HEIGHT / FONT_SIZE);
				const left = (picture.width - widthOf(regular, line) * size) / 2;
				drawText(picture, regular, line, { left, baseline: Math.round(baseline), size });
			}
		},
	};
}

/**
 * The card as a PNG image, for what cannot show SVG: the QR symbol that leads to `url`, the plate of the code, where to type it, the zone's
 * name and the label. The letters of `font` are Latin; for a name or label in another script a line says that the page has it.
 */
export async function cardPng(
	font: CardFont,
	url: string,
	canonical: string,
	zoneName: string,
	label: string,
): Promise<Uint8Array<ArrayBuffer>> {
	const picture = new Picture(WIDTH, HEIGHT);
	const { modules, size } = qrSymbol(url);
	const module = Math.floor(QR_SIDE_MAX / size);
	drawQr(picture, modules, (WIDTH - size * module) >> 1, MARGIN, module);
	drawPlate(picture, font, displayCode(canonical), MARGIN, MARGIN + QR_SIDE_MAX, TEXT_WIDTH);
	const bottom = MARGIN + QR_SIDE_MAX + (TEXT_WIDTH * PLATE_HEIGHT) / PLATE_WIDTH;
	const { linesOf, wordsOf, write } = lineWriter(picture, font, TEXT_WIDTH, FONT_SIZE, bottom);
	const typed = whereToType(url, canonical);
	const isShort = widthOf(font.regular, typed) * FONT_SIZE <= TEXT_WIDTH;
	const typedLines = isShort ? [typed] : typed.split(/(?<=\/)/).flatMap((part) => linesOf(part, 2));
	write(typedLines);
	const room = LINES_MAX - typedLines.length;
	const words = plainLabel(label);
	const named = [zoneName, Math.max(1, room - linesOf(words, room).length)] as const;
	write(wordsOf([named, [words, room]], room));
	return encodePng(picture, PIXELS_PER_MM * 1000);
}

/** The size that messengers show a picture of a link in (ogp.me), in pixels. */
export const SHARED_WIDTH = 1200;
export const SHARED_HEIGHT = 630;
const SHARED_MARGIN = 100;
const SHARED_FONT_SIZE = 54;

/** The picture that messengers show with a link to an address: its plate, and in words where it is. */
export function sharedPng(
	font: CardFont,
	canonical: string,
	zoneName: string,
	label: string,
): Promise<Uint8Array<ArrayBuffer>> {
	const picture = new Picture(SHARED_WIDTH, SHARED_HEIGHT);
	const width = SHARED_WIDTH - 2 * SHARED_MARGIN;
	drawPlate(picture, font, displayCode(canonical), SHARED_MARGIN, SHARED_MARGIN * 0.8, width);
	const top = SHARED_MARGIN + (width * PLATE_HEIGHT) / PLATE_WIDTH;
	const { wordsOf, write } = lineWriter(picture, font, width, SHARED_FONT_SIZE, top);
	const words = [[plainLabel(label), 2] as const, [zoneName, 1] as const];
	write(wordsOf(words, 3));
	return encodePng(picture, 3780);
}
