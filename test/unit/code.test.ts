import { describe, expect, it } from "vitest";
import { codeOfSerial, displayCode, normalizeCode, parseCode, SERIALS_PER_ZONE } from "../../src/codes/code.ts";
import { codeIn, judgeCode } from "../../src/codes/written-code.ts";
import { AppError } from "../../src/errors.ts";
import { seededRandom } from "../support/random.ts";
import { vectors } from "../support/vectors.ts";

const parts = { canonical: "NG042158212", country: "NG", zone: "0421" };

/** The canonical code that parsing makes of a text, or the error that it ends in. */
function parsed(text: string): string {
	try {
		return parseCode(text).canonical;
	} catch (error) {
		return error instanceof AppError ? error.code : String(error);
	}
}

describe("what is entered as a code", () => {
	it.each(vectors<[string, string, string, string]>("codes"))("%s: %s", (_, text, canonical, verdict) => {
		expect(parsed(text)).toBe(canonical);
		expect(judgeCode(text)).toBe(verdict);
		if (verdict === "complete") expect(codeIn(text)).toBe(parts.canonical);
		if (verdict === "letter") expect(() => parseCode(text)).toThrow(/Replace the letter among the nine digits/);
	});

	it("is refused at once where it is very long", () => {
		for (const text of ["N".repeat(10_000), `NG0421${" ".repeat(10_000)}58212`])
			expect(parsed(text)).toBe("MALFORMED_CODE");
	});

	it("is judged by the box as by parsing, for 20,000 random codes", () => {
		const random = seededRandom(4);
		const letter = () => String.fromCharCode(65 + Math.floor(random() * 26));
		const codes = Array.from(
			{ length: 20_000 },
			() => `${letter()}${letter()}${String(Math.floor(random() * 1e9)).padStart(9, "0")}`,
		);
		const fitting = codes.filter((code) => parsed(code) === code);
		expect(codes.filter((code) => judgeCode(code) === "complete")).toEqual(fitting);
		expect(codes.filter((code) => judgeCode(code) === "wrong")).toHaveLength(codes.length - fitting.length);
		expect(fitting.length).toBeGreaterThan(1500);
	});

	it("is unfinished while what is typed can still become a code", () => {
		for (let length = 1; length < 13; length += 1) expect(judgeCode("NG-0421-58212".slice(0, length))).toBe("partial");
		expect(judgeCode("4")).toBe("malformed");
	});

	it("is found with its mistake, when its check digit does not fit", () => {
		expect(codeIn("It is NG-0421-58213.")).toBe("NG042158213");
	});

	it.each([
		"",
		"hello",
		"+234 803 123 4567",
		"NG-0421-582121",
		"XNG042158212",
		`NG-0421-58212 or ${codeOfSerial("FJ", "0000", 2)}`,
	])("is not guessed in %j", (text) => expect(codeIn(text)).toBeUndefined());
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
		for (let unit = 0; unit < SERIALS_PER_ZONE; unit += 1) {
			const body = prefix + String(unit).padStart(4, "0");
			const digit = checkDigitByTrial(body);
			expect(codeOfSerial(prefix.slice(0, 2), prefix.slice(2), unit)).toBe(
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
