/** Draws shapes on a picture of pixels, as `svgOf` does in SVG. */
import { type CardFont, canDraw, drawText, widthOf } from "./card-font.ts";
import { hole, PIN_RINGS, type Ring, roundedRectangle } from "./outline.ts";
import type { Picture } from "./picture.ts";
import { QUIET_ZONE_MODULES, qrSymbol } from "./qr.ts";
import type { Line, Shape } from "./shapes.ts";

/** Draws a symbol's modules into a picture; `left` and `top` are the corner of its quiet zone, in pixels. */
export function drawQr(
	picture: Picture,
	modules: boolean[][],
	left: number,
	top: number,
	pixelsPerModule: number,
): void {
	for (const [row, line] of modules.entries()) {
		for (const [column, isDark] of line.entries()) {
			if (!isDark) continue;
			const [x, y] = [column + QUIET_ZONE_MODULES, row + QUIET_ZONE_MODULES];
			picture.fill(left + x * pixelsPerModule, top + y * pixelsPerModule, pixelsPerModule, pixelsPerModule);
		}
	}
}

/** Returns a function that measures a text in the regular letters of a font, in ems. */
export function measureBy({ regular }: CardFont): (text: string) => number {
	return (text) => widthOf(regular, text);
}

/**
 * Draws shapes on a picture. A line in a script that the font lacks is left out: half a name would be a wrong one.
 * @param scale Pixels per unit of the shapes.
 */
export function paintShapes(picture: Picture, font: CardFont, shapes: readonly Shape[], scale: number): void {
	const scaled = (rings: readonly Ring[], size = 1, x = 0, y = 0) =>
		rings.map((ring) => ring.map((at, index) => ((index % 2 === 0 ? x : y) + at * size) * scale));
	const write = ({ text, x, anchor, baseline, size, isBold, width, ink }: Line) => {
		const face = isBold ? font.bold : font.regular;
		if (!canDraw(face, text)) return;
		const natural = widthOf(face, text) * size;
		const drawn = width ?? natural;
		const left = x - { start: 0, middle: drawn / 2, end: drawn }[anchor];
		const stretch = natural > 0 ? drawn / natural : 1;
		drawText(picture, face, text, { left: left * scale, baseline: baseline * scale, size: size * scale, stretch, ink });
	};
	for (const shape of shapes) {
		switch (shape.kind) {
			case "box": {
				const { x, y, width, height, radius, line = 0, ink } = shape;
				const outer = roundedRectangle(x, y, width, height, radius);
				const inner = roundedRectangle(x + line, y + line, width - 2 * line, height - 2 * line, radius - line);
				picture.paint(scaled(line ? [outer, hole(inner)] : [outer]), ink);
				break;
			}
			case "pin":
				picture.paint(scaled(PIN_RINGS, shape.side / 24, shape.x, shape.y), shape.ink);
				break;
			case "qr": {
				const { modules, size } = qrSymbol(shape.url);
				// Modules are whole pixels, so the symbol may be smaller than its square; it is centred.
				const module = Math.floor((shape.side * scale) / size);
				const rest = (shape.side * scale - module * size) / 2;
				drawQr(picture, modules, Math.round(shape.x * scale + rest), Math.round(shape.y * scale + rest), module);
				break;
			}
			case "line":
				write(shape);
				break;
			case "clipped":
				shape.lines.forEach(write);
		}
	}
}
