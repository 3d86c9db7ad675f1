import { expect, test } from "vitest";
import type { DividedPlace } from "../../zones/divisions.ts";
import { readDivisionNames } from "../../zones/divisions.ts";
import { isRenaming, readNamesOfToday, withNamesOfToday } from "../../zones/renamings.ts";
import { readRenamings, readSettlements } from "../../zones/settlements.ts";

test.each([
	["Simao", "Pu'er"],
	["Allahābād", "Prayagraj"],
	["Port Elizabeth", "Gqeberha"],
	["Ahmadnagar", "Ahilyanagar"],
	["Novomoskovsk", "Samar"],
	["Hoshangābād", "Narmadapuram"],
	["Asbestos", "Val-des-Sources"],
])("%s has been renamed %s", (before, after) => {
	expect(isRenaming(before, after)).toBe(true);
});

test.each([
	["Göteborg", "Gothenburg"],
	["Hāora", "Howrah"],
	["Kūkatpalli", "Kukatpally"],
	["Al Manşūrah", "Al Mansurah"],
	["Kropyvnytskyy", "Kropyvnytskyi"],
	["Nishinomiya-hama", "Nishinomiya"],
	["Embu", "Embu das Artes"],
	["Padova", "Padua"],
	["Antwerpen", "Antwerp"],
])("%s and %s are spellings of one name", (before, after) => {
	expect(isRenaming(before, after)).toBe(false);
	expect(isRenaming(after, before)).toBe(false);
});

interface Place extends DividedPlace {
	id: number;
	population: number;
}
const place = (id: number, name: string, lng = 105, population = 100): Place => ({
	...{ id, name, population, country: "VN", division: "" },
	...{ x: Math.round(lng * 1e5), y: 20e5 },
});
const table = (...lines: string[]) => readNamesOfToday(["id,name,reason", ...lines].join("\n"), "r.csv");
const namesOf = (older: Place[], newer: Place[], ...lines: string[]) =>
	withNamesOfToday(older, newer, table(...lines)).map(({ name, former }) => [name, former]);

test("a place has the newer list's name if that is another one at its spot, and the name that it had is kept", () => {
	expect(namesOf([place(1, "Simao")], [place(9, "Pu'er")])).toEqual([["Pu'er", "Simao"]]);
	expect(namesOf([place(1, "Hāora")], [place(9, "Howrah")])).toEqual([["Hāora", undefined]]);
	// The newer list still has the name, 5 km away; or another place, 1 km away.
	expect(namesOf([place(1, "Simao")], [place(9, "Pu'er"), place(8, "Simao", 105.05)])).toEqual([["Simao", undefined]]);
	expect(namesOf([place(1, "Simao")], [place(9, "Pu'er", 105.01)])).toEqual([["Simao", undefined]]);
	// The newer list has the city at the spot of its quarter, and a place without people may be anywhere.
	expect(namesOf([place(1, "Altstadt"), place(2, "Trier", 105.02)], [place(9, "Trier")])[0]).toEqual([
		"Altstadt",
		undefined,
	]);
	expect(namesOf([place(1, "Simao", 105, 0)], [place(9, "Pu'er")])).toEqual([["Simao", undefined]]);
});

test("a line of renamings.csv goes before the lists, and one that changes nothing is refused", () => {
	expect(namesOf([place(1, "Comilla")], [place(9, "Comilla")], "1,Cumilla,2018")).toEqual([["Cumilla", "Comilla"]]);
	expect(namesOf([place(1, "Fort Hood")], [place(9, "Fort Cavazos")], "1,Fort Hood,2025")).toEqual([
		["Fort Hood", undefined],
	]);
	const faults = (act: () => unknown) => {
		try {
			act();
			return [];
		} catch (error) {
			return (error as { faults: string[] }).faults;
		}
	};
	expect(faults(() => namesOf([place(1, "Simao")], [place(9, "Pu'er")], "1,Pu'er,2007", "7,Nowhere,x"))).toEqual([
		"r.csv, line 2: the lists have no such place, or this name already: remove the line",
		"r.csv, line 3: the lists have no such place, or this name already: remove the line",
	]);
	expect(faults(() => table("1,Cumilla,", "1,,2018"))).toEqual([
		"r.csv, line 2: give the name of today, and the reason",
		"r.csv, line 3: 1 has a line already",
		"r.csv, line 3: give the name of today, and the reason",
	]);
	expect(faults(() => readDivisionNames(table("CD.08,Kongo Central,2015")))).toEqual([]);
	expect(faults(() => readDivisionNames(table("CD.06,Kinshasa,the same", "CD.99,None,x")))).toHaveLength(2);
});

test("the lists have each city once, by its name of today", () => {
	expect(readRenamings().size).toBeGreaterThan(40);
	const people = new Map(readSettlements().map(({ name, country, population }) => [`${country} ${name}`, population]));
	const renamed = ["ZA Nelspruit Mbombela", "UA Chervonohrad Sheptytskyi", "CN Simao Pu'er", "IN Gurgaon Gurugram"];
	for (const [country, before, today] of renamed.map((words) => words.split(" "))) {
		expect(people.get(`${country} ${before}`)).toBeUndefined();
		expect(people.get(`${country} ${today}`)).toBeGreaterThan(50_000);
	}
	expect(readSettlements().filter(({ name }) => name === "Mbombela")).toHaveLength(1);
});
