import { expect, it } from "vitest";
import { cellsAround, duplicatesAmong } from "../../src/points/near.ts";

it("points on both sides of the antimeridian are near each other", () => {
	const points = [
		{ lat: -16.8, lng: 179.99999 },
		{ lat: -16.8, lng: -179.99999 },
		{ lat: -16.8, lng: 180 },
		{ lat: -16.8, lng: -180 },
	];
	expect(duplicatesAmong(points).map(({ index }) => index)).toEqual([1, 2, 3]);
	expect(duplicatesAmong([points[2]!, points[0]!]).map(({ index }) => index)).toEqual([1]);
	// The database reckons 180 degrees to a column of its own: whoever is near it asks for that too.
	const stored = (lng: number) => Math.floor((-16.8 + 90) * 20_000) * 1_000_000 + Math.floor((lng + 180) * 1000);
	for (const { lat, lng } of points) {
		expect(cellsAround({ lat, lng })).toEqual(expect.arrayContaining(points.map((point) => stored(point.lng))));
	}
	expect(duplicatesAmong([points[0]!, { lat: -16.8, lng: 179.9998 }])).toEqual([]);
});
