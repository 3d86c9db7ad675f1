import { describe, expect, it } from "vitest";
import { directionOf, displacementBetween, greatCircle, metresBetween, pointAfter } from "../../src/points/plane.ts";
import {
	drawSpot,
	SPOT_HEIGHT,
	SPOT_WIDTH,
	SPOT_WINDOWS,
	type Spot,
	spotBounds,
	wayToPixel,
	windowFor,
} from "../../src/print/spot-drawing.ts";

const LAGOS = { lat: 6.5244, lng: 3.3792 };

describe("ways on the plane", () => {
	it.each([
		["Lagos", LAGOS],
		["Tromsø", { lat: 69.65, lng: 18.96 }],
		["beside the antimeridian", { lat: -17, lng: 179.9999 }],
		["on the equator", { lat: 0, lng: 0 }],
	])("lead there and back at %s", (_, from) => {
		const to = pointAfter(from, { north: 120, east: -75 });
		const way = displacementBetween(from, to);
		expect(way.north).toBeCloseTo(120, 0);
		expect(way.east).toBeCloseTo(-75, 0);
		expect(metresBetween(from, to)).toBeCloseTo(141.5, 0);
	});

	it("measure as the haversine formula does", () => {
		const to = { lat: 6.5334, lng: 3.3882 };
		const radians = (degrees: number) => (degrees * Math.PI) / 180;
		const h =
			Math.sin(radians(to.lat - LAGOS.lat) / 2) ** 2 +
			Math.cos(radians(LAGOS.lat)) * Math.cos(radians(to.lat)) * Math.sin(radians(to.lng - LAGOS.lng) / 2) ** 2;
		expect(metresBetween(LAGOS, to) / (2 * 6_371_008.8 * Math.asin(Math.sqrt(h)))).toBeCloseTo(1, 3);
	});

	it.each([
		["Lagos to Kano", LAGOS, { lat: 12.0022, lng: 8.592 }, 836, "ne"],
		["Cairo to Cape Town", { lat: 30.0444, lng: 31.2357 }, { lat: -33.9249, lng: 18.4241 }, 7238, "s"],
		["over the antimeridian", { lat: -17, lng: 179.5 }, { lat: -17, lng: -179.5 }, 106, "e"],
	] as const)("are as long on the great circle as reckoned elsewhere: %s", (_, from, to, kilometres, direction) => {
		const found = greatCircle(from, to);
		expect(found.metres / 1000 / kilometres).toBeCloseTo(1, 2);
		expect(found.direction).toBe(direction);
	});

	it("stay where they are when they would lead over a pole", () => {
		const pole = { lat: 89.9999, lng: 10 };
		expect(pointAfter(pole, { north: 500, east: 0 })).toEqual(pole);
	});

	it.each([
		[{ north: 10, east: 0 }, "n"],
		[{ north: 10, east: 9 }, "ne"],
		[{ north: 1, east: 10 }, "e"],
		[{ north: -10, east: 10 }, "se"],
		[{ north: -10, east: 1 }, "s"],
		[{ north: -10, east: -10 }, "sw"],
		[{ north: -1, east: -10 }, "w"],
		[{ north: 10, east: -10 }, "nw"],
	])("%j points %s", (way, direction) => {
		expect(directionOf(way)).toBe(direction);
	});
});

describe("the drawing around a pin", () => {
	const spot: Spot = {
		pin: LAGOS,
		window: 1,
		first: { point: pointAfter(LAGOS, { north: 20, east: 0 }), accuracy: 8 },
		others: [{ point: pointAfter(LAGOS, { north: 0, east: 30 }), display: "NG-0421-58212" }],
		edges: [[pointAfter(LAGOS, { north: -30, east: -500 }), pointAfter(LAGOS, { north: -30, east: 500 })]],
	};
	const metres = (length: number) => `${length} m`;
	const unitsPerMetre = SPOT_WIDTH / 120;

	it("turns a click into metres", () => {
		expect(wayToPixel(1, SPOT_WIDTH / 2, SPOT_HEIGHT / 2)).toEqual({ north: 0, east: 0 });
		expect(wayToPixel(1, SPOT_WIDTH, 0)).toEqual({ north: 45, east: 60 });
	});

	it("shows everything at its distance", () => {
		const svg = drawSpot(spot, metres);
		const read = (pattern: RegExp) => Number(pattern.exec(svg)?.[1]);
		expect(read(/class="accuracy" cx="144" cy="([\d.]+)"/)).toBeCloseTo(SPOT_HEIGHT / 2 - 20 * unitsPerMetre, 0);
		expect(read(/class="accuracy".*? r="([\d.]+)"/)).toBeCloseTo(8 * unitsPerMetre, 1);
		expect(read(/class="other" d="M([\d.]+) 108m/)).toBeCloseTo(SPOT_WIDTH / 2 + 30 * unitsPerMetre, 0);
		expect(read(/class="edge" d="M-1056 ([\d.]+)L/)).toBeCloseTo(SPOT_HEIGHT / 2 + 30 * unitsPerMetre, 0);
		for (const ring of SPOT_WINDOWS[1].rings) expect(svg).toContain(`r="${ring * unitsPerMetre}"`);
		expect(svg).toContain("NG-0421-58212");
		expect(svg).not.toMatch(/style=|<script/);
	});

	it("leaves out what is far away, and escapes what it writes", () => {
		const far = { ...spot, first: { point: pointAfter(LAGOS, { north: 3000, east: 0 }), accuracy: undefined } };
		expect(drawSpot(far, metres)).not.toContain("first-fix");
		expect(drawSpot(spot, () => "<b>")).not.toContain("<b>");
	});

	it("knows what it shows, in degrees", () => {
		const { south, north, west, east } = spotBounds(spot);
		expect(metresBetween({ lat: south, lng: west }, { lat: south, lng: east })).toBeCloseTo(120, 0);
		expect(metresBetween({ lat: south, lng: west }, { lat: north, lng: west })).toBeCloseTo(90, 0);
	});

	it.each([
		[undefined, 1],
		[8, 1],
		[30, 1],
		[100, 2],
		[1500, 3],
	])("shows an accuracy of %s m in window %d", (accuracy, window) => {
		expect(windowFor(accuracy)).toBe(window);
	});
});
