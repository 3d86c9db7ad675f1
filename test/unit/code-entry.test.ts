import { describe, expect, it } from "vitest";
import { codeIn, codeOfUnit, judgeCode, parseCode } from "../../src/codes/code.ts";
import { AppError } from "../../src/errors.ts";
import { seededRandom } from "../support/random.ts";

/** What parsing says of the same text. */
function verdict(text: string): string {
	try {
		parseCode(text);
		return "complete";
	} catch (error) {
		return error instanceof AppError && error.code === "BAD_CHECK_DIGIT" ? "wrong" : "malformed";
	}
}

describe("an entry for a code is judged", () => {
	it.each([
		"NG042158212",
		"NG-0421-58212",
		" ng 0421 58212 ",
		"NG-0421-58213",
		"NG\u20130421\u2014582\u22121\u20112",
		"\uff2e\uff27\uff10\uff14\uff12\uff11\uff15\uff18\uff12\uff11\uff12",
		"NG-\u0660\u0664\u0662\u0661-\u0665\u0668\u0662\u0661\u0662",
		"NG-\u06f0\u06f4\u06f2\u06f1-\u06f5\u06f8\u06f2\u06f1\u06f3",
		"NG-\u0966\u096a\u0968\u0967-\u096b\u096e\u0968\u0967\u0968",
		"NG-\u{1d7ce}\u{1d7d2}\u{1d7d0}\u{1d7cf}-58212",
		"\u00df042158212",
		"NG0421582122",
		"hello",
	])("as parsing judges it: %s", (text) => {
		expect(judgeCode(text)).toBe(verdict(text));
	});

	it("as parsing judges it, for 20,000 random codes", () => {
		const random = seededRandom(4);
		const letter = () => String.fromCharCode(65 + Math.floor(random() * 26));
		const codes = Array.from(
			{ length: 20_000 },
			() => `${letter()}${letter()}${String(Math.floor(random() * 1e9)).padStart(9, "0")}`,
		);
		expect(codes.filter((code) => judgeCode(code) !== verdict(code))).toEqual([]);
		expect(codes.filter((code) => judgeCode(code) === "complete").length).toBeGreaterThan(1500);
	});

	it("as unfinished while what is typed can still become a code", () => {
		expect(judgeCode("")).toBe("empty");
		for (let length = 1; length < 13; length += 1) expect(judgeCode("NG-0421-58212".slice(0, length))).toBe("partial");
		expect(judgeCode("4")).toBe("malformed");
	});

	it.each([
		"NGO42158212",
		"NG-0421-5821Z",
		"ng o421 58212",
		"NG04215821X",
		"NG-0421-S",
		"NG-042I-58212",
		"NG-042l-58212",
	])("as one with a letter where only a digit can stand: %s", (text) => {
		expect(judgeCode(text)).toBe("letter");
		expect(() => parseCode(text)).toThrow(/Replace the letter among the nine digits/);
	});
});

describe("the code in a text is found", () => {
	it.each([
		["a link", "https://addr.example/a/NG042158212"],
		["a link with a path behind the code", "https://addr.example/a/NG-0421-58212/print?lang=fr"],
		["slashes", "NG/0421/58212"],
		["a unit after it", "NG-0421-58212 / 3B"],
		["slashes, and a unit that is digits", "NG/0421/58212/3"],
		["a sentence", "My address is NG-0421-58212, behind the mosque. Come at 7!"],
		["a sentence in small letters", "go to ng 0421 58212 at 7 pm"],
		["a sentence in Arabic", "العنوان هو NG-٠٤٢١-٥٨٢١٢ قرب المسجد"],
		["two lines", "Blue gate\nNG-0421-58212\n+234 803 123 4567"],
		["a sentence with the link", "See https://addr.example/a/NG042158212 for the map"],
		["a sentence that names it twice", "NG-0421-58212 (spoken: NG 0421 58212)"],
		["a sentence with a mistyped one too", "not NG-0421-58213 but NG-0421-58212"],
	])("in %s", (_, text) => {
		expect(codeIn(text)).toBe("NG042158212");
		expect(judgeCode(text)).toBe("complete");
	});

	it("with its mistake, when its check digit does not fit", () => {
		expect(codeIn("It is NG-0421-58213.")).toBe("NG042158213");
	});

	it.each([
		"",
		"hello",
		"+234 803 123 4567",
		"NG-0421-582121",
		"XNG042158212",
		`NG-0421-58212 or ${codeOfUnit("FJ", "0000", 2)}`,
	])("nowhere, and not guessed, in %j", (text) => expect(codeIn(text)).toBeUndefined());
});
