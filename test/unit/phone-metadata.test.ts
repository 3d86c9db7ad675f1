import { readFileSync } from "node:fs";
import examples from "libphonenumber-js/examples.mobile.json";
import { type CountryCode, getCountries, getExampleNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { expect, it } from "vitest";
import { callingCodes, numberingPlans } from "../../.dev/phone-metadata.ts";
import { CALLING_CODES } from "../../src/accounts/calling-codes.data.ts";
import { type NumberingPlans, readNumber } from "../../src/accounts/numbering-plans.ts";
import { seededRandom } from "../support/random.ts";

it("the numbering plans are those of the package that is installed", () => {
	expect(readFileSync("src/accounts/numbering-plans.bin", "utf8")).toBe(numberingPlans());
	expect(CALLING_CODES).toBe(callingCodes());
});

it("numbers are read as by libphonenumber-js, in every country, of every length", () => {
	const random = seededRandom(8);
	const numbers = getCountries().flatMap((country: CountryCode) => {
		const { number = "", nationalNumber = "" } = getExampleNumber(country, examples) ?? {};
		const drawn = Array.from({ length: 20 }, () => {
			const digits = Array.from({ length: 2 + Math.floor(random() * 14) }, () => Math.floor(random() * 10)).join("");
			return [`+${digits}`, digits, `0${digits}`];
		});
		return [number, nationalNumber, `0${nationalNumber}`, ...drawn.flat()].map((text) => ({ text, country }));
	});
	const expected = numbers.map(({ text, country }) => {
		const number = parsePhoneNumberFromString(text, { defaultCountry: country, extract: false });
		return number
			? `${text} ${country} ${number.number} ${number.isPossible()} ${number.isNonGeographic()} ${number.getType()}`
			: `${text} ${country}`;
	});
	const plans = JSON.parse(numberingPlans()) as NumberingPlans;
	const readings = numbers.map(({ text, country }) => {
		const number = readNumber(plans, text, country);
		return number
			? `${text} ${country} ${number.number} ${number.isPossible} ${number.isNonGeographic} ${number.type}`
			: `${text} ${country}`;
	});
	expect(readings.filter((reading, index) => reading !== expected[index])).toEqual([]);
	expect(expected.filter((reading) => reading.includes("+")).length).toBeGreaterThan(10_000);
});
