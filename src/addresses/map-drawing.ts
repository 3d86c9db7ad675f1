import type { Zone } from "../zones/locate.ts";
import { zoneDigits } from "../zones/naming.ts";
import { HEIGHT, landOf, type Neighbourhood, type Projection, ROW_HEIGHT, type Stretch, WIDTH } from "./map.ts";
import { isolated } from "./plain-label.ts";
import { escapeXml } from "./qr.ts";

/** Metres in a degree of latitude, on average. */
const METRES_PER_DEGREE = 111_195;
/** Longest scale bar, in units of the drawing. */
const SCALE_UNITS_MAX = 90;
/** Room kept around a text, and the width of a letter and height of a line, in units of the drawing. */
const TEXT_MARGIN = 4;
const LETTER_WIDTH = 5.9;
const LINE_HEIGHT = 12;
/** Half of the square around the point that stays free of text. */
const PIN_ROOM = 9;
/** How far a zone's box may reach beyond the frame, so that its sides there are not drawn. */
const BEYOND = 2;

interface Box {
	left: number;
	top: number;
	right: number;
	bottom: number;
}

function boxOf(zone: Zone, projection: Projection): Box {
	const left = projection.x(zone.bounds.west);
	// A box that ends at the antimeridian ends at its own right, not at the left of the world.
	const right = projection.x(zone.bounds.east - 1e-7);
	return { left, right, top: projection.y(zone.bounds.north), bottom: projection.y(zone.bounds.south) };
}

function clipped({ left, top, right, bottom }: Box, beyond: number): Box {
	return {
		left: Math.max(-beyond, left),
		top: Math.max(-beyond, top),
		right: Math.min(WIDTH + beyond, right),
		bottom: Math.min(HEIGHT + beyond, bottom),
	};
}

/** A land in the drawing, as path data; rows that show the same stretch become one piece. */
function landPath(rows: Stretch[][], land: string): string {
	const open = new Map<string, number>();
	let path = "";
	for (let row = 0; row <= rows.length; row += 1) {
		const stretches = (rows[row] ?? [])
			.filter((stretch) => stretch.land === land)
			.map(({ from, to }) => `${Math.round(from)} ${Math.round(to)}`);
		for (const [stretch, top] of open) {
			if (stretches.includes(stretch)) continue;
			const [from = 0, to = 0] = stretch.split(" ").map(Number);
			path += `M${from} ${top * ROW_HEIGHT}H${to}V${row * ROW_HEIGHT}H${from}`;
			open.delete(stretch);
		}
		for (const stretch of stretches) if (!open.has(stretch)) open.set(stretch, row);
	}
	return path;
}

/** A place in a zone for a text of some width and height: on its own land, away from the point, as near its middle as can be. */
function placeOfText(
	box: Box,
	land: string,
	rows: Stretch[][],
	taken: Box[],
	width: number,
	height: number,
): { x: number; top: number } | undefined {
	let best: { x: number; top: number; distance: number } | undefined;
	if (box.right - box.left < width) return undefined;
	const first = Math.ceil(box.top / ROW_HEIGHT);
	for (let row = first; row * ROW_HEIGHT + height <= box.bottom; row += 1) {
		const top = row * ROW_HEIGHT;
		if (best && Math.abs(top + height / 2 - (box.top + box.bottom) / 2) >= best.distance) continue;
		// What is too narrow is dropped at every step, or a tangled border would multiply the pieces.
		const wide = ({ left, right }: { left: number; right: number }) => right - left >= width;
		let free = [{ left: box.left, right: box.right }].filter(wide);
		for (const stretches of rows.slice(row, row + Math.ceil(height / ROW_HEIGHT))) {
			free = free.flatMap(({ left, right }) =>
				stretches
					.filter((stretch) => stretch.land === land)
					.map(({ from, to }) => ({ left: Math.max(left, from), right: Math.min(right, to) }))
					.filter(wide),
			);
		}
		for (const other of taken) {
			if (other.bottom <= top || other.top >= top + height) continue;
			free = free.flatMap(({ left, right }) =>
				[
					{ left, right: Math.min(right, other.left) },
					{ left: Math.max(left, other.right), right },
				].filter(wide),
			);
		}
		for (const { left, right } of free) {
			const middle = (box.left + box.right) / 2;
			const x = Math.min(Math.max(middle, left + width / 2), right - width / 2);
			const distance = Math.hypot(x - middle, top + height / 2 - (box.top + box.bottom) / 2);
			if (!best || distance < best.distance) best = { x, top, distance };
		}
	}
	return best;
}

/** A round length in metres (1, 2 or 5 times a power of ten) that fits the scale bar. */
function roundLength(metresMax: number): number {
	const power = 10 ** Math.floor(Math.log10(metresMax));
	return ([5, 2, 1].find((digit) => digit * power <= metresMax) ?? 1) * power;
}

function tenths(value: number): string {
	return String(Math.round(value * 10) / 10);
}

/**
 * The map as SVG: the zones around the point, its own one marked, each on its own land only, borders, the point and a scale. Drawn with
 * classes, so that the page's style sheet colours it by day and night.
 * @param title names the map for those who do not see it
 * @param ownNumber the zone number in the address's code, which for a zone that overflowed is not the number in the index
 * @param lengthText writes a length in metres
 */
export function drawMap(
	{ projection, point, own, zones, borders, rows }: Neighbourhood,
	title: string,
	ownNumber: string,
	lengthText: (metres: number) => string,
): string {
	const pin = { x: projection.x(point.lng), y: projection.y(point.lat) };
	const pinRoom = { left: pin.x - PIN_ROOM, top: pin.y - PIN_ROOM, right: pin.x + PIN_ROOM, bottom: pin.y + PIN_ROOM };
	const scaleRoom = { left: 0, top: HEIGHT - 30, right: SCALE_UNITS_MAX + 16, bottom: HEIGHT };

	const boxes = new Map<string, string>();
	let texts = "";
	const isOwn = (zone: Zone) => zone.country === own.country && zone.zone === own.zone;
	// The own zone comes last, so that its outline covers its neighbours'.
	for (const zone of zones.toSorted((a, b) => Number(isOwn(a)) - Number(isOwn(b)))) {
		const whole = boxOf(zone, projection);
		const { left, top, right, bottom } = clipped(whole, BEYOND);
		if (right <= left || bottom <= top) continue;
		const kind = isOwn(zone) ? "own" : zone.country === own.country ? "near" : "far";
		const rectangle = `<rect class="${kind}" x="${left}" y="${top}" width="${tenths(right - left)}" height="${tenths(bottom - top)}"/>`;
		boxes.set(landOf(zone), (boxes.get(landOf(zone)) ?? "") + rectangle);

		const number = isOwn(zone) ? ownNumber : zoneDigits(zone.zone);
		for (const lines of zone.name ? [[zone.name, number], [number]] : [[number]]) {
			const width = Math.max(...lines.map((line) => line.length)) * LETTER_WIDTH + 2 * TEXT_MARGIN;
			const height = lines.length * LINE_HEIGHT + TEXT_MARGIN;
			const place = placeOfText(clipped(whole, 0), landOf(zone), rows, [pinRoom, scaleRoom], width, height);
			if (!place) continue;
			for (const [index, line] of lines.entries()) {
				const baseline = place.top + TEXT_MARGIN / 2 + (index + 0.8) * LINE_HEIGHT;
				texts += `<text${isOwn(zone) ? ' class="own-name"' : ""} x="${tenths(place.x)}" y="${tenths(baseline)}">${escapeXml(line)}</text>`;
			}
			break;
		}
	}
	let lands = "";
	for (const [land, rectangles] of boxes) {
		lands +=
			borders.length === 0
				? rectangles
				: `<clipPath id="of-${land}"><path d="${landPath(rows, land)}"/></clipPath><g clip-path="url(#of-${land})">${rectangles}</g>`;
	}
	const border = borders
		.map(([[lngA, latA], [lngB, latB]]) => {
			const [x, y] = [projection.x(lngA), projection.y(latA)];
			return `M${x} ${y}l${tenths(projection.x(lngB) - x)} ${tenths(projection.y(latB) - y)}`;
		})
		.join("");
	const metres = roundLength((SCALE_UNITS_MAX / projection.unitsPerDegree) * METRES_PER_DEGREE);
	const bar = tenths((metres / METRES_PER_DEGREE) * projection.unitsPerDegree);
	return (
		`<svg class="map" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" direction="ltr" aria-label="${escapeXml(title)}">${lands}` +
		(border && `<path class="border" d="${border}"/>`) +
		texts +
		`<path class="scale" d="M8 ${HEIGHT - 12}v4h${bar}v-4"/><text class="scale-name" x="8" y="${HEIGHT - 16}">${escapeXml(isolated(lengthText(metres)))}</text>` +
		`<circle class="pin" cx="${pin.x}" cy="${pin.y}" r="6"/></svg>`
	);
}
