/** Judges what stands beside numbers that were read as a point: whether it is known to leave them as they are. */
import type { Span } from "../codes/reading.ts";
import { isJoinedMinus, LENGTH, MINUS_WORD, markOf, type Token, type Tokens, tokensOf } from "./coordinate-text.ts";
import type { FoundLocation } from "./location-result.ts";

/** What may touch the first number from the left, besides signs that are drawn there, such as a pin. */
const OPENING = /^[\s([{"'«“‘„,;:/|=@&>*?!\ufffc\p{Ps}\p{Pi}]|^\p{Extended_Pictographic}/u;
/** Symbols that can stand for a minus sign or say that a number is not meant exactly, without arrows. */
const MINUS_LIKE = /^(?![\u2190-\u21ff])[\p{Sm}\p{Sk}\p{M}\u2500\u2501]/u;
/** What may touch the second number from the right, but for letters behind a hyphen. */
const CLOSING = /^[\s<>|±=\ufffc\p{Extended_Pictographic}]|^(?![%‰]|\p{Pd})\p{P}/u;
/** Directions between two hemispheres, which may be of both numbers. */
const CORNER = /^(n[eow]|s[eow])$/;
/** What may stand between two numbers that have no marks. */
const BETWEEN = /^[,;/|]$/;
/** Signs that may stand between two numbers beside words of axes, and words that join them or stand before those words. */
const BETWEEN_MARKED = /^[,;:/|=&()[\]{}"'.<>*]$/;
const JOINING_WORD = /^(and|et|e|na|da|و|خط|y)$/;

const isNumber = (token: Token | undefined) => token?.kind === "number";
const isMarkWord = (token: Token | undefined) => token?.kind === "word" && markOf(token.text) !== undefined;

/** The indexes of the first and last tokens of an angle, without the words beside it. */
interface Numbers {
	from: number;
	to: number;
}

/** Two angles that were read as a point. */
interface Pair {
	first: Numbers;
	second: Numbers;
	/** Index of the first token that was not read before. */
	start: number;
	/** Whether words beside the numbers say which is the latitude, and whether hemispheres say their signs. */
	isNamed: boolean;
	isSigned: boolean;
}

function numbersIn({ all }: Tokens, [start, end]: Span): Numbers {
	const isPart = ({ kind, text }: Token) => kind === "number" || /^[°'"]$/.test(text);
	const from = all.findIndex((token) => token.at >= start && isNumber(token));
	let to = from;
	while (to + 1 < all.length && all[to + 1]!.end <= end && isPart(all[to + 1]!)) to += 1;
	return { from, to };
}

/** What stands before a pair and could change its first number; undefined for names and marks. */
function unclearBefore({ text, all }: Tokens, { first, start, isNamed, isSigned }: Pair): string | undefined {
	const number = all[first.from]!;
	const touching = text.slice(0, number.at).match(/.$/su)?.[0] ?? " ";
	const previous = first.from > start ? all[first.from - 1] : undefined;
	if (/[\p{L}\p{M}]/u.test(touching)) return isMarkWord(previous) ? undefined : (previous?.text ?? touching);
	if (!OPENING.test(touching)) return touching;
	// A dash with nothing before it that it could separate may be a minus sign, as in `- 1.2921, 36.8219`.
	let at = first.from - 1;
	while (at >= start && all[at]!.kind === "sign" && OPENING.test(all[at]!.text)) at -= 1;
	const [sign, beyond] = [all[at], all[at - 1]];
	if (at >= start && sign?.kind === "sign") {
		const isTouching = at < first.from - 1 && sign.end === all[at + 1]!.at;
		const isAlone = at === start || beyond?.kind === "sign" || isMarkWord(beyond);
		if (isTouching && !CLOSING.test(sign.text)) return sign.text;
		if ((sign.text === "-" || MINUS_LIKE.test(sign.text)) && isAlone && !isSigned) return sign.text;
	}
	if (!isNamed && previous?.kind === "word" && CORNER.test(previous.text)) return previous.text;
	// A number in a row with the pair may be one of it, unless it belongs to a name: `Plot 5, 6.5244, 3.3792`. Where axes are said, one with a
	// decimal point may still be: `6.52, 3.37 Long/Lat: 3.37`.
	let beside = first.from - 1;
	while (beside >= start && BETWEEN.test(all[beside]!.text)) beside -= 1;
	const isDecimal = /\./.test(all[beside]?.text ?? "");
	const isOfName = isNamed ? !isDecimal : all[beside - 1]?.kind === "word" && !isDecimal;
	return beside >= start && isNumber(all[beside]) && !isOfName ? all[beside]!.text : undefined;
}

/** What stands between the numbers of a pair and is neither a separator nor a word of axes. */
function unclearBetween({ text, all }: Tokens, { first, second, isNamed, isSigned }: Pair): string | undefined {
	const between = all.slice(first.to + 1, second.from);
	const unknown = between.find((token) =>
		token.kind === "word"
			? !isMarkWord(token) && !JOINING_WORD.test(token.text)
			: isNumber(token) || !(BETWEEN_MARKED.test(token.text) || (token.text === "-" && isSigned)),
	);
	if (isNamed) return unknown?.text;
	const isApart = between.length > 1 || between.some((token) => !BETWEEN.test(token.text));
	return isApart
		? text.slice(all[first.to]!.end, all[second.from]!.at).replace(/^[\s,;]+|(?<![\s,;])[\s,;]+$/g, "")
		: undefined;
}

/** What stands behind a pair and could change its second number. */
function unclearBehind({ text, all }: Tokens, { second, isNamed, isSigned }: Pair): string | undefined {
	const { end } = all[second.to]!;
	const touching = text.slice(end).match(/^./su)?.[0] ?? " ";
	const [next, afterNext, third] = all.slice(second.to + 1, second.to + 4);
	if (/[\p{L}\p{M}]/u.test(touching)) return isMarkWord(next) ? undefined : next?.text;
	if (isNumber(next) && (next!.at === end || next!.text.startsWith("."))) return next!.text;
	if (touching === "-") {
		const isJoining = afterNext?.kind === "word" && afterNext.at === next!.end;
		if (!isJoining && !isSigned) return "-";
	} else if (!CLOSING.test(touching)) return touching;
	// More digits behind a point, an apostrophe and so on.
	if (/^[.:'"_]$/.test(touching) && isNumber(afterNext) && afterNext!.at === next!.end)
		return touching + afterNext!.text;
	if (isNamed) return undefined;
	if (next?.kind === "word" && CORNER.test(next.text)) return next.text;
	const number = isNumber(next) ? next : BETWEEN.test(next?.text ?? "") && isNumber(afterNext) ? afterNext : undefined;
	const unit = number === next ? afterNext : third;
	// A third number in a row is an altitude or an accuracy if it has a unit, or that of a house if a word follows it.
	const isMeasured = LENGTH.test(unit?.text ?? "");
	const isOfHouse = number === next && unit?.kind === "word" && !/\./.test(number?.text ?? "");
	return number && !isMeasured && !isOfHouse ? number.text : undefined;
}

/** Whether one angle stands alone in round brackets, which mean minus in accounting and the tables of spreadsheets. */
const isBracketed = ({ all }: Tokens, { from, to }: Numbers) =>
	all[from - 1]?.text === "(" && all[to + 1]?.text === ")";

/**
 * The part of a text that could change what was found in it and is not understood; undefined if there is none. Before the first number
 * there may be names, between the numbers only separators and words of axes.
 * @param after Where what was found before it ends in the text.
 */
export function unclearBeside(text: string, { said, spans }: FoundLocation, after: number): string | undefined {
	if (said === "all") return undefined;
	const tokens = tokensOf(text);
	const { all } = tokens;
	const [first, second] = spans.map((span) => numbersIn(tokens, span)) as [Numbers, Numbers];
	const start = all.findIndex(({ at }) => at >= after);
	const pair = { first, second, start, isNamed: said !== "nothing", isSigned: said === "hemispheres" };
	const entity = /&#?[a-z\d]{2,31};/.exec(text)?.[0];
	const minus = all.find(({ kind, text: word }, index) => {
		const isNear = index < second.from || index === second.to + 1;
		return kind === "word" && isNear && MINUS_WORD.test(word);
	});
	if (entity ?? minus) return entity ?? minus?.text;
	if (!pair.isSigned) {
		const joined = [first.from, second.from].find((index) => isJoinedMinus(tokens, index));
		if (joined !== undefined) return (all[joined - 1]?.text ?? "") + all[joined]!.text;
		const bracketed = [first, second].find((numbers) => isBracketed(tokens, numbers));
		if (bracketed) return `(${all[bracketed.from]!.text})`;
	}
	return unclearBefore(tokens, pair) ?? unclearBetween(tokens, pair) ?? unclearBehind(tokens, pair);
}
