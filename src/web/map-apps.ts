/** Map applications for couriers, and links that open a route in them. */

/** A point to go to, as `lat,lng` in degrees. */
type Stop = string;

interface MapApp {
	name: string;
	/** Most stops of a route that its links take. */
	stopsMax: number;
	/** The link to a route from the device's position to the last of some stops, through the others. */
	way(stops: readonly Stop[]): string;
}

const encoded = (stops: readonly Stop[]) => encodeURIComponent(stops.join("|"));

/** Map applications by the names under which browsers store the choice. The first is the default. */
export const MAP_APPS: Readonly<Record<string, MapApp>> = {
	// developers.google.com/maps/documentation/urls: up to nine waypoints.
	google: {
		name: "Google Maps",
		stopsMax: 10,
		way: (stops) =>
			`https://www.google.com/maps/dir/?api=1&destination=${encoded(stops.slice(-1))}${stops.length > 1 ? `&waypoints=${encoded(stops.slice(0, -1))}` : ""}`,
	},
	// developer.apple.com/documentation/mapkit/unified-map-urls.
	apple: {
		name: "Apple Maps",
		stopsMax: 10,
		way: (stops) =>
			`https://maps.apple.com/directions?destination=${encoded(stops.slice(-1))}${stops
				.slice(0, -1)
				.map((stop) => `&waypoint=${encoded([stop])}`)
				.join("")}`,
	},
	waze: {
		name: "Waze",
		stopsMax: 1,
		way: ([stop = ""]) => `https://waze.com/ul?ll=${encoded([stop])}&navigate=yes`,
	},
	osm: {
		name: "OpenStreetMap",
		stopsMax: 1,
		way: ([stop = ""]) => `https://www.openstreetmap.org/directions?to=${encoded([stop])}`,
	},
};
