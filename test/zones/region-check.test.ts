import { expect, test } from "vitest";
import { arrange, cutWorld } from "../../zones/borders.ts";
import type { DivisionLine } from "../../zones/division-lines.ts";
import { contradictionsIn, requireListedRegions, requireReasons } from "../../zones/region-check.ts";
import { surveyRegions } from "../../zones/regions.ts";
import type { Settlement } from "../../zones/settlements.ts";
import { surveyListed } from "../../zones/survey.ts";

type Place = [name: string, lng: number, lat: number, region: string, population?: number];

/** A country from 34 to 38 degrees east, whose map has two divisions, west and east of 36. */
const TERRITORY = [34e5, -1e5, 38e5, -1e5, 38e5, 1e5, 34e5, 1e5];
const lines = [
	{ sides: [1, 2], points: [36, -1, 36, 1] },
	{ sides: [1, 0], points: [36, 1, 34, 1, 34, -1, 36, -1] },
	{ sides: [2, 0], points: [36, -1, 38, -1, 38, 1, 36, 1] },
].map(({ sides, points }) => ({
	sides,
	points: points.flatMap((x, at) => (at % 2 === 0 ? [[x * 1e5, points[at + 1]! * 1e5]] : [])),
})) as DivisionLine[];

const settlement = ([name, lng, lat, region, population = 0]: Place): Settlement => ({
	...{ id: 1, name, country: "KE", featureCode: "PPL", population, region },
	...{ x: Math.round(lng * 1e5), y: Math.round(lat * 1e5) },
});
const row = (lng: number, region: string, count = 6): Place[] =>
	Array.from({ length: count }, (_, at): Place => [`${region} ${at}`, lng, 0.2 * at - 0.5, region]);

/** A survey of the country with these places. */
function survey(listed: readonly Place[]) {
	const regions = surveyRegions([lines], [[], listed.map(settlement)], ["KE"]);
	return {
		territories: [{ country: "KE", rings: [TERRITORY] }],
		world: cutWorld(arrange([[TERRITORY]])),
		regions,
		settlementsIn: regions.settlementsIn,
	};
}

/** What a survey of places tells otherwise than a newer list has it, which differs in some of them. */
function found(listed: readonly Place[], ...newer: Place[]) {
	const names = new Set(newer.map(([name]) => name));
	const all = [...listed.filter(([name]) => !names.has(name)), ...newer];
	return contradictionsIn(
		survey(listed),
		all.map(settlement).map((place) => ({ ...place, division: place.region })),
	);
}

const KENYA = [...row(35, "West"), ...row(37, "East")];

test("nothing is said where the lists and the map agree, nor of a village or two beyond a line", () => {
	expect(found([...KENYA, ["City", 35.5, 0, "West", 200_000]])).toEqual([]);
	expect(found(KENYA, ["West 0", 35, -0.5, "East"], ["West 1", 35, -0.3, "East"])).toEqual([]);
});

test("a city of 100,000 people in another region than the newer list's is a contradiction", () => {
	// By an older code, which means another division by now.
	expect(found([...KENYA, ["City", 35.5, 0, "West", 100_000]], ["City", 35.5, 0, "East"])).toEqual([
		{ country: "KE", listed: "East", told: "West", what: "City with 100000 people" },
	]);
	// By a line of the map.
	expect(found([...KENYA, ["City", 35.95, 0, "East", 100_000]])).toMatchObject([{ listed: "East", told: "West" }]);
	expect(found([...KENYA, ["Town", 35.5, 0, "West", 99_999]], ["Town", 35.5, 0, "East"])).toEqual([]);
});

test("a city that the newer list calls otherwise is compared with the nearest place there, up to 10 km away", () => {
	// The newer list lacks this city, and has another place beside it.
	const listed = (...near: Place[]) => {
		const city: Place = ["City", 35.5, 0.03, "West", 100_000];
		const told = survey([...KENYA, city]);
		return contradictionsIn(
			told,
			near.map(settlement).map((place) => ({ ...place, division: place.region })),
		);
	};
	expect(listed(["Its other name", 35.55, 0.03, "East"])).toEqual([
		{ country: "KE", listed: "East", told: "West", what: "City with 100000 people" },
	]);
	expect(listed(["Its other name", 35.55, 0.03, "West"])).toEqual([]);
	expect(listed(["Nearer", 35.52, 0.03, "West"], ["Farther", 35.55, 0.03, "East"])).toEqual([]);
	expect(listed(["Too far", 35.6, 0.03, "East"])).toEqual([]);
});

test("a division of whose places a third is elsewhere is a contradiction, whatever their size", () => {
	const moved = [0, 1, 2].map((at): Place => [`West ${at}`, 35, 0.2 * at - 0.5, "East"]);
	expect(found(KENYA, ...moved)).toEqual([
		{ country: "KE", listed: "East", told: "West", what: "3 of 6 places around West 0" },
	]);
	// As if a reform had given each code to the other division.
	const swapped = KENYA.map(([name, lng, lat, region]): Place => [name, lng, lat, region === "West" ? "East" : "West"]);
	expect(found(KENYA, ...swapped)).toMatchObject([
		{ listed: "East", told: "West" },
		{ listed: "West", told: "East" },
	]);
});

test("a contradiction needs a line with the reason, and a line a contradiction", () => {
	const contradiction = { country: "KE", listed: "East", told: "West", what: "City with 100000 people" };
	const faultsOf = (text: string, ...found: (typeof contradiction)[]) => {
		try {
			requireReasons(found, `country,listed,told,reason\n${text}`);
			return [];
		} catch (error) {
			return (error as { faults: string[] }).faults;
		}
	};
	expect(faultsOf('KE,East,West,"City is at the line"\n', contradiction, contradiction)).toEqual([]);
	expect(faultsOf("KE,West,East,other\n", contradiction)).toEqual([
		"KE: it is told to be in West, and the newer list has it in East: City with 100000 people: mend the kind of fault, or give the reason in zones/region-reasons.csv",
		"zones/region-reasons.csv, line 2: nothing needs it any more: remove the line",
	]);
	expect(faultsOf("KE,East,West,\n", contradiction)).toEqual([
		expect.stringContaining("it is told to be in West"),
		"zones/region-reasons.csv, line 2: give the reason",
	]);
});

test("the sources contradict the newer list only for the reasons that are given", () => {
	requireListedRegions(surveyListed());
});
