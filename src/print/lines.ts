/** Measures texts and breaks them into lines. */

/** Segmenters by granularity, made on first use, because making one takes an isolate milliseconds. */
const segmenters = new Map<string, Intl.Segmenter>();

/** Graphemes or words of a text. In plain ASCII each character is a grapheme, and asking ICU for it would take a hundred times as long. */
function segmentsOf(granularity: "grapheme" | "word", text: string): string[] {
	if (granularity === "grapheme" && /^[\x20-\x7e]*$/.test(text)) return text.split("");
	const segmenter = segmenters.get(granularity) ?? new Intl.Segmenter("en", { granularity });
	segmenters.set(granularity, segmenter);
	return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * An estimate of the width of a text in ems, rather too high than too low. No font can be measured here, so each character counts as a
 * wide one of its kind in the bold of Arial, Noto Sans and their like: 0.98 for W and M, 0.36 to 0.75 for other Latin letters and digits,
 * 1.3 for emoji, CJK and anything unknown, and 10 for the whole sentence that is U+FDFD. What is wider still, such as some cuneiform
 * signs, is cut off at the card's margin.
 */
export function emsOf(text: string): number {
	let ems = 0;
	for (const character of segmentsOf("grapheme", text)) {
		if (/^\p{Cf}+$/u.test(character)) continue;
		if (/^[ilj.,:;'’|!()[\]\s]/.test(character)) ems += 0.36;
		else if (/^[mwMW@%—]/.test(character)) ems += 0.98;
		else if (character === "\ufdfd") ems += 10;
		else if (/^[A-Z&]/.test(character)) ems += 0.75;
		else if (/^[\p{Script=Latin}\p{Nd}\p{Script=Arabic}\p{Script=Greek}\p{P}]/u.test(character)) ems += 0.62;
		else ems += 1.3;
	}
	return ems;
}

/** An unbreakable piece of a text, with its width, and its width without the white space at its end. */
interface Piece {
	text: string;
	width: number;
	bareWidth: number;
	/** Its graphemes, for lines that are narrower than the piece. */
	graphemes?: Piece[];
}

/** A text whose pieces are measured once for any number of line widths, because measuring is nearly all the work of wrapping. */
interface Measured {
	pieces: Piece[];
	widthOf: (text: string) => number;
}

function pieceOf(text: string, widthOf: Measured["widthOf"]): Piece {
	const width = widthOf(text);
	const bare = text.trimEnd();
	return { text, width, bareWidth: bare === text ? width : widthOf(bare) };
}

/** Words with the punctuation that must stay with them: no line starts with a comma or ends with an opening bracket. */
function unbreakable(text: string): string[] {
	const pieces: string[] = [];
	let [isBlank, isOpening] = [true, false];
	for (const segment of segmentsOf("word", text)) {
		const isClosing = /^[^\s\p{Ps}\p{Pi}\p{L}\p{N}]/u.test(segment) && /^[\p{Po}\p{Pe}\p{Pf}]/u.test(segment);
		const isJoined = !isBlank && (isClosing || isOpening);
		if (isJoined) pieces[pieces.length - 1] += segment;
		else pieces.push(segment);
		isBlank = !isJoined && segment.trim() === "";
		isOpening = /[\p{Ps}\p{Pi}]$/u.test(segment);
	}
	return pieces;
}

function measured(text: string, widthOf: Measured["widthOf"] = emsOf): Measured {
	return { pieces: unbreakable(text).map((piece) => pieceOf(piece, widthOf)), widthOf };
}

/** The pieces of a text that fit a width: words, or the graphemes of a word that is wider. */
function fitting({ pieces, widthOf }: Measured, widthMax: number): Piece[] {
	return pieces.flatMap((word) => {
		if (word.width <= widthMax) return [word];
		word.graphemes ??= segmentsOf("grapheme", word.text).map((grapheme) => pieceOf(grapheme, widthOf));
		return word.graphemes;
	});
}

/** Breaks a measured text as `wrapText` does. */
function wrapMeasured(text: Measured, widthMax: number, linesMax: number): string[] {
	const lines: string[] = [];
	let line = "";
	let width = 0;
	for (const piece of fitting(text, widthMax)) {
		if (width + piece.bareWidth > widthMax) {
			lines.push(line.trim());
			line = "";
			width = 0;
		}
		// White space is a piece of its own, and no line starts with it.
		if (line === "" && piece.text.trim() === "") continue;
		line += piece.text;
		width += piece.width;
	}
	lines.push(line.trim());
	const filled = lines.filter(Boolean);
	if (filled.length <= linesMax) return filled;
	const last = segmentsOf("grapheme", filled[linesMax - 1] ?? "");
	let lastWidth = text.widthOf("…") + last.reduce((sum, grapheme) => sum + text.widthOf(grapheme), 0);
	while (lastWidth > widthMax && last.length > 0) lastWidth -= text.widthOf(last.pop()!);
	return [...filled.slice(0, linesMax - 1), `${last.join("").trimEnd()}…`];
}

/**
 * Breaks a text into at most `linesMax` lines, between words where it can. If text is left over, the last line ends in an ellipsis.
 * @param widthOf The width of a text in the unit of `widthMax`; an estimate in ems by default.
 */
export function wrapText(
	text: string,
	widthMax: number,
	linesMax: number,
	widthOf: (text: string) => number = emsOf,
): string[] {
	return wrapMeasured(measured(text, widthOf), widthMax, linesMax);
}

/** The height of a line of any script, in ems: Arabic with its marks needs this much. */
export const LINE_EMS = 1.5;

/**
 * The largest of some sizes at which a text fits a box. If none is small enough, the smallest, with the text cut to fit and an
 * ellipsis.
 * @param width The width of the box, like its `height` in the unit of `sizes`, which run from large to small.
 */
export function fitText(
	text: string,
	width: number,
	height: number,
	sizes: readonly number[],
): { text: string; size: number } {
	const linesAt = (size: number) => Math.max(1, Math.floor(height / (size * LINE_EMS)));
	const words = measured(text);
	for (const size of sizes) {
		if (wrapMeasured(words, width / size, Number.POSITIVE_INFINITY).length <= linesAt(size)) return { text, size };
	}
	const size = sizes.at(-1)!;
	let end = 0;
	for (const line of wrapMeasured(words, width / size, linesAt(size))) {
		const shown = text.includes(line, end) ? line : line.slice(0, -1);
		end = text.indexOf(shown, end) + shown.length;
	}
	return { text: `${text.slice(0, end)}…`, size };
}
