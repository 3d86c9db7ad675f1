import { expect, test } from "vitest";
import { crosses, isWest } from "../../src/zones/geometry.ts";
import { boxOf, columnOfKey, gridX, gridY, keyOf, keyOfCell, rowOfKey } from "../../src/zones/morton.ts";
import { seededRandom } from "../support/random.ts";

test("a point on an edge is east of it, and a hair beside it is where it is", () => {
	// From the equator at Greenwich to the north-east; in half grid units points are odd, so (5, 5) is on it.
	const edges = Int32Array.of(0, 0, 1000, 1000);
	expect(isWest(edges, 0, 5, 5)).toBe(false);
	expect(isWest(edges, 0, 4, 5)).toBe(true);
	expect(isWest(edges, 0, 6, 5)).toBe(false);
});

test("decides exactly where double precision cannot", () => {
	// An edge of q steps north and q + 1 east: at m half units north and m + j east of its start, the determinant is
	// 200 (m - j q), a few hundred between products of 3e18, whose doubles are 512 apart.
	const [q, j] = [12_000_000, 100];
	const [x1, y1] = [-8_000_000, -7_000_000];
	const edges = Int32Array.of(x1, y1, x1 + q + 1, y1 + q);
	const at = (m: number) => isWest(edges, 0, (x1 * 200 + m + j - 1) / 2, (y1 * 200 + m - 1) / 2);
	expect(at(j * q + 1)).toBe(true);
	expect(at(j * q - 1)).toBe(false);
});

test("a path that goes around an end of an edge crosses it as often as one that does not", () => {
	const random = seededRandom(7);
	const coordinate = () => Math.floor(random() * 40) * 100 - 2000;
	for (let trial = 0; trial < 20_000; trial++) {
		// A triangle, whose three edges a path crosses as often as it changes sides.
		const corners = [0, 1, 2].map(() => [coordinate(), coordinate()] as const);
		const edges = Int32Array.from(
			corners.flatMap(([x1, y1], index) => {
				const [x2, y2] = corners[(index + 1) % 3]!;
				return y1 <= y2 ? [x1, y1, x2, y2] : [x2, y2, x1, y1];
			}),
		);
		const [fromX, fromY, x, y] = [coordinate(), coordinate(), coordinate(), coordinate()].map((value) => value * 100);
		const odd = (startX: number, startY: number, endX: number, endY: number) =>
			[0, 4, 8].filter((at) => crosses(edges, at, startX, startY, endX, endY)).length % 2;
		// Far outside is outside; so a point's own parity is that of the path from there.
		const outside = -9_000_000;
		const direct = odd(fromX!, fromY!, x!, y!);
		expect(direct).toBe(odd(outside, outside, fromX!, fromY!) ^ odd(outside, outside, x!, y!));
	}
});

test("keys lead to cells and back", () => {
	const random = seededRandom(3);
	for (let trial = 0; trial < 10_000; trial++) {
		const [lat, lng] = [random() * 180 - 90, random() * 360 - 180];
		const [x, y] = [gridX(lng), gridY(lat)];
		const key = keyOf(x, y);
		expect(keyOfCell(columnOfKey(key), rowOfKey(key))).toBe(key);
		const { south, west, north, east } = boxOf(key, 32);
		expect(west <= x && x < east && south <= y && y < north).toBe(true);
		expect(keyOf(west, south)).toBe(key);
		expect(keyOf(east - 1, north - 1)).toBe(key);
	}
});
