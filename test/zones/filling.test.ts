import { expect, test } from "vitest";
import { CODES_A_NUMBER, numbersToBuild } from "../../zones/reserve.ts";
import { fillCountry, overflowDistance } from "../../zones/studies/filling.ts";
import { seededRandom } from "../support/random.ts";

/** Households that fill so many numbers. */
const numbers = (count: number) => count * CODES_A_NUMBER;
/** Zones with these households, numbered from 100 on by `step`, where so many numbers are free. */
function fill(households: readonly number[], free: number, step = 1) {
	const zones = households.map((count, place) => ({ number: 100 + place * step, households: count }));
	const published = new Set(zones.map(({ number }) => number));
	const others = Array.from({ length: 10_000 }, (_, number) => number).filter((number) => !published.has(number));
	return fillCountry(zones, others.slice(free));
}

test("a zone goes on under free numbers, and everybody has a code", () => {
	const filling = fill([numbers(3.5), numbers(0.5)], 100);
	expect(filling).toMatchObject({ firstRefusal: undefined, opened: 3, mostOpened: 3 });
	expect(filling.served).toBeCloseTo(filling.households);
});

test("the first refusal comes when the last number is full", () => {
	const filling = fill([numbers(2), numbers(2)], 1);
	// Both want their second number when half of all have asked; one of them gets it.
	expect(filling.firstRefusal).toBeCloseTo(0.5);
	expect(filling.served).toBeCloseTo(numbers(3));
});

test("no zone takes more than a tenth of what is left while another has its first number only", () => {
	const filling = fill([numbers(1000), 0], 110);
	expect(filling.mostOpened).toBe(11);
	// Where no other zone is left to think of, all numbers are its own.
	expect(fill([numbers(1000)], 110).mostOpened).toBe(110);
});

test("a zone opens the nearest free number, the lower of two, and beyond those that others have", () => {
	// 100 to 102 are published; 99 is nearest to 100, 103 to 102, and 98 and 104 come next.
	const filling = fill([numbers(3), numbers(1), numbers(2.5)], 9997);
	expect(filling.overflow.map(({ distance }) => distance)).toEqual([1, 1, 2, 2].slice(0, filling.opened));
	expect(filling.opened).toBe(4);
	expect(overflowDistance(filling, 0.5)).toBe(1);
	expect(overflowDistance(filling, 1)).toBe(2);
	expect(overflowDistance(fill([numbers(1)], 10), 0.5)).toBe(0);
});

test("numbers built and numbers left hold everybody where people live otherwise than expected", () => {
	const people = 150_000_000;
	const built = numbersToBuild(10_000, people, 0.5);
	const households = people / 4.5;
	const random = seededRandom(4);
	// People are spread by an exponential distribution around what is expected.
	const shares = Array.from({ length: built }, () => -Math.log(1 - random()));
	const all = shares.reduce((sum, share) => sum + share, 0);
	const filling = fill(
		shares.map((share) => (households * share) / all),
		10_000 - built,
	);
	expect(filling.firstRefusal).toBeUndefined();
	expect(filling.served).toBeCloseTo(households, 0);
});

test.each([
	[0, 0, 5000],
	[60_000_000, 0.5, 5000],
	[236_000_000, 0.74, 5661],
	[1_400_000_000, 0.7, 2000],
])(
	"of 10,000 numbers, a country of %i people, of whom a share of %f is guessed, starts with %i",
	(people, guessed, built) => {
		expect(numbersToBuild(10_000, people, guessed)).toBe(built);
	},
);
