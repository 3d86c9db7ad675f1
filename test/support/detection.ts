/** Measures which typing and hearing errors the check digit catches. `npx node test/support/detection.ts` prints the table of src/docs/guides/develop.md. */

import { checkCharacter } from "../../src/codes/check-digit.ts";
import { codeOfSerial } from "../../src/codes/code.ts";
import { seededRandom } from "./random.ts";

const LETTERS = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
const DIGITS = Array.from("0123456789");
const FIRST_DIGIT = 2;
const LENGTH = 11;
const CONTEXTS = 4;

function isCaught(code: string): boolean {
	return checkCharacter(code.slice(0, -1)) !== code.at(-1);
}

/** A text with other characters at some places. */
function replaced(text: string, places: readonly number[], characters: string): string {
	const all = Array.from(text);
	for (const [index, place] of places.entries()) all[place] = characters[index] ?? "";
	return all.join("");
}

/** Valid codes that have the given characters at the given places. */
function* codesWith(places: readonly number[], characters: string, random: () => number): Generator<string> {
	let found = 0;
	while (found < CONTEXTS) {
		const draw = Array.from({ length: LENGTH - 1 }, (_, index) =>
			index < FIRST_DIGIT ? LETTERS[Math.floor(random() * 26)] : String(Math.floor(random() * 10)),
		).join("");
		const body = replaced(draw, places, characters).slice(0, LENGTH - 1);
		const code = codeOfSerial(body.slice(0, 2), body.slice(2, 6), Number(body.slice(6)));
		if (code && replaced(code, places, characters) === code) {
			found += 1;
			yield code;
		}
	}
}

/** Every two of some characters that differ, in both orders. */
const pairsOf = (characters: readonly string[]) =>
	characters.flatMap((a) => characters.filter((b) => a !== b).map((b) => [a, b] as const));

/** For each kind of error, how many were tried and how many caught. */
function measureDetection() {
	const random = seededRandom(11);
	const table = new Map<string, { tried: number; caught: number }>();
	const tryError = (kind: string, places: readonly number[], before: string, after: string) => {
		const row = table.get(kind) ?? { tried: 0, caught: 0 };
		table.set(kind, row);
		for (const code of codesWith(places, before, random)) {
			row.tried += 1;
			if (isCaught(replaced(code, places, after))) row.caught += 1;
		}
	};

	for (let index = FIRST_DIGIT; index < LENGTH; index += 1) {
		for (const [a, b] of pairsOf(DIGITS)) {
			tryError("single digit", [index], a, b);
			for (let other = index + 1; other < LENGTH; other += 1) {
				const places = [index, other];
				if (other === index + 1) tryError("adjacent swap", places, a + b, b + a);
				if (other === index + 2) tryError("jump swap", places, a + b, b + a);
				tryError("any swap of two digits", places, a + b, b + a);
				if (other > index + 2) continue;
				tryError(other === index + 1 ? "twin" : "jump twin", places, a + a, b + b);
			}
		}
	}
	for (const [a, b] of pairsOf(LETTERS)) {
		for (const index of [0, 1]) tryError("single country letter", [index], a, b);
		tryError("swapped country letters", [0, 1], a + b, b + a);
		for (const c of LETTERS) tryError("another country", [0, 1], a + c, b + LETTERS[Math.floor(random() * 26)]);
	}
	return table;
}

/** The measurement as a table in Markdown. */
export function detectionTable(): string {
	const rows = [...measureDetection()].map(
		([kind, { tried, caught }]) =>
			`| ${kind} | ${tried.toLocaleString("en")} | ${((100 * caught) / tried).toFixed(1)} % |`,
	);
	return ["| error | tried | caught |", "|---|---|---|", ...rows].join("\n");
}

if (process.argv[1] === import.meta.filename) console.log(detectionTable());
