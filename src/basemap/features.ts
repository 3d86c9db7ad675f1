/** Which features of a vector tile are drawn, in the two schemas of archives: Protomaps' basemap (versions 2 to 4) and OpenMapTiles (3). */

/** A kind of shape. Streets, roads and highways differ in width. */
export type ShapeKind = "water" | "green" | "building" | "rail" | "path" | "street" | "road" | "highway";

/** The names of layers that hold something to draw. */
export const DRAWN_LAYERS = [
	"water",
	"waterway",
	"landuse",
	"landcover",
	"natural",
	"park",
	"buildings",
	"building",
	"transit",
	"roads",
	"transportation",
] as const;

/** Layers whose points name things that people know, and whose lines name streets. */
export const NAMED_LAYERS = ["pois", "poi", "places"] as const;
export const STREET_NAME_LAYERS = ["roads", "transportation_name"] as const;

type Properties = Readonly<Record<string, number | string | boolean>>;

const GREEN =
	/^(park|forest|wood|grass|grassland|meadow|garden|cemetery|golf_course|recreation_ground|nature_reserve|national_park|protected_area|village_green|orchard|farmland|farm|scrub|pitch|playground|zoo|wetland|allotments|national_reserve)$/;
const HIGHWAY = /^(highway|motorway|trunk)$/;
const ROAD = /^(major_road|medium_road|primary|secondary|tertiary)$/;
const STREET = /^(minor_road|minor|service|street|residential|unclassified|living_street|busway)$/;
const PATH = /^(path|track|footway|pedestrian|cycleway|steps|bridleway|other)$/;

/** The kind of a feature, by its layer and its properties; undefined for what is not drawn. */
export function kindOf(layer: string, properties: Properties): ShapeKind | undefined {
	// Tunnels cannot be seen from where a pin stands.
	if (properties.is_tunnel || properties.brunnel === "tunnel") return undefined;
	const kind = String(properties.kind ?? properties.class ?? properties["pmap:kind"] ?? "");
	if (layer === "water" || layer === "waterway") return "water";
	if (layer === "park") return "green";
	if (layer === "building" || layer === "buildings") return kind === "address" ? undefined : "building";
	if (/^(rail|transit)$/.test(kind)) return "rail";
	if (layer === "transit") return undefined;
	if (layer === "roads" || layer === "transportation") {
		if (HIGHWAY.test(kind)) return "highway";
		if (ROAD.test(kind)) return "road";
		if (STREET.test(kind)) return "street";
		return PATH.test(kind) ? "path" : undefined;
	}
	return GREEN.test(kind) ? "green" : undefined;
}

/** The name of a feature as people there write it; empty if it has none. */
export function nameOf({ name }: Properties): string {
	return typeof name === "string" ? name : "";
}
