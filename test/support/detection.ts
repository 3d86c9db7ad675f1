/** Measures which typing and hearing errors the check digit catches. `npx node test/support/detection.ts` prints the table of src/docs/guides/develop.md. */

import { checkCharacter } from "../../src/codes/check-digit.ts";
import { codeOfUnit } from "../../src/codes/code.ts";
import { seededRandom } from "./random.ts";

const LETTERS = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
const DIGITS = Array.from("0123456789");
const FIRST_DIGIT = 2;
const LENGTH = 11;
const CONTEXTS = 4;

export interface Detection {
	tried: number;
	caught: number;
}

function isCaught(code: string): boolean {
	return checkCharacter(code.slice(0, -1)) !== code.at(-1);
}

function replaced(code: string, changes: [index: number, character: string][]): string {
	const characters = Array.from(code);
	for (const [index, character] of changes) characters[index] = character;
	return characters.join("");
}

/** Valid codes that have the given characters at the given places. */
function* codesWith(fixed: [index: number, character: string][], random: () => number): Generator<string> {
	let found = 0;
	while (found < CONTEXTS) {
		const draw = Array.from({ length: LENGTH - 1 }, (_, index) =>
			index < FIRST_DIGIT ? LETTERS[Math.floor(random() * 26)] : String(Math.floor(random() * 10)),
		).join("");
		const body = replaced(draw, fixed).slice(0, LENGTH - 1);
		const code = codeOfUnit(body.slice(0, 2), body.slice(2, 6), Number(body.slice(6)));
		if (code && fixed.every(([index, character]) => code[index] === character)) {
			found += 1;
			yield code;
		}
	}
}

/** For each kind of error, how many were tried and how many caught. */
export function measureDetection(): Map<string, Detection> {
	const random = seededRandom(11);
	const table = new Map<string, Detection>();
	const tryError = (kind: string, before: [number, string][], after: [number, string][]) => {
		const row = table.get(kind) ?? { tried: 0, caught: 0 };
		table.set(kind, row);
		for (const code of codesWith(before, random)) {
			row.tried += 1;
			if (isCaught(replaced(code, after))) row.caught += 1;
		}
	};

	for (let index = FIRST_DIGIT; index < LENGTH; index += 1) {
		for (const a of DIGITS) {
			for (const b of DIGITS) {
				if (a === b) continue;
				tryError("single digit", [[index, a]], [[index, b]]);
				for (let other = index + 1; other < LENGTH; other += 1) {
					const before: [number, string][] = [
						[index, a],
						[other, b],
					];
					const after: [number, string][] = [
						[index, b],
						[other, a],
					];
					if (other === index + 1) tryError("adjacent swap", before, after);
					if (other === index + 2) tryError("jump swap", before, after);
					tryError("any swap of two digits", before, after);
					if (other > index + 2) continue;
					tryError(
						other === index + 1 ? "twin" : "jump twin",
						[
							[index, a],
							[other, a],
						],
						[
							[index, b],
							[other, b],
						],
					);
				}
			}
		}
	}
	for (const a of LETTERS) {
		for (const b of LETTERS) {
			if (a === b) continue;
			for (const index of [0, 1]) tryError("single country letter", [[index, a]], [[index, b]]);
			tryError(
				"swapped country letters",
				[
					[0, a],
					[1, b],
				],
				[
					[0, b],
					[1, a],
				],
			);
			for (const c of LETTERS) {
				tryError(
					"another country",
					[
						[0, a],
						[1, c],
					],
					[
						[0, b],
						[1, LETTERS[Math.floor(random() * 26)] ?? "A"],
					],
				);
			}
		}
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
