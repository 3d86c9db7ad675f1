/** Codes in what people write, speak and paste, each kind in every language, order and spelling. */
import { describe, expect, it } from "vitest";
import { codeOfSerial, displayCode, partsOf, spokenCode } from "../../src/codes/code.ts";
import { codeWithoutCountry, countriesOf, mixedUpCode } from "../../src/codes/code-guess.ts";
import { readCodeList } from "../../src/codes/code-list.ts";
import { findCodes } from "../../src/codes/code-text.ts";
import { messages } from "../../src/languages/messages.ts";
import { COUNTRY_NAMES } from "../../src/zones/naming.ts";

/** Right codes of many countries, zones and units. */
const CODES = Object.keys(COUNTRY_NAMES).flatMap((country, index) => {
	const zone = String((index * 617) % 10_000).padStart(4, "0");
	return [0, 1, 2].flatMap((more) => codeOfSerial(country, zone, (index * 389 + more * 4099) % 10_000) ?? []);
});
const SOME = CODES.filter((_, index) => index % 25 === 0);

/** The codes that a text has, with their units, in one line. */
const told = (text: string) =>
	findCodes(text)
		.codes.map(({ canonical, units }) => [canonical, ...units].join("/"))
		.join(" ");

function expectTold(cases: Iterable<readonly [text: string, told: string]>): void {
	const wrong = [...cases].filter(([text, right]) => told(text) !== right).map(([text]) => `${text} => ${told(text)}`);
	expect(wrong).toEqual([]);
}

describe("a code is found", () => {
	it("as it is spoken, in digits or in the words of each language", () => {
		const cases: [string, string][] = CODES.map((code) => [spokenCode(code), code]);
		for (const { pages } of Object.values(messages)) {
			for (const code of SOME) {
				const { country, zone, rest } = partsOf(code);
				const words = (digits: string) => [...digits].map((digit) => pages.digits[Number(digit)]).join(" ");
				const spoken = [[...country].join(" "), words(zone), words(rest)].join(", ");
				cases.push([spoken, code], [`Hello, ${spoken.toUpperCase()}.`, code], [spoken.replaceAll(", ", "\n"), code]);
			}
		}
		expect(Object.keys(messages)).toHaveLength(6);
		expectTold(cases);
	});

	it("with the letters spelled or explained, and digits said twice at once", () => {
		expectTold([
			...SOME.filter((code) => /^[A-Z]{2}\d*(\d)\1/.test(code)).map((code) => {
				const { country, zone, rest } = partsOf(code);
				const said = (digits: string) =>
					digits.replace(
						/(\d)\1|\d/g,
						(run, double) => `${double ? "double " : ""}${messages.en.pages.digits[Number(run[0])]} `,
					);
				return [`${[...country].join(" ")}, ${said(zone)}, ${said(rest)}`, code] as const;
			}),
			["N for November, G for Golf, 1377 81920", "NG137781920"],
			["N comme Noémie, G comme Guy, 1377 81920", "NG137781920"],
			["November Golf one three seven seven eight one niner two zero", "NG137781920"],
			["N G one, three, seven, seven; eight, one, nine, two, zero", "NG137781920"],
		]);
	});

	it("where it is broken over two lines at any place", () => {
		expectTold(
			SOME.flatMap((code) =>
				Array.from({ length: 12 }, (_, at) => displayCode(code).slice(0, at + 1)).flatMap((start) =>
					["\n", "\r\n", " \n ", "\u2028", "\u000b"].map(
						(end) => [`To: ${start}${end}${displayCode(code).slice(start.length)} now`, code] as const,
					),
				),
			),
		);
	});

	it("beside another on one line, and each once", () => {
		expectTold(
			SOME.flatMap((code, index) => {
				const other = SOME[(index + 1) % SOME.length]!;
				const [one, two] = [displayCode(code), displayCode(other)];
				return ["", ", ", ";", " ; ", ": ", "*, *", "•", " and ", "\n", " - ", " | ", "، ", " then "].flatMap(
					(between) => [
						[`${one}${between}${two}`, `${code} ${other}`] as const,
						[`1) ${one}${between}${two}${between}${code}`, `${code} ${other}`] as const,
					],
				);
			}),
		);
	});

	it("in links of its page, wrapped ones too, with unit and token", () => {
		for (const code of SOME) {
			for (const path of [code, displayCode(code), displayCode(code).toLowerCase()]) {
				const link = `https://addr.example/a/${path}?share=t1.0.5f&unit=3b`;
				const wrapped = `https://l.facebook.com/l.php?u=${encodeURIComponent(link)}&h=x`;
				for (const text of [
					link,
					`Ring at ${link}. Thanks`,
					`${link},`,
					wrapped,
					`wa.me/?text=${encodeURIComponent(`Hi ${link}, bye`)}`,
				]) {
					expect(findCodes(text).codes, text).toEqual([{ canonical: code, units: ["3B"], share: "t1.0.5f" }]);
				}
			}
		}
	});

	it("with its unit, by a slash or a word for one in six languages, on either side, and none of the chat", () => {
		const words = [
			...["flat", "Flat", "FLAT", "unit", "apt", "apt.", "Apartment", "suite", "room", "shop", "#"],
			...["appartement", "appt", "appt.", "porte", "apartamento", "apto", "loja", "sala", "شقة", "الشقة", "غرفة"],
			...["nyumba", "chumba", "duka", "gida", "ɗaki", "shago"],
		];
		const behind = [
			"",
			", ask for Chidi",
			"; ring twice",
			"\nask for Chidi",
			" (ask for Chidi)",
			". Call 0803 123 4567",
		];
		expectTold(
			SOME.slice(0, 4).flatMap((code) => {
				const display = displayCode(code);
				return [
					...behind
						.filter((chat) => !chat.startsWith("."))
						.flatMap((chat) =>
							["/", " / ", "／"].map((slash) => [`${display}${slash}3B${chat}`, `${code}/3B`] as const),
						),
					...words.flatMap((word) =>
						behind.flatMap((chat) => [
							[`${display} ${word} 3B${chat}`, `${code}/3B`] as const,
							[`${display}, ${word} 3b${chat}`, `${code}/3B`] as const,
							[`Deliver to ${word} 3B, ${display}${chat}`, `${code}/3B`] as const,
						]),
					),
					[`${display} flat B`, `${code}/B`] as const,
					[`${display}, flat on the hill`, code] as const,
					[`${display} has a flat a mile away`, code] as const,
					[`${display} / Ground floor left, ring`, `${code}/Ground floor left`] as const,
					[`${display}\nflat 3B: see the next`, code] as const,
					[`${display}\nFlat No. 3B\n`, `${code}/3B`] as const,
					[`Flat 3B at ${display}`, `${code}/3B`] as const,
					[`${display} flat b`, `${code}/B`] as const,
					[`${display} / b, ring`, `${code}/B`] as const,
					[`https://addr.example/a/${code}?unit=b`, `${code}/B`] as const,
					[`${display} شقة رقم ٣`, `${code}/3`] as const,
					[`${display} unit-3B`, `${code}/3B`] as const,
					[`${display} à l'appartement 3B, merci`, `${code}/3B`] as const,
					[`${display}, in flat 3B`, `${code}/3B`] as const,
					...["!", "*", '"', " 😀", ". Ask for Chidi", " - ask for Chidi", " / Chidi"].map(
						(end) => [`${display} / 3B${end}`, `${code}/3B`] as const,
					),
				];
			}),
		);
	});
});

describe("what is no code", () => {
	it("is one that was mixed up only where one reading alone passes, and a wrong digit is never guessed", () => {
		const taken: Record<string, string[]> = {
			"0": ["O", "o", "Q"],
			"1": ["I", "l", "|"],
			"2": ["Z"],
			"5": ["S", "s"],
			"6": ["G"],
			"8": ["B"],
			"9": ["S"],
		};
		let [asked, offered] = [0, 0];
		for (const code of CODES) {
			for (const display of [displayCode(code), code, displayCode(code).replaceAll("-", " ").toLowerCase()]) {
				for (let at = 3; at < display.length; at += 1) {
					for (const letter of taken[display[at]!] ?? []) {
						const meant = mixedUpCode(display.slice(0, at) + letter + display.slice(at + 1))?.meant;
						asked += 1;
						if (meant !== undefined) offered += 1;
						if (letter !== "S" && letter !== "Q" && letter !== "G" && letter !== "Z")
							expect([code, undefined]).toContain(meant);
					}
				}
			}
			const wrong = code.slice(0, 10) + ((Number(code[10]) + 1) % 10);
			expect(mixedUpCode(wrong)).toBeUndefined();
			expect(mixedUpCode(displayCode(code))).toBeUndefined();
		}
		expect(offered / asked).toBeGreaterThan(0.8);
		for (const [typed, meant] of [
			["NG-1377-8192O", "NG137781920"],
			["NG-1377-B1920", "NG137781920"],
			["NG-1377-81S20", "NG137781920"],
			["NG-1377-8l920", "NG137781920"],
			["N6-1377-81920", "NG137781920"],
			["bring it to ng 1377 8192o today", "NG137781920"],
			["0803 1234567", undefined],
			["08031234567", undefined],
			["REF2024X1234", undefined],
		] as const) {
			expect([typed, mixedUpCode(typed)?.meant]).toEqual([typed, meant]);
		}
	});

	it("is the plate without its country, which about one country in eleven can be", () => {
		const countries = Object.keys(COUNTRY_NAMES);
		for (const code of SOME) {
			const [, digits = ""] = /^..(\d{9})$/.exec(code) ?? [];
			for (const written of [
				digits,
				`${digits.slice(0, 4)}-${digits.slice(4)}`,
				` ${digits.slice(0, 4)} ${digits.slice(4)}.`,
				`${digits.slice(0, 4)}\n${digits.slice(4)}`,
			]) {
				expect(codeWithoutCountry(written)).toEqual({ digits });
			}
			const possible = countriesOf(digits, countries);
			expect(possible).toContain(code.slice(0, 2));
			expect(codeWithoutCountry(`${digits.slice(0, 4)} ${digits.slice(4)} / 3b, ring`)).toEqual({ digits, unit: "3B" });
			expect(possible.length).toBeLessThan(countries.length / 6);
		}
		for (const none of [
			"712 345 678",
			"6 71 23 45 67",
			"0803 123 4567",
			"+234 803 12345",
			"12345678",
			"1234567890",
			"call 1377-81920",
		]) {
			expect(codeWithoutCountry(none)).toBeUndefined();
		}
	});
});

it("a chat becomes stops, each once, with what looks like a code and how many lines hold none", () => {
	const chat = [
		"[25/11, 09:14] Amina: Good morning, three for you",
		"[25/11, 09:14] Amina: NG-1377-99055 / 3B, ask for Chidi",
		"call 0803 123 4567 before 12",
		"NG-0421-",
		"58212",
		"then flat 2, NG-1377-99055; and NG-0421-58212 again",
		"NG-1377-8192O",
		"1377-81920",
		"NG-0421-58213",
		"thanks!",
		"N G, one three seven seven, eight one nine two zero",
	].join("\r\n");
	expect(readCodeList(chat)).toEqual({
		entries: [
			{ canonical: "NG137799055", units: ["3B", "2"] },
			{ canonical: "NG042158212", units: [] },
			{ typed: "NG-1377-8192O" },
			{ typed: "1377-81920" },
			{ typed: "NG-0421-58213" },
			{ canonical: "NG137781920", units: [] },
		],
		rest: ["[25/11, 09:14] Amina: Good morning, three for you", "call 0803 123 4567 before 12", "thanks!"],
	});
	expect(readCodeList("NG-1377-99055, KE-1377-81929 x2\nNG-0421-58212-12").entries, "each on one line").toEqual([
		{ canonical: "NG137799055", units: [] },
		{ typed: "KE-1377-81929" },
		{ canonical: "NG042158212", units: [] },
		{ typed: "NG-0421-58212-12" },
	]);
	expect(readCodeList("Parcel RR123456785NG").entries, "of the post").toEqual([]);
	expect(readCodeList("  \n\n").entries).toEqual([]);
	expect(readCodeList(`NG-1377-99055${" ".repeat(70_000)}`).entries).toEqual([]);
});
