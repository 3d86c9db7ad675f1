import { describe, expect, it } from "vitest";
import { codeOfUnit, displayCode, normalizeCode, parseCode, UNITS_PER_ZONE } from "../../src/codes/code.ts";

const parts = { canonical: "NG042158212", country: "NG", zone: "0421", unit: "5821" };

describe("parseCode reads", () => {
	it.each([
		["canonical", "NG042158212"],
		["display", "NG-0421-58212"],
		["spaced", " NG 0421 58212 "],
		["oddly spaced", "N G0 4 2-15 82 12"],
		["lower case", "ng-0421-58212"],
		["no-break, thin and zero-width spaces", "NG\u00a00421\u2009582\u200b12\ufeff"],
		["en, em, minus and non-breaking dashes", "NG\u20130421\u2014582\u22121\u20112"],
		["underscores and dots", "NG_0421.58212"],
		["tabs and line ends", "NG\t0421\r\n58212\n"],
		["full-width", "\uff2e\uff27\uff0d\uff10\uff14\uff12\uff11\uff0d\uff15\uff18\uff12\uff11\uff12"],
		["Arabic-Indic digits", "NG-\u0660\u0664\u0662\u0661-\u0665\u0668\u0662\u0661\u0662"],
		["Persian digits", "NG-\u06f0\u06f4\u06f2\u06f1-\u06f5\u06f8\u06f2\u06f1\u06f2"],
		["Devanagari digits", "NG-\u0966\u096a\u0968\u0967-\u096b\u096e\u0968\u0967\u0968"],
		["Bengali digits", "NG-\u09e6\u09ea\u09e8\u09e7-\u09eb\u09ee\u09e8\u09e7\u09e8"],
		["the link of its page", "https://addr.example/a/NG-0421-58212?x"],
		["a unit after it", "NG-0421-58212 / 3B"],
		["a unit that is digits", "NG042158212/3"],
		["direction marks", "\u200eNG-0421-58212\u200f"],
	])("%s spelling", (_, input) => {
		expect(parseCode(input)).toEqual(parts);
	});
});

describe("parseCode refuses as malformed", () => {
	it.each([
		["nothing", ""],
		["one digit too few", "NG04215821"],
		["one digit too many", "NG0421582122"],
		["the letter O for 0", "NGO42158212"],
		["a digit in the country", "N0042158212"],
		["a unit without a code", "/3B"],
		["slashes within it", "NG/0421/58212"],
		["the check character X", "NG04215821X"],
		["a letter that upper-cases to two", "\u00df042158212"],
		["a letter that upper-cases to I", "\u0131T042158212"],
		["Ethiopic digits, which are no decimal digits", "NG-\u1369\u136a\u136b\u136c-58212"],
		["10,000 characters", "N".repeat(10_000)],
		["a code among 10,000 spaces", `NG0421${" ".repeat(10_000)}58212`],
	])("%s", (_, input) => {
		expect(() => parseCode(input)).toThrow(expect.objectContaining({ code: "MALFORMED_CODE" }));
	});
});

/**
 * The digit that makes a body a valid code, by trying all ten: ISO 7064's condition that the characters, weighted by falling powers of
 * two, add up to 1 modulo 11. Undefined when none does, where the check character is X.
 */
function checkDigitByTrial(body: string): number | undefined {
	const sum = Array.from(body).reduce(
		(sum, character, index) => sum + Number.parseInt(character, 36) * 2 ** (10 - index),
		0,
	);
	return Array.from({ length: 10 }, (_, digit) => digit).find((digit) => (sum + digit) % 11 === 1);
}

it.each(["NG0000", "NG0421", "ZW9999", "AD0045"])(
	"every unit of zone %s has its code, except those with X",
	(prefix) => {
		let left = 0;
		for (let unit = 0; unit < UNITS_PER_ZONE; unit += 1) {
			const body = prefix + String(unit).padStart(4, "0");
			const digit = checkDigitByTrial(body);
			expect(codeOfUnit(prefix.slice(0, 2), prefix.slice(2), unit)).toBe(
				digit === undefined ? undefined : body + digit,
			);
			if (digit === undefined) left += 1;
		}
		// One in eleven, rounded either way.
		expect([909, 910]).toContain(left);
	},
);

it("tells a wrong check digit from a malformed code, and never reveals the right digit", () => {
	for (const digit of "013456789") {
		const thrown = expect.objectContaining({ code: "BAD_CHECK_DIGIT", detail: expect.not.stringMatching(/\d/) });
		expect(() => parseCode(`NG-0421-5821${digit}`)).toThrow(thrown);
	}
});

it("normalises the decimal digits of every script to their values", () => {
	let scripts = 0;
	let value = 0;
	for (let codePoint = 0; codePoint < 0x20000; codePoint += 1) {
		const character = String.fromCodePoint(codePoint);
		if (!/\p{Nd}/u.test(character)) continue;
		expect(normalizeCode(character), codePoint.toString(16)).toBe(String(value));
		value = (value + 1) % 10;
		if (value === 0) scripts += 1;
	}
	expect(value).toBe(0);
	expect(scripts).toBeGreaterThan(60);
});

it("is idempotent, and display form reads back", () => {
	expect(normalizeCode(normalizeCode("ng 0421 58212"))).toBe("NG042158212");
	expect(displayCode("NG042158212")).toBe("NG-0421-58212");
	expect(parseCode(displayCode("NG042158212"))).toEqual(parts);
});
