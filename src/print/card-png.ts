import { displayCode } from "../codes/code.ts";
import { Bitmap } from "./bitmap.ts";
import { whereToType, wrapText } from "./card.ts";
import { type CardFont, canDraw, drawText, FONT_EM, widthOf } from "./card-font.ts";
import { plainLabel } from "./plain-label.ts";
import { encodePng } from "./png.ts";
import { drawQr, qrBitmap, qrSymbol } from "./qr.ts";

/** 203 dots an inch, the resolution of label printers; the card of 74 x 105 mm (ISO 216 A7) has 592 x 840 of them. */
const PIXELS_PER_MM = 8;
const WIDTH = 74 * PIXELS_PER_MM;
const HEIGHT = 105 * PIXELS_PER_MM;
const MARGIN = 5 * PIXELS_PER_MM;
const TEXT_WIDTH = WIDTH - 2 * MARGIN;
/** Most of the card's width that the QR symbol takes, in pixels. */
const QR_SIDE_MAX = 52 * PIXELS_PER_MM;
const LINE_HEIGHT = FONT_EM * 1.3;
const CODE_SCALE = 2;
const ZONE_LINES_MAX = 1;
/** Lines below the code: where to type it, the zone's name and the label. */
const LINES_MAX = 5;

/** Pixels of a module in the image of a QR symbol alone, and the side it is to be printed with, in metres. */
const QR_PIXELS_PER_MODULE = 12;
const QR_SIDE_METRES = 0.04;

/** The QR symbol that leads to `url`, as a PNG image. */
export function qrPng(url: string): Promise<Uint8Array<ArrayBuffer>> {
	const bitmap = qrBitmap(url, QR_PIXELS_PER_MODULE);
	return encodePng(bitmap, Math.round(bitmap.width / QR_SIDE_METRES));
}

/**
 * The card as a PNG image, for what cannot show SVG: the QR symbol that leads to `url`, the code, where to type it, the zone's name and
 * the label. The letters of `font` are Latin; a name or label in another script is left out, and the SVG card shows it.
 */
export async function cardPng(
	font: CardFont,
	url: string,
	canonical: string,
	zoneName: string,
	label: string,
): Promise<Uint8Array<ArrayBuffer>> {
	const bitmap = new Bitmap(WIDTH, HEIGHT);
	const { modules, size } = qrSymbol(url);
	const module = Math.floor(QR_SIDE_MAX / size);
	drawQr(bitmap, modules, (WIDTH - size * module) >> 1, MARGIN, module);

	let baseline = MARGIN + QR_SIDE_MAX;
	const draw = (text: string, scale = 1) =>
		drawText(bitmap, font, text, { left: (WIDTH - widthOf(font, text, scale)) >> 1, baseline, scale });
	const linesOf = (text: string, linesMax: number) =>
		canDraw(font, text) ? wrapText(text, TEXT_WIDTH, linesMax, (line) => widthOf(font, line)) : [];

	baseline += FONT_EM * CODE_SCALE * 0.75;
	draw(displayCode(canonical), CODE_SCALE);
	const typed = whereToType(url, canonical);
	const typedLines =
		widthOf(font, typed) <= TEXT_WIDTH ? [typed] : typed.split(/(?<=\/)/).flatMap((part) => linesOf(part, 2));
	const zoneLines = linesOf(zoneName, ZONE_LINES_MAX);
	const labelLines = linesOf(plainLabel(label), LINES_MAX - typedLines.length - zoneLines.length);
	for (const line of [...typedLines, ...zoneLines, ...labelLines]) {
		baseline = Math.round(baseline + LINE_HEIGHT);
		draw(line);
	}
	return encodePng(bitmap, PIXELS_PER_MM * 1000);
}
