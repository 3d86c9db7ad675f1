/** Nobody makes a parser slow: the time of each grows with the length of a text, and no faster. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { assertStrongPassword } from "../../src/accounts/password.ts";
import { parseNationalPhone, parsePhone } from "../../src/accounts/phone.ts";
import { recoveryHashOf } from "../../src/accounts/recovery-code.ts";
import { readPoints } from "../../src/client/points-file.ts";
import { normalizeCode, parseCode } from "../../src/codes/code.ts";
import { codeWithoutCountry, mixedUpCode } from "../../src/codes/code-guess.ts";
import { readCodeList } from "../../src/codes/code-list.ts";
import { findCodes } from "../../src/codes/code-text.ts";
import { asciiDigits } from "../../src/codes/digits.ts";
import { readEntry } from "../../src/codes/entry.ts";
import { linksIn, unwrapped } from "../../src/codes/links.ts";
import { normalText } from "../../src/codes/normal-text.ts";
import { FIELD_UNITS_MAX } from "../../src/codes/text-length.ts";
import { askedByLink, isUnit, normalizeUnit, unitBehindCode } from "../../src/codes/unit.ts";
import { codeIn, judgeCode, writtenCodes } from "../../src/codes/written-code.ts";
import { readCredential } from "../../src/http/authorization.ts";
import { chooseLanguage } from "../../src/languages/languages.ts";
import { en } from "../../src/languages/messages-en.ts";
import { searchFor } from "../../src/operate/search.ts";
import { parseCoordinates, readCoordinates } from "../../src/points/coordinate-text.ts";
import { readPastedLocation } from "../../src/points/pasted-location.ts";
import { readPlusCode } from "../../src/points/plus-code-text.ts";
import { cardSvg } from "../../src/print/card.ts";
import { canDraw, unpackCardFont, widthOf } from "../../src/print/card-font.ts";
import { plainLabel } from "../../src/print/label-for-display.ts";
import { fitText, wrapText } from "../../src/print/lines.ts";
import { shownCode } from "../../src/web/mistake-page.tsx";

const { regular } = await unpackCardFont(new Uint8Array(readFileSync("src/print/card-font.bin")));

/** What is repeated to make a text of any length. U+FDFA is one character, and 18 in NFKC. */
const REPEATED = [
	...[
		"1",
		"1,",
		"1 ",
		"1.",
		".1",
		", ",
		",",
		";",
		" ",
		"\t",
		"\n",
		"-",
		"+",
		"/",
		"/a/",
		"°",
		"1°",
		"'",
		'"',
		"(",
		"=",
	],
	...["a", "a ", "lat ", "N", "n1", "NG", "NG1", "NG-1 ", "1.1111 ", "1.1111,", "A+", "6FR5G9FH+QM ", "!3d1!4d1"],
	...[
		"&q=",
		"&lat=1&lon=1",
		"?q=1",
		"#",
		"@1,1",
		"%",
		"%2C",
		"http://a/ ",
		"geo:",
		"٣",
		"٣،",
		"é",
		"\u0301",
		"e\u0301\u0327",
		"\u0e33",
	],
	...["\ufdfa", "\u200b", "\ufe0f", "\u3000", "😀", "👩‍👧", "\u1100"],
];

/** What stands before it, so that a parser takes its way, and what stands behind, so that it has to come back. */
const BEFORE = [
	"",
	"1,1",
	"1.1111",
	"NG-1377-4821",
	"https://maps.google.com/?q=1,1",
	"geo:1,1?q=",
	"maps.",
	"G9FH+QM ",
];
const BEHIND = ["", "x"];

/** Runs a parser, whose refusal is an answer. */
const attempt = (parse: (text: string) => unknown) => (text: string) => {
	try {
		parse(text);
	} catch (error) {
		if (!(error instanceof Error) || error instanceof TypeError) throw error;
	}
};

/** So much of a long list tells how a parser grows. */
const LIST_PART = 4_000;

/** Parsers of what anybody may send, and the longest text of each that does more than judge its length. */
const parsers: Record<string, [parse: (text: string) => unknown, unitsMax: number, starts?: string[]]> = {
	readPastedLocation: [readPastedLocation, FIELD_UNITS_MAX],
	parseCoordinates: [parseCoordinates, FIELD_UNITS_MAX],
	readCoordinates: [readCoordinates, FIELD_UNITS_MAX],
	readPlusCode: [readPlusCode, FIELD_UNITS_MAX],
	linksIn: [linksIn, LIST_PART],
	unwrapped: [unwrapped, FIELD_UNITS_MAX],
	parseCode: [parseCode, 200],
	normalizeCode: [normalizeCode, 200],
	normalText: [normalText, LIST_PART],
	writtenCodes: [writtenCodes, LIST_PART],
	codeIn: [codeIn, LIST_PART],
	judgeCode: [judgeCode, FIELD_UNITS_MAX],
	shownCode: [shownCode, FIELD_UNITS_MAX],
	normalizeUnit: [(text) => isUnit(normalizeUnit(text)), 200],
	askedByLink: [askedByLink, LIST_PART],
	unitBehindCode: [unitBehindCode, LIST_PART],
	findCodes: [findCodes, LIST_PART],
	readCodeList: [readCodeList, LIST_PART],
	mixedUpCode: [mixedUpCode, LIST_PART],
	codeWithoutCountry: [codeWithoutCountry, 1_000],
	readEntry: [readEntry, FIELD_UNITS_MAX],
	asciiDigits: [asciiDigits, LIST_PART],
	parsePhone: [(text) => parsePhone(text), 64],
	parseNationalPhone: [(text) => parseNationalPhone(text, "NG"), 64],
	recoveryHashOf: [recoveryHashOf, 200],
	assertStrongPassword: [(text) => assertStrongPassword(text, "+2348031234567", new Uint8Array(8) as never), 2_000],
	"readPoints, below a header": [
		(text) => readPoints(`external_id,lat,lng,label\n${text}`, en.console.file.work),
		LIST_PART,
	],
	"readPoints, as a header": [(text) => readPoints(`external_id,lat,lng,${text}`, en.console.file.work), LIST_PART],
	searchFor: [searchFor, FIELD_UNITS_MAX],
	plainLabel: [plainLabel, 300, [""]],
	wrapText: [(text) => wrapText(text, 20, 3), 300, [""]],
	"wrapText of a picture": [(text) => wrapText(text, 20, 3, (line) => widthOf(regular, line)), 300, [""]],
	canDraw: [(text) => canDraw(regular, text), 300, [""]],
	fitText: [(text) => fitText(text, 112, 31, [6.5, 5.6, 4.8, 4.2, 3.6, 3, 2.6]), 300, [""]],
	cardSvg: [
		(text) =>
			cardSvg({ url: "https://addr.example/a/NG042158212", canonical: "NG042158212", place: text, label: text }),
		200,
		[""],
	],
	readCredential: [readCredential, LIST_PART],
	chooseLanguage: [(text) => chooseLanguage(undefined, text), LIST_PART],
};

/** The shortest of some runs, in milliseconds: what else the machine does only ever adds. */
function shortest(work: () => void, runs: number): number {
	let best = Number.POSITIVE_INFINITY;
	for (let run = 0; run < runs; run += 1) {
		const started = performance.now();
		work();
		best = Math.min(best, performance.now() - started);
	}
	return best;
}

/** What is shorter is not told from the clock's own noise, in milliseconds; a square of 2,000 steps is longer on any machine. */
const NOISE = 0.2;
/** Rounds of measuring after which a ratio stands. */
const ROUNDS = 12;

/**
 * How much longer a parser takes for a text that is twice as long; 1 where it takes no time. Where that is much, it is the lesser of two
 * doublings: the longest text may lie where memory ends to be fast, or take longer than a busy machine lets anything run at once.
 */
function growth(parse: (text: string) => void, textOf: (part: number) => string): number {
	const [quarter, short, long] = [textOf(1 / 4), textOf(1 / 2), textOf(1)];
	let [ofShort, ofLong] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
	let ratio = 1;
	for (let round = 0; round < ROUNDS; round += 1) {
		ofLong = Math.min(
			ofLong,
			shortest(() => parse(long), 1 + round),
		);
		if (ofLong < NOISE) return 1;
		ofShort = Math.min(
			ofShort,
			shortest(() => parse(short), 1 + round),
		);
		ratio = ofLong / ofShort;
		if (ratio < 3) return ratio;
	}
	const runs = (ROUNDS * (ROUNDS + 1)) / 2;
	return Math.min(ratio, ofShort / shortest(() => parse(quarter), runs));
}

describe("the time that a text takes", () => {
	it.each(Object.entries(parsers))("grows no faster than its length: %s", (_, [parser, unitsMax, starts = BEFORE]) => {
		const parse = attempt(parser);
		const slow: string[] = [];
		for (const before of starts) {
			for (const repeated of REPEATED) {
				for (const behind of BEHIND) {
					const room = unitsMax - before.length - behind.length;
					const textOf = (units: number) =>
						before + repeated.repeat(Math.max(0, Math.floor(units / repeated.length))) + behind;
					const ratio = growth(parse, (part) => textOf(part * room));
					if (ratio >= 3) slow.push(`${JSON.stringify([before, repeated, behind])}: ${ratio.toFixed(1)} times`);
				}
			}
		}
		expect(slow).toEqual([]);
	});

	it.each(["readPastedLocation", "readEntry", "codeWithoutCountry", "parsePhone", "parseNationalPhone"])(
		"is at most 10 ms for what a person enters: %s",
		(name) => {
			const [parser, unitsMax, starts = BEFORE] = parsers[name]!;
			const parse = attempt(parser);
			const slow = starts.flatMap((before) =>
				REPEATED.flatMap((repeated) => {
					const text = before + repeated.repeat(Math.floor((unitsMax - before.length) / repeated.length));
					return shortest(() => parse(text), 1) > 10 && shortest(() => parse(text), 20) > 10
						? [[before, repeated]]
						: [];
				}),
			);
			expect(slow).toEqual([]);
		},
	);

	it("is less for one that is longer than any than its normal form alone would take", () => {
		const text = "\ufdfa".repeat(300_000);
		const ofNormalForm = shortest(() => text.normalize("NFKC"), 3);
		const normalizing = [
			...[
				readPastedLocation,
				parseCoordinates,
				parseCode,
				normalizeCode,
				codeIn,
				normalText,
				judgeCode,
				normalizeUnit,
				unitBehindCode,
				findCodes,
			],
			(long: string) => parsePhone(long),
			(long: string) => parseNationalPhone(long, "NG"),
			recoveryHashOf,
		];
		for (const parser of normalizing) {
			const parse = attempt(parser);
			expect(shortest(() => parse(text), 3)).toBeLessThan(ofNormalForm);
		}
	});

	it("is measured for every source that asks for a normal form that may be longer than the text", () => {
		const own = readFileSync(import.meta.filename, "utf8");
		const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
		const normalizing = sources.filter((name) => readFileSync(`src/${name}`, "utf8").includes('normalize("NFK'));
		expect(normalizing.length).toBeGreaterThan(4);
		expect(normalizing.filter((name) => !own.includes(`/src/${name}"`))).toEqual([]);
	});
});
