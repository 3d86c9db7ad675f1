import { listAddresses } from "../../addresses/actions.ts";
import type { Address } from "../../addresses/store.ts";
import { streetsAround } from "../../basemap/around.ts";
import type { StreetSketch } from "../../basemap/sketch.ts";
import type { Visit } from "../../forms/visit.ts";
import { type Displacement, pointAfter } from "../../points/plane.ts";
import { type Point, roundedDegrees } from "../../points/point.ts";
import { SPOT_WINDOWS, type Spot, spotBounds, wayToPixel } from "../../print/spot-drawing.ts";
import type { NamedPoint, Zone, ZoneLocator } from "../../zones/locate.ts";

/** A pin in a drawing of its surroundings, while it is being placed. */
export interface Pin extends Point {
	/** Where it was first: found by the device, pasted, or the point of the address that is moved. */
	first: Point;
	/** The device's accuracy at that point, in metres. */
	accuracy?: number | undefined;
	/** Index into SPOT_WINDOWS: how much ground the drawing shows. */
	window: number;
}

/** What is drawn and said around a pin. */
export interface Surroundings {
	edges: Spot["edges"];
	/** The zone that holds the pin, and the names of its place. */
	point: NamedPoint | undefined;
	/** The streets, if the operator has a base map. */
	sketch: StreetSketch | undefined;
	/** The visitor's other addresses. */
	own: Address[];
}

/** The choices of how far one press of a button moves the pin, in metres. */
export const STEPS_METRES = [1, 5, 25] as const;
export const USUAL_STEP = 5;
/** The farthest that the drawing's script may move a pin at once, in metres. */
const DRAGGED_METRES_MAX = 5000;
/** How many of the visitor's addresses are drawn, and checked for one at the same point. */
const OWN_ADDRESSES_MAX = 100;

/** A number from a form, or undefined if it is not a number from `min` to `max`. */
export function numberOf(text: string | null, min: number, max: number): number | undefined {
	const value = text === null || !/^-?\d{1,6}(\.\d{1,15})?$/.test(text) ? Number.NaN : Number(text);
	return value >= min && value <= max ? value : undefined;
}

/** The point that a script or a button sent in two fields, in degrees. */
export function sentPoint({ form }: Visit): Point | undefined {
	const lat = numberOf(form.get("lat"), -90, 90);
	const lng = numberOf(form.get("lng"), -180, 180);
	return lat === undefined || lng === undefined ? undefined : { lat: roundedDegrees(lat), lng: roundedDegrees(lng) };
}

/** How far one press of a button moves the pin, in metres, as asked for. */
export function stepOf(asked: string | null | undefined): number {
	return STEPS_METRES.find((metres) => String(metres) === asked) ?? USUAL_STEP;
}

/** How far the buttons, the click or the drag of a form move the pin. */
function wayOf(form: URLSearchParams, { window }: Pin): Displacement {
	const dragged = {
		north: numberOf(form.get("north"), -DRAGGED_METRES_MAX, DRAGGED_METRES_MAX) ?? 0,
		east: numberOf(form.get("east"), -DRAGGED_METRES_MAX, DRAGGED_METRES_MAX) ?? 0,
	};
	const [x, y] = [numberOf(form.get("map.x"), 0, 10_000), numberOf(form.get("map.y"), 0, 10_000)];
	// A browser sends 0, 0 if the picture was pressed by keyboard: no point in it was chosen.
	if (x !== undefined && y !== undefined && (x > 0 || y > 0)) return wayToPixel(window, x, y);
	const step = stepOf(form.get("step"));
	const [north = 0, east = 0] =
		{ n: [step, 0], s: [-step, 0], e: [0, step], w: [0, -step] }[form.get("move") ?? ""] ?? [];
	return { north: dragged.north + north, east: dragged.east + east };
}

/** The index into SPOT_WINDOWS that a form field names. */
export function windowOf(asked: string | null): number | undefined {
	const window = numberOf(asked, 0, SPOT_WINDOWS.length - 1);
	return window === undefined ? undefined : Math.trunc(window);
}

/** Where the drawing's form moves its pin, and how much ground it asks to see. */
export function movedPin(form: URLSearchParams, pin: Pin): Point & { window: number } {
	const { lat, lng } = form.get("go") === "first" ? pin.first : pointAfter(pin, wayOf(form, pin));
	return { lat, lng, window: windowOf(form.get("window")) ?? pin.window };
}

/** Whether the drawing's form confirms the pin. */
export function isConfirmed(form: URLSearchParams): boolean {
	return form.get("go") === "right";
}

/** Reads what is drawn and said around a pin: streets, borders, its zone, the names of its place, and the visitor's other addresses. */
export async function surroundings(visit: Visit, pin: Pin): Promise<Surroundings> {
	const { registry } = visit;
	const [point, { sketch }, own] = await Promise.all([
		registry.zones.name(pin.lat, pin.lng),
		streetsAround(registry, pin, visit.signedIn?.user.id),
		ownAddresses(visit),
	]);
	return { edges: await edgesAround(registry.zones, pin, point?.zone), point, sketch, own };
}

async function ownAddresses({ registry, signedIn }: Visit): Promise<Address[]> {
	if (!signedIn) return [];
	const page = await listAddresses(registry, signedIn.caller, { limit: OWN_ADDRESSES_MAX });
	return page.addresses;
}

/** The borders of countries and zones in the drawing, and the sides of the pin's own zone unless that is official. */
async function edgesAround(locator: ZoneLocator, pin: Pin, zone: Zone | undefined): Promise<Spot["edges"]> {
	const borders = await locator.bordersIn(spotBounds({ pin, window: pin.window }));
	const edges: Spot["edges"] = borders.map(([a, b]) => [
		{ lng: a[0], lat: a[1] },
		{ lng: b[0], lat: b[1] },
	]);
	if (!zone || zone.isOfficial) return edges;
	const { south, west, north, east } = zone.bounds;
	const corners = [
		{ lat: south, lng: west },
		{ lat: north, lng: west },
		{ lat: north, lng: east },
		{ lat: south, lng: east },
	];
	for (const [index, corner] of corners.entries()) edges.push([corner, corners[(index + 1) % 4] ?? corner]);
	return edges;
}
