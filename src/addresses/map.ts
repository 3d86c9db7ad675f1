import { type BorderSegment, type Bounds, MAP_WINDOW_DEGREES, type Zone, type ZoneLocator } from "../zones/locate.ts";
import { zoneDigits } from "../zones/naming.ts";

/** Width and height of the drawing, in its own units. */
export const WIDTH = 320;
export const HEIGHT = 232;
/** Countries are drawn in rows of this height, in units of the drawing. */
export const ROW_HEIGHT = 2;
/** Share of the drawing that the address's own zone fills at most, so that its neighbours show around it. */
const OWN_SHARE = 0.42;
/** Near the poles a degree of longitude shrinks to nothing; the drawing stops following there. */
const COSINE_MIN = 0.02;
/** Narrower pieces of a row are given to the piece before them. */
const PIECE_UNITS_MIN = 1;

interface Point {
	lat: number;
	lng: number;
}

/** A stretch of one row of the drawing that is of one land, or of none (the sea). */
export interface Stretch {
	from: number;
	to: number;
	land: string | undefined;
}

/** The land on which a zone is drawn: its country's, or, for an official zone, its own, which the code's first digits name. */
export function landOf({ country, zone, isOfficial }: Zone): string {
	return isOfficial ? country + zoneDigits(zone) : country;
}

/** What a map of a zone is drawn of. Degrees are WGS 84. */
export interface Neighbourhood {
	projection: Projection;
	/** The address. */
	point: Point;
	own: Zone;
	/** The zones of every land that a row of the drawing shows. */
	zones: Zone[];
	borders: BorderSegment[];
	/** Which lands each row of the drawing shows, from north to south; one stretch a row where there is no border. */
	rows: Stretch[][];
}

/** A longitude brought to -180 up to 180. */
function wrapped(lng: number): number {
	return ((((lng + 180) % 360) + 360) % 360) - 180;
}

function rounded(value: number): number {
	return Math.round(value * 10) / 10;
}

/** Degrees to units of the drawing: parallels and meridians as a straight grid, true to scale at its middle. */
export class Projection {
	readonly #centre: Point;
	readonly #across: number;
	/** Units of the drawing in a degree of latitude. */
	readonly unitsPerDegree: number;

	constructor(point: Point, { south, west, north, east }: Bounds) {
		const cosine = Math.max(COSINE_MIN, Math.cos((point.lat * Math.PI) / 180));
		const fitting = Math.min((HEIGHT * OWN_SHARE) / (north - south), (WIDTH * OWN_SHARE) / ((east - west) * cosine));
		this.unitsPerDegree = Math.max(fitting, HEIGHT / MAP_WINDOW_DEGREES, WIDTH / MAP_WINDOW_DEGREES / cosine);
		this.#across = this.unitsPerDegree * cosine;
		// A zone that fits is shown whole; of a larger one, the part around the point.
		const fits = fitting === this.unitsPerDegree;
		this.#centre = fits ? { lat: (south + north) / 2, lng: (west + east) / 2 } : point;
	}

	x(lng: number): number {
		return rounded(WIDTH / 2 + wrapped(lng - this.#centre.lng) * this.#across);
	}

	y(lat: number): number {
		return rounded(HEIGHT / 2 - (lat - this.#centre.lat) * this.unitsPerDegree);
	}

	lat(y: number): number {
		return this.#centre.lat + (HEIGHT / 2 - y) / this.unitsPerDegree;
	}

	lng(x: number): number {
		return wrapped(this.#centre.lng + (x - WIDTH / 2) / this.#across);
	}

	window(): Bounds {
		const [south, north] = [Math.max(-90, this.lat(HEIGHT)), Math.min(90, this.lat(0))];
		const halfWidth = Math.min(WIDTH / this.#across, MAP_WINDOW_DEGREES) / 2;
		return { south, north, west: wrapped(this.#centre.lng - halfWidth), east: wrapped(this.#centre.lng + halfWidth) };
	}
}

/** Where the middle line of a row crosses borders, from west to east, with both ends of the row. */
function cutsOfRow(middle: number, lines: [x1: number, y1: number, x2: number, y2: number][]): number[] {
	const cuts = [0, WIDTH];
	for (const [x1, y1, x2, y2] of lines) {
		if (y1 < middle === y2 < middle) continue;
		const x = x1 + ((middle - y1) / (y2 - y1)) * (x2 - x1);
		if (x > 0 && x < WIDTH) cuts.push(x);
	}
	return cuts.sort((a, b) => a - b);
}

/** Which lands a row shows: between two crossings of a border it is one, so one look-up in the middle tells. */
async function stretchesOfRow(middle: number, cuts: number[], projection: Projection, locator: ZoneLocator) {
	const stretches: Stretch[] = [];
	const lat = projection.lat(middle);
	let from = 0;
	for (const to of cuts.slice(1)) {
		const last = stretches.at(-1);
		if (to - from < PIECE_UNITS_MIN && last) {
			last.to = to;
		} else {
			const zone = Math.abs(lat) <= 90 ? await locator.locate(lat, projection.lng((from + to) / 2)) : undefined;
			const land = zone && landOf(zone);
			if (last && last.land === land) last.to = to;
			else stretches.push({ from, to, land });
		}
		from = to;
	}
	return stretches;
}

/** The antimeridian is an edge of the index, not a border. */
function isBorder([[lngA], [lngB]]: BorderSegment): boolean {
	return Math.abs(lngA) !== 180 || Math.abs(lngB) !== 180;
}

/** How far from the middle of a segment its two sides are asked for, in degrees: some of the index's own units. */
const BESIDE_DEGREES = 1e-6;

/** Whether different lands meet at a segment: outlines of official zones run on beyond their country, where they mean nothing. */
async function partsLands([[lngA, latA], [lngB, latB]]: BorderSegment, locator: ZoneLocator): Promise<boolean> {
	const scale = BESIDE_DEGREES / Math.hypot(lngB - lngA, latB - latA);
	const [east, north] = [(latA - latB) * scale, (lngB - lngA) * scale];
	const [lng, lat] = [(lngA + lngB) / 2, (latA + latB) / 2];
	const landAt = async (side: 1 | -1) => {
		const zone = await locator.locate(Math.max(-90, lat + side * north), lng + side * east);
		return zone && landOf(zone);
	};
	return (await landAt(1)) !== (await landAt(-1));
}

/** The borders to draw of those in a window. */
async function bordersToDraw(borders: BorderSegment[], zones: Zone[], locator: ZoneLocator): Promise<BorderSegment[]> {
	const real = borders.filter(isBorder);
	if (!zones.some(({ isOfficial }) => isOfficial)) return real;
	const drawn: BorderSegment[] = [];
	for (const border of real) if (await partsLands(border, locator)) drawn.push(border);
	return drawn;
}

/**
 * Gathers what a map of the zone around a point shows. Undefined where the index has no zone.
 * @throws ZoneIndexError when the index cannot be read.
 */
export async function neighbourhood(locator: ZoneLocator, { lat, lng }: Point): Promise<Neighbourhood | undefined> {
	const own = await locator.locate(lat, lng);
	if (!own) return undefined;
	const point = { lat, lng };
	const projection = new Projection(point, own.bounds);
	const around = await locator.around(projection.window());
	const borders = await bordersToDraw(around.borders, around.zones, locator);
	const lines = borders.map(
		([a, b]) =>
			[projection.x(a[0]), projection.y(a[1]), projection.x(b[0]), projection.y(b[1])] satisfies [
				number,
				number,
				number,
				number,
			],
	);
	const rows: Stretch[][] = [];
	for (let top = 0; top < HEIGHT; top += ROW_HEIGHT) {
		const middle = top + ROW_HEIGHT / 2;
		rows.push(
			lines.length === 0
				? [{ from: 0, to: WIDTH, land: landOf(own) }]
				: await stretchesOfRow(middle, cutsOfRow(middle, lines), projection, locator),
		);
	}
	// A neighbour's box reaches over the border: where its land is out of sight, it would lie on the own zone.
	const lands = new Set([landOf(own), ...rows.flat().map(({ land }) => land)]);
	const zones = around.zones.filter((zone) => lands.has(landOf(zone)));
	return { projection, point, own, zones, borders, rows };
}
