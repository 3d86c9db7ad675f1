import { encodeTile, packArchive, type TestFeature } from "./basemap.ts";
import { corners } from "./corners.ts";
import { seededRandom } from "./random.ts";

const ZOOM = 15;
const EXTENT = 4096;
const EQUATOR_METRES = 40_075_016.686;

type Metres = readonly [east: number, south: number];

interface Found {
	layer: string;
	type: 1 | 2 | 3;
	properties: Record<string, string>;
	corners: Metres[];
}

/** What stands in a town, in metres from its middle: enough on a page to weigh what a real city does. */
function features(): Found[] {
	const random = seededRandom(22);
	const some = (metres: number) => (random() - 0.5) * metres;
	const found: Found[] = [];
	const add = (layer: string, type: Found["type"], properties: Record<string, string>, corners: Metres[]) =>
		found.push({ layer, type, properties, corners });
	add("water", 3, { kind: "lake" }, corners("60 -160, 70 -70, 95 -40, 170 -25, 170 -160"));
	add("landuse", 3, { kind: "park" }, corners("-170 40, -75 45, -70 130, -170 130"));
	add("pois", 1, { name: "Fadeyi Bus Stop" }, [[20, 75]]);
	const streets = "Fadeyi Road, Adelabu Street, Bode Thomas Street, Ogunlana Drive, Masha Road, Akerele Street".split(
		", ",
	);
	for (let index = -3; index < 3; index += 1) {
		const name = streets[index + 3]!;
		const bend = () => Array.from({ length: 12 }, (_, step): Metres => [-330 + step * 60, index * 52 + 18 + some(5)]);
		add("roads", 2, { kind: index === 0 ? "major_road" : "minor_road", name }, bend());
		const across = bend().map(([east, south]): Metres => [south * 1.3, east]);
		add("roads", 2, { kind: index % 2 ? "path" : "minor_road" }, across);
	}
	for (let row = -7; row < 7; row += 1) {
		for (let column = -9; column < 9; column += 1) {
			const [east, south] = [column * 22 + some(4), row * 26 + 4 + some(3)];
			const isWet = east > 45 && south < -20;
			const isGreen = east < -60 && south > 30;
			if (isWet || isGreen || random() < 0.15) continue;
			const [width, depth, notch] = [9 + some(6), 11 + some(6), 3 + some(3)];
			add("buildings", 3, { kind: "building" }, [
				[east, south],
				[east + width, south + 1],
				[east + width, south + depth - notch],
				[east + width - notch, south + depth - notch],
				[east + width - notch, south + depth],
				[east, south + depth],
			]);
		}
	}
	return found;
}

/** An archive of a made-up town around a place, as a base map of one. */
export function townAt({ lat, lng }: { lat: number; lng: number }): Uint8Array<ArrayBuffer> {
	const count = 2 ** ZOOM;
	const sine = Math.sin((lat * Math.PI) / 180);
	const [x, y] = [((lng + 180) / 360) * count, (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * count];
	const perMetre = count / (EQUATOR_METRES * Math.cos((lat * Math.PI) / 180));
	const all = features();
	const around = [-1, 0, 1];
	return packArchive(
		around.flatMap((right) =>
			around.map((down) => {
				const [tileX, tileY] = [Math.floor(x) + right, Math.floor(y) + down];
				const layers: Record<string, TestFeature[]> = {};
				for (const { layer, type, properties, corners } of all) {
					const placed = corners.map(
						([east, south]) =>
							[
								Math.round((x + east * perMetre - tileX) * EXTENT),
								Math.round((y + south * perMetre - tileY) * EXTENT),
							] as const,
					);
					const reaches = [0, 1].every(
						(axis) =>
							placed.some((corner) => corner[axis]! > -64) && placed.some((corner) => corner[axis]! < EXTENT + 64),
					);
					if (reaches) layers[layer] = [...(layers[layer] ?? []), { type, properties, lines: [placed] }];
				}
				return { z: ZOOM, x: tileX, y: tileY, bytes: encodeTile(layers) };
			}),
		),
	);
}
