import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { DEMO_CODE } from "../../src/codes/demo.ts";
import { isNamedBy } from "../../src/zones/find.ts";
import { editionName, FIRST_READ_BYTES, readDirectory } from "../../src/zones/format.ts";
import { createZoneLocator } from "../../src/zones/locate.ts";
import { boxOf, DEEPEST_LEVEL, UNITS_PER_DEGREE } from "../../src/zones/morton.ts";
import { zoneDigits } from "../../src/zones/naming.ts";
import { freeNumbersNear } from "../../src/zones/numbers.ts";
import { arrange, cutWorld } from "../../zones/borders.ts";
import { compile } from "../../zones/compile.ts";
import { type EditionCountry, plannedAreas, readEdition, readEditionFile } from "../../zones/edition.ts";
import { OperatorError } from "../../zones/faults.ts";
import { freeOf, KeptCells, numbersAfter, numbersAlongCurve, retiredNumbers } from "../../zones/numbering.ts";
import type { OfficialBoundary } from "../../zones/official.ts";
import { outlineOf } from "../../zones/outline.ts";
import { partition } from "../../zones/partition.ts";
import { planWorld } from "../../zones/plan.ts";
import type { PlannedZone } from "../../zones/planned.ts";
import { tallyOf } from "../../zones/population.ts";
import { checkPublication, EditionError, requireSameGround } from "../../zones/publish-check.ts";
import { addressesUnder, openedNumbers, type Query } from "../../zones/registry.ts";
import { readSettlements, type Settlement } from "../../zones/settlements.ts";
import { memoryDatabase } from "../support/migrate.ts";
import { publishedEdition } from "./shared.ts";
import { memorySource } from "./support.ts";

const NO_PEOPLE = { listed: tallyOf(DEEPEST_LEVEL, [], []), unlisted: tallyOf(DEEPEST_LEVEL, [], []) };
const ALL_LAND = { isDry: () => true, touches: () => true };

/** A country that is a rectangle from the Gulf of Guinea to so many degrees east, in about so many zones. */
function country(east: number, budget: number, before?: EditionCountry, opened: number[] = []) {
	const ring = [0, 0, east * 100_000, 0, east * 100_000, 400_000, 0, 400_000];
	const arrangement = arrange([[ring]]);
	const kept = new KeptCells(before);
	const cells = partition([outlineOf(cutWorld(arrangement), 1)], NO_PEOPLE, ALL_LAND, budget, kept);
	const numbers = before ? numbersAfter(cells, kept, before, opened) : numbersAlongCurve(cells, freeOf(new Set()));
	const zones = cells.map(
		({ key, level }, at): PlannedZone => ({
			key,
			level,
			number: numbers[at]!,
			name: { place: `Place ${at}`, suffix: 0, region: "" },
		}),
	);
	return {
		zones,
		plan: { areas: [{ country: "NG", zones, retired: retiredNumbers(before, numbers) }], arrangement, overlays: [] },
	};
}

async function nigeria(file: Uint8Array): Promise<EditionCountry> {
	return (await readEdition(file)).countries.get("NG")!;
}

describe("the edition after", () => {
	test("keeps every number whose ground stays when a town is corrected", async () => {
		const edition = await publishedEdition();
		const isTown = ({ name, country }: Settlement) => name === "Ilaro" && country === "NG";
		expect(readSettlements().filter(isTown)).toHaveLength(1);
		const settlements = readSettlements().map((place) =>
			isTown(place) ? { ...place, population: place.population + 20_000 } : place,
		);
		// Countries are planned one by one: the town's own, the one that it lies beside, and one that shares nothing with it.
		const planned = ["NG", "BJ", "LK"];
		const unchanged = plannedAreas(edition);
		for (const country of planned) unchanged.delete(country);
		const { plan, figures } = planWorld({ settlements, before: edition.countries, unchanged });
		expect(figures.map(({ country }) => country).sort()).toEqual(planned.toSorted());
		let [kept, changed] = [0, 0];
		for (const { country, zones } of plan.areas.filter(({ country }) => planned.includes(country))) {
			const known = edition.countries.get(country)!.zones;
			for (const { number, key, level } of zones) {
				const cell = known.get(number)?.cell;
				if (cell?.key === key && cell.level === level) kept += 1;
				else changed += 1;
			}
			expect(zones.length, country).toBe(known.size);
		}
		expect(kept).toBeGreaterThan(10_000);
		expect(changed).toBe(0);
	});

	test("gives new ground numbers never used, and retires those whose ground is gone", async () => {
		const first = country(4, 40);
		const before = await nigeria(compile(first.plan));
		const wider = country(6, 60, before, [9999, 9997]);
		const ground = new Map(first.zones.map(({ key, level, number }) => [`${key},${level}`, number]));
		const fresh = wider.zones.filter(({ key, level, number }) => ground.get(`${key},${level}`) !== number);
		expect(fresh.length).toBeGreaterThan(5);
		expect(wider.zones.length - fresh.length).toBeGreaterThan(20);
		for (const { number } of fresh) {
			expect(before.zones.has(number)).toBe(false);
			expect([9999, 9997]).not.toContain(number);
		}
		const narrower = country(2, 20, await nigeria(compile(wider.plan)));
		const third = await nigeria(compile(narrower.plan));
		expect(third.retired.length).toBeGreaterThan(10);
		const again = country(6, 60, third);
		for (const { number } of again.zones) expect(third.retired).not.toContain(number);
	});

	test("refuses an official zone under a number that had other ground or is retired, whoever has addresses", async () => {
		const first = country(4, 40);
		const numbers = first.zones.map(({ number }) => number);
		const [kept, moved, other] = numbers as [number, number, number];
		const fresh = 9000;
		const built = (numberOf: (number: number) => number, retired: number[] = []) => {
			const zones = first.zones.map((zone) => ({ ...zone, number: numberOf(zone.number) }));
			return readEdition(compile({ ...first.plan, areas: [{ country: "NG", zones, retired }] }));
		};
		const before = await built((number) => number, [fresh]);
		const faults = async (numberOf: (number: number) => number, ...own: number[]) => {
			const boundaries = own.map((number) => ({ number, where: `wards.geojson, feature ${number}` }));
			try {
				const official = new Map([["NG", { boundaries: boundaries as OfficialBoundary[] }]]);
				requireSameGround(before, await built(numberOf), official, "served.zones");
				return [];
			} catch (error) {
				return (error as { faults: string[] }).faults;
			}
		};
		const swap = (number: number) => (number === moved ? other : number === other ? moved : number);
		expect(await faults(swap, kept)).toEqual([]);
		expect(await faults((number) => number, ...numbers)).toEqual([]);
		expect(await faults(swap, kept, moved)).toEqual([
			`wards.geojson, feature ${moved}: its number has other ground in served.zones: give it one that no zone has had, as npm run zones:number -- FILE --before served.zones --country NG does`,
		]);
		expect(await faults((number) => (number === moved ? fresh : number), fresh)).toEqual([
			expect.stringContaining(`feature ${fresh}: served.zones has retired its number`),
		]);
		expect(await faults((number) => (number === moved ? 9001 : number), 9001)).toEqual([]);
	});

	test("names the addresses under a number that it retired after the zone that has their ground now", async () => {
		const first = country(4, 40);
		const [zone, neighbour] = first.zones as [PlannedZone, PlannedZone];
		const numbers = first.zones.map((known) => (known === zone ? 9000 : known.number));
		const zones = first.zones.map((known, at) => ({ ...known, number: numbers[at]! }));
		const locator = createZoneLocator(
			memorySource(compile({ ...first.plan, areas: [{ country: "NG", zones, retired: [zone.number] }] })).read,
		);
		const { west, south } = boxOf(zone.key, DEEPEST_LEVEL);
		const found = (await locator.locate(south / UNITS_PER_DEGREE, west / UNITS_PER_DEGREE))!;
		expect(found.zone).toBe(9000);
		expect(await isNamedBy(locator, 9000, found)).toBe(true);
		expect(await isNamedBy(locator, zone.number, found), "its number is retired").toBe(true);
		expect(await isNamedBy(locator, 9001, found), "a full zone opened it").toBe(true);
		expect(await isNamedBy(locator, neighbour.number, found)).toBe(false);
	});

	test("is named in the header, with the digest of what follows it", async () => {
		const file = compile(country(4, 40).plan, { edition: 7, before: 6 });
		expect(readDirectory(file)).toMatchObject({ edition: 7, editionBefore: 6 });
		const locator = createZoneLocator(memorySource(file).read);
		const { edition, digest } = await locator.edition();
		expect(await locator.locate(1, 1)).toMatchObject({ edition: `${edition}-${digest.slice(0, 8)}` });
		const other = compile(country(4, 400).plan, { edition: 7, before: 6 });
		expect(readDirectory(other).digest).not.toBe(digest);
	});
});

test("an index tells which numbers of a country are free, in one read more", async () => {
	const { zones, plan } = country(4, 40);
	plan.areas[0]!.retired = [9000, 9001, 9999];
	const { read, reads } = memorySource(compile(plan));
	const locator = createZoneLocator(read);
	const numbers = (await locator.numbersOf("NG"))!;
	expect(numbers).toEqual({ published: zones.map(({ number }) => number), retired: [9000, 9001, 9999] });
	expect(freeNumbersNear(0, numbers)).toHaveLength(10_000 - zones.length - 3);
	expect(freeNumbersNear(0, numbers)).not.toContain(9000);
	expect(await locator.numbersOf("ZZ")).toBeUndefined();
	await locator.numbersOf("NG");
	expect(reads.map(([from]) => from > 0)).toEqual([false, true]);
	expect(reads[0]![1]).toBeLessThanOrEqual(FIRST_READ_BYTES);
});

test.each([
	["is missing", "none.zones", "ENOENT"],
	["is no index", "package.json", "not_a_zone_index"],
])("a file that %s is named, with what is wrong with it", async (_, file, reason) => {
	const refusal = readEditionFile(path.join(import.meta.dirname, "../..", file));
	await expect(refusal).rejects.toThrow(OperatorError);
	await expect(refusal).rejects.toThrow(new RegExp(`${file}: it cannot be read as a zone index: .*${reason}`));
});

describe("publishing", () => {
	const first = country(4, 40);
	const served = compile(first.plan);
	const [lowest, second] = first.zones.map(({ number }) => number) as [number, number];
	let database: DatabaseSync;
	let query: Query;

	beforeEach(() => {
		database = memoryDatabase();
		query = async (sql) => database.prepare(sql).all() as Array<Record<string, unknown>>;
	});

	const mint = (zone: number, edition: string | null = null) =>
		database
			.prepare(
				"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at, edition) values (?, '', 0, 0, '', 'usr_1', 0, ?)",
			)
			.run(`NG${zoneDigits(zone)}00000`, edition);
	const open = (zone: number) =>
		database
			.prepare("insert into overflow_zones (country, zone, area, ordinal, created_at) values ('NG', ?, 0, 1, 0)")
			.run(zone);

	/** The same zones, the first two with each other's number. */
	function swapped(): Uint8Array {
		const { zones, plan } = country(4, 40);
		[zones[0]!.number, zones[1]!.number] = [zones[1]!.number, zones[0]!.number];
		return compile(plan);
	}

	test("asks the database which numbers are open in countries, and leaves out the sandbox", async () => {
		open(9998);
		database.exec("insert into overflow_zones (country, zone, area, ordinal, created_at) values ('ZZ', 1, 2, 1, 0)");
		expect([...(await openedNumbers(query))]).toEqual([["NG", [9998]]]);
	});

	test("lets a country of which only the example exists have other zones", async () => {
		expect(await query(`select 1 from addresses where canonical = '${DEMO_CODE}'`)).toHaveLength(1);
		expect(await addressesUnder(query, [DEMO_CODE.slice(0, 6)])).toEqual(new Map());
	});

	test("takes the same index, and any index while no address concerned exists", async () => {
		mint(lowest);
		await checkPublication(served, served, query);
		database.exec("delete from addresses");
		await checkPublication(swapped(), served, query);
	});

	test("refuses an index that gives a used number other ground, by its name", async () => {
		mint(second);
		const refusal = checkPublication(swapped(), served, query);
		await expect(refusal).rejects.toThrow(EditionError);
		await expect(refusal).rejects.toThrow(
			`NG${zoneDigits(second)} (Place 0) is given to other ground, but 1 addresses have it`,
		);
	});

	test("refuses an index that gives new ground a number that a full zone has opened, or that was retired", async () => {
		const { plan, zones } = country(6, 60, await nigeria(served));
		const wider = compile(plan);
		await checkPublication(wider, served, query);
		const added = zones.find(({ number }) => !first.zones.some((zone) => zone.number === number))!.number;
		open(added);
		await expect(checkPublication(wider, served, query)).rejects.toThrow("a full zone has opened it");
		database.exec("delete from overflow_zones");
		first.plan.areas[0]!.retired = [added];
		await expect(checkPublication(wider, compile(first.plan), query)).rejects.toThrow(
			"an earlier edition has retired it",
		);
		first.plan.areas[0]!.retired = [];
	});

	test("refuses an index that forgets a used number", async () => {
		mint(first.zones.at(-1)!.number);
		const { plan } = country(2, 20, await nigeria(served));
		await checkPublication(compile(plan), served, query);
		plan.areas[0]!.retired = [];
		await expect(checkPublication(compile(plan), served, query)).rejects.toThrow("is gone and not retired");
	});

	test("refuses an index that forgets a retired number with addresses, which a full zone would open", async () => {
		const gone = first.zones.at(-1)!.number;
		const { plan } = country(2, 20, await nigeria(served));
		const next = compile(plan);
		plan.areas[0]!.retired = [];
		await checkPublication(compile(plan), next, query);
		mint(gone);
		await expect(checkPublication(compile(plan), next, query)).rejects.toThrow(
			`NG${zoneDigits(gone)} was retired and is forgotten, but 1 addresses have it`,
		);
	});

	test("takes back an edition that was served, where the next one has retired numbers", async () => {
		const [kept, gone, unused] = [lowest, first.zones.at(-1)!.number, first.zones.at(-2)!.number];
		const next = compile(country(2, 20, await nigeria(served)).plan);
		expect((await nigeria(next)).retired).toEqual(expect.arrayContaining([gone, unused]));
		const name = editionName(readDirectory(served));
		mint(gone, name);
		await checkPublication(next, served, query);
		await checkPublication(served, next, query);
		// Under the number are only addresses of another edition, in which it may have had other ground.
		mint(kept, name);
		database.exec(`update addresses set edition = '1-00000000' where canonical like 'NG${zoneDigits(gone)}%'`);
		const refusal = checkPublication(served, next, query);
		await expect(refusal).rejects.toThrow(`NG${zoneDigits(gone)} `);
		await expect(refusal).rejects.not.toThrow(`NG${zoneDigits(unused)} `);
	});
});
