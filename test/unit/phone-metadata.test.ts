import { readFileSync } from "node:fs";
import { parsePhoneNumberFromString as parseWith } from "libphonenumber-js/core";
import examples from "libphonenumber-js/examples.mobile.json";
import { type CountryCode, getCountries, getExampleNumber, parsePhoneNumberFromString } from "libphonenumber-js/min";
import { expect, it } from "vitest";
import { phoneMetadata as builtMetadata } from "../../.dev/phone-metadata.ts";
import { phoneMetadata } from "../../src/accounts/phone.ts";
import { PHONE_METADATA } from "../../src/accounts/phone-metadata.data.ts";
import { seededRandom } from "../support/random.ts";

it("the numbering plans are those of the package that is installed", () => {
	expect(PHONE_METADATA).toBe(builtMetadata());
	expect(readFileSync("src/accounts/phone-types.bin", "utf8")).toBe(builtMetadata(true));
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
				number && `${number.number} ${number.country} ${number.countryCallingCode} ${number.isPossible()} ${number.ext}`
			);
		});
	const expected = readings((text, defaultCountry) =>
		parsePhoneNumberFromString(text, { defaultCountry, extract: false }),
	);
	expect(
		readings((text, defaultCountry) => parseWith(text, { defaultCountry, extract: false }, phoneMetadata())),
	).toEqual(expected);
	expect(expected.filter(Boolean).length).toBeGreaterThan(10_000);
});
