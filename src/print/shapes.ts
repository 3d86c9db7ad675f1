/**
 * A drawing as a list of shapes, which `svgOf` here turns into SVG and `paintShapes` of picture-pen.ts into pixels. So a card is laid
 * out once. Each drawing has its own unit of length.
 */
import { PIN_PATH } from "./outline.ts";
import { escapeXml, qrSymbol } from "./qr.ts";

/** The colours of shapes. `face` is the enamel of plates. */
export const INKS = { paper: "#ffffff", black: "#000000", face: "#0b5d4e" } as const;
export type Ink = keyof typeof INKS;

/** A rectangle with round corners. With a `line`, only its border is drawn, of that width and inside its edge. */
interface Box {
	kind: "box";
	x: number;
	y: number;
	width: number;
	height: number;
	radius: number;
	line?: number;
	ink: Ink;
}

/** The registry's mark in a square with its upper left corner at `x` and `y`. */
interface Pin {
	kind: "pin";
	x: number;
	y: number;
	side: number;
	ink: Ink;
}

/** The QR symbol that leads to a link, quiet zone included. */
interface Qr {
	kind: "qr";
	x: number;
	y: number;
	side: number;
	url: string;
}

/** One line of text. */
export interface Line {
	kind: "line";
	text: string;
	/** Where the line starts, is centred or ends, by its anchor. */
	x: number;
	anchor: "start" | "middle" | "end";
	baseline: number;
	/** The size of an em. */
	size: number;
	isBold?: boolean;
	/** The width that it is stretched to; the natural width of its letters when unset. */
	width?: number;
	ink: Ink;
}

/** Lines clipped to a rectangle, so that marks piled up on their letters reach no other text. */
interface Clipped {
	kind: "clipped";
	x: number;
	y: number;
	width: number;
	height: number;
	lines: Line[];
}

export type Shape = Box | Pin | Qr | Line | Clipped;

/** Common system fonts, with the equivalents of each on other systems. The last is whatever the reader has for sans-serif. */
export const SAFE_FONTS = "Arial, Helvetica, Liberation Sans, Noto Sans, Noto Sans Arabic, sans-serif";

/** A number of a drawing, rounded to hundredths. */
const short = (value: number) => String(Number(value.toFixed(2)));

/** Whether a text starts in a right-to-left script: the first strong character decides (Unicode UAX 9, rules P2 and P3). */
function isRightToLeft(text: string): boolean {
	const [strong = ""] = /\p{L}/u.exec(text) ?? [];
	return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(
		strong,
	);
}

function lineSvg({ text, x, anchor, baseline, size, isBold, width, ink }: Line): string {
	// In a right-to-left line the start is on the right.
	const isTurned = isRightToLeft(text);
	const end = isTurned && anchor !== "middle" ? (anchor === "end" ? "start" : "end") : anchor;
	return (
		`<text x="${short(x)}" y="${short(baseline)}" font-size="${short(size)}"${isBold ? ' font-weight="700"' : ""}` +
		`${end === "start" ? "" : ` text-anchor="${end}"`}${isTurned ? ' direction="rtl"' : ""}` +
		`${width === undefined ? "" : ` textLength="${short(width)}" lengthAdjust="spacingAndGlyphs"`} fill="${INKS[ink]}">${escapeXml(text)}</text>`
	);
}

function shapeSvg(shape: Shape): string {
	switch (shape.kind) {
		case "box": {
			const { x, y, width, height, radius, line = 0, ink } = shape;
			const paint = line ? `fill="none" stroke="${INKS[ink]}" stroke-width="${short(line)}"` : `fill="${INKS[ink]}"`;
			const [left, top, across, down] = [x + line / 2, y + line / 2, width - line, height - line].map(short);
			return `<rect x="${left}" y="${top}" width="${across}" height="${down}" rx="${short(radius - line / 2)}" ${paint}/>`;
		}
		case "pin": {
			const { x, y, side, ink } = shape;
			return `<path transform="translate(${short(x)} ${short(y)}) scale(${short(side / 24)})" d="${PIN_PATH}" fill="${INKS[ink]}"/>`;
		}
		case "qr": {
			const { x, y, side, url } = shape;
			const { path, size } = qrSymbol(url);
			return `<svg x="${short(x)}" y="${short(y)}" width="${short(side)}" height="${short(side)}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${path}"/></svg>`;
		}
		case "line":
			return lineSvg(shape);
		case "clipped": {
			const { lines, ...at } = shape;
			const [x, y, width, height] = [at.x, at.y, at.width, at.height].map(short);
			return `<svg x="${x}" y="${y}" width="${width}" height="${height}" viewBox="${x} ${y} ${width} ${height}" overflow="hidden">${svgOf(lines)}</svg>`;
		}
	}
}

/** Shapes as the contents of an SVG element. Colours are attributes, which no Content-Security-Policy blocks. */
export function svgOf(shapes: readonly Shape[]): string {
	return shapes.map(shapeSvg).join("");
}
