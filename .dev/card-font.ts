/**
 * Writes src/print/card-font.bin: letters and marks of Noto Sans (SIL Open Font License 1.1) as black and white pixels, for the PNG
 * cards. Run it with `npm run font:build`; it wants Debian's chromium and fonts-noto-core.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { chromium } from "playwright-core";
import { FONT_ASCENT, FONT_EM, FONT_HEIGHT } from "../src/print/card-font.ts";

const FONT_FILE = "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf";

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

interface DrawnGlyph {
	advance: number;
	left: number;
	/** One string of 0 and 1 a row, FONT_HEIGHT rows. */
	rows: string[];
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.setContent(
	`<style>@font-face{font-family:card;src:url(data:font/ttf;base64,${readFileSync(FONT_FILE).toString("base64")})}</style>`,
);
const drawn = await page.evaluate<Record<string, DrawnGlyph>>(`(async () => {
	const font = "${FONT_EM}px card";
	await document.fonts.load(font);
	const side = ${FONT_EM * 4};
	const canvas = new OffscreenCanvas(side, ${FONT_HEIGHT});
	const context = canvas.getContext("2d", { willReadFrequently: true });
	context.font = font;
	const found = {};
	// What a font lacks is drawn as the same box.
	const pixels = (text) => {
		context.clearRect(0, 0, side, ${FONT_HEIGHT});
		context.fillText(text, side / 2, ${FONT_ASCENT});
		return context.getImageData(0, 0, side, ${FONT_HEIGHT}).data;
	};
	const missing = pixels("\\u{10fffd}").join();
	for (const character of ${JSON.stringify(characters)}) {
		const data = pixels(character);
		if (data.join() === missing) continue;
		const dark = (x, y) => data[(y * side + x) * 4 + 3] > 110;
		let left = side, right = -1;
		for (let y = 0; y < ${FONT_HEIGHT}; y++) for (let x = 0; x < side; x++) if (dark(x, y)) { left = Math.min(left, x); right = Math.max(right, x); }
		const rows = Array.from({ length: ${FONT_HEIGHT} }, (_, y) => Array.from({ length: Math.max(0, right - left + 1) }, (_, x) => (dark(left + x, y) ? "1" : "0")).join(""));
		found[character] = { advance: Math.round(context.measureText(character).width), left: right < 0 ? 0 : left - side / 2, rows };
	}
	return found;
})()`);
await browser.close();

// For each glyph in order: advance, left side (plus 128), width, then its bits row by row, padded to whole bytes.
const bytes: number[] = [];
for (const { advance, left, rows } of Object.values(drawn)) {
	const bits = rows.join("");
	bytes.push(advance, left + 128, rows[0]?.length ?? 0);
	for (let at = 0; at < bits.length; at += 8) bytes.push(Number.parseInt(bits.slice(at, at + 8).padEnd(8, "0"), 2));
}
const packed = deflateRawSync(Uint8Array.from(bytes), { level: 9 });
const present = Object.keys(drawn).join("");
writeFileSync("src/print/card-font.bin", packed);
writeFileSync(
	"src/print/card-font-characters.ts",
	`/**\n * The characters of card-font.bin, in its order. Both are written by .dev/card-font.ts from Noto Sans. Copyright 2022 The Noto Project Authors\n * (https://github.com/notofonts/latin-greek-cyrillic), licensed under the SIL Open Font License, Version 1.1 (https://openfontlicense.org).\n */\nexport const CARD_FONT_CHARACTERS =\n\t${JSON.stringify(present)};\n`,
);
console.log(`${present.length} glyphs, ${bytes.length} bytes, ${packed.length} packed`);
