/** Land between two countries that both claim, or that one holds and sources give to the other. */
interface Dispute {
	countries: readonly [string, string];
	/** a box around the land, in degrees */
	box: readonly [west: number, south: number, east: number, north: number];
	/** whose zones it is in, and why */
	reason: string;
}

/** Where sources may differ from the index, because they take another side. Nothing else is excused. */
const DISPUTES: readonly Dispute[] = [
	{
		countries: ["EH", "MA"],
		box: [-17.2, 20.7, -8.6, 27.7],
		reason:
			"Western Sahara is EH, see zones/disputed.ts; GeoNames and Natural Earth count what Morocco holds to Morocco",
	},
	{
		countries: ["RU", "UA"],
		box: [32.4, 44.3, 36.7, 46.3],
		reason: "Crimea is UA, see zones/disputed.ts; Natural Earth draws who holds it",
	},
	{
		countries: ["IL", "PS"],
		box: [34.85, 31.3, 35.6, 32.6],
		reason:
			"the West Bank with East Jerusalem is PS, see zones/disputed.ts; GeoNames counts Israeli settlements there to Israel",
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
