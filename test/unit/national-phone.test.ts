import { describe, expect, it } from "vitest";
import { numberingPlans } from "../../.dev/phone-metadata.ts";
import { parseNationalPhone, phoneCountries, phoneCountry } from "../../src/accounts/national-phone.ts";
import type { NumberingPlans } from "../../src/accounts/numbering-plans.ts";

const plans = JSON.parse(numberingPlans()) as NumberingPlans;

describe("a phone number as it is dialled at home", () => {
	it.each([
		["08031234567", "NG", "+2348031234567"],
		["0803 123 4567", "NG", "+2348031234567"],
		["(0803) 123-4567", "ng", "+2348031234567"],
		["8031234567", "NG", "+2348031234567"],
		["2348031234567", "NG", "+2348031234567"],
		["٠٨٠٣١٢٣٤٥٦٧", "NG", "+2348031234567"],
		["0712 345678", "KE", "+254712345678"],
		["06 12 34 56 78", "FR", "+33612345678"],
		["01012345678", "EG", "+201012345678"],
		["+254 712 345678", "NG", "+254712345678"],
		["00254712345678", "NG", "+254712345678"],
		["+2348031234567", undefined, "+2348031234567"],
		["+2348031234567", "XX", "+2348031234567"],
	])("%s in %s is %s", (text, country, phone) => {
		expect(parseNationalPhone(plans, text, country)).toBe(phone);
	});

	it.each([
		["08031234567", undefined],
		["08031234567", "XX"],
		["0803", "NG"],
		["", "NG"],
		["my phone", "NG"],
		["call 08031234567", "NG"],
		["08031234567 ext. 5", "NG"],
		["0".repeat(500), "NG"],
	])("refuses %s in %s", (text, country) => {
		expect(() => parseNationalPhone(plans, text, country)).toThrow("INVALID_PHONE");
	});
});

it("knows the calling code of every country it understands", () => {
	expect(phoneCountries()).toContainEqual({ country: "NG", callingCode: "+234" });
	expect(phoneCountries().length).toBeGreaterThan(230);
	expect([phoneCountry("ke"), phoneCountry("XX"), phoneCountry(undefined)]).toEqual(["KE", undefined, undefined]);
});
