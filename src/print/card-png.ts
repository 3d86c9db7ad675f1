import { CARD_HEIGHT_MM, CARD_WIDTH_MM, type CardTexts, cardShapes } from "./card.ts";
import { type CardFont, canDraw } from "./card-font.ts";
import { plainLabel } from "./label-for-display.ts";
import { wrapText } from "./lines.ts";
import { Picture } from "./picture.ts";
import { drawQr, measureBy, paintShapes } from "./picture-pen.ts";
import { PLATE_HEIGHT, PLATE_WIDTH, plateShapes } from "./plate.ts";
import { encodePng } from "./png.ts";
import { qrSymbol } from "./qr.ts";
import type { Line, Shape } from "./shapes.ts";

/** Pixels per millimetre: 203 dots per inch, the resolution of label printers. */
const PIXELS_PER_MM = 8;

/** Pixels per module in the image of a QR symbol alone, and the printed side of that image in metres. */
const QR_PIXELS_PER_MODULE = 12;
const QR_SIDE_METRES = 0.04;

/** The QR symbol that leads to `url`, as a PNG image. */
export function qrPng(url: string): Promise<Uint8Array<ArrayBuffer>> {
	const { modules, size } = qrSymbol(url);
	const side = size * QR_PIXELS_PER_MODULE;
	const picture = new Picture(side, side);
	drawQr(picture, modules, 0, 0, QR_PIXELS_PER_MODULE);
	return encodePng(picture, Math.round(side / QR_SIDE_METRES));
}

/** The text if the font has all its letters, else an empty text: a name is never shown in another script. */
function drawable({ regular }: CardFont, text: string): string {
	return canDraw(regular, text) ? text : "";
}

/** The card as a PNG image, for software that cannot show SVG. Its letters are Latin: a place or label in another script is left out. */
export async function cardPng(font: CardFont, card: CardTexts): Promise<Uint8Array<ArrayBuffer>> {
	const picture = new Picture(CARD_WIDTH_MM * PIXELS_PER_MM, CARD_HEIGHT_MM * PIXELS_PER_MM);
	const label = drawable(font, plainLabel(card.label));
	const shapes = cardShapes({ ...card, place: drawable(font, card.place), label }, measureBy(font));
	paintShapes(picture, font, shapes, PIXELS_PER_MM);
	return encodePng(picture, PIXELS_PER_MM * 1000);
}

/** The size in pixels at which messengers show the picture of a link (ogp.me). */
export const SHARED_WIDTH = 1200;
export const SHARED_HEIGHT = 630;
const SHARED_FONT_SIZE = 48;

/** The picture that messengers show with a link to an address: its plate, label and place. */
export function sharedPng(
	font: CardFont,
	canonical: string,
	place: string,
	label: string,
): Promise<Uint8Array<ArrayBuffer>> {
	const picture = new Picture(SHARED_WIDTH, SHARED_HEIGHT);
	const left = (SHARED_WIDTH - PLATE_WIDTH) / 2;
	const top = 40;
	const shapes: Shape[] = plateShapes(canonical, {}, { x: left, y: top, width: PLATE_WIDTH });
	const texts = [plainLabel(label), place].map((text) => drawable(font, text)).filter(Boolean);
	const lines = texts.flatMap((text) => wrapText(text, PLATE_WIDTH / SHARED_FONT_SIZE, 1, measureBy(font)));
	lines.forEach((text, index) => {
		const baseline = top + PLATE_HEIGHT + (index + 1) * SHARED_FONT_SIZE * 1.3;
		const line: Line = {
			kind: "line",
			text,
			x: SHARED_WIDTH / 2,
			anchor: "middle",
			baseline,
			size: SHARED_FONT_SIZE,
			ink: "black",
		};
		shapes.push(line);
	});
	paintShapes(picture, font, shapes, 1);
	return encodePng(picture, 3780);
}
