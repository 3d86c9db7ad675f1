/**
 * Replaces pieces of the border source's lines by better ones, see border-patches.ts. Both neighbours' rings get the new line, so that
 * there is neither a gap nor an overlap: the land between the two lines changes hands.
 */

import { BORDER_PATCHES, type BorderPatch, EXCLAVES } from "./border-patches.ts";
import { doCross, type Ends, edgeKey } from "./borders.ts";
import { squaredKm } from "./earth.ts";
import { bordersBetween } from "./natural-earth.ts";
import { type Ring, readSourceTerritories, type Territory, toSteps, turned } from "./sources.ts";

/** A patch as it is applied. Points are lattice points of 1e-5 degree, x and y in turn. */
interface AppliedPatch {
	countries: readonly [string, string];
	/** the land that changes hands: the old line one way and the new line back; it may cross itself */
	loop: Ring;
}

/** An end of a patch farther than this from a vertex of the border, in kilometres, is a mistake in the table. */
const MOST_KM_TO_END = 12;

/** How many points of Natural Earth's line may be left out at either end of a patch. */
const MOST_LEFT_OUT = 8;

type Vertex = readonly [x: number, y: number];

const pointsOf = (line: readonly number[]): Vertex[] =>
	Array.from({ length: line.length / 2 }, (_, at) => [line[2 * at]!, line[2 * at + 1]!] as const);
const keyOf = ([x, y]: Vertex): string => `${x},${y}`;

/** Index of the point nearest to another one; of several equally near, the first. */
function nearestOf(points: readonly Vertex[], [x, y]: Vertex): { index: number; km: number } {
	let index = 0;
	let least = Infinity;
	points.forEach(([px, py], at) => {
		const distance = squaredKm(px, py, x, y);
		if (distance < least) [index, least] = [at, distance];
	});
	return { index, km: Math.sqrt(least) };
}

function describe({ countries, from, to }: BorderPatch): string {
	return `the patch ${countries.join("/")} from ${from} to ${to}`;
}

/** Natural Earth's line between two points of the border. */
function lineOfNaturalEarth(patch: BorderPatch, from: Vertex, to: Vertex): Vertex[] {
	const lines = bordersBetween(...patch.countries).map((line) =>
		line.map(([lng, lat]): Vertex => [toSteps(lng!), toSteps(lat!)]),
	);
	let best: { km: number; line: Vertex[] } | undefined;
	for (const line of lines) {
		const start = nearestOf(line, from);
		const end = nearestOf(line, to);
		const km = start.km + end.km;
		if (best && best.km <= km) continue;
		const [first, last] = [Math.min(start.index, end.index), Math.max(start.index, end.index)];
		const piece = line.slice(first, last + 1);
		best = { km, line: start.index <= end.index ? piece : piece.reverse() };
	}
	if (!best) throw new Error(`${describe(patch)}: Natural Earth has no such border`);
	return best.line;
}

/** The ring of a territory that has two given vertices, as points, rotated to start with the first. */
function ringBetween(rings: readonly Ring[], from: Vertex, to: Vertex): { at: number; points: Vertex[]; end: number } {
	for (const [at, ring] of rings.entries()) {
		const points = pointsOf(ring);
		const start = points.findIndex((point) => keyOf(point) === keyOf(from));
		if (start < 0 || !points.some((point) => keyOf(point) === keyOf(to))) continue;
		const turned = [...points.slice(start), ...points.slice(0, start)];
		return { at, points: turned, end: turned.findIndex((point) => keyOf(point) === keyOf(to)) };
	}
	throw new Error(`no ring has both ends of a patch: ${from} and ${to}`);
}

/** A territory's rings with one line between two of its vertices replaced. `old` is the line as it was. */
function withLine(rings: readonly Ring[], old: readonly Vertex[], line: readonly Vertex[]): Ring[] {
	const [from, to] = [old[0]!, old.at(-1)!];
	const { at, points, end } = ringBetween(rings, from, to);
	const forward = old.length === end + 1 && old.every((point, index) => keyOf(point) === keyOf(points[index]!));
	const kept = forward ? points.slice(end + 1) : points.slice(1, end);
	const ring = forward ? [...line, ...kept] : [...kept, ...[...line].reverse()];
	return rings.map((other, index) => (index === at ? ring.flat() : other));
}

/** The old line between the common vertices of two neighbours that are nearest to the ends of a patch. */
function oldLine(patch: BorderPatch, a: readonly Ring[], b: readonly Ring[]): Vertex[] {
	const common = new Set(b.flatMap(pointsOf).map(keyOf));
	const shared = a.flatMap(pointsOf).filter((point) => common.has(keyOf(point)));
	const [from, to] = [patch.from, patch.to].map(([lng, lat]) => {
		const { index, km } = nearestOf(shared, [toSteps(lng), toSteps(lat)]);
		if (km > MOST_KM_TO_END) throw new Error(`${describe(patch)}: the border is ${km.toFixed(1)} km from its end`);
		return shared[index]!;
	}) as [Vertex, Vertex];
	const { points, end } = ringBetween(a, from, to);
	const ways = [points.slice(0, end + 1), [points[0]!, ...points.slice(end).reverse()]];
	const way = ways.find((line) => line.every((point) => common.has(keyOf(point))));
	if (!way || end <= 0) throw new Error(`${describe(patch)}: its ends are not on one border`);
	return way;
}

function endsOf(points: readonly Vertex[]): Ends[] {
	return points.slice(1).map(([x, y], index): Ends => [points[index]![0], points[index]![1], x, y]);
}

function boxAround(line: readonly Vertex[]): [west: number, south: number, east: number, north: number] {
	const [xs, ys] = [line.map(([x]) => x), line.map(([, y]) => y)];
	return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Edges of territories that reach into the box around a line. */
function edgesNear(territories: readonly Territory[], line: readonly Vertex[]): Ends[] {
	const [west, south, east, north] = boxAround(line);
	const near: Ends[] = [];
	for (const ring of territories.flatMap(({ rings }) => rings)) {
		for (let at = 0, last = ring.length - 2; at < ring.length; last = at, at += 2) {
			const ends: Ends = [ring[last]!, ring[last + 1]!, ring[at]!, ring[at + 1]!];
			const [x1, y1, x2, y2] = ends;
			if (Math.max(x1, x2) <= west || Math.min(x1, x2) >= east) continue;
			if (Math.max(y1, y2) > south && Math.min(y1, y2) < north) near.push(ends);
		}
	}
	return near;
}

/** An edge of a new line that crosses the line itself or another border near it, and the edge that it crosses. */
function crossingOf(line: readonly Vertex[], near: readonly Ends[]): readonly [Ends, Ends] | undefined {
	const drawn = endsOf(line);
	for (const ends of drawn) {
		const crossed = [...drawn, ...near].find((other) => doCross(ends, other));
		if (crossed) return [ends, crossed];
	}
	return undefined;
}

/** A line without immediately repeated points. */
function withoutRepeats(points: readonly Vertex[]): Vertex[] {
	return points.filter((point, index) => index === 0 || keyOf(point) !== keyOf(points[index - 1]!));
}

/**
 * The new line between the ends of an old one. If another source's line begins or ends beyond the vertex that it is to join, as few of its
 * first and last points as possible are left out.
 */
function newLine(patch: BorderPatch, old: readonly Vertex[], territories: readonly Territory[]): Vertex[] {
	const [from, to] = [old[0]!, old.at(-1)!];
	const between = patch.line
		? patch.line.map(([lng, lat]): Vertex => [toSteps(lng), toSteps(lat)])
		: lineOfNaturalEarth(patch, from, patch.leave ? [toSteps(patch.leave[0]), toSteps(patch.leave[1])] : to);
	const replaced = new Set(endsOf(old).map(edgeKey));
	const near = edgesNear(territories, [from, ...between, to]).filter((ends) => !replaced.has(edgeKey(ends)));
	let crossed: readonly [Ends, Ends] | undefined;
	for (let left = 0; left <= (patch.line ? 0 : 2 * MOST_LEFT_OUT); left++) {
		const [first, last] = [Math.ceil(left / 2), Math.floor(left / 2)];
		for (const [atStart, atEnd] of [
			[first, last],
			[left, 0],
			[0, left],
		] as const) {
			const line = withoutRepeats([from, ...between.slice(atStart, between.length - atEnd), to]);
			crossed = crossingOf(line, near);
			if (!crossed) return line;
		}
	}
	throw new Error(`${describe(patch)}: ${crossed?.[0]} crosses ${crossed?.[1]}`);
}

/** Every country's territory, in the order of their codes. */
export function readTerritories(): Territory[] {
	return patchBorders(readSourceTerritories()).territories;
}

/** Territories with all patches applied in the order of their table, then the exclaves, and the land that each of them moved. */
export function patchBorders(
	drawn: readonly Territory[],
	patches: readonly BorderPatch[] = BORDER_PATCHES,
): { territories: Territory[]; applied: AppliedPatch[] } {
	let territories = [...drawn];
	const applied = patches.map((patch): AppliedPatch => {
		const [a, b] = patch.countries.map((code) => territories.find(({ country }) => country === code)!) as [
			Territory,
			Territory,
		];
		const old = oldLine(patch, a.rings, b.rings);
		const line = newLine(patch, old, territories);
		territories = territories.map((territory) =>
			territory === a || territory === b ? { ...territory, rings: withLine(territory.rings, old, line) } : territory,
		);
		return { countries: patch.countries, loop: [...old, ...line.slice(1, -1).reverse()].flat() };
	});
	const cutOut = EXCLAVES.map(({ countries: [around, owner], outline }): AppliedPatch => {
		const ring = outline.flatMap(([lng, lat]) => [toSteps(lng), toSteps(lat)]);
		territories = territories.map(({ country, rings }) => ({
			country,
			rings:
				country === around
					? [...rings, turned(ring, false)]
					: country === owner
						? [...rings, turned(ring, true)]
						: rings,
		}));
		return { countries: [around, owner], loop: ring };
	});
	return { territories, applied: [...applied, ...cutOut] };
}
