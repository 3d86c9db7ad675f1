/** Clips shapes to the frame of a drawing. Coordinates are in its units, from the upper left corner. */

/** x and y. */
export type Corner = readonly [number, number];

/** The frame: left, top, right, bottom. */
export type Frame = readonly [number, number, number, number];

/** The part of a ring inside the frame (Sutherland and Hodgman, 1974). Empty if the ring lies outside. */
export function clipRing(ring: readonly Corner[], [left, top, right, bottom]: Frame): Corner[] {
	let corners: readonly Corner[] = ring;
	for (const [axis, bound, sign] of [
		[0, left, 1],
		[0, right, -1],
		[1, top, 1],
		[1, bottom, -1],
	] as const) {
		const inside: Corner[] = [];
		for (let index = 0; index < corners.length; index += 1) {
			const to = corners[index]!;
			const from = corners[(index + corners.length - 1) % corners.length]!;
			const [isFromIn, isToIn] = [(from[axis] - bound) * sign >= 0, (to[axis] - bound) * sign >= 0];
			if (isFromIn !== isToIn) inside.push(crossing(from, to, axis, bound));
			if (isToIn) inside.push(to);
		}
		corners = inside;
	}
	return [...corners];
}

/** A clipped ring. If it is open, no outline belongs between its last corner and its first. */
export interface ClippedRing {
	corners: readonly Corner[];
	isOpen: boolean;
}

/**
 * A ring that begins after its longest edge along the border of its tile. The shape goes on beyond that border, so it has no outline
 * there.
 */
export function openAtCut(ring: readonly Corner[], tile: Frame): ClippedRing {
	let [start, longest] = [0, 0];
	for (const [index, to] of ring.entries()) {
		const from = ring.at(index - 1)!;
		const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
		const isCut = ([0, 1] as const).some((axis) => from[axis] === to[axis] && tile.includes(to[axis]));
		if (isCut && length > longest) [start, longest] = [index, length];
	}
	return { corners: [...ring.slice(start), ...ring.slice(0, start)], isOpen: longest > 0 };
}

/** Where the line between two corners crosses a side of the frame. */
function crossing(from: Corner, to: Corner, axis: 0 | 1, bound: number): Corner {
	const share = (bound - from[axis]) / (to[axis] - from[axis]);
	const other = axis === 0 ? 1 : 0;
	const across = from[other] + (to[other] - from[other]) * share;
	return axis === 0 ? [bound, across] : [across, bound];
}

/** The pieces of a line inside the frame (Liang and Barsky, 1984). */
export function clipLine(line: readonly Corner[], [left, top, right, bottom]: Frame): Corner[][] {
	const pieces: Corner[][] = [];
	let piece: Corner[] = [];
	for (let index = 1; index < line.length; index += 1) {
		const [from, to] = [line[index - 1]!, line[index]!];
		const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
		let [start, end] = [0, 1];
		for (const [step, room] of [
			[-dx, from[0] - left],
			[dx, right - from[0]],
			[-dy, from[1] - top],
			[dy, bottom - from[1]],
		] as const) {
			if (step === 0 ? room < 0 : false) start = 2;
			else if (step < 0) start = Math.max(start, room / step);
			else if (step > 0) end = Math.min(end, room / step);
		}
		if (start > end) continue;
		const at = (share: number): Corner => [from[0] + dx * share, from[1] + dy * share];
		if (start > 0 || piece.length === 0) {
			piece = [at(start)];
			pieces.push(piece);
		}
		piece.push(at(end));
		if (end < 1) piece = [];
	}
	return pieces;
}
