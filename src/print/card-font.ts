import { dataFile } from "../data-file.ts";
import type { Bitmap } from "./bitmap.ts";
import { CARD_FONT_CHARACTERS } from "./card-font-characters.ts";

/** Size of the letters, in pixels: 4 mm at 8 pixels a millimetre. */
export const FONT_EM = 32;
/** Rows of pixels that a glyph has, and how many of them are above the baseline. */
export const FONT_HEIGHT = 46;
export const FONT_ASCENT = 35;
/** How far a mark above is raised over a capital, and over another mark, in pixels. */
const RISE_OVER_CAPITAL = 6;
const RISE_OVER_MARK = 7;

/** A letter as pixels. */
interface Glyph {
	/** How far the pen moves on, in pixels. */
	advance: number;
	/** First column of pixels, from the pen. */
	left: number;
	width: number;
	/** Bits of FONT_HEIGHT rows of `width`, 1 is black. */
	bits: Uint8Array;
}

/** The letters that cards can be drawn with, by character. */
export type CardFont = ReadonlyMap<string, Glyph>;

/** Unpacks the font that .dev/card-font.ts has packed. */
export async function unpackCardFont(packed: Uint8Array<ArrayBuffer>): Promise<CardFont> {
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
	const font = new Map<string, Glyph>();
	let offset = 0;
	for (const character of CARD_FONT_CHARACTERS) {
		const [advance = 0, left = 0, width = 0] = bytes.subarray(offset, offset + 3);
		const end = offset + 3 + Math.ceil((width * FONT_HEIGHT) / 8);
		font.set(character, { advance, left: left - 128, width, bits: bytes.subarray(offset + 3, end) });
		offset = end;
	}
	return font;
}

/** Reads the font of the cards. */
export const readCardFont = dataFile("card-font.bin", unpackCardFont);

const isMark = (character: string) => /^\p{Mn}$/u.test(character);
/** Marks under a letter, or on its side: all other marks stand above it. */
const isMarkBelow = (mark: string) => /^[\u0316-\u0319\u031c-\u0333]$/.test(mark);

/** A text as the font has it: letters and their marks apart (NFD) but for the horn, an i without its dot under a mark, and plain spaces. */
function decomposed(text: string): string {
	return text
		.normalize("NFD")
		.replace(/[ou]\u031b/gi, (horned) => horned.normalize("NFC"))
		.replace(/\s/gu, " ")
		.replace(/\p{Cf}/gu, "")
		.replace(/i(?=[\u0300-\u0315\u031a])/g, "ı");
}

/** Whether a font has every letter of a text. A text in another script is not drawn at all: half a name would be a wrong one. */
export function canDraw(font: CardFont, text: string): boolean {
	return Array.from(decomposed(text)).every((character) => font.has(character));
}

/** Width of a text in pixels, at a whole-numbered scale. */
export function widthOf(font: CardFont, text: string, scale = 1): number {
	return Array.from(decomposed(text)).reduce(
		(sum, character) => sum + (isMark(character) ? 0 : (font.get(character)?.advance ?? 0) * scale),
		0,
	);
}

/**
 * Draws a text that the font has. Marks stand in the middle of their letter, one above the other.
 * @param left where the pen starts, in pixels
 * @param baseline in pixels from the top
 * @param scale a whole number: each pixel of the font becomes a square of so many
 */
export function drawText(
	bitmap: Bitmap,
	font: CardFont,
	text: string,
	{ left, baseline, scale = 1 }: { left: number; baseline: number; scale?: number },
): void {
	const top = baseline - FONT_ASCENT * scale;
	let pen = left;
	let middle = left;
	let rise = 0;
	for (const character of decomposed(text)) {
		const glyph = font.get(character);
		if (!glyph) continue;
		if (isMark(character)) {
			const raised = isMarkBelow(character) ? 0 : rise;
			drawGlyph(bitmap, glyph, Math.round(middle - (glyph.width * scale) / 2), top - raised * scale, scale);
			if (!isMarkBelow(character)) rise += RISE_OVER_MARK;
			continue;
		}
		drawGlyph(bitmap, glyph, pen + glyph.left * scale, top, scale);
		middle = pen + (glyph.left + glyph.width / 2) * scale;
		rise = /^\p{Lu}/u.test(character) ? RISE_OVER_CAPITAL : 0;
		pen += glyph.advance * scale;
	}
}

function drawGlyph(bitmap: Bitmap, { width, bits }: Glyph, left: number, top: number, scale: number): void {
	for (let bit = 0; bit < width * FONT_HEIGHT; bit += 1) {
		if (!(bits[bit >> 3]! & (0x80 >> (bit & 7)))) continue;
		bitmap.fill(left + (bit % width) * scale, top + Math.floor(bit / width) * scale, scale, scale);
	}
}
