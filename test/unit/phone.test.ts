import examples from "libphonenumber-js/examples.mobile.json";
import { type CountryCode, getExampleNumber, Metadata } from "libphonenumber-js/max";
import { describe, expect, it } from "vitest";
import { parseNationalPhone, parsePhone, phoneCountries, phoneCountry } from "../../src/accounts/phone.ts";
import { vectors } from "../support/vectors.ts";

it.each([
	...vectors<[string, string, string]>("phones"),
	[`+${"1".repeat(5000)}`, "", "refused"],
	["0".repeat(500), "NG", "refused"],
])("%s in %s is %s", (text, country, phone) => {
	const readings = [() => parseNationalPhone(text, country || undefined)];
	if (!country) readings.push(() => parsePhone(text));
	for (const read of readings) {
		if (phone === "refused") expect(read).toThrow(expect.objectContaining({ code: "INVALID_PHONE" }));
		else expect(read()).toBe(phone);
	}
});

it("is international with 00 before it where people type numbers, and not for programs", () => {
	expect(parseNationalPhone("002348031234567", undefined)).toBe("+2348031234567");
	expect(() => parsePhone("002348031234567")).toThrow("INVALID_PHONE");
});

it("is read in every country, as it is dialled there and from abroad, with each zero that belongs to it", () => {
	for (const { country } of phoneCountries()) {
		const example = getExampleNumber(country as CountryCode, examples);
		if (!example) continue;
		expect(parsePhone(example.formatInternational())).toBe(example.number);
		expect(parseNationalPhone(example.formatNational(), country)).toBe(example.number);
	}
});

/** Numbers of many countries, as people write them in groups behind the plus sign. */
const GROUPED = [
	"234 803 123 4567",
	"254 712 345 678",
	"1 202 555 0123",
	"91 98450 12345",
	"44 20 7946 0958",
	"33 6 12 34 56 78",
];

/** All texts of one to four digits. */
const DIGITS = [1, 2, 3, 4].flatMap((length) =>
	Array.from({ length: 10 ** length }, (_, number) => String(number).padStart(length, "0")),
);

/** The prefixes for calls abroad of a country that have up to four digits, from libphonenumber's numbering plans. */
function prefixesOf(country: string): string[] {
	const metadata = new Metadata();
	metadata.selectNumberingPlan(country as CountryCode);
	const pattern = new RegExp(`^(?:${metadata.numberingPlan!.IDDPrefix()})$`);
	return DIGITS.filter((prefix) => pattern.test(prefix));
}

it("is read abroad as the network of each country dials it, and behind 00 that is set off", () => {
	const wrong: string[] = [];
	let count = 0;
	for (const { country } of phoneCountries()) {
		const prefixes = new Set([...prefixesOf(country), "00"]);
		for (const grouped of GROUPED) {
			const number = `+${grouped.replaceAll(" ", "")}`;
			for (const text of [...prefixes].map((prefix) => `${prefix} ${grouped}`)) {
				count += 1;
				if (parseNationalPhone(text, country) !== number) wrong.push(`${text} in ${country}`);
			}
		}
	}
	expect(count).toBeGreaterThan(3_000);
	expect(wrong).toEqual([]);
});

describe("a phone number that cannot be right is refused with how to mend it", () => {
	it.each([
		["0803 123 4567", "Begin the phone number with a plus sign and its country code"],
		["+999 123 456 789", "No country has this country code"],
		["+0348031234567", "No country has this country code"],
		["+234 803", "too few digits"],
		["+234", "too few digits"],
		["+44 20 7946 0958 11", "too many digits"],
		["+234 803 123 456 789 01", "too many digits"],
		["+65 9123 45678", "No phone number of this country has so many digits"],
		["+234 803 123 4567 x5", "Leave out the extension"],
		["0803 123 4567 ext 5", "Leave out the extension"],
		["0803 123 4567 extension 5", "Leave out the extension"],
		["01 42 68 53 00 poste 12", "Leave out the extension"],
		["11 2345 6789 ramal 12", "Leave out the extension"],
		["tel:+234-803-123-4567;ext=5", "Leave out the extension"],
		["0803 123 4567 x5", "Leave out the extension"],
		["0803 123 4567,5", "Leave out the extension"],
		["0803 123 4567 p5", "Leave out the extension"],
		["0803 123 4567w5", "Leave out the extension"],
		["0803 123 4567 extensão 5", "Leave out the extension"],
		["0803 123 4567 kiendelezi 5", "Leave out the extension"],
		["0803 123 4567 ƙari 5", "Leave out the extension"],
		["0803 123 4567 تحويلة 5", "Leave out the extension"],
		["0803 123 4567 داخلي 5", "Leave out the extension"],
		["0803 123 4567 or 0805 765 4321", "without letters and extensions"],
		["", "without letters and extensions"],
	])("%s: %s", (text, mend) => {
		expect(() => parsePhone(text)).toThrow(expect.objectContaining({ detail: expect.stringContaining(mend) }));
		// A country that is chosen changes nothing about an extension.
		if (!mend.startsWith("Leave out")) return;
		for (const country of ["NG", "FR", "BR", "KE", "EG"]) {
			expect(() => parseNationalPhone(text, country), country).toThrow(mend);
		}
	});
});

it("knows the calling code of every country it understands", () => {
	expect(phoneCountries()).toContainEqual({ country: "NG", callingCode: "+234" });
	expect(phoneCountries().length).toBeGreaterThan(230);
	expect([phoneCountry("ke"), phoneCountry("XX"), phoneCountry(undefined)]).toEqual(["KE", undefined, undefined]);
});
