/** QR symbols of one kind: bytes at error correction level Q (ISO/IEC 18004). */

/** By version, from 1 on: the blocks of a symbol at level Q, and the codewords of each that correct errors (table 9). */
const BLOCKS = [
	1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20, 23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45,
	48, 51, 53, 56, 59, 62, 65, 68,
];
const CORRECTING = [
	13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30, 30, 28, 30, 30, 30,
	30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
];

/** Whether each mask turns a module over: where it is 0 (table 10). */
const MASKS: ((row: number, column: number) => number)[] = [
	(row, column) => (row + column) % 2,
	(row) => row % 2,
	(_, column) => column % 3,
	(row, column) => (row + column) % 3,
	(row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2,
	(row, column) => ((row * column) % 2) + ((row * column) % 3),
	(row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2,
	(row, column) => (((row * column) % 3) + ((row + column) % 2)) % 2,
];

/** Centres of the alignment patterns of a version, in each direction (annex E). */
function alignmentsOf(version: number): number[] {
	if (version === 1) return [];
	const count = Math.floor(version / 7) + 2;
	const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
	return [6, ...Array.from({ length: count - 1 }, (_, index) => version * 4 + 10 - index * step).reverse()];
}

/** All codewords that a version holds. */
function codewordsOf(version: number): number {
	const count = alignmentsOf(version).length;
	const bits = (16 * version + 128) * version + 64 - (count ? (25 * count - 10) * count - 55 : 0);
	return Math.floor((bits - (version >= 7 ? 36 : 0)) / 8);
}

/** The product of two elements of GF(2^8), modulo 0x11d. */
function product(x: number, y: number): number {
	let found = 0;
	for (let bit = 7; bit >= 0; bit -= 1) found = (found << 1) ^ ((found >>> 7) * 0x11d) ^ (((y >>> bit) & 1) * x);
	return found;
}

/** The Reed-Solomon codewords of a block. */
function correctionOf(data: number[], count: number): number[] {
	const divisor: number[] = Array(count - 1).fill(0);
	divisor.push(1);
	for (let index = 0, root = 1; index < count; index += 1, root = product(root, 2)) {
		for (let at = 0; at < count; at += 1) divisor[at] = product(divisor[at]!, root) ^ (divisor[at + 1] ?? 0);
	}
	let remainder: number[] = Array(count).fill(0);
	for (const codeword of data) {
		const factor = codeword ^ remainder[0]!;
		remainder = divisor.map((term, index) => product(term, factor) ^ (remainder[index + 1] ?? 0));
	}
	return remainder;
}

/** A number followed by the remainder of its division by a polynomial of so many bits. */
function withRemainder(value: number, polynomial: number, bits: number): number {
	let remainder = value;
	for (let bit = 0; bit < bits; bit += 1) remainder = (remainder << 1) ^ ((remainder >>> (bits - 1)) * polynomial);
	return (value << bits) | remainder;
}

/** The bits of all codewords of a text in ASCII, those of its blocks in turns (section 7.6). */
function bitsOf(text: string, version: number): boolean[] {
	const blocks = BLOCKS[version - 1]!;
	const correcting = CORRECTING[version - 1]!;
	const total = codewordsOf(version);
	const capacity = total - blocks * correcting;
	const binary = (value: number, length: number) => value.toString(2).padStart(length, "0");
	const letters = Array.from(text, (letter) => binary(letter.charCodeAt(0), 8)).join("");
	const bits = `0100${binary(text.length, version < 10 ? 8 : 16)}${letters}0000`.slice(0, capacity * 8);
	const data = Array.from({ length: Math.ceil(bits.length / 8) }, (_, index) =>
		Number.parseInt(bits.slice(index * 8, index * 8 + 8).padEnd(8, "0"), 2),
	);
	for (let pad = 0xec; data.length < capacity; pad ^= 0xec ^ 0x11) data.push(pad);
	const split = Array.from({ length: blocks }, (_, index) => {
		const shorter = blocks - (total % blocks);
		return data.splice(0, Math.floor(total / blocks) - correcting + (index < shorter ? 0 : 1));
	});
	const inTurns = (parts: number[][]) =>
		Array.from({ length: Math.max(...parts.map(({ length }) => length)) }, (_, index) =>
			parts.flatMap((part) => part[index] ?? []),
		).flat();
	const codewords = [...inTurns(split), ...inTurns(split.map((part) => correctionOf(part, correcting)))];
	return codewords.flatMap((codeword) => Array.from(binary(codeword, 8), (bit) => bit === "1"));
}

/** How hard a symbol is to read: patches of one colour, lines like a finder pattern, and more of one colour than of the other. */
function faultsOf(modules: boolean[][]): number {
	const size = modules.length;
	let faults = 0;
	let dark = 0;
	const isFinder = (at: (offset: number) => boolean | undefined) =>
		at(0) && !at(1) && at(2) && at(3) && at(4) && !at(5) && at(6);
	for (const [row, line] of modules.entries()) {
		for (const [column, colour] of line.entries()) {
			const same = (down: number, right: number) => (modules[row + down]?.[column + right] === colour ? 1 : 0);
			const below = same(1, 0) + same(0, 1) + same(1, 1);
			const around = below + same(-1, -1) + same(-1, 0) + same(-1, 1) + same(0, -1) + same(1, -1);
			if (around > 5) faults += around - 2;
			if (below === 3) faults += 3;
			if (colour) dark += 1;
			if (isFinder((offset) => line[column + offset])) faults += 40;
			if (isFinder((offset) => modules[row + offset]?.[column])) faults += 40;
		}
	}
	return faults + Math.abs((100 * dark) / size / size - 50) * 2;
}

/**
 * The modules of the symbol of an ASCII text, `[row][column]`, without a quiet zone; true is dark.
 * @throws RangeError for a text that no version holds: more than 1,663 letters.
 */
export function qrModules(text: string): boolean[][] {
	const fits = BLOCKS.findIndex((blocks, index) => {
		const bytes = codewordsOf(index + 1) - blocks * CORRECTING[index]!;
		return text.length <= bytes - (index < 9 ? 2 : 3);
	});
	if (fits < 0) throw new RangeError("The text is too long for a QR symbol");
	const version = fits + 1;
	const size = version * 4 + 17;
	const modules: boolean[][] = Array.from({ length: size }, () => Array(size));
	const square = (top: number, left: number, reach: number, light: number[]) => {
		for (let row = Math.max(0, top - reach); row <= Math.min(size - 1, top + reach); row += 1)
			for (let column = Math.max(0, left - reach); column <= Math.min(size - 1, left + reach); column += 1)
				modules[row]![column] = !light.includes(Math.max(Math.abs(row - top), Math.abs(column - left)));
	};
	for (const [top, left] of [
		[3, 3],
		[3, size - 4],
		[size - 4, 3],
	] as const)
		square(top, left, 4, [2, 4]);
	for (const top of alignmentsOf(version))
		for (const left of alignmentsOf(version)) if (modules[top]![left] === undefined) square(top, left, 2, [1]);
	for (let at = 8; at < size - 8; at += 1) {
		modules[6]![at] = at % 2 === 0;
		modules[at]![6] = at % 2 === 0;
	}
	/** Writes the level, the mask and the version; nothing but light modules while masks are compared. */
	const describe = (mask?: number) => {
		const format = mask === undefined ? 0 : withRemainder((3 << 3) | mask, 0x537, 10) ^ 0x5412;
		for (let bit = 0; bit < 15; bit += 1) {
			const isDark = ((format >> bit) & 1) === 1;
			modules[bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit]![8] = isDark;
			modules[8]![bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit] = isDark;
		}
		modules[size - 8]![8] = mask !== undefined;
		const numbered = mask === undefined ? 0 : withRemainder(version, 0x1f25, 12);
		for (let bit = 0; version >= 7 && bit < 18; bit += 1) {
			const [far, near] = [(bit % 3) + size - 11, Math.floor(bit / 3)];
			modules[near]![far] = ((numbered >> bit) & 1) === 1;
			modules[far]![near] = ((numbered >> bit) & 1) === 1;
		}
	};
	describe();
	// Two columns at a time from the right, up and down in turns, past the column of timing.
	const free: [row: number, column: number][] = [];
	for (let right = size - 1, isUp = true; right > 0; right -= right === 8 ? 3 : 2, isUp = !isUp) {
		for (let step = 0; step < size; step += 1) {
			const row = isUp ? size - 1 - step : step;
			for (const column of [right, right - 1]) if (modules[row]![column] === undefined) free.push([row, column]);
		}
	}
	const bits = bitsOf(text, version);
	const draw = (mask: number) => {
		for (const [index, [row, column]] of free.entries())
			modules[row]![column] = (bits[index] ?? false) !== (MASKS[mask]!(row, column) === 0);
	};
	let [best, fewest] = [0, Number.POSITIVE_INFINITY];
	for (const mask of MASKS.keys()) {
		draw(mask);
		const faults = faultsOf(modules);
		if (faults < fewest) [best, fewest] = [mask, faults];
	}
	draw(best);
	describe(best);
	return modules;
}
