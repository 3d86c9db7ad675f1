import { describe, expect, it } from "vitest";
import { parseCode } from "../../src/addresses/code.ts";
import { AppError } from "../../src/errors.ts";
import { CODE_STATE_SOURCE } from "../../src/web/code-check-script.ts";
import { seededRandom } from "../support/random.ts";

const state = new Function("text", `${CODE_STATE_SOURCE};return state(text)`) as (text: string) => string;

/** What the server says of the same text. */
function verdict(text: string): string {
	try {
		parseCode(text);
		return "complete";
	} catch (error) {
		return error instanceof AppError && error.code === "BAD_CHECK_DIGIT" ? "wrong" : "malformed";
	}
}

describe("the script beside the box", () => {
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
		"NGO42158212",
		"NG04215821X",
		"NG0421582122",
		"hello",
	])("agrees with the server on %s", (text) => {
		expect(state(text)).toBe(verdict(text));
	});

	it("agrees with the server on 20,000 random codes, right and wrong", () => {
		const random = seededRandom(4);
		const letter = () => String.fromCharCode(65 + Math.floor(random() * 26));
		let complete = 0;
		for (let round = 0; round < 20_000; round += 1) {
			const code = `${letter()}${letter()}${String(Math.floor(random() * 1e9)).padStart(9, "0")}`;
			expect(state(code), code).toBe(verdict(code));
			if (verdict(code) === "complete") complete += 1;
		}
		expect(complete).toBeGreaterThan(1500);
	});

	it("takes the code out of a link", () => {
		for (const end of ["", "/", "/print", "?lang=fr"]) {
			expect(state(`https://addr.example/a/NG042158212${end}`)).toBe("complete");
			expect(state(`https://addr.example/a/NG-0421-58213${end}`)).toBe("wrong");
		}
		expect(state("https://addr.example/")).toBe("malformed");
	});

	it("waits while what is typed can still become a code", () => {
		expect(state("")).toBe("");
		for (let length = 1; length < 13; length += 1) expect(state("NG-0421-58212".slice(0, length))).toBe("partial");
		expect(state("4")).toBe("malformed");
		expect(state("NG-0421-O")).toBe("malformed");
	});
});
