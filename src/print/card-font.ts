import { dataFile } from "../platform/data-file.ts";
import { curve, type Ring } from "./outline.ts";
import type { Picture } from "./picture.ts";
import type { Ink } from "./shapes.ts";

/** Straight segments of a curve of a letter: letters have many short ones. */
const PIECES = 8;
/** Font units in an em. */
const EM = 1000;
/** How far a mark above a letter is raised over a capital, and over another mark, in ems. */
const RISE_OVER_CAPITAL = 0.19;
const RISE_OVER_MARK = 0.22;

/** The outline of a letter, in font units, upward from the baseline. */
interface Glyph {
	/** How far the pen moves on after the letter. */
	advance: number;
	contours: Contour[];
	/** The contours as rings, once the letter has been drawn. */
	rings?: Ring[];
}

/** A closed TrueType contour: points on the outline, and points off it that bend it. */
type Contour = { x: number; y: number; isOn: boolean }[];

/** Letters by character. */
type Face = ReadonlyMap<string, Glyph>;

/** The letters that pictures can be drawn with. The bold face has only those of codes. */
export interface CardFont {
	regular: Face;
	bold: Face;
}

/** The horizontal middle of a letter, in font units. */
function middleOf({ contours }: Glyph): number {
	const across = contours.flat().map(({ x }) => x);
	return across.length > 0 ? (Math.min(...across) + Math.max(...across)) / 2 : 0;
}

/** A contour as a ring. Halfway between two successive points off the outline lies one on it. */
function ringOf(points: Contour): Ring {
	const all = points.flatMap((point, index) => {
		const next = points[(index + 1) % points.length]!;
		const between = { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2, isOn: true };
		return point.isOn || next.isOn ? [point] : [point, between];
	});
	const start = all.findIndex(({ isOn }) => isOn);
	const ring: number[] = [];
	for (let step = 0; step < all.length; step += 1) {
		const [before, at, after] = [-1, 0, 1].map((aside) => all[(start + step + aside + all.length) % all.length]!);
		if (at!.isOn) {
			if (before!.isOn) ring.push(at!.x, at!.y);
		} else ring.push(...curve(PIECES, [before!.x, before!.y], [at!.x, at!.y], [after!.x, after!.y]));
	}
	return ring;
}

/** Unpacks the font that .dev/card-font.ts has packed. */
export async function unpackCardFont(packed: Uint8Array<ArrayBuffer>): Promise<CardFont> {
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	const view = new DataView(await new Response(stream).arrayBuffer());
	let offset = 0;
	const next = () => {
		offset += 2;
		return view.getInt16(offset - 2);
	};
	const face = (): Face => {
		const glyphs = new Map<string, Glyph>();
		for (let count = next(); count > 0; count -= 1) {
			const character = String.fromCodePoint(next() & 0xffff);
			const [advance, contours] = [next(), next()];
			const read = (): Contour => Array.from({ length: next() }, () => ({ x: next(), y: next(), isOn: next() === 1 }));
			glyphs.set(character, { advance, contours: Array.from({ length: contours }, read) });
		}
		return glyphs;
	};
	return { regular: face(), bold: face() };
}

/** Reads the font of the pictures. */
export const readCardFont = dataFile("card-font.bin", unpackCardFont);

const isMark = (character: string) => /^\p{Mn}$/u.test(character);
/** Whether a mark stands under a letter or at its side. All other marks stand above it. */
const isMarkBelow = (mark: string) => /^[\u0316-\u0319\u031c-\u0333]$/.test(mark);

/** A text in the characters of the font: letters and marks decomposed (NFD) except the horn, a dotless i under a mark, and plain spaces. */
function decomposed(text: string): string {
	return text
		.normalize("NFD")
		.replace(/[ou]\u031b/gi, (horned) => horned.normalize("NFC"))
		.replace(/\s/gu, " ")
		.replace(/\p{Cf}/gu, "")
		.replace(/i(?=[\u0300-\u0315\u031a])/g, "ı");
}

/** Whether a face has every letter of a text. A text in another script is not drawn at all: half a name would be a wrong one. */
export function canDraw(face: Face, text: string): boolean {
	return Array.from(decomposed(text)).every((character) => face.has(character));
}

/** Width of a text in ems. */
export function widthOf(face: Face, text: string): number {
	const units = Array.from(decomposed(text)).reduce(
		(sum, character) => sum + (isMark(character) ? 0 : (face.get(character)?.advance ?? 0)),
		0,
	);
	return units / EM;
}

/** How a text is drawn. Lengths are pixels. */
interface Lettering {
	/** The x of the pen at the start. */
	left: number;
	/** The y of the baseline, from the top. */
	baseline: number;
	/** The size of an em. */
	size: number;
	/** How far the letters are stretched horizontally; 1 when unset. */
	stretch?: number;
	ink?: Ink;
}

/** Draws a text whose letters the face has. Marks are centred on their letter, one above the other. */
export function drawText(picture: Picture, face: Face, text: string, lettering: Lettering): void {
	const { left, baseline, size, stretch = 1, ink = "black" } = lettering;
	const [across, down] = [(size * stretch) / EM, size / EM];
	let pen = left;
	let middle = left;
	let rise = 0;
	for (const character of decomposed(text)) {
		const glyph = face.get(character);
		if (!glyph) continue;
		let [x, y] = [pen, baseline];
		if (isMark(character)) {
			x = middle - middleOf(glyph) * across;
			if (!isMarkBelow(character)) {
				y -= rise * size;
				rise += RISE_OVER_MARK;
			}
		} else {
			middle = pen + middleOf(glyph) * across;
			rise = /^\p{Lu}/u.test(character) ? RISE_OVER_CAPITAL : 0;
			pen += glyph.advance * across;
		}
		glyph.rings ??= glyph.contours.map(ringOf);
		picture.paint(
			glyph.rings.map((ring) => ring.map((at, index) => (index % 2 === 0 ? x + at * across : y - at * down))),
			ink,
		);
	}
}
