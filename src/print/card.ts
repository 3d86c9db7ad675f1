/** The card of an address, laid out once for SVG and PNG. */
import { displayCode } from "../codes/code.ts";
import { plainLabel } from "./label-for-display.ts";
import { emsOf, wrapText } from "./lines.ts";
import { PLATE_HEIGHT, PLATE_WIDTH, plateShapes } from "./plate.ts";
import { type Line, SAFE_FONTS, type Shape, svgOf } from "./shapes.ts";

/** The card, ISO 216 A7, in millimetres. */
export const CARD_WIDTH_MM = 74;
export const CARD_HEIGHT_MM = 105;
/** What a home printer may cut off on each side, in millimetres. */
const MARGIN_MM = 5;
const QR_MM = 38;
const TYPED_FONT_MM = 3.6;
const PLACE_FONT_MM = 4.6;
const LABEL_FONT_MM = 4;
/** Most lines of the place, and of place and label together: the card has room for no more. */
const PLACE_LINES_MAX = 2;
const LINES_MAX = 4;
const LINE_SPACING = 1.22;

const TEXT_WIDTH_MM = CARD_WIDTH_MM - 2 * MARGIN_MM;
const PLATE_MM = (TEXT_WIDTH_MM * PLATE_HEIGHT) / PLATE_WIDTH;

/** The texts of a card. */
export interface CardTexts {
	canonical: string;
	/** The link in its QR symbol. */
	url: string;
	/** The locality and region. */
	place: string;
	label: string;
}

/** What a person types into a browser instead of scanning the QR symbol, such as `addr.example/NG-1377-48215`. */
export function whereToType(url: string, canonical: string): string {
	return `${new URL(url).host}/${displayCode(canonical)}`;
}

/**
 * A card as shapes, in millimetres: the plate, the QR symbol that leads to `url`, what to type instead, the place and the label.
 * @param widthOf The width of a text, in ems.
 */
export function cardShapes({ canonical, url, place, label }: CardTexts, widthOf: (text: string) => number): Shape[] {
	const middle = CARD_WIDTH_MM / 2;
	const line = (text: string, baseline: number, size: number): Line => ({
		kind: "line",
		text,
		x: middle,
		anchor: "middle",
		baseline,
		size,
		ink: "black",
	});
	const qrTop = MARGIN_MM + PLATE_MM + 1;
	const typed = whereToType(url, canonical);
	let baseline = qrTop + QR_MM + TYPED_FONT_MM * 0.7;
	const shapes: Shape[] = [
		...plateShapes(canonical, {}, { x: MARGIN_MM, y: MARGIN_MM, width: TEXT_WIDTH_MM }),
		{ kind: "qr", x: middle - QR_MM / 2, y: qrTop, side: QR_MM, url },
		line(typed, baseline, Math.min(TYPED_FONT_MM, TEXT_WIDTH_MM / widthOf(typed))),
	];
	baseline += 0.6;
	const linesOf = (text: string, size: number, most: number) => wrapText(text, TEXT_WIDTH_MM / size, most, widthOf);
	const placeLines = linesOf(place, PLACE_FONT_MM, PLACE_LINES_MAX);
	for (const text of placeLines) {
		baseline += PLACE_FONT_MM * LINE_SPACING;
		shapes.push(line(text, baseline, PLACE_FONT_MM));
	}
	// Below the descenders of the place.
	const top = baseline + 1.2;
	baseline += 0.8;
	const labelLines = linesOf(plainLabel(label), LABEL_FONT_MM, LINES_MAX - Math.max(1, placeLines.length));
	if (labelLines.length > 0) {
		const lines = labelLines.map((text, index) =>
			line(text, baseline + (index + 1) * LABEL_FONT_MM * LINE_SPACING, LABEL_FONT_MM),
		);
		const room = { x: MARGIN_MM, y: top, width: TEXT_WIDTH_MM, height: CARD_HEIGHT_MM - MARGIN_MM - top };
		shapes.push({ kind: "clipped", ...room, lines });
	}
	return shapes;
}

/** The card as SVG, sized in millimetres. Text stays text, in common system fonts, and is clipped 5 mm from the edge. */
export function cardSvg(card: CardTexts): string {
	const inner = { x: MARGIN_MM, y: MARGIN_MM, width: TEXT_WIDTH_MM, height: CARD_HEIGHT_MM - 2 * MARGIN_MM };
	const clip = Object.entries(inner)
		.map(([name, value]) => `${name}="${value}"`)
		.join(" ");
	return (
		`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${CARD_WIDTH_MM}mm" height="${CARD_HEIGHT_MM}mm" viewBox="0 0 ${CARD_WIDTH_MM} ${CARD_HEIGHT_MM}">` +
		`<title>${displayCode(card.canonical)}</title><rect width="${CARD_WIDTH_MM}" height="${CARD_HEIGHT_MM}" fill="#fff"/>` +
		`<svg ${clip} viewBox="${Object.values(inner).join(" ")}" overflow="hidden" font-family="${SAFE_FONTS}">${svgOf(cardShapes(card, emsOf))}</svg></svg>\n`
	);
}
