import { displayCode } from "../codes/code.ts";
import { plainLabel } from "./plain-label.ts";
import { PLATE_HEIGHT, PLATE_WIDTH, plateSvg } from "./plate.ts";
import { escapeXml, qrSymbol } from "./qr.ts";

/** The card, ISO 216 A7, in millimetres. */
const CARD_WIDTH_MM = 74;
const CARD_HEIGHT_MM = 105;
/** What a home printer may cut off on each side, in millimetres. */
const MARGIN_MM = 5;
const QR_MM = 46;
const TYPED_FONT_MM = 3.6;
const ZONE_FONT_MM = 5;
const LABEL_FONT_MM = 4;
/** Lines of the zone's name, and of name and label together: what the card has room for. */
const ZONE_LINES_MAX = 2;
const LINES_MAX = 4;
const LINE_SPACING = 1.22;

const TEXT_WIDTH_MM = CARD_WIDTH_MM - 2 * MARGIN_MM;
const PLATE_MM = (TEXT_WIDTH_MM * PLATE_HEIGHT) / PLATE_WIDTH;

/** Fonts that systems have, with each one's equal elsewhere; the last is whatever the reader holds for sans-serif. */
export const SAFE_FONTS = "Arial, Helvetica, Liberation Sans, Noto Sans, Noto Sans Arabic, sans-serif";

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
function emsOf(text: string): number {
	let ems = 0;
	for (const character of segmentsOf("grapheme", text)) {
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
const LINE_EMS = 1.5;

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

/** Whether a text starts in a right-to-left script: the first strong character decides (Unicode UAX 9, rules P2 and P3). */
function isRightToLeft(text: string): boolean {
	const [strong = ""] = /\p{L}/u.exec(text) ?? [];
	return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(
		strong,
	);
}

/** What a person types into a browser to get where a QR symbol leads, such as `addr.example/NG-1377-48215`. */
export function whereToType(url: string, canonical: string): string {
	return `${new URL(url).host}/${displayCode(canonical)}`;
}

/**
 * A card to print and put on a door, in millimetres: the QR symbol that leads to `url`, its plate, where to type it, the zone's name and
 * the label. Text is text, in fonts that systems have; everything but the plate is clipped at 5 mm from the edge and the label below the
 * zone's name, so that neither a printer nor a hostile label can spoil the card. Colours are attributes, which no
 * Content-Security-Policy blocks.
 */
export function cardSvg(url: string, canonical: string, zoneName: string, label: string): string {
	const display = displayCode(canonical);
	const { path, size } = qrSymbol(url);
	const middle = TEXT_WIDTH_MM / 2;
	const text = (line: string, baseline: number, font: number, attributes = "") =>
		`<text x="${middle}" y="${baseline.toFixed(2)}" font-size="${font}" text-anchor="middle"${isRightToLeft(line) ? ' direction="rtl"' : ""}${attributes}>${escapeXml(line)}</text>`;

	let lines = plateSvg(display, `y="${QR_MM}" width="${TEXT_WIDTH_MM}" height="${PLATE_MM}"`);
	let baseline = QR_MM + PLATE_MM + TYPED_FONT_MM * 1.4;
	const typed = whereToType(url, canonical);
	const typedFont = Math.min(TYPED_FONT_MM, TEXT_WIDTH_MM / emsOf(typed));
	lines += text(typed, baseline, Number(typedFont.toFixed(2)), ' direction="ltr"');
	baseline += 1;
	const zoneLines = wrapText(zoneName, TEXT_WIDTH_MM / ZONE_FONT_MM, ZONE_LINES_MAX);
	const labelLines = LINES_MAX - Math.max(1, zoneLines.length);
	for (const line of zoneLines) {
		baseline += ZONE_FONT_MM * LINE_SPACING;
		lines += text(line, baseline, ZONE_FONT_MM);
	}
	// Below the zone's descenders. Nothing of the label reaches above it.
	const labelTop = baseline + 1.2;
	let labelText = "";
	baseline += 1;
	for (const line of wrapText(plainLabel(label), TEXT_WIDTH_MM / LABEL_FONT_MM, labelLines)) {
		baseline += LABEL_FONT_MM * LINE_SPACING;
		labelText += text(line, baseline, LABEL_FONT_MM);
	}
	const labelHeight = CARD_HEIGHT_MM - 2 * MARGIN_MM - labelTop;
	if (labelText) {
		lines += `<svg y="${labelTop.toFixed(2)}" width="${TEXT_WIDTH_MM}" height="${labelHeight.toFixed(2)}" viewBox="0 ${labelTop.toFixed(2)} ${TEXT_WIDTH_MM} ${labelHeight.toFixed(2)}" overflow="hidden">${labelText}</svg>`;
	}
	return (
		`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${CARD_WIDTH_MM}mm" height="${CARD_HEIGHT_MM}mm" viewBox="0 0 ${CARD_WIDTH_MM} ${CARD_HEIGHT_MM}">` +
		`<title>${display}</title><rect width="${CARD_WIDTH_MM}" height="${CARD_HEIGHT_MM}" fill="#fff"/>` +
		`<svg x="${MARGIN_MM}" y="${MARGIN_MM}" width="${TEXT_WIDTH_MM}" height="${CARD_HEIGHT_MM - 2 * MARGIN_MM}" overflow="hidden" font-family="${SAFE_FONTS}" fill="#000">` +
		`<svg x="${(TEXT_WIDTH_MM - QR_MM) / 2}" width="${QR_MM}" height="${QR_MM}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${path}"/></svg>` +
		`${lines}</svg></svg>\n`
	);
}
