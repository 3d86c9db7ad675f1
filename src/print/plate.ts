/**
 * The plate of a code: an enamel house-number plate, the same on pages, signs, stickers, cards and shared pictures. All eleven
 * characters are large, in two lines, because people say aloud what is large.
 */
import { partsOf } from "../codes/code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import { emsOf, fitText, wrapText } from "./lines.ts";
import { INKS, type Shape, svgOf } from "./shapes.ts";

/** Width and height of a plate, in its own units. */
export const PLATE_WIDTH = 1000;
export const PLATE_HEIGHT = 440;

/** The mark on the plate of a sandbox address. */
export const TEST_MARK = "TEST";

/**
 * The two lines of a code: where each starts, its baseline, font size and width, in units. Noto Sans fills them without being
 * stretched.
 */
const FIRST_LINE = { x: 40, baseline: 132, size: 126, width: 515 };
const SECOND_LINE = { x: 30, baseline: 400, size: 329, width: 940 };

/** The pin in the upper right corner. */
const PIN = { x: 871, y: 32, side: 110 };

/** The room between the first line and the pin. */
const CORNER = { left: 590, right: 872 };

/** A unit that would be smaller than this font size on one line takes two. */
const TWO_LINES_BELOW = 60;

/** Further text of a plate, in the corner beside the first line. */
interface PlateWords {
	/** The unit of the address, such as a flat. */
	unit?: string | undefined;
	/** The settlement, and below it region and country. */
	place?: readonly [locality: string, beyond: string] | undefined;
}

/** A unit on one line, or on two if it would be small on one. */
function markLines(mark: string): [text: string, baseline: number, size: number][] {
	const halves = [...mark.matchAll(/(?<=[^/]) /g)]
		.map(({ index }) => [mark.slice(0, index), mark.slice(index + 1)] as const)
		.sort((one, other) => Math.max(...one.map(emsOf)) - Math.max(...other.map(emsOf)));
	const [half] = halves;
	if (!half || emsOf(mark) * TWO_LINES_BELOW <= CORNER.right - CORNER.left) return [[mark, FIRST_LINE.baseline, 120]];
	return [
		[half[0], 72, 60],
		[half[1], FIRST_LINE.baseline, 60],
	];
}

/** A settlement that would be smaller than this font size takes several lines. Below: their sizes, total height and last baseline. */
const LINES_BELOW = 24;
const LONG_PLACE = { sizes: [30, 24, 20, 17, 15], height: 92, baseline: 98 };

/** The settlement, on several lines if it would be small on one, with the region and country below it. */
function placeLines(locality: string, beyond: string): [text: string, baseline: number, size: number][] {
	const room = CORNER.right - CORNER.left;
	if (emsOf(locality) * LINES_BELOW <= room) {
		return [
			[locality, 82, 44],
			[beyond, 130, 36],
		];
	}
	const { sizes, height, baseline } = LONG_PLACE;
	const { text, size } = fitText(locality, room, height, sizes);
	const lines = wrapText(text, room / size, Number.POSITIVE_INFINITY);
	const baselineOf = (index: number) => baseline - (lines.length - 1 - index) * size * 1.15;
	return [
		...lines.map((line, index): [string, number, number] => [line, baselineOf(index), size]),
		[beyond, FIRST_LINE.baseline, 30],
	];
}

/** The texts of the corner, with their baselines and font sizes. */
function cornerLines(canonical: string, { unit, place }: PlateWords): [text: string, baseline: number, size: number][] {
	const mark = [isSandboxCode(canonical) ? TEST_MARK : "", unit ? `/ ${unit}` : ""].filter(Boolean).join(" ");
	if (mark) return markLines(mark);
	if (!place) return [];
	return placeLines(...place);
}

/** The plate of a code as shapes, scaled to a width. */
export function plateShapes(
	canonical: string,
	words: PlateWords,
	{ x, y, width }: { x: number; y: number; width: number },
): Shape[] {
	const { country, zone, rest } = partsOf(canonical);
	const unit = width / PLATE_WIDTH;
	const line = (text: string, at: { x: number; baseline: number; size: number; width: number }): Shape => ({
		kind: "line",
		text,
		x: x + at.x * unit,
		anchor: "start",
		baseline: y + at.baseline * unit,
		size: at.size * unit,
		width: at.width * unit,
		isBold: true,
		ink: "paper",
	});
	const box = (inset: number, radius: number, more: { line?: number; ink: "face" | "paper" }): Shape => ({
		kind: "box",
		x: x + inset * unit,
		y: y + inset * unit,
		width: (PLATE_WIDTH - 2 * inset) * unit,
		height: (PLATE_HEIGHT - 2 * inset) * unit,
		radius: radius * unit,
		...more,
	});
	const room = CORNER.right - CORNER.left;
	const corner = cornerLines(canonical, words).map(([text, baseline, size], index, { length }): Shape => {
		const fitting = Math.min(size, room / emsOf(text));
		return {
			kind: "line",
			text,
			x: x + CORNER.right * unit,
			anchor: "end",
			baseline: y + baseline * unit,
			size: fitting * unit,
			isBold: index === 0 || index < length - 1 || words.unit !== undefined,
			ink: "paper",
		};
	});
	return [
		box(0, 40, { ink: "face" }),
		box(10, 31, { line: 7 * unit, ink: "paper" }),
		{ kind: "pin", x: x + PIN.x * unit, y: y + PIN.y * unit, side: PIN.side * unit, ink: "paper" },
		line(`${country} ${zone}`, FIRST_LINE),
		line(rest, SECOND_LINE),
		...corner,
	];
}

/** The plate as the inside of an SVG of PLATE_WIDTH by PLATE_HEIGHT, as pages and sheets hold it. */
export function plateSvg(canonical: string, words: PlateWords = {}): string {
	const shapes = plateShapes(canonical, words, { x: 0, y: 0, width: PLATE_WIDTH });
	return `<svg class="plate" viewBox="0 0 ${PLATE_WIDTH} ${PLATE_HEIGHT}" aria-hidden="true" direction="ltr" font-family="'Noto Sans',Arial,sans-serif">${svgOf(shapes)}</svg>`;
}

export const PLATE_COLOURS = { face: INKS.face, ink: INKS.paper } as const;
