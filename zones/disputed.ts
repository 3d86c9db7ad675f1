/**
 * Which ISO 3166-1 country the outlines of the border source belong to, where the source itself does not say it or says
 * it otherwise than ISO 3166 and the United Nations. One table each, with the reason in every row.
 */

/** Outlines under a code that ISO 3166-1 only reserves, and the official entry that contains them. */
export const RESERVED_CODES: Readonly<Record<string, { country: string; reason: string }>> = {
	AC: { country: "SH", reason: "Ascension is part of the entry Saint Helena, Ascension and Tristan da Cunha" },
	CP: { country: "FR", reason: "Clipperton is named in the remarks of the entry France" },
	CQ: { country: "GG", reason: "Sark is part of the Bailiwick of Guernsey" },
	DG: { country: "IO", reason: "Diego Garcia is part of the entry British Indian Ocean Territory" },
	FX: { country: "FR", reason: "Metropolitan France is part of the entry France" },
	IC: { country: "ES", reason: "the Canary Islands are part of the entry Spain" },
	TA: { country: "SH", reason: "Tristan da Cunha is part of the entry Saint Helena, Ascension and Tristan da Cunha" },
};

/** Land whose country is disputed, by the source's id: the country that gets its zones, or none. */
export const DISPUTED_LAND: Readonly<Record<string, { country: string | undefined; reason: string }>> = {
	Q7835: {
		country: "UA",
		reason: "Crimea: UN General Assembly resolution 68/262 keeps it in Ukraine, as ISO 3166-2 does",
	},
	Q23681: { country: "CY", reason: "Northern Cyprus: UN Security Council resolution 541 keeps it in Cyprus" },
	Q620634: {
		country: undefined,
		reason: "Bir Tawil: neither Egypt nor Sudan claims it, and ISO 3166 has no entry for it",
	},
	EH: { country: "EH", reason: "Western Sahara: an ISO 3166-1 entry, a non-self-governing territory to the UN" },
	XK: {
		country: "XK",
		reason: "Kosovo: no ISO 3166-1 entry; XK is the user-assigned code in common use (EU, CLDR, banks)",
	},
	TW: { country: "TW", reason: "Taiwan: an ISO 3166-1 entry of its own" },
	Q36678: { country: "PS", reason: "West Bank: part of the ISO 3166-1 entry Palestine, State of" },
	Q39760: { country: "PS", reason: "Gaza Strip: part of the ISO 3166-1 entry Palestine, State of" },
	Q9143535: {
		country: "GB",
		reason: "Akrotiri: a sovereign base area of the United Kingdom; ISO 3166 has no entry for it",
	},
	Q9206745: {
		country: "GB",
		reason: "Dhekelia: a sovereign base area of the United Kingdom; ISO 3166 has no entry for it",
	},
};

/** A line of lattice points (1e-5 degree) that cuts an outline in two; the southern part goes to another country. */
export interface Cut {
	/** x and y in turn; both ends are vertices of the outline */
	line: readonly number[];
	southernPart: string;
	reason: string;
}

/** Outlines that the source draws over disputed land without parting it. */
export const CUTS: Readonly<Record<string, Cut>> = {
	MA: {
		// Along 27 40' N from the border of Algeria to the sea, then to the source's own corner at sea.
		line: [-877527, 2766663, -1330000, 2766663, -1443883, 2702969],
		southernPart: "EH",
		reason:
			"Western Sahara west of the berm: the source draws it in Morocco, but ISO 3166-1 and the UN end Morocco at the " +
			"parallel of 27 degrees 40 minutes north (General Assembly resolution 34/37)",
	},
};

/** Land between two countries that both claim, or that one holds and sources give to the other. */
export interface Dispute {
	countries: readonly [string, string];
	/** a box around the land, in degrees */
	box: readonly [west: number, south: number, east: number, north: number];
	/** whose zones it is in, and why */
	reason: string;
}

/** Where sources may differ from the index, because they take another side. Tests excuse nothing else. */
export const DISPUTES: readonly Dispute[] = [
	{
		countries: ["EH", "MA"],
		box: [-17.2, 20.7, -8.6, 27.7],
		reason: "Western Sahara is EH, see above; GeoNames and Natural Earth count what Morocco holds to Morocco",
	},
	{
		countries: ["RU", "UA"],
		box: [32.4, 44.3, 36.7, 46.3],
		reason: "Crimea is UA, see above; Natural Earth draws who holds it",
	},
	{
		countries: ["IL", "PS"],
		box: [34.85, 31.3, 35.6, 32.6],
		reason: "the West Bank with East Jerusalem is PS, see above; GeoNames counts Israeli settlements there to Israel",
	},
	{
		countries: ["IL", "SY"],
		box: [35.6, 32.65, 35.95, 33.4],
		reason:
			"the Golan is in Israel's zones because neither source has a line to part it by; by Security Council resolution " +
			"497 it is Syria's, and a source with that line should move it there",
	},
	{
		countries: ["CN", "VN"],
		box: [111, 15.5, 113, 17.3],
		reason: "the Paracel Islands are CN as the border source has them: ISO 3166-1 has no entry, the UN takes no side",
	},
	{
		countries: ["SD", "SS"],
		box: [23.3, 8.6, 24.9, 9.9],
		reason: "Kafia Kingi is SS as the border source has it: the line of 1956 was never settled",
	},
	{
		countries: ["SD", "SS"],
		box: [27.3, 9.2, 29.4, 10.2],
		reason: "Abyei is SS or SD as the border source has it: its referendum was never held",
	},
	{
		countries: ["EG", "SD"],
		box: [31.2, 21.9, 37, 23.2],
		reason:
			"the Wadi Halfa salient and the Halaib triangle are EG, which holds the latter, as the border source has them",
	},
	{
		countries: ["AR", "CL"],
		box: [-73.7, -50.7, -73, -48.8],
		reason: "the Southern Patagonian Ice Field: the agreement of 1998 leaves the line to be drawn",
	},
	{
		countries: ["BT", "CN"],
		box: [88.8, 27, 91.8, 28.5],
		reason: "Jakarlung, Pasamlung and Doklam: Bhutan and China negotiate",
	},
	{
		countries: ["CN", "IN"],
		box: [77.5, 30.3, 81.2, 36],
		reason: "Aksai Chin, Demchok and Barahoti: the border source draws the line of actual control",
	},
];

/** Whether a dispute between two countries covers a point in degrees. */
export function isDisputed(a: string, b: string, lng: number, lat: number): boolean {
	return DISPUTES.some(
		({ countries, box: [west, south, east, north] }) =>
			countries.includes(a) &&
			countries.includes(b) &&
			a !== b &&
			west <= lng &&
			lng <= east &&
			south <= lat &&
			lat <= north,
	);
}
