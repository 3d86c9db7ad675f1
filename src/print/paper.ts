/** The sizes of paper that sheets are made for: ISO 216 A4, and the Letter of ANSI/ASME Y14.1. Lengths are millimetres. */
export const papers = {
	a4: { name: "A4", size: "A4", width: 210, height: 297 },
	letter: { name: "Letter", size: "letter", width: 215.9, height: 279.4 },
} as const;

export type Paper = keyof typeof papers;

/** Countries whose paper is Letter (Unicode CLDR, measurementData, paperSize US-Letter). */
const LETTER_COUNTRIES = /^(BZ|CA|CL|CO|CR|GT|MX|NI|PA|PH|PR|SV|US|VE)$/;

/** The paper that was asked for by its name, or else the usual one of a country. */
export function choosePaper(asked: string | null | undefined, country: string): Paper {
	if (asked === "a4" || asked === "letter") return asked;
	return LETTER_COUNTRIES.test(country) ? "letter" : "a4";
}

/** Something of each paper. */
export function perPaper<Value>(make: (paper: Paper) => Value): Record<Paper, Value> {
	return { a4: make("a4"), letter: make("letter") };
}
