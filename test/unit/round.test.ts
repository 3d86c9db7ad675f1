import { expect, it } from "vitest";
import { greatCircle } from "../../src/points/plane.ts";
import { shortRound } from "../../src/points/round.ts";
import { seededRandom } from "../support/random.ts";

const at = (lat: number, lng: number) => ({ lat, lng });

it("goes along a line from the start, whatever the order of the stops", () => {
	expect(shortRound(at(0, 0), [at(0, 3), at(0, 1), at(0, 2)])).toEqual([1, 2, 0]);
	expect(shortRound(at(0, 0), [])).toEqual([]);
});

it("visits a hundred stops once each, on a way no longer than from nearest to nearest", () => {
	const random = seededRandom(7);
	const stops = Array.from({ length: 100 }, () => at(6.4 + random() / 5, 3.3 + random() / 5));
	const start = at(6.5, 3.4);
	const lengthOf = (order: number[]) =>
		order.reduce((sum, stop, index) => {
			const before = index === 0 ? start : stops[order[index - 1]!]!;
			return sum + greatCircle(before, stops[stop]!).metres;
		}, 0);
	const greedy: number[] = [];
	let here = start;
	while (greedy.length < stops.length) {
		const left = stops.map((_, index) => index).filter((index) => !greedy.includes(index));
		const metres = (index: number) => greatCircle(here, stops[index]!).metres;
		const nearest = left.reduce((best, index) => (metres(index) < metres(best) ? index : best));
		greedy.push(nearest);
		here = stops[nearest]!;
	}
	const order = shortRound(start, stops);
	expect([...order].sort((a, b) => a - b)).toEqual(stops.map((_, index) => index));
	expect(lengthOf(order)).toBeLessThan(lengthOf(greedy) * 0.95);
});
