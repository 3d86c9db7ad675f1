/** An outline of a shape as a polygon: the x and y of its points in turn. A ring in the opposite direction is a hole. */
export type Ring = readonly number[];

/** Straight segments in a quarter of a circle. */
const PIECES = 8;

/** The points of a Bézier curve of any degree after its first one (de Casteljau), for `pieces` straight segments. */
export function curve(pieces: number, ...corners: (readonly [number, number])[]): number[] {
	const points: number[] = [];
	for (let piece = 1; piece <= pieces; piece += 1) {
		const t = piece / pieces;
		let row = corners;
		while (row.length > 1) {
			row = row.slice(1).map(([x, y], index) => {
				const [fromX, fromY] = row[index]!;
				return [fromX + (x - fromX) * t, fromY + (y - fromY) * t] as const;
			});
		}
		points.push(...row[0]!);
	}
	return points;
}

/** The points of an arc around a centre, between two angles in quarter turns, clockwise from the right. */
function arc(x: number, y: number, radius: number, from: number, to: number): number[] {
	const steps = Math.abs(to - from) * PIECES;
	return Array.from({ length: steps + 1 }, (_, step) => {
		const angle = ((from + ((to - from) * step) / steps) * Math.PI) / 2;
		return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
	}).flat();
}

/** A ring in the opposite direction, which makes it a hole. */
export function hole(ring: Ring): Ring {
	return Array.from({ length: ring.length / 2 }, (_, index) =>
		ring.slice(ring.length - 2 * index - 2).slice(0, 2),
	).flat();
}

/** A rectangle with round corners. */
export function roundedRectangle(left: number, top: number, width: number, height: number, radius: number): Ring {
	const [x, y] = [left + width - radius, top + height - radius];
	return [
		...arc(x, y, radius, 0, 1),
		...arc(left + radius, y, radius, 1, 2),
		...arc(left + radius, top + radius, radius, 2, 3),
		...arc(x, top + radius, radius, 3, 4),
	];
}

/** The pin that is the registry's mark, in a square of 24 units. */
export const PIN_PATH =
	"M12 2a7 7 0 0 0-7 7c0 5.2 7 13 7 13s7-7.8 7-13a7 7 0 0 0-7-7zm0 9.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5z";

/** The same pin as rings. */
export const PIN_RINGS: readonly Ring[] = [
	[
		...arc(12, 9, 7, 2, 4),
		...curve(PIECES, [19, 9], [19, 14.2], [12, 22], [12, 22]),
		...curve(PIECES, [12, 22], [12, 22], [5, 14.2], [5, 9]),
	],
	hole(arc(12, 9, 2.5, 0, 4)),
];
