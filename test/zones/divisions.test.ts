import { expect, test } from "vitest";
import { type DividedPlace, divisionFinder, withNewerCodes } from "../../zones/divisions.ts";

const place = (name: string, division: string, lng: number, lat = 20, country = "VN"): DividedPlace => ({
	...{ name, division, country },
	x: Math.round(lng * 1e5),
	y: Math.round(lat * 1e5),
});
const codesOf = (older: readonly DividedPlace[], newer: readonly DividedPlace[]) =>
	withNewerCodes(older, newer).map(({ division }) => division);

test("a code that a reform gave to another division means what the newer list says of the place", () => {
	// The older 44 is Hanoi, and so is the newer 01. The newer 44 is far away, and so is the older 01.
	const newer = [place("Hà Nội", "01", 105), place("Sơn Tây", "01", 105.4), place("Đông Hà", "44", 107, 16)];
	const older = [place("Ha Noi", "44", 105), place("Sơn Tây", "44", 105.45), place("Đông Hà", "01", 107, 16)];
	expect(codesOf(older, newer)).toEqual(["01", "01", "44"]);
});

test("a place that the newer list lacks has the division that its neighbours of the same code have now", () => {
	const newer = [place("A", "new", 105), place("B", "old", 106), place("Beyond the line", "next", 105.75)];
	const older = [
		place("A", "old", 105),
		place("B", "old", 106),
		// A part of the division was split off: the nearest neighbour decides, not the most of them.
		place("In the new part", "old", 105.3),
		place("In the old part", "old", 105.7),
		// Of its code, nobody within 50 km is known.
		place("Far off", "old", 108),
		place("Alone", "own", 105.31),
	];
	expect(codesOf(older, newer)).toEqual(["new", "old", "new", "old", "old", "own"]);
});

test("a place of the same name elsewhere or abroad is another one", () => {
	const newer = [place("San José", "01", 105.11), place("San José", "02", 105.001, 20, "LA")];
	expect(codesOf([place("San José", "03", 105)], newer)).toEqual(["03"]);
});

test("a place whose code has no name is in the division of the nearest one that has, up to 50 km away", () => {
	const names = new Map([
		["VN.01", "Hanoi"],
		["LA.01", "Vientiane"],
	]);
	const nameOf = ({ country, division }: Pick<DividedPlace, "country" | "division">) =>
		names.get(`${country}.${division}`);
	const divisionOf = divisionFinder([place("Hà Nội", "01", 105), place("V", "01", 105.1, 20, "LA")], nameOf);
	expect(
		[place("A", "01", 110), place("B", "??", 105.1), place("C", "", 105.48), place("D", "??", 105.49)].map(divisionOf),
	).toEqual(["Hanoi", "Hanoi", "", ""]);
	expect(divisionOf(place("B", "??", 105.45))).toBe("Hanoi");
});
