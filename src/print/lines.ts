/** How long texts are, and how they break into lines. */

/** Made when they are first needed, because making one takes an isolate milliseconds. */
const segmenters = new Map<string, Intl.Segmenter>();

function segmentsOf(granularity: "grapheme" | "word", text: string): string[] {
	const segmenter = segmenters.get(granularity) ?? new Intl.Segmenter("en", { granularity });
	segmenters.set(granularity, segmenter);
	return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * About how wide a text is, in ems, and rather more than less. Nothing measures text here, so each character counts as a wide one of its
 * kind in Arial and its like: 0.95 for W and M, 0.6 for other Latin letters and digits, 1.3 for emoji, CJK and all that is unknown, and
 * 10 for the whole sentence that is U+FDFD. What still comes out wider, such as some cuneiform signs, the card's margin cuts off.
 */
export function emsOf(text: string): number {
	let ems = 0;
	for (const character of segmentsOf("grapheme", text)) {
		if (/^\p{Cf}+$/u.test(character)) continue;
		if (/^[ilj.,:;'’|!()[\]\s]/.test(character)) ems += 0.36;
		else if (/^[mwMW@%—]/.test(character)) ems += 0.95;
		else if (character === "\ufdfd") ems += 10;
		else if (/^[A-Z&]/.test(character)) ems += 0.75;
		else if (/^[\p{Script=Latin}\p{Nd}\p{Script=Arabic}\p{Script=Greek}\p{P}]/u.test(character)) ems += 0.62;
		else ems += 1.3;
	}
	return ems;
}

/** Words with the punctuation that may not be parted from them: no line starts with a comma or ends with an opening bracket. */
function unbreakable(text: string): string[] {
	const pieces: string[] = [];
	for (const segment of segmentsOf("word", text)) {
		const last = pieces.at(-1) ?? "";
		const isClosing = /^[^\s\p{Ps}\p{Pi}\p{L}\p{N}]/u.test(segment) && /^[\p{Po}\p{Pe}\p{Pf}]/u.test(segment);
		if (last.trim() && (isClosing || /[\p{Ps}\p{Pi}]$/u.test(last))) pieces[pieces.length - 1] = last + segment;
		else pieces.push(segment);
	}
	return pieces;
}

/**
 * Breaks a text into at most `linesMax` lines of a width, between words where it can; what is left over ends in an ellipsis.
 * @param widthOf how wide a text is, in the unit of `widthMax`; ems unless it says otherwise
 */
export function wrapText(
	text: string,
	widthMax: number,
	linesMax: number,
	widthOf: (text: string) => number = emsOf,
): string[] {
	const pieces = unbreakable(text).flatMap((word) =>
		widthOf(word) <= widthMax ? [word] : segmentsOf("grapheme", word),
	);
	const lines: string[] = [];
	let line = "";
	let width = 0;
	for (const piece of pieces) {
		if (width + widthOf(piece.trimEnd()) > widthMax) {
			lines.push(line.trim());
			line = "";
			width = 0;
		}
		const added = line ? piece : piece.trimStart();
		line += added;
		width += widthOf(added);
	}
	lines.push(line.trim());
	const filled = lines.filter(Boolean);
	if (filled.length <= linesMax) return filled;
	const last = segmentsOf("grapheme", filled[linesMax - 1] ?? "");
	while (widthOf(`${last.join("")}…`) > widthMax) last.pop();
	return [...filled.slice(0, linesMax - 1), `${last.join("").trimEnd()}…`];
}

/** How high a line of any script is, in ems: Arabic with its marks needs this much. */
export const LINE_EMS = 1.5;

/**
 * The largest of some sizes at which a text fits a room, and as much of the text as fits at the smallest, cut with an ellipsis.
 * @param width of the room and its `height`, in the unit of `sizes`, which run from large to small
 */
export function fitText(
	text: string,
	width: number,
	height: number,
	sizes: readonly number[],
): { text: string; size: number } {
	const linesAt = (size: number) => Math.max(1, Math.floor(height / (size * LINE_EMS)));
	for (const size of sizes) {
		if (wrapText(text, width / size, Number.POSITIVE_INFINITY).length <= linesAt(size)) return { text, size };
	}
	const size = sizes.at(-1)!;
	let end = 0;
	for (const line of wrapText(text, width / size, linesAt(size))) {
		const kept = text.includes(line, end) ? line : line.slice(0, -1);
		end = text.indexOf(kept, end) + kept.length;
	}
	return { text: `${text.slice(0, end)}…`, size };
}
