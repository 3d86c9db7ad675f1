/** Makes the lines of first-level divisions, as zones/*.lines have them, from the edges of a map. */
import { writeFileSync } from "node:fs";
import type { DivisionLine } from "./division-lines.ts";
import { squaredKm } from "./earth.ts";
import { simplifiedLine } from "./simplify.ts";

/**
 * How far simplification may move a line between two divisions of one country, and a coast or border, which zones have more exactly; in
 * kilometres.
 */
const LINE_KM = 0.25;
const EDGE_KM = 2.5;
/** Islands less than this across, in kilometres, are left out: the nearest settlement also tells their division. */
const ISLAND_KM = 8;

/** An edge of a map, with the numbers, from 1 on, of the divisions that it separates; the second is 0 at a coast. */
export interface MapEdge {
	/** lattice points of 1e-5 degree, `x,y` */
	ends: [from: string, to: string];
	sides: [number, number];
	isUsed: boolean;
}

/** Joins edges that separate the same two divisions into lines, each from one junction of lines to another. */
function chain(edges: readonly MapEdge[]): DivisionLine[] {
	const at = new Map<string, MapEdge[]>();
	for (const edge of edges) {
		for (const end of edge.ends) {
			const there = at.get(end);
			if (there) there.push(edge);
			else at.set(end, [edge]);
		}
	}
	const isMeeting = (point: string) => {
		const [first, second, ...others] = at.get(point)!;
		return others.length > 0 || second === undefined || String(first!.sides) !== String(second.sides);
	};
	const follow = (start: string, first: MapEdge): DivisionLine => {
		const line = [start];
		for (let edge: MapEdge | undefined = first; edge; ) {
			edge.isUsed = true;
			const next: string = edge.ends[0] === line.at(-1) ? edge.ends[1] : edge.ends[0];
			line.push(next);
			edge = isMeeting(next) ? undefined : at.get(next)!.find(({ isUsed }) => !isUsed);
		}
		return { sides: first.sides, points: line.map((point) => point.split(",").map(Number) as [number, number]) };
	};
	const lines: DivisionLine[] = [];
	const begin = (edge: MapEdge, point: string) => {
		if (!edge.isUsed) lines.push(follow(point, edge));
	};
	for (const edge of edges) for (const end of edge.ends) if (isMeeting(end)) begin(edge, end);
	for (const edge of edges) begin(edge, edge.ends[0]);
	return lines;
}

/** Whether a line is the whole coast of a small island. */
function isIslet({ sides, points }: DivisionLine): boolean {
	if (sides[1] !== 0 || String(points[0]) !== String(points.at(-1))) return false;
	const [x, y] = points[0]!;
	return points.every(([px, py]) => squaredKm(x, y, px, py) < ISLAND_KM * ISLAND_KM);
}

/**
 * Writes the lines that the edges of maps make, simplified, without those of small islands. Each map has edges of its own.
 * @param countryOf The country of a division; undefined for division 0.
 * @param head Lines of text about the source, which go before.
 */
export function writeDivisionLines(
	file: string,
	maps: ReadonlyArray<readonly MapEdge[]>,
	countryOf: (division: number) => string | undefined,
	head: readonly string[] = [],
): void {
	const lines = maps
		.flatMap(chain)
		.filter((line) => !isIslet(line))
		.map(({ sides, points }): DivisionLine => {
			const isWithinCountry = countryOf(sides[0]) === countryOf(sides[1]);
			return { sides, points: simplifiedLine(points, isWithinCountry ? LINE_KM : EDGE_KM) };
		});
	const text = lines.map(({ sides, points }) => {
		const steps = points.map(([x, y], at) => [x - (points[at - 1]?.[0] ?? 0), y - (points[at - 1]?.[1] ?? 0)].join());
		return [...sides, ...steps].join(" ");
	});
	writeFileSync(file, [...head.map((line) => `# ${line}`), ...text, ""].join("\n"));
	console.log(`${lines.length} lines, ${lines.reduce((sum, { points }) => sum + points.length, 0)} points`);
}
