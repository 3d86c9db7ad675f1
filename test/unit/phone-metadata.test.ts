import { readFileSync } from "node:fs";
import { parsePhoneNumberFromString as parseWith } from "libphonenumber-js/core";
import examples from "libphonenumber-js/examples.mobile.json";
import { type CountryCode, getCountries, getExampleNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { expect, it } from "vitest";
import { callingCodes, numberingPlans } from "../../.dev/phone-metadata.ts";
import { CALLING_CODES } from "../../src/accounts/calling-codes.data.ts";
import type { NumberingPlans } from "../../src/accounts/numbering-plans.ts";
import { seededRandom } from "../support/random.ts";

it("the numbering plans are those of the package that is installed", () => {
	expect(readFileSync("src/accounts/numbering-plans.bin", "utf8")).toBe(numberingPlans());
	expect(CALLING_CODES).toBe(callingCodes());
});

it("numbers are read as with all of the package's metadata, in every country, of every length", () => {
	const random = seededRandom(8);
	const numbers = getCountries().flatMap((country: CountryCode) => {
		const { number = "", nationalNumber = "" } = getExampleNumber(country, examples) ?? {};
		const drawn = Array.from({ length: 20 }, () => {
			const digits = Array.from({ length: 2 + Math.floor(random() * 14) }, () => Math.floor(random() * 10)).join("");
			return [`+${digits}`, digits, `0${digits}`];
		});
		return [number, nationalNumber, `0${nationalNumber}`, ...drawn.flat()].map((text) => ({ text, country }));
	});
	const readings = (parse: (text: string, country: CountryCode) => ReturnType<typeof parsePhoneNumberFromString>) =>
		numbers.map(({ text, country }) => {
			const number = parse(text, country);
			return (
				number &&
				`${number.number} ${number.country} ${number.countryCallingCode} ${number.isPossible()} ${number.getType()} ${number.ext}`
			);
		});
	const expected = readings((text, defaultCountry) =>
		parsePhoneNumberFromString(text, { defaultCountry, extract: false }),
	);
	const plans = JSON.parse(numberingPlans()) as NumberingPlans;
	expect(readings((text, defaultCountry) => parseWith(text, { defaultCountry, extract: false }, plans))).toEqual(
		expected,
	);
	expect(expected.filter(Boolean).length).toBeGreaterThan(10_000);
});
