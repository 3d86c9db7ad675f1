/**
 * Writes src/accounts/numbering-plans.bin: the numbering plans of libphonenumber-js (MIT) with the ranges of each type of number, and without the
 * formats in which numbers are shown, which the registry never uses. Writes src/accounts/calling-codes.data.ts too, which lists the countries.
 * Run it with `npm run phones:build` when that package is updated.
 */
import { writeFileSync } from "node:fs";
import metadata from "libphonenumber-js/metadata.max.json";

/** Where the formats of a country stand, of which there may be none, since version 3 of the metadata. */
const FORMATS = 4;

const withoutFormats = (plans: object) =>
	Object.fromEntries(
		Object.entries(plans).map(([name, plan]: [string, unknown[]]) => [
			name,
			plan.map((part, index) => (index === FORMATS ? 0 : part)),
		]),
	);

/** The numbering plans as JSON. */
export function numberingPlans(): string {
	const { countries, nonGeographic } = metadata;
	return JSON.stringify({
		...metadata,
		countries: withoutFormats(countries),
		nonGeographic: withoutFormats(nonGeographic),
	});
}

/** Every country with its calling code, such as `NG234`, separated by spaces. */
export function callingCodes(): string {
	return Object.entries(metadata.countries)
		.map(([country, [callingCode]]) => `${country}${String(callingCode)}`)
		.sort()
		.join(" ");
}

if (process.argv[1] === import.meta.filename) {
	writeFileSync("src/accounts/numbering-plans.bin", numberingPlans());
	writeFileSync(
		"src/accounts/calling-codes.data.ts",
		`/** Written by .dev/phone-metadata.ts: the countries that libphonenumber-js ${metadata.version} knows, each with its calling code. */\nexport const CALLING_CODES =\n\t"${callingCodes()}";\n`,
	);
}
