/** Test vectors for programs that read codes: `/vectors.csv`. */
import { codeOfSerial, displayCode, partsOf } from "../codes/code.ts";
import { judgeCode } from "../codes/written-code.ts";

const VECTORS = 2000;
const LETTERS = 26;

/** The digits 0 to 9 in some scripts that people have keyboards for. */
const SCRIPTS = ["٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "০১২৩৪৫৬৭৮৯", "０１２３４５６７８９"];

/**
 * Numbers that look random but are the same in each build: a linear congruential generator modulo 2^32 (Knuth, volume 2, section
 * 3.3.4).
 */
function* numbers(): Generator<number> {
	for (let state = 1; ; state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) yield state >>> 8;
}

/** Codes whose country letters run through the alphabet in both places. Neither the addresses nor the countries need exist. */
function* codes(): Generator<string> {
	const drawn = numbers();
	const draw = (bound: number) => (drawn.next().value as number) % bound;
	for (let index = 0; ; index += 1) {
		const country = String.fromCharCode(65 + (index % LETTERS), 65 + (Math.floor(index / LETTERS) % LETTERS));
		const code = codeOfSerial(country, String(draw(10_000)).padStart(4, "0"), draw(10_000));
		if (code) yield code;
	}
}

/** The code with one digit replaced by the next, so that its check digit no longer fits. */
function mistyped(canonical: string, at: number): string {
	const digit = (Number(canonical[at]) + 1) % 10;
	return `${canonical.slice(0, at)}${digit}${canonical.slice(at + 1)}`;
}

const columns: { [name: string]: (canonical: string, index: number) => string } = {
	canonical: (canonical) => canonical,
	display: displayCode,
	spaced: (canonical) => displayCode(canonical).replaceAll("-", " "),
	lower_case: (canonical) => canonical.toLowerCase(),
	en_dashes: (canonical) => displayCode(canonical).replaceAll("-", "–"),
	digit_by_digit: (canonical) => {
		const { country, zone, rest } = partsOf(canonical);
		return `${country}.${[...zone, ...rest].join("\u00a0")}`;
	},
	other_script: (canonical, index) =>
		canonical.replace(/\d/g, (digit) => SCRIPTS[index % SCRIPTS.length]?.[Number(digit)] ?? ""),
	mistyped: (canonical, index) => mistyped(canonical, 2 + (index % 9)),
};

/**
 * A CSV file (RFC 4180): a code and its spellings in each row, all of which read as `canonical` except the last, which must be refused.
 */
export function vectorsCsv(): string {
	const rows = Array.from(codes().take(VECTORS), (canonical, index) => {
		const row = Object.values(columns).map((spell) => spell(canonical, index));
		if (judgeCode(row.at(-1) ?? "") !== "wrong") throw new Error(`${row.at(-1)} is no mistyped code`);
		return row.join(",");
	});
	return `${[Object.keys(columns).join(","), ...rows].join("\r\n")}\r\n`;
}
