/** Finds the nine digits of a code whose country is missing in a sentence. */
import { pattern } from "./pattern.ts";
import { unitBeside } from "./unit-text.ts";

/** The nine digits of a code without its country, and the unit written after them. */
export interface CodeWithoutCountry {
	digits: string;
	unit?: string;
	/** The words before and behind them in a sentence, which may name the country. */
	beside?: { before: string; behind: string };
}

/** The nine digits of a code in a sentence, in their two groups or each apart. A number of a phone goes on before or behind
 * them, and that of an invoice behind its letters. */
const IN_SENTENCE = String.raw`(?<![\p{L}\p{Nd}+]|\p{L}\p{Pd}|\+\p{Nd}{1,3} ?|\p{Nd}[\p{Pd}.,/:]|\p{Nd}{3} )(?:(\d{4})(?!\.\s|[.,]\d)(?:[\s.:,·|]|\p{Pd}){1,3}(\d{5})|((?<!\p{Nd}[\s.,;]{0,3})\d(?: \d){8}))(?![\p{L}\p{Nd}]|[\p{Pd}.,/:]\p{Nd}| \p{Nd}(?:$|[^\p{L}\p{Nd}]| \p{Nd}))`;

/** Words behind which the number of a phone stands. */
const PHONE_WORD = String.raw`(?<!\p{L})(?:call|dial|tel|phone|mobile|whatsapp|téléphone|appelle[rz]?|ligue|ligar|telefone|simu|piga|waya|kira|هاتف|اتصل)[\s.:]*$`;

/** A match of the nine digits of a code in a text. */
export interface NineDigits {
	digits: string;
	written: string;
	at: number;
}

/** Every nine digits in a sentence that may be those of a code, in order. */
export function allNineDigitsIn(text: string): NineDigits[] {
	return [...text.matchAll(new RegExp(pattern(IN_SENTENCE), "giu"))]
		.filter(({ index }) => !pattern(PHONE_WORD).test(text.slice(Math.max(0, index - 20), index)))
		.map(({ 0: written, index: at }) => ({ digits: written.replace(/\D/g, ""), written, at }));
}

/** The only nine digits of a code in a sentence, with what stands beside them. */
export function nineDigitsIn(text: string): CodeWithoutCountry | undefined {
	const [first, ...others] = allNineDigitsIn(text);
	if (!first || others.some(({ digits }) => digits !== first.digits)) return undefined;
	const before = text.slice(Math.max(0, first.at - 60), first.at);
	const behind = text.slice(first.at + first.written.length);
	const unit = unitBeside(before, behind, true);
	return { digits: first.digits, ...(unit ? { unit } : {}), beside: { before, behind: behind.slice(0, 60) } };
}
