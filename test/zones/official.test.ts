import { beforeAll, expect, test } from "vitest";
import { createZoneLocator } from "../../src/zones/locate.ts";
import { UNITS_PER_DEGREE } from "../../src/zones/morton.ts";
import { freeNumbersNear } from "../../src/zones/numbers.ts";
import { areaOfZone, numberOfZone, zoneCount } from "../../src/zones/shard.ts";
import { compile } from "../../zones/compile.ts";
import { plannedAreas } from "../../zones/edition.ts";
import { readBoundaries } from "../../zones/official.ts";
import { planWorld } from "../../zones/plan.ts";
import { seededRandom } from "../support/random.ts";
import { askIndex } from "./oracle.ts";
import { publishedEdition, sharedOracle } from "./shared.ts";
import { decodeAll, memorySource } from "./support.ts";

type Line = Array<[lng: number, lat: number]>;
interface Ward {
	zone: number;
	name: string;
	polygons: Line[][];
}

const COUNTRIES = ["BI", "LI", "LU", "RW"] as const;
const random = seededRandom(11);
const between = (low: number, high: number) => low + random() * (high - low);
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;

/** Wards that share their crooked edges: `across` by `across` of them, from a south-western corner on. */
function mesh(west: number, south: number, degrees: number, across: number, numberOf: (place: number) => number) {
	const [vertices, side] = [5, degrees / across];
	const known = new Map<string, [number, number]>();
	const vertex = (column: number, row: number): [number, number] => {
		const key = `${column},${row}`;
		const step = side / vertices;
		// Finer than the lattice of 1e-5 degree: what is drawn twice must still meet once it is rounded.
		const made: [number, number] = known.get(key) ?? [
			west + (column + between(-0.35, 0.35)) * step,
			south + (row + between(-0.35, 0.35)) * step,
		];
		known.set(key, made);
		return made;
	};
	return Array.from({ length: across ** 2 }, (_, place): Ward => {
		const [column, row] = [(place % across) * vertices, Math.floor(place / across) * vertices];
		const steps = [...Array(vertices).keys()];
		const ring = [
			...steps.map((step) => vertex(column + step, row)),
			...steps.map((step) => vertex(column + vertices, row + step)),
			...steps.map((step) => vertex(column + vertices - step, row + vertices)),
			...steps.map((step) => vertex(column, row + vertices - step)),
			vertex(column, row),
		];
		const zone = numberOf(place);
		return { zone, name: place % 7 === 0 ? "" : `Ward\u0020of Cafe\u0301 ${zone}`, polygons: [[ring]] };
	});
}

/** A crooked square around a point, which runs clockwise. */
function square([lng, lat]: readonly [number, number], half: number): Line {
	const [west, east, south, north] = [lng - half, lng + half * 0.9, lat - half, lat + half * 1.1];
	return [
		[west, south],
		[west + half / 3, north],
		[east, north - half / 4],
		[east, south],
		[west, south],
	];
}

function wardsOf(): Record<(typeof COUNTRIES)[number], Ward[]> {
	// Wards of both countries reach over the border between them; those of Rwanda also into Lake Kivu and the Congo.
	const RW = mesh(28.95, -2.9, 1.3, 8, (place) => place * 7 + 3);
	const enclave = square([29.52, -2.33], 0.03);
	const ownerOfHole = RW.find(({ polygons }) => isIn(polygons, 29.52, -2.33))!;
	ownerOfHole.polygons[0]!.push(enclave);
	RW.push({ zone: 1000, name: "Enclave", polygons: [[enclave]] });
	// A hole that nobody fills, and a ward in two parts, one of them another's.
	const empty: readonly [number, number] = [29.85, -2.0];
	RW.find(({ polygons }) => isIn(polygons, ...empty))!.polygons[0]!.push(square(empty, 0.02));
	const [far] = RW.splice(19, 1);
	RW[5]!.polygons.push(...far!.polygons);
	const BI = mesh(29.6, -3.4, 0.9, 6, (place) => 35 - place);
	// All of Liechtenstein and some of its neighbours is one zone, with the last number there is.
	// Postcodes of Luxembourg, far apart as postcodes are.
	const LU = mesh(5.7, 49.4, 0.9, 6, (place) => 1009 + 237 * place);
	const LI: Ward[] = [{ zone: 9999, name: "Liechtenstein", polygons: [[square([9.55, 47.15], 0.3)]] }];
	const within = (country: string, of: Ward[]) =>
		of.filter(({ polygons }) => polygons.flat(2).some(([lng, lat]) => countryAt([lat, lng]) === country));
	return { BI: within("BI", BI), LI, LU: within("LU", LU), RW: within("RW", RW) };
}

/** Half grid units of a coordinate that is rounded to the lattice. */
const halfUnits = (degrees: number) => Math.round(degrees * 100_000) * 200;

/** Brute force, in whole numbers: whether a point half a grid unit to the north-east of the given one is within. */
function isIn(polygons: readonly Line[][], lng: number, lat: number): boolean {
	const [x, y] = [2 * Math.round(lng * UNITS_PER_DEGREE) + 1, 2 * Math.round(lat * UNITS_PER_DEGREE) + 1];
	let inside = false;
	for (const line of polygons.flat()) {
		for (let at = 1; at < line.length; at++) {
			const [x1, y1] = line[at - 1]!.map(halfUnits) as [number, number];
			const [x2, y2] = line[at]!.map(halfUnits) as [number, number];
			if (y1 < y === y2 < y) continue;
			const reach = BigInt(x2 - x1) * BigInt(y - y1) - BigInt(x - x1) * BigInt(y2 - y1);
			if (y2 > y1 ? reach > 0n : reach < 0n) inside = !inside;
		}
	}
	return inside;
}

function geoJson(wards: readonly Ward[]): string {
	const features = wards.map(({ zone, name, polygons }) => ({
		type: "Feature",
		properties: { zone, name },
		geometry:
			polygons.length === 1
				? { type: "Polygon", coordinates: polygons[0] }
				: { type: "MultiPolygon", coordinates: polygons },
	}));
	return JSON.stringify({ type: "FeatureCollection", features });
}

const countryAt = sharedOracle();
const wards = wardsOf();
let plan: ReturnType<typeof planWorld>["plan"];
let file: Uint8Array;
let replaced: Awaited<ReturnType<typeof decodeAll>>;
let published: Awaited<ReturnType<typeof decodeAll>>;

beforeAll(async () => {
	const official = COUNTRIES.map((country) => [country, readBoundaries(geoJson(wards[country]), country)] as const);
	const edition = await publishedEdition();
	published = edition;
	// As the command does: other countries stay as they are.
	const unchanged = plannedAreas(edition);
	for (const country of COUNTRIES) unchanged.delete(country);
	({ plan } = planWorld({ official: new Map(official), unchanged }));
	file = compile(plan);
	replaced = await decodeAll(file);
});

const ask = ({ directory, shards }: typeof replaced, lng: number, lat: number) =>
	askIndex(directory, shards, [lat, lng]);

/** Seeded points in and around the wards, most of them at their edges. */
function* points(count: number): Generator<[lng: number, lat: number]> {
	const lines = Object.values(wards).flatMap((ofCountry) => ofCountry.flatMap(({ polygons }) => polygons.flat()));
	for (let made = 0; made < count; made++) {
		const kind = random();
		if (kind < 0.3) yield [between(28.7, 31), between(-4.6, -1)];
		else if (kind < 0.35) yield [between(9.3, 9.8), between(46.9, 47.4)];
		else {
			const line = pick(lines);
			const at = 1 + Math.floor(random() * (line.length - 1));
			const [[x1, y1], [x2, y2]] = [line[at - 1]!, line[at]!];
			const along = kind < 0.6 ? 0 : random();
			const hair = kind < 0.8 ? 3e-7 : 3e-4;
			yield [x1 + (x2 - x1) * along + between(-hair, hair), y1 + (y2 - y1) * along + between(-hair, hair)];
		}
	}
}

test("official zones are found where a brute-force oracle finds them, and generated ones where it finds none", () => {
	const seen = new Map<string, number>();
	for (const [lng, lat] of points(40_000)) {
		const country = countryAt([lat, lng]);
		const found = ask(replaced, lng, lat);
		const official = COUNTRIES.find((replaced) => replaced === country);
		const ward = official && wards[official].find(({ polygons }) => isIn(polygons, lng, lat));
		const where = `${lat}, ${lng}`;
		if (ward) {
			expect(found, where).toEqual({ country, zone: ward.zone, name: ward.name.normalize("NFC"), holdsPoint: true });
		} else if (official) {
			const { zones } = plan.areas.find((area) => area.country === country)!;
			expect(found, where).toMatchObject({ country, holdsPoint: true });
			expect(found!.zone, where).toBeGreaterThanOrEqual(zones[0]!.number);
			expect(found!.zone, where).toBeLessThanOrEqual(zones.at(-1)!.number);
		} else expect(found, where).toEqual(ask(published, lng, lat));
		const kind = ward ? `${country} ${ward.zone}` : official ? `rest of ${country}` : country;
		seen.set(kind, (seen.get(kind) ?? 0) + 1);
	}
	// The points must mean something: every ward that lies in its country, what is left, and the neighbours.
	for (const kind of ["RW 1000", "LI 9999", "rest of RW", "rest of BI", "TZ", "CD", "CH", "AT"]) {
		expect(seen.get(kind), kind).toBeGreaterThan(50);
	}
	expect([...seen.keys()].filter((kind) => kind.startsWith("RW ")).length).toBeGreaterThan(35);
	expect([...seen.keys()].filter((kind) => kind.startsWith("BI ")).length).toBeGreaterThan(20);
	expect(seen.has("rest of LI")).toBe(false);
});

test("the rest of the world answers as before", () => {
	for (let asked = 0; asked < 20_000; asked++) {
		const [lng, lat] = [between(-180, 180), (Math.asin(between(-1, 1)) * 180) / Math.PI];
		const before = ask(published, lng, lat);
		if (COUNTRIES.some((country) => country === before.country)) continue;
		expect(ask(replaced, lng, lat), `${lat}, ${lng}`).toEqual(before);
	}
});

test("numbers of a country are those of its boundaries and of what they leave, and those ascend along the curve after them", async () => {
	const { directory, shards } = replaced;
	const numbers = new Map<string, Set<number>>();
	for (const shard of shards) {
		for (let place = 0; place < zoneCount(shard); place++) {
			const area = areaOfZone(shard, place);
			const country = directory.countries[shard.areaCountries[area]!]!;
			const known = numbers.get(country) ?? new Set();
			numbers.set(country, known.add(numberOfZone(shard, place)));
		}
	}
	for (const country of ["BI", "RW"] as const) {
		const { zones } = plan.areas.find((area) => area.country === country)!;
		const firstNumber = zones[0]!.number;
		const greatest = Math.max(...wards[country].map(({ zone }) => zone));
		expect(firstNumber).toBeGreaterThan(greatest);
		const found = [...numbers.get(country)!].sort((a, b) => a - b);
		expect(found.filter((number) => number > greatest)).toEqual(zones.map(({ number }) => number));
		for (const number of found) {
			if (number <= greatest) expect(wards[country].some(({ zone }) => zone === number)).toBe(true);
		}
		expect(directory.zoneCounts[directory.countries.indexOf(country)]).toBe(found.length);
	}
	expect([...numbers.get("LI")!]).toEqual([9999]);
	expect((await createZoneLocator(memorySource(file).read).numbersOf("LI"))?.published).toHaveLength(1);
});

test("where numbers are postcodes, the numbers between them are the reserve of zones that fill up", async () => {
	const locator = createZoneLocator(memorySource(file).read);
	const postcodes = wards.LU.map(({ zone }) => zone);
	const { zones: rest } = plan.areas.find(({ country }) => country === "LU")!;
	const numbers = (await locator.numbersOf("LU"))!;
	expect(postcodes.length).toBeGreaterThan(20);
	expect(numbers.published).toEqual([...postcodes, ...rest.map(({ number }) => number)].sort((a, b) => a - b));
	const free = freeNumbersNear(0, numbers);
	expect(free.length).toBe(10_000 - numbers.published.length);
	// Between any two postcodes that follow each other.
	const sorted = [...postcodes].sort((a, b) => a - b);
	for (const [place, postcode] of sorted.slice(1).entries()) {
		expect(free.filter((number) => number > sorted[place]! && number < postcode).length).toBeGreaterThan(0);
	}
});

test("boundaries of a district leave the rest of its country on its numbers, unless they hold most of it or are told to retire it", async () => {
	const edition = await publishedEdition();
	const known = edition.countries.get("RW")!;
	const unchanged = plannedAreas(edition);
	unchanged.delete("RW");
	const free = Array.from({ length: 10_000 }, (_, number) => number).filter((number) => !known.zones.has(number));
	const rest = (own: readonly Ward[], options: { isBeforeAddresses?: boolean; retiresRest?: boolean }) => {
		const { plan } = planWorld({
			official: new Map([["RW", readBoundaries(geoJson(own), "RW")]]),
			before: edition.countries,
			unchanged,
			...options,
		});
		const { zones, retired } = plan.areas.find(({ country }) => country === "RW")!;
		const kept = zones.filter(({ number, key, level }) => {
			const cell = known.zones.get(number)?.cell;
			return cell?.key === key && cell.level === level;
		});
		return { zones, retired, kept };
	};
	const district = mesh(30, -2, 0.2, 2, (place) => free[place]!);
	for (const isBeforeAddresses of [true, false]) {
		const { zones, retired, kept } = rest(district, { isBeforeAddresses });
		expect(kept).toHaveLength(zones.length);
		expect(kept.length + retired.length).toBe(known.zones.size);
		expect(retired.length).toBeGreaterThan(3);
		for (const number of retired) {
			const { south, west, north, east } = known.zones.get(number)!.box;
			const [lng, lat] = [(west + east) / 2 / UNITS_PER_DEGREE, (south + north) / 2 / UNITS_PER_DEGREE];
			expect(district.some(({ polygons }) => isIn(polygons, lng, lat))).toBe(true);
		}
	}
	// Told so, the rest is cut afresh: its old numbers are free before the first address, and retired after it.
	const afresh = rest(district, { isBeforeAddresses: true, retiresRest: true });
	expect(afresh.retired).toEqual([]);
	expect(afresh.kept.length).toBeLessThan(afresh.zones.length / 10);
	const served = rest(district, { retiresRest: true });
	expect(served.retired).toEqual([...known.zones.keys()].sort((a, b) => a - b));
	expect(served.zones.filter(({ number }) => known.zones.has(number))).toEqual([]);
	// Boundaries of the whole country give it their own numbering.
	const whole = mesh(28.8, -2.9, 2.2, 4, (place) => place).filter(({ polygons }) =>
		polygons.flat(2).some(([lng, lat]) => countryAt([lat, lng]) === "RW"),
	);
	expect(rest(whole, { isBeforeAddresses: true }).retired).toEqual([]);
	expect(rest(whole, {}).retired.length).toBeGreaterThan(known.zones.size * 0.9);
});
