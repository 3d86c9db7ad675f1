/**
 * Writes src/accounts/phone-metadata.data.ts: the numbering plans of libphonenumber-js (MIT) without the formats in which numbers are shown,
 * which are half of them and which the registry never uses. Writes src/accounts/phone-types.bin: the same with the ranges of each type of
 * number, which only sending codes needs. Run it with `npm run phones:build` when that package is updated.
 */
import { writeFileSync } from "node:fs";
import detailed from "libphonenumber-js/metadata.max.json";
import metadata from "libphonenumber-js/metadata.min.json";

/** Where the formats of a country stand, of which there may be none, since version 3 of the metadata. */
const FORMATS = 4;

const withoutFormats = (plans: object) =>
	Object.fromEntries(
		Object.entries(plans).map(([name, plan]: [string, unknown[]]) => [
			name,
			plan.map((part, index) => (index === FORMATS ? 0 : part)),
		]),
	);

/** The metadata as JSON, with the ranges of each type of number where they are asked for. */
export function phoneMetadata(withTypes = false): string {
	const plans = withTypes ? detailed : metadata;
	const { countries, nonGeographic } = plans;
	return JSON.stringify({
		...plans,
		countries: withoutFormats(countries),
		nonGeographic: withoutFormats(nonGeographic),
	});
}

if (process.argv[1] === import.meta.filename) {
	const text = phoneMetadata();
	writeFileSync(
		"src/accounts/phone-metadata.data.ts",
		`/** Written by .dev/phone-metadata.ts: the numbering plans of libphonenumber-js ${metadata.version} as JSON, which is read faster than code. */\nexport const PHONE_METADATA =\n\t'${text.replaceAll("\\", "\\\\")}';\n`,
	);
	writeFileSync("src/accounts/phone-types.bin", phoneMetadata(true));
	console.log(`${text.length} bytes instead of ${JSON.stringify(metadata).length}`);
}
