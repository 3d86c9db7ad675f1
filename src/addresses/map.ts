import { type BorderSegment, type Bounds, MAP_WINDOW_DEGREES, type Zone, type ZoneLocator } from "../zones/locate.ts";
import { escapeXml } from "./qr.ts";

/** Width and height of the drawing, in its own units. */
const WIDTH = 320;
const HEIGHT = 232;
/** Share of the drawing that the address's own zone fills at most, so that its neighbours show around it. */
const OWN_SHARE = 0.42;
/** Metres in a degree of latitude, on average. */
const METRES_PER_DEGREE = 111_195;
/** Near the poles a degree of longitude shrinks to nothing; the drawing stops following there. */
const COSINE_MIN = 0.02;
/** Longest scale bar, in units of the drawing. */
const SCALE_UNITS_MAX = 90;
/** Room kept between text and the border of its zone, and the usual width of a letter, in units of the drawing. */
const TEXT_MARGIN = 3;
const LETTER_WIDTH = 5.8;
const LINE_HEIGHT = 12;

/** What a map is drawn of. Degrees, WGS 84. */
export interface Neighbourhood {
	point: { lat: number; lng: number };
	/** The middle of the drawing. */
	centre: { lat: number; lng: number };
	/** Units of the drawing in a degree of longitude and of latitude. */
	scale: { x: number; y: number };
	own: Zone;
	zones: Zone[];
	borders: BorderSegment[];
}

/** A longitude brought to -180 up to 180. */
function wrapped(lng: number): number {
	return ((((lng + 180) % 360) + 360) % 360) - 180;
}

/**
 * Gathers what a map of the zone around a point shows. Undefined where the index has no zone.
 * @throws ZoneIndexError when the index cannot be read.
 */
export async function neighbourhood(
	locator: ZoneLocator,
	point: { lat: number; lng: number },
): Promise<Neighbourhood | undefined> {
	const own = await locator.locate(point.lat, point.lng);
	if (!own) return undefined;
	const { south, west, north, east } = own.bounds;
	const cosine = Math.max(COSINE_MIN, Math.cos((point.lat * Math.PI) / 180));
	const fitting = Math.min((HEIGHT * OWN_SHARE) / (north - south), (WIDTH * OWN_SHARE) / ((east - west) * cosine));
	const perDegree = Math.max(fitting, HEIGHT / MAP_WINDOW_DEGREES, WIDTH / MAP_WINDOW_DEGREES / cosine);
	const scale = { x: perDegree * cosine, y: perDegree };
	// A zone that fits is shown whole; of a larger one, the part around the point.
	const centre = fitting === perDegree ? { lat: (south + north) / 2, lng: (west + east) / 2 } : point;
	const halfHeight = HEIGHT / scale.y / 2;
	const halfWidth = Math.min(WIDTH / scale.x, MAP_WINDOW_DEGREES) / 2;
	const window: Bounds = {
		south: Math.max(-90, centre.lat - halfHeight),
		north: Math.min(90, centre.lat + halfHeight),
		west: wrapped(centre.lng - halfWidth),
		east: wrapped(centre.lng + halfWidth),
	};
	return { point, centre, scale, own, ...(await locator.around(window)) };
}

function rounded(value: number): number {
	return Math.round(value * 10) / 10;
}

/** A round length in metres (1, 2 or 5 times a power of ten) that fits the scale bar. */
function roundLength(metresMax: number): number {
	const power = 10 ** Math.floor(Math.log10(metresMax));
	return ([5, 2, 1].find((digit) => digit * power <= metresMax) ?? 1) * power;
}

interface Rectangle {
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** What a zone is called in its rectangle: as much of name and number as fits between its sides. */
function zoneText(name: string, number: string, { left, top, right, bottom }: Rectangle): string[] {
	const room = right - left - 2 * TEXT_MARGIN;
	const lines = Math.floor((bottom - top - 2 * TEXT_MARGIN) / LINE_HEIGHT);
	return [name, number].filter((line) => line && line.length * LETTER_WIDTH <= room).slice(-Math.max(0, lines));
}

/**
 * The map as SVG: the zones around the point, its own one marked, national borders, the point and a scale. Drawn with classes, so that the page's
 * style sheet colours it by day and night.
 * @param title names the map for those who do not see it
 * @param ownNumber the zone number in the address's code, which for a zone that overflowed is not the number in the index
 * @param lengthText writes a length in metres
 */
export function drawMap(
	{ point, centre, scale, own, zones, borders }: Neighbourhood,
	title: string,
	ownNumber: string,
	lengthText: (metres: number) => string,
): string {
	const x = (lng: number) => rounded(WIDTH / 2 + wrapped(lng - centre.lng) * scale.x);
	const y = (lat: number) => rounded(HEIGHT / 2 - (lat - centre.lat) * scale.y);
	const pin = { x: x(point.lng), y: y(point.lat) };

	let shapes = "";
	let texts = "";
	const isOwn = (zone: Zone) => zone.country === own.country && zone.zone === own.zone;
	// Cells reach across the border that cuts them, so foreign ones come first, and the own one covers its neighbours.
	const rank = (zone: Zone) => (isOwn(zone) ? 2 : zone.country === own.country ? 1 : 0);
	for (const zone of zones.toSorted((a, b) => rank(a) - rank(b))) {
		const left = x(zone.bounds.west);
		const width = rounded(wrapped(zone.bounds.east - zone.bounds.west) * scale.x);
		const visible: Rectangle = {
			left: Math.max(0, left),
			top: Math.max(0, y(zone.bounds.north)),
			right: Math.min(WIDTH, left + width),
			bottom: Math.min(HEIGHT, y(zone.bounds.south)),
		};
		if (visible.right <= visible.left || visible.bottom <= visible.top) continue;
		// One unit beyond the frame, so that only sides that are borders of zones are drawn.
		const box = {
			left: Math.max(-2, left),
			top: Math.max(-2, y(zone.bounds.north)),
			right: Math.min(WIDTH + 2, left + width),
			bottom: Math.min(HEIGHT + 2, y(zone.bounds.south)),
		};
		const kind = ["far", "near", "own"][rank(zone)];
		shapes += `<rect class="${kind}" x="${box.left}" y="${box.top}" width="${rounded(box.right - box.left)}" height="${rounded(box.bottom - box.top)}"/>`;
		const number = isOwn(zone) ? ownNumber : String(zone.zone).padStart(4, "0");
		const lines = zoneText(zone.name, number, visible);
		const middle = rounded((visible.left + visible.right) / 2);
		// The own zone's name keeps clear of the point; a neighbour's stands in the middle of what is seen of it.
		const height = lines.length * LINE_HEIGHT;
		const first = !isOwn(zone)
			? (visible.top + visible.bottom - height) / 2
			: pin.y < (visible.top + visible.bottom) / 2
				? visible.bottom - height - TEXT_MARGIN
				: visible.top + TEXT_MARGIN;
		for (const [index, line] of lines.entries()) {
			const baseline = rounded(first + (index + 0.8) * LINE_HEIGHT);
			texts += `<text${isOwn(zone) ? ' class="own-name"' : ""} x="${middle}" y="${baseline}">${escapeXml(line)}</text>`;
		}
	}
	const border = borders.map(([a, b]) => `M${x(a[0])} ${y(a[1])}L${x(b[0])} ${y(b[1])}`).join("");
	const metres = roundLength((SCALE_UNITS_MAX / scale.y) * METRES_PER_DEGREE);
	const bar = rounded((metres / METRES_PER_DEGREE) * scale.y);
	return (
		`<svg class="map" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" direction="ltr" aria-label="${escapeXml(title)}">${shapes}` +
		(border && `<path class="border" d="${border}"/>`) +
		texts +
		`<path class="scale" d="M8 ${HEIGHT - 12}v4h${bar}v-4"/><text class="scale-name" x="8" y="${HEIGHT - 16}">${escapeXml(lengthText(metres))}</text>` +
		`<circle class="pin" cx="${pin.x}" cy="${pin.y}" r="6"/></svg>`
	);
}
