/**
 * Writes src/print/card-font.bin: outlines of letters and marks of Noto Sans (SIL Open Font License 1.1), for pictures. Run it with
 * `npm run font:build`; it wants Debian's fonts-noto-core.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";

const FONTS = "/usr/share/fonts/truetype/noto/NotoSans-";

/** ASCII, the marks that letters are composed with, Latin letters that are not composed, as European and African languages use them, and signs. */
const RANGES = [
	[0x20, 0x7e],
	[0x300, 0x304],
	[0x306, 0x30c],
	[0x323, 0x328],
	[0x32d, 0x331],
	[0x2010, 0x2015],
	[0x2018, 0x201e],
] as const;
const OTHERS = "¡£©«°²³·»¿ÆÐØÞßæðøþĐđĦħıŁłŊŋŒœƁɓƊɗƉɖƎǝƏəƐɛƑƒƔɣƖɩƘƙƝɲƆɔƟɵƱʊƲʋƳƴƠơƯưŦŧʻʼ…‹›€₦₵₣";

const characters = [
	...RANGES.flatMap(([first, last]) =>
		Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
	),
	...OTHERS,
];

type Point = [x: number, y: number, isOn: number];

/** Reads the outlines of a TrueType font (ISO/IEC 14496-22): its tables cmap of format 4, hmtx, loca and glyf. */
function readFont(file: string) {
	const bytes = readFileSync(file);
	const tables = new Map<string, number>();
	for (let index = 0; index < bytes.readUInt16BE(4); index += 1) {
		const record = 12 + index * 16;
		tables.set(bytes.toString("latin1", record, record + 4), bytes.readUInt32BE(record + 8));
	}
	const [head, hhea, hmtx, loca, glyf, cmap] = ["head", "hhea", "hmtx", "loca", "glyf", "cmap"].map(
		(name) => tables.get(name)!,
	) as [number, number, number, number, number, number];
	if (bytes.readUInt16BE(head + 18) !== 1000) throw new Error(`${file} has not 1000 units in an em`);
	const isLong = bytes.readUInt16BE(head + 50) === 1;
	const offsetOf = (glyph: number) =>
		glyf + (isLong ? bytes.readUInt32BE(loca + glyph * 4) : bytes.readUInt16BE(loca + glyph * 2) * 2);
	const segments = Array.from(
		{ length: bytes.readUInt16BE(cmap + 2) },
		(_, index) => cmap + bytes.readUInt32BE(cmap + 8 + index * 8),
	).find((table) => bytes.readUInt16BE(table) === 4)!;
	const size = bytes.readUInt16BE(segments + 6);

	/** The number of a character's glyph; 0 where the font has none. */
	function glyphOf(code: number): number {
		for (let at = 0; at < size; at += 2) {
			if (bytes.readUInt16BE(segments + 14 + at) < code) continue;
			const start = bytes.readUInt16BE(segments + 16 + size + at);
			if (start > code) return 0;
			const delta = bytes.readUInt16BE(segments + 16 + 2 * size + at);
			const range = segments + 16 + 3 * size + at;
			const offset = bytes.readUInt16BE(range);
			const glyph = offset === 0 ? code : bytes.readUInt16BE(range + offset + (code - start) * 2);
			return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
		}
		return 0;
	}

	function contoursOf(glyph: number): Point[][] {
		let at = offsetOf(glyph);
		if (at === offsetOf(glyph + 1)) return [];
		const count = bytes.readInt16BE(at);
		at += 10;
		if (count < 0) {
			const parts: Point[][] = [];
			for (let more = true; more; ) {
				const flags = bytes.readUInt16BE(at);
				if (!(flags & 0x2)) throw new Error(`Glyph ${glyph} is composed by the numbers of points, which is not read`);
				const part = bytes.readUInt16BE(at + 2);
				const isWide = (flags & 0x1) !== 0;
				const [right, up] = isWide
					? [bytes.readInt16BE(at + 4), bytes.readInt16BE(at + 6)]
					: [bytes.readInt8(at + 4), bytes.readInt8(at + 5)];
				at += isWide ? 8 : 6;
				// One factor, one for each axis, or four.
				const count = flags & 0x8 ? 1 : flags & 0x40 ? 2 : flags & 0x80 ? 4 : 0;
				const factors = Array.from({ length: count }, (_, index) => bytes.readInt16BE(at + index * 2) / 0x4000);
				at += count * 2;
				const [a = 1, b = 0, c = 0, d = a] = count === 2 ? [factors[0], 0, 0, factors[1]] : factors;
				for (const contour of contoursOf(part)) {
					parts.push(
						contour.map(
							([x, y, isOn]): Point => [Math.round(a * x + c * y + right), Math.round(b * x + d * y + up), isOn],
						),
					);
				}
				more = (flags & 0x20) !== 0;
			}
			return parts;
		}
		const ends = Array.from({ length: count }, (_, index) => bytes.readUInt16BE(at + index * 2));
		at += count * 2;
		at += 2 + bytes.readUInt16BE(at);
		const points = (ends.at(-1) ?? -1) + 1;
		const flags: number[] = [];
		while (flags.length < points) {
			const flag = bytes[at++]!;
			const repeats = flag & 0x8 ? bytes[at++]! : 0;
			for (let repeat = 0; repeat <= repeats; repeat += 1) flags.push(flag);
		}
		const [xs, ys] = (
			[
				[0x2, 0x10],
				[0x4, 0x20],
			] as const
		).map(([short, same]) => {
			let value = 0;
			return flags.map((flag) => {
				if (flag & short) value += flag & same ? bytes[at++]! : -bytes[at++]!;
				else if (!(flag & same)) {
					value += bytes.readInt16BE(at);
					at += 2;
				}
				return value;
			});
		}) as [number[], number[]];
		return ends.map((end, index) => {
			const start = index === 0 ? 0 : ends[index - 1]! + 1;
			return flags.slice(start, end + 1).map((flag, step): Point => [xs[start + step]!, ys[start + step]!, flag & 1]);
		});
	}

	const metrics = bytes.readUInt16BE(hhea + 34);
	const advanceOf = (glyph: number) => bytes.readUInt16BE(hmtx + Math.min(glyph, metrics - 1) * 4);
	return { glyphOf, contoursOf, advanceOf };
}

/** Numbers of two bytes: how many letters, and for each its character, advance, how many contours, and of each contour its points. */
function pack(file: string, wanted: readonly string[]): number[] {
	const font = readFont(file);
	const found = wanted.filter((character) => font.glyphOf(character.codePointAt(0)!) !== 0);
	return [
		found.length,
		...found.flatMap((character) => {
			const code = character.codePointAt(0)!;
			const contours = font.contoursOf(font.glyphOf(code));
			const advance = font.advanceOf(font.glyphOf(code));
			return [code, advance, contours.length, ...contours.flatMap((contour) => [contour.length, ...contour.flat()])];
		}),
	];
}

const numbers = [
	...pack(`${FONTS}Regular.ttf`, characters),
	...pack(`${FONTS}Bold.ttf`, [..." 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"]),
];
const bytes = Buffer.alloc(numbers.length * 2);
for (const [index, number] of numbers.entries())
	bytes.writeInt16BE(number > 0x7fff ? number - 0x10000 : number, index * 2);
const packed = deflateRawSync(bytes, { level: 9 });
writeFileSync("src/print/card-font.bin", packed);
console.log(`${bytes.length} bytes, ${packed.length} packed`);
