/** Lists where the border source is coarse or wrong, and which line replaces it. patches.ts applies the list. */

type Degrees = readonly [lng: number, lat: number];

export interface BorderPatch {
	countries: readonly [string, string];
	/** points near the vertices of the two countries' border between which the border is replaced */
	from: Degrees;
	to: Degrees;
	/** the new line between them; without it, Natural Earth's */
	line?: readonly Degrees[];
	/** where the new line leaves Natural Earth's, if that is not next to the end */
	leave?: Degrees;
	reason: string;
}

const COARSE =
	"the source draws kilometres of it as one straight edge; Natural Earth and OpenStreetMap agree against it";
const town = (...names: string[]) => `GeoNames and Natural Earth agree against the source on ${names.join(", ")}`;

/** In the order in which they are applied. */
export const BORDER_PATCHES: readonly BorderPatch[] = [
	{
		countries: ["CD", "CF"],
		from: [18.628, 3.476],
		to: [20.904, 4.449],
		reason: "the source cuts off the bend of the Ubangi, 22,000 square kilometres of the Congo, by a straight edge",
	},
	{
		countries: ["AR", "CL"],
		from: [-70.145, -30.366],
		to: [-71.164, -44.462],
		reason: `${COARSE}, and ${town("Futaleufú")}`,
	},
	{ countries: ["AR", "CL"], from: [-72.313, -50.584], to: [-71.999, -51.98], reason: town("Yacimiento Río Turbio") },
	{ countries: ["AO", "CD"], from: [21.798, -7.296], to: [21.849, -9.599], reason: COARSE },
	{ countries: ["BF", "NE"], from: [1.245, 13.34], to: [2.058, 12.355], reason: COARSE },
	{ countries: ["BO", "BR"], from: [-63.902, -12.525], to: [-60.46, -14.225], reason: COARSE },
	{ countries: ["BO", "BR"], from: [-68.761, -11.017], to: [-67.677, -10.603], reason: COARSE },
	{ countries: ["BR", "UY"], from: [-54.45458, -31.65285], to: [-55.50823, -30.9145], reason: COARSE },
	{ countries: ["BR", "VE"], from: [-63.861, 3.948], to: [-64.029, 2.798], reason: COARSE },
	{ countries: ["BZ", "MX"], from: [-89.151, 17.951], to: [-88.482, 18.492], reason: town("La Unión") },
	{ countries: ["CD", "UG"], from: [29.983, 0.843], to: [29.775, 0.167], reason: town("Margherita") },
	{ countries: ["CO", "PE"], from: [-70.524, -3.876], to: [-74.267, -0.972], reason: COARSE },
	{ countries: ["DZ", "ML"], from: [3.361, 18.974], to: [1.21, 20.735], reason: COARSE },
	{ countries: ["ET", "SO"], from: [43.326, 9.592], to: [44.192, 8.93], reason: town("Baligubadle") },
	{ countries: ["FI", "RU"], from: [28.48, 60.934], to: [29.018, 61.174], reason: town("Nuijamaa") },
	{ countries: ["GF", "SR"], from: [-54.269, 5.269], to: [-54.472, 4.92], reason: town("Apatou") },
	{
		countries: ["GM", "SN"],
		from: [-15.805, 13.348],
		to: [-14.937, 13.802],
		reason: town("Sabi", "Nioro", "Kumbija", "Gunjur Kuta", "Demba Kunda"),
	},
	{ countries: ["GY", "SR"], from: [-56.705, 2.03], to: [-57.87, 4.894], reason: COARSE },
	{ countries: ["HN", "NI"], from: [-83.493, 15.012], to: [-83.137, 15], reason: town("Iralaya") },
	{ countries: ["HR", "SI"], from: [14.596, 45.628], to: [14.82, 45.459], reason: town("Osilnica") },
	{ countries: ["HU", "SK"], from: [18.722, 47.787], to: [18.029, 47.757], reason: town("Süttő") },
	{ countries: ["IN", "PK"], from: [74.453, 32.778], to: [74.647, 32.826], reason: town("Nawānshahr") },
	{ countries: ["KZ", "RU"], from: [75.434, 53.987], to: [73.254, 53.615], reason: COARSE },
	{ countries: ["LA", "TH"], from: [101.78087, 18.07559], to: [101.44667, 17.7392], reason: town("Chiang Khan") },
	{ countries: ["MD", "RO"], from: [27.162, 47.924], to: [26.943, 48.197], reason: town("Mitoc") },
	{ countries: ["ML", "NE"], from: [4.218, 17.001], to: [1.313, 15.28], reason: COARSE },
	{ countries: ["MM", "TH"], from: [98.868, 10.783], to: [98.739, 10.315], reason: town("Kra Buri") },
	{ countries: ["MX", "US"], from: [-98.27075, 26.09457], to: [-98.35126, 26.15129], reason: town("Los Cavazos") },
	{
		countries: ["MX", "US"],
		from: [-99.55409, 27.61314],
		to: [-100.50029, 28.66117],
		leave: [-100.4356, 28.6186],
		reason: COARSE,
	},
	{ countries: ["NA", "ZA"], from: [19.999, -28.426], to: [17.458, -28.687], reason: COARSE },
	{ countries: ["AR", "PY"], from: [-58.595, -27.3], to: [-55.95, -27.34], reason: town("Cerrito") },
	{ countries: ["RO", "UA"], from: [28.943, 45.28], to: [28.714, 45.226], reason: town("Ceatalchioi") },
	{
		countries: ["SY", "TR"],
		from: [38.38859, 36.90064],
		to: [38.21064, 36.91842],
		line: [[38.348, 36.898]],
		reason:
			"the railway between Mürşitpınar and Ayn al-Arab is the border; the source draws it north of both, Natural Earth south",
	},
	{
		countries: ["SY", "TR"],
		from: [39.816, 36.755],
		to: [41.515, 37.081],
		reason: town("Şenyurt", "Nusaybin", "Ceylanpınar"),
	},
	{
		countries: ["BE", "FR"],
		from: [3.15017, 50.79031],
		to: [3.11987, 50.79188],
		line: [[3.1265, 50.7905]],
		reason: "the border keeps to the Lys between Halluin and Menen; both sources draw it through the middle of Halluin",
	},
	{
		countries: ["KE", "TZ"],
		from: [34.0824, -1.02264],
		to: [37.67199, -3.06222],
		line: [
			[36.74, -2.53267],
			[36.789, -2.547],
			[36.84, -2.58949],
		],
		reason: "Namanga of Tanzania lies south of the border post; both sources draw one straight line of 460 km past it",
	},
	{
		countries: ["FI", "SE"],
		from: [24.15791, 65.85385],
		to: [24.14798, 65.83466],
		line: [
			[24.1425, 65.8495],
			[24.144, 65.84],
		],
		reason: "Tornio is Finnish: the border runs between it and Haparanda; both sources draw it east of Tornio",
	},
	{
		countries: ["IL", "PS"],
		from: [35.18603, 31.80901],
		to: [35.16478, 31.73242],
		line: [
			[35.2, 31.806],
			[35.2075, 31.8065],
			[35.219, 31.801],
			[35.2265, 31.7985],
			[35.2265, 31.79],
			[35.2283, 31.7855],
			[35.226, 31.7805],
			[35.2255, 31.7765],
			[35.2275, 31.7715],
			[35.23, 31.768],
			[35.231, 31.761],
			[35.234, 31.752],
			[35.231, 31.744],
			[35.221, 31.738],
			[35.214, 31.735],
			[35.207, 31.7395],
			[35.199, 31.742],
			[35.19, 31.74],
			[35.18, 31.736],
		],
		reason:
			"East Jerusalem is a part of the ISO 3166-1 entry Palestine, State of: the UN holds it occupied (Security Council " +
			"resolutions 478 and 2334). The source draws the bounds of the city; this is the armistice line of 1949, drawn by hand to about 300 m",
	},
];

/** Land of a country within another country, which the source lacks. */
interface Exclave {
	/** the country around it, and the one that it belongs to */
	countries: readonly [string, string];
	/** counter-clockwise */
	outline: readonly Degrees[];
	reason: string;
}

export const EXCLAVES: readonly Exclave[] = [
	{
		countries: ["IN", "BD"],
		outline: [
			[88.972, 26.279],
			[88.976, 26.284],
			[88.981, 26.284],
			[88.984, 26.296],
			[88.983, 26.301],
			[88.977, 26.3],
			[88.964, 26.301],
			[88.962, 26.306],
			[88.955, 26.308],
			[88.952, 26.317],
			[88.948, 26.318],
			[88.937, 26.313],
			[88.935, 26.321],
			[88.942, 26.323],
			[88.942, 26.33],
			[88.938, 26.335],
			[88.921, 26.335],
			[88.924, 26.327],
			[88.918, 26.325],
			[88.926, 26.316],
			[88.93, 26.304],
			[88.926, 26.301],
			[88.945, 26.301],
			[88.945, 26.293],
			[88.932, 26.293],
			[88.943, 26.287],
			[88.938, 26.28],
			[88.938, 26.269],
			[88.944, 26.268],
			[88.953, 26.275],
			[88.967, 26.288],
			[88.967, 26.278],
		],
		reason:
			"Dahagram-Angarpota is Bangladesh's, the one exclave that the agreement of 2015 left. The source and Natural Earth lack it. " +
			"Drawn by hand to about 300 m: 19 square kilometres, up to the Teesta. The Tin Bigha corridor stays India's",
	},
];
