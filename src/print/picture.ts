import type { Ring } from "./outline.ts";
import { INKS, type Ink } from "./shapes.ts";

/** Which ink may be painted on which. At an edge, the colour changes from the ground to the ink in steps. */
const PAIRS: readonly (readonly [ground: Ink, ink: Ink])[] = [
	["paper", "black"],
	["paper", "face"],
	["face", "paper"],
];

/** Steps from a ground to the ink on it. */
const STEPS = 16;
const FULL = STEPS - 1;

/** The colours that a pixel's byte stands for: red, green and blue of each. */
export const PALETTE: Uint8Array = Uint8Array.from(
	PAIRS.flatMap((pair) => {
		const [from, to] = pair.map((name) => Number.parseInt(INKS[name].slice(1), 16));
		return Array.from({ length: STEPS }, (_, step) =>
			[16, 8, 0].map((shift) => {
				const [start, end] = [(from! >> shift) & 255, (to! >> shift) & 255];
				return Math.round(start + ((end - start) * step) / FULL);
			}),
		).flat();
	}),
);

/** For each ink and each entry of the palette: the first of the sixteen entries that lead from the colour of that entry to the ink. */
const GROUNDS = Object.fromEntries(
	(Object.keys(INKS) as Ink[]).map((colour) => [
		colour,
		Uint8Array.from({ length: PAIRS.length * STEPS }, (_, before) => {
			const [ground, drawn] = PAIRS[Math.trunc(before / STEPS)]!;
			const there = drawn === colour || before % STEPS <= FULL / 2 ? ground : drawn;
			const pair = PAIRS.findIndex((known) => known[0] === there && known[1] === colour);
			// An ink that may not be painted on the colour that is there replaces it.
			return STEPS * (pair < 0 ? PAIRS.findIndex((known) => known[1] === colour) : pair);
		}),
	]),
) as Record<Ink, Uint8Array>;

/** A picture with smooth edges. Each pixel has a ground, an ink, and the share of the pixel that the ink covers. It is white at first. */
export class Picture {
	/** In pixels. */
	readonly width: number;
	readonly height: number;
	/** Rows from top to bottom as in PNG: a zero, for no filter, and then a byte per pixel, the number of an entry of PALETTE. */
	readonly bytes: Uint8Array<ArrayBuffer>;

	constructor(width: number, height: number) {
		this.width = width;
		this.height = height;
		this.bytes = new Uint8Array((width + 1) * height);
	}

	/** Blackens a rectangle of whole pixels, given by its upper left corner and size; what reaches beyond the picture is cut off. */
	fill(left: number, top: number, width: number, height: number): void {
		const [from, to] = [Math.max(0, left), Math.min(this.width, left + width)];
		for (let y = Math.max(0, top); y < Math.min(this.height, top + height); y += 1) {
			const row = y * (this.width + 1) + 1;
			this.bytes.fill(FULL, row + from, row + Math.max(from, to));
		}
	}

	/** Paints a shape over the picture, each pixel by the share that the shape covers. What reaches beyond the picture is cut off. */
	paint(rings: readonly Ring[], colour: Ink): void {
		let [left, top, right, bottom] = [this.width, this.height, 0, 0];
		for (const ring of rings) {
			for (let index = 0; index < ring.length; index += 2) {
				left = Math.min(left, ring[index]!);
				right = Math.max(right, ring[index]!);
				top = Math.min(top, ring[index + 1]!);
				bottom = Math.max(bottom, ring[index + 1]!);
			}
		}
		[left, top] = [Math.floor(left), Math.floor(top)];
		const [width, height] = [Math.ceil(right) - left, Math.ceil(bottom) - top];
		if (!(width > 0 && height > 0)) return;
		const turns = new Float32Array((width + 2) * height);
		for (const ring of rings) {
			for (let index = 0; index < ring.length; index += 2) {
				const next = (index + 2) % ring.length;
				addEdge(
					turns,
					width + 2,
					ring[index]! - left,
					ring[index + 1]! - top,
					ring[next]! - left,
					ring[next + 1]! - top,
				);
			}
		}
		const grounds = GROUNDS[colour];
		for (let y = Math.max(0, -top); y < Math.min(height, this.height - top); y += 1) {
			let inside = 0;
			for (let x = 0; x < Math.min(width, this.width - left); x += 1) {
				inside += turns[y * (width + 2) + x]!;
				const step = Math.round(Math.min(1, Math.abs(inside)) * FULL);
				if (step === 0 || left + x < 0) continue;
				const at = (top + y) * (this.width + 1) + 1 + left + x;
				const before = this.bytes[at]!;
				const painted = grounds[before]! + step;
				// Where two letters of a colour touch, the one that covers more of the pixel stays.
				const isSame = painted - step === before - (before % STEPS);
				this.bytes[at] = isSame ? Math.max(painted, before) : painted;
			}
		}
	}
}

/**
 * Adds an edge of a shape to a grid. The sum of a row's cells up to a pixel is then the exact share of it that the shape covers, by the
 * area of trapezia. After font-rs (Raph Levien, 2015).
 */
function addEdge(turns: Float32Array, width: number, x0: number, y0: number, x1: number, y1: number): void {
	if (y0 === y1) return;
	const direction = y0 < y1 ? 1 : -1;
	const [top, bottom] = [Math.min(y0, y1), Math.max(y0, y1)];
	const slope = (x1 - x0) / (y1 - y0);
	let x = y0 < y1 ? x0 : x1;
	for (let row = Math.floor(top); row < bottom; row += 1) {
		const high = Math.min(row + 1, bottom) - Math.max(row, top);
		const next = x + slope * high;
		const [from, to] = [Math.min(x, next), Math.max(x, next)];
		const covered = high * direction;
		for (let column = Math.floor(from); column <= to; column += 1) {
			// The part of the edge within this column, and how much of the column is to the right of it.
			const [start, end] = [Math.max(from, column), Math.min(to, column + 1)];
			const part = to > from ? ((end - start) / (to - from)) * covered : covered;
			const rightOf = column + 1 - (start + end) / 2;
			turns[row * width + column]! += part * rightOf;
			turns[row * width + column + 1]! += part * (1 - rightOf);
			if (to === from) break;
		}
		x = next;
	}
}
