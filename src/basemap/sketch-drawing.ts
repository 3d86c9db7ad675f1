/** Turns shapes and names into the text of an SVG, whose colours come from the style sheet. */
import { escapeXml } from "../print/qr.ts";
import type { ClippedRing, Corner, Frame } from "./clip.ts";
import type { ShapeKind } from "./features.ts";

/** Width and height of the drawing, in units. A unit is half a CSS pixel on a page that is 360 wide, so no decimals are needed. */
export const WIDTH = 720;
export const HEIGHT = 480;
export const FRAME: Frame = [0, 0, WIDTH, HEIGHT];

/** The strip of the drawing that pages show, low enough that the directions fit on the first screen of a phone. */
const SHOWN = { top: 60, height: 360 };
/** How much of the strip a page may cover with the plate of a code, from the lower edge up, in units. */
const COVERED = 76;

/** The drawing shows 240 metres from west to east. */
export const UNITS_PER_METRE = 3;

/** The kinds of shape that are drawn with an edge. */
const OUTLINED: readonly ShapeKind[] = ["street", "road", "highway"];

/** The order in which shapes are drawn, from the ground up. */
const ORDER: readonly ShapeKind[] = ["green", "water", "building", "path", "rail", "street", "road", "highway"];

/** A street with a name, and its lines inside the frame. */
export interface StreetName {
	name: string;
	/** Whether it is one of the larger streets, whose names are larger too. */
	isRoad: boolean;
	lines: Corner[][];
}

/** The heights of names, in units, and the width of a character as a share of them. */
const NAME_HEIGHT = { road: 25, street: 22 };
const CHARACTER_WIDTH = 0.56;
const NAMES_MAX = 12;
/** How straight a stretch of a street must be for its name: the distance between its ends, as a share of its length. */
const STRAIGHT = 0.97;

/** Path data with relative moves in whole units, which compresses best; empty for what is too small to see. */
function pathData(corners: readonly Corner[], isClosed: boolean): string {
	let data = "";
	let [x, y] = [0, 0];
	for (const corner of corners) {
		const [nextX, nextY] = [Math.round(corner[0]), Math.round(corner[1])];
		if (data && nextX === x && nextY === y) continue;
		// A minus sign separates two numbers by itself.
		const step = `${data ? nextX - x : nextX}${nextY - (data ? y : 0) < 0 ? "" : " "}${data ? nextY - y : nextY}`;
		data += data === "" ? `M${step}l` : data.endsWith("l") || step.startsWith("-") ? step : ` ${step}`;
		[x, y] = [nextX, nextY];
	}
	return /l$|^$/.test(data) ? "" : data + (isClosed ? "z" : "");
}

/** Where a name stands: its middle, and its rotation in degrees, never upside down. */
interface PlacedName {
	x: number;
	y: number;
	turn: number;
}

/** Where the middle of a name may be on the longest straight stretch of its street, as shares of the stretch, the best first. */
const PLACES = [0.5, 0.25, 0.75];

/** The places for a name of some length on the longest straight stretch of its street. */
function placesOfName({ lines }: StreetName, length: number): PlacedName[] {
	let best: { chord: number; from: Corner; to: Corner } | undefined;
	for (const line of lines) {
		for (let start = 0; start < line.length - 1; start += 1) {
			let way = 0;
			for (let end = start + 1; end < line.length; end += 1) {
				const [from, before, to] = [line[start]!, line[end - 1]!, line[end]!];
				way += Math.hypot(to[0] - before[0], to[1] - before[1]);
				const chord = Math.hypot(to[0] - from[0], to[1] - from[1]);
				if (chord < way * STRAIGHT) break;
				if (chord > (best?.chord ?? length)) best = { chord, from, to };
			}
		}
	}
	if (!best) return [];
	const { chord, from, to } = best;
	const turn = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
	const upright = turn > 90 ? turn - 180 : turn < -90 ? turn + 180 : turn;
	return PLACES.filter((part) => Math.min(part, 1 - part) * chord * 2 > length).map((part) => ({
		x: Math.round(from[0] + (to[0] - from[0]) * part),
		y: Math.round(from[1] + (to[1] - from[1]) * part),
		turn: Math.round(upright),
	}));
}

/**
 * The names of streets as SVG, the larger streets first. Each is whole, inside the strip that pages show, and clear of other names, the
 * pin, the scale bar and the licence line.
 */
function drawNames(streets: readonly StreetName[]): string {
	const taken: { x: number; y: number; reach: number }[] = [
		{ x: WIDTH / 2, y: HEIGHT / 2 - 30, reach: 40 },
		{ x: 90, y: NOTES, reach: 70 },
		{ x: WIDTH - 90, y: NOTES, reach: 70 },
	];
	let drawn = "";
	for (const street of [...streets].sort((a, b) => Number(b.isRoad) - Number(a.isRoad))) {
		const height = street.isRoad ? NAME_HEIGHT.road : NAME_HEIGHT.street;
		const length = [...street.name].length * height * CHARACTER_WIDTH;
		if (taken.length > NAMES_MAX + 2) break;
		const reach = length / 2;
		const place = placesOfName(street, length).find(({ x, y, turn }) => {
			const slope = (turn * Math.PI) / 180;
			const [aside, below] = [Math.cos(slope) * reach + 12, Math.abs(Math.sin(slope)) * reach + 12];
			return (
				x > aside &&
				x < WIDTH - aside &&
				y > SHOWN.top + below &&
				y < SHOWN.top + SHOWN.height - COVERED - below &&
				taken.every((other) => Math.hypot(other.x - x, other.y - y) > (reach + other.reach) * 0.6 + height)
			);
		});
		if (!place) continue;
		taken.push({ x: place.x, y: place.y, reach });
		const { x, y, turn } = place;
		drawn += `<text x="${x}" y="${y}"${turn ? ` transform="rotate(${turn} ${x} ${y})"` : ""}${street.isRoad ? ' class="large"' : ""}>${escapeXml(street.name)}</text>`;
	}
	return drawn;
}

/** The baseline of the scale and the licence: near the upper edge, because the plate may cover the lower one. */
const NOTES = SHOWN.top + 52;
/** The length of the scale bar, in metres. */
const SCALE_METRES = 50;

/**
 * The SVG of a sketch, with a class for each kind of shape. It holds the pin, a scale bar and the licence line that OpenStreetMap asks
 * for.
 * @param shapes In units of the drawing, clipped to its frame.
 */
export function drawSketch(
	shapes: ReadonlyMap<ShapeKind, { rings: readonly ClippedRing[]; lines: readonly Corner[][] }>,
	streets: readonly StreetName[],
): string {
	let ground = "";
	let defined = "";
	let edges = "";
	let ways = "";
	for (const kind of ORDER) {
		const { rings = [], lines = [] } = shapes.get(kind) ?? {};
		const area = rings.map(({ corners, isOpen }) => pathData(corners, !isOpen)).join("");
		const line = lines.map((corners) => pathData(corners, false)).join("");
		if (area) ground += `<path class="${kind} area" d="${area}"/>`;
		if (line && OUTLINED.includes(kind)) {
			// Each is drawn twice, first as a wider line below all of them, so that roads stand out from the ground.
			defined += `<path id="way-${kind}" d="${line}"/>`;
			edges += `<use class="edge ${kind}" href="#way-${kind}"/>`;
			ways += `<use class="${kind}" href="#way-${kind}"/>`;
		} else if (line) ground += `<path class="${kind}" d="${line}"/>`;
	}
	const [x, y] = [WIDTH / 2, HEIGHT / 2];
	return (
		`<svg class="streets" viewBox="0 ${SHOWN.top} ${WIDTH} ${SHOWN.height}" direction="ltr" aria-hidden="true"><g class="ground">${ground}<defs>${defined}</defs>${edges}${ways}</g>` +
		`<g class="names">${drawNames(streets)}</g>` +
		`<path class="pin" d="M${x} ${y}c-22-21-34-36-34-52a34 34 0 0 1 68 0c0 16-12 31-34 52zm0-39a13 13 0 1 0 0-26a13 13 0 0 0 0 26z"/>` +
		`<path class="scale" d="M24 ${NOTES - 8}v8h${SCALE_METRES * UNITS_PER_METRE}v-8"/><text x="24" y="${NOTES - 14}">${SCALE_METRES} m</text>` +
		`<text class="end" x="${WIDTH - 16}" y="${NOTES}">© OpenStreetMap</text></svg>`
	);
}

/**
 * The ground and names of a sketch, without pin and notes, for use in another drawing: the middle is at 0,0, the scale in metres per
 * unit. Names grow no larger than they are in the sketch.
 */
export function groundOf(svg: string, metresPerUnit: number): string {
	const drawn = svg.slice(svg.indexOf("<g"), svg.indexOf('<path class="pin"'));
	const factor = 1 / (UNITS_PER_METRE * metresPerUnit);
	const names = `<g class="names" font-size="${(11 * Math.min(1 / factor, 2)).toFixed(1)}">`;
	const sized = drawn.replace('<g class="names">', names);
	return `<g class="streets" transform="scale(${factor.toFixed(4)}) translate(${-WIDTH / 2} ${-HEIGHT / 2})">${sized}</g>`;
}
