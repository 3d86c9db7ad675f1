/**
 * Writes src/accounts/numbering-plans.bin: the numbering plans of libphonenumber-js (MIT) with the ranges of each type of number, and without the
 * formats in which numbers are shown, which the registry never uses. Writes src/accounts/calling-codes.data.ts too, which lists the countries.
 * Run it with `npm run phones:build` when that package is updated.
 */
import { writeFileSync } from "node:fs";
import metadata from "libphonenumber-js/metadata.max.json";
import type { NumberingPlans, Plan } from "../src/accounts/numbering-plans.ts";

/** Types of numbers in the order in which libphonenumber tries them, with the place of their range in a plan. */
const TYPES = {
	FIXED_LINE: 0,
	MOBILE: 1,
	PREMIUM_RATE: 3,
	TOLL_FREE: 2,
	SHARED_COST: 9,
	VOIP: 8,
	PERSONAL_NUMBER: 4,
	PAGER: 7,
	UAN: 6,
	VOICEMAIL: 5,
};

/** A plan as the package has it: parts by their place (version 4 of its metadata), where 0 stands for what there is none of. */
function planOf(parts: unknown[]): Plan {
	const text = (index: number) => (parts[index] || undefined) as string | undefined;
	const lengths = parts[3] as number[];
	const ranges = (parts[11] || []) as ([string, number[]?] | 0)[];
	return {
		callingCode: String(parts[0]),
		internationalPrefix: text(1),
		pattern: String(parts[2]),
		lengths,
		prefix: text(7) ?? text(5),
		prefixReplacement: text(8),
		leadingDigits: text(10),
		ranges: Object.entries(TYPES).flatMap(([type, index]) => {
			const [pattern, own] = ranges[index] || [];
			return pattern ? { type, pattern, lengths: own ?? lengths } : [];
		}),
	};
}

/** The numbering plans as JSON. */
export function numberingPlans(): string {
	const { country_calling_codes: countriesOf, countries, nonGeographic } = metadata;
	const plans: NumberingPlans = {
		geographic: Object.fromEntries(
			Object.entries(countriesOf).map(([callingCode, names]) => [
				callingCode,
				names.map((name) => planOf(countries[name as keyof typeof countries] ?? [])),
			]),
		),
		countries: Object.fromEntries(
			Object.entries(countriesOf).flatMap(([callingCode, names]) =>
				names.map((name, index) => [name, [callingCode, index]]),
			),
		),
		nonGeographic: Object.fromEntries(
			Object.entries(nonGeographic).map(([callingCode, parts]) => [callingCode, planOf(parts ?? [])]),
		),
	};
	return JSON.stringify(plans);
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
