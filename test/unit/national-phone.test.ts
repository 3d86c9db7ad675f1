import { expect, it } from "vitest";
import { numberingPlans } from "../../.dev/phone-metadata.ts";
import { parseNationalPhone, phoneCountries, phoneCountry } from "../../src/accounts/national-phone.ts";
import type { NumberingPlans } from "../../src/accounts/numbering-plans.ts";
import { parsePhone } from "../../src/accounts/phone.ts";
import { vectors } from "../support/vectors.ts";

const plans = JSON.parse(numberingPlans()) as NumberingPlans;

it.each([
	...vectors<[string, string, string]>("phones"),
	[`+${"1".repeat(5000)}`, "", "refused"],
	["0".repeat(500), "NG", "refused"],
])("%s in %s is %s", (text, country, phone) => {
	const readings = [() => parseNationalPhone(plans, text, country || undefined)];
	if (!country) readings.push(() => parsePhone(plans, text));
	for (const read of readings) {
		if (phone === "refused") expect(read).toThrow(expect.objectContaining({ code: "INVALID_PHONE" }));
		else expect(read()).toBe(phone);
	}
});

it("is international with 00 before it where people type numbers, and not for programs", () => {
	expect(parseNationalPhone(plans, "002348031234567", undefined)).toBe("+2348031234567");
	expect(() => parsePhone(plans, "002348031234567")).toThrow("INVALID_PHONE");
});

it("knows the calling code of every country it understands", () => {
	expect(phoneCountries()).toContainEqual({ country: "NG", callingCode: "+234" });
	expect(phoneCountries().length).toBeGreaterThan(230);
	expect([phoneCountry("ke"), phoneCountry("XX"), phoneCountry(undefined)]).toEqual(["KE", undefined, undefined]);
});
