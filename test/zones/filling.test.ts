import { expect, test } from "vitest";
import { fillCountry } from "../../zones/filling.ts";
import { CODES_A_NUMBER, numbersToBuild } from "../../zones/reserve.ts";

/** Households that fill so many numbers. */
const numbers = (count: number) => count * CODES_A_NUMBER;

test("a zone goes on under free numbers, and everybody has a code", () => {
	const filling = fillCountry([numbers(3.5), numbers(0.5)], 100);
	expect(filling).toMatchObject({ firstRefusal: undefined, opened: 3, mostOpened: 3 });
	expect(filling.served).toBeCloseTo(filling.households);
});

test("the first refusal comes when the last number is full", () => {
	const filling = fillCountry([numbers(2), numbers(2)], 1);
	// Both want their second number when half of all have asked; one of them gets it.
	expect(filling.firstRefusal).toBeCloseTo(0.5);
	expect(filling.served).toBeCloseTo(numbers(3));
});

test("no zone takes more than a tenth of what is left while another has its first number only", () => {
	const filling = fillCountry([numbers(1000), 0], 110);
	expect(filling.mostOpened).toBe(11);
	// Where no other zone is left to think of, all numbers are its own.
	expect(fillCountry([numbers(1000)], 110).mostOpened).toBe(110);
});

test("numbers built and numbers left hold everybody, wherever people live", () => {
	const people = 150_000_000;
	const built = numbersToBuild(10_000, people);
	const households = people / 3.5;
	for (const crowded of [500, 2000, built]) {
		const byZone = Array.from({ length: built }, (_, zone) => (zone < crowded ? households / crowded : 0));
		const filling = fillCountry(byZone, 10_000 - built);
		expect(filling.firstRefusal, `${crowded} crowded zones`).toBeUndefined();
		expect(filling.served).toBeCloseTo(households, 0);
	}
});

test.each([
	[0, 5000],
	[60_000_000, 5000],
	[300_000_000, 2000],
	[1_400_000_000, 2000],
])("of 10,000 numbers, a country of %i people starts with %i", (people, built) => {
	expect(numbersToBuild(10_000, people)).toBe(built);
});
