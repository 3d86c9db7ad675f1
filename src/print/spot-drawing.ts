import { type Displacement, displacementBetween, pointAfter } from "../points/plane.ts";
import type { Point } from "../points/point.ts";
import { escapeXml } from "./qr.ts";

/** Width and height of the drawing, in its own units. Where a click is sent without a script, they are CSS pixels. */
export const SPOT_WIDTH = 288;
export const SPOT_HEIGHT = 216;

/** The widths of ground that the drawing may show from west to east, and the radii of the rings around the pin, in metres. */
export const SPOT_WINDOWS = [
	{ metres: 60, rings: [10, 20] },
	{ metres: 120, rings: [10, 25, 40] },
	{ metres: 400, rings: [50, 100, 140] },
	{ metres: 2000, rings: [250, 500, 700] },
] as const;

/**
 * The index in SPOT_WINDOWS of the smallest window that holds an accuracy circle and the houses around it, by which people know where
 * they are.
 * @param accuracy The radius of the circle, in metres.
 */
export function windowFor(accuracy: number | undefined): number {
	const index = SPOT_WINDOWS.findIndex(({ metres }, index) => index > 0 && (accuracy ?? 20) * 3 <= metres);
	return index < 0 ? SPOT_WINDOWS.length - 1 : index;
}

/** The contents of the drawing of a pin's surroundings. Lengths are in metres. */
export interface Spot {
	pin: Point;
	/** Index in SPOT_WINDOWS: how much ground the drawing shows. */
	window: number;
	/** The phone's first position, and its accuracy. */
	first: { point: Point; accuracy: number | undefined } | undefined;
	/** The owner's other addresses, by code. */
	others: { point: Point; display: string }[];
	/** Draws the streets around the pin, which is at 0,0, at a scale in metres per unit; unset if there is no base map. */
	streets?: ((metresPerUnit: number) => string) | undefined;
	/** Edges of zones and borders of countries, as line segments. */
	edges: [Point, Point][];
}

function metresPerUnit(window: number): number {
	return (SPOT_WINDOWS[window]?.metres ?? SPOT_WINDOWS[0].metres) / SPOT_WIDTH;
}

/** The displacement from the pin to a point in the drawing, which is given in units from the upper left corner. */
export function wayToPixel(window: number, x: number, y: number): Displacement {
	const scale = metresPerUnit(window);
	return { north: (SPOT_HEIGHT / 2 - y) * scale, east: (x - SPOT_WIDTH / 2) * scale };
}

/** The bounds of what the drawing shows, in degrees. */
export function spotBounds({ pin, window }: Pick<Spot, "pin" | "window">) {
	const southWest = pointAfter(pin, wayToPixel(window, 0, SPOT_HEIGHT));
	const northEast = pointAfter(pin, wayToPixel(window, SPOT_WIDTH, 0));
	return { south: southWest.lat, west: southWest.lng, north: northEast.lat, east: northEast.lng };
}

function tenths(value: number): string {
	return String(Math.round(value * 10) / 10);
}

/** The shortest distance of a ring's label from the top, in units, so that the frame does not cut it off. */
const RING_NAME_TOP = 10;

/** How far beyond the frame something may lie and still be drawn, in units, because dragging brings it into view. */
const BEYOND = SPOT_WIDTH;

/**
 * The surroundings of a pin as SVG, drawn with classes that the page's style sheet colours: rings of known radius, a north arrow, a
 * scale bar, the circle of the phone's accuracy, its first point, the owner's other addresses and edges of zones. The pin is a cross in
 * the middle. All the ground is one group that a script can move below it.
 * @param lengthText Writes a length in metres.
 */
export function drawSpot(
	{ pin, window, first, others, edges, streets }: Spot,
	lengthText: (metres: number) => string,
): string {
	const scale = metresPerUnit(window);
	const at = (point: Point): { x: number; y: number } => {
		const { north, east } = displacementBetween(pin, point);
		return { x: SPOT_WIDTH / 2 + east / scale, y: SPOT_HEIGHT / 2 - north / scale };
	};
	const isNear = ({ x, y }: { x: number; y: number }) =>
		x > -BEYOND && x < SPOT_WIDTH + BEYOND && y > -BEYOND && y < SPOT_HEIGHT + BEYOND;
	const [middleX, middleY] = [SPOT_WIDTH / 2, SPOT_HEIGHT / 2];

	let ground = streets ? `<g transform="translate(${SPOT_WIDTH / 2} ${SPOT_HEIGHT / 2})">${streets(scale)}</g>` : "";
	const lines = edges
		.map(([a, b]) => [at(a), at(b)] as const)
		.map(([a, b]) => `M${tenths(a.x)} ${tenths(a.y)}L${tenths(b.x)} ${tenths(b.y)}`);
	if (lines.length > 0) ground += `<path class="edge" d="${lines.join("")}"/>`;
	if (first && isNear(at(first.point))) {
		const { x, y } = at(first.point);
		const radius = first.accuracy === undefined ? 0 : first.accuracy / scale;
		if (radius > 0) ground += `<circle class="accuracy" cx="${tenths(x)}" cy="${tenths(y)}" r="${tenths(radius)}"/>`;
		ground += `<circle class="first-fix" cx="${tenths(x)}" cy="${tenths(y)}" r="4"/>`;
	}
	for (const { point, display } of others) {
		const { x, y } = at(point);
		if (!isNear({ x, y })) continue;
		ground += `<path class="other" d="M${tenths(x)} ${tenths(y)}m0-6l6 6l-6 6l-6-6z"/><text x="${tenths(x)}" y="${tenths(y + 17)}">${escapeXml(display)}</text>`;
	}

	let rings = "";
	for (const metres of SPOT_WINDOWS[window]?.rings ?? []) {
		const radius = metres / scale;
		rings += `<circle class="ring" cx="${middleX}" cy="${middleY}" r="${tenths(radius)}"/><text x="${middleX}" y="${tenths(Math.max(RING_NAME_TOP, middleY - radius - 3))}">${escapeXml(lengthText(metres))}</text>`;
	}
	const [scaleMetres] = SPOT_WINDOWS[window]?.rings ?? [10];
	return (
		`<svg class="spot" viewBox="0 0 ${SPOT_WIDTH} ${SPOT_HEIGHT}" aria-hidden="true" direction="ltr" data-metres="${scale}">` +
		`<g class="ground">${ground}</g>${rings}` +
		`<path class="cross" d="M${middleX} ${middleY - 16}v12m0 8v12M${middleX - 16} ${middleY}h12m8 0h12"/><circle class="pin" cx="${middleX}" cy="${middleY}" r="4.5"/>` +
		`<path class="scale" d="M10 ${SPOT_HEIGHT - 12}v4h${tenths(scaleMetres / scale)}v-4"/><text class="scale-name" x="10" y="${SPOT_HEIGHT - 16}">${escapeXml(lengthText(scaleMetres))}</text>` +
		`<path class="north" d="M${SPOT_WIDTH - 18} 30v-16m-5 6l5-7l5 7"/><text x="${SPOT_WIDTH - 18}" y="42">N</text>${streets ? `<text class="licence" x="${SPOT_WIDTH - 4}" y="${SPOT_HEIGHT - 4}">© OpenStreetMap</text>` : ""}</svg>`
	);
}
