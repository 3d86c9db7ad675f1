/** The paper sizes of sheets (ISO 216, and the Letter of ANSI/ASME Y14.1), with the number of signs on each. Lengths are in millimetres. */
export const papers = {
	a4: { name: "A4", size: "A4 portrait", width: 210, height: 297, margin: 10, signs: 2 },
	"a4-whole": { name: "A4", size: "A4 landscape", width: 297, height: 210, margin: 10, signs: 1 },
	a5: { name: "A5", size: "A5 landscape", width: 210, height: 148, margin: 10, signs: 1 },
	letter: { name: "Letter", size: "letter portrait", width: 215.9, height: 279.4, margin: 10, signs: 2 },
	"letter-whole": { name: "Letter", size: "letter landscape", width: 279.4, height: 215.9, margin: 7, signs: 1 },
} as const;

export type Paper = keyof typeof papers;

/** Full-size papers in portrait, for sheets that are cut into many pieces. */
export const UPRIGHT_PAPERS = ["a4", "letter"] as const satisfies Paper[];
export const PAPERS = Object.keys(papers) as Paper[];

/** Countries whose paper is Letter (Unicode CLDR, measurementData, paperSize US-Letter). */
const LETTER_COUNTRIES = /^(BZ|CA|CL|CO|CR|GT|MX|NI|PA|PH|PR|SV|US|VE)$/;

/** The paper asked for by name, if it is one of `among`, or else the usual one of a country. */
export function choosePaper(
	asked: string | null | undefined,
	country: string,
	among: readonly Paper[] = PAPERS,
): Paper {
	return among.find((paper) => paper === asked) ?? (LETTER_COUNTRIES.test(country) ? "letter" : "a4");
}

/** A value for each paper. */
export function perPaper<Value>(make: (paper: Paper) => Value): Record<Paper, Value> {
	return Object.fromEntries(PAPERS.map((paper) => [paper, make(paper)])) as Record<Paper, Value>;
}
