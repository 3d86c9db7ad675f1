import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Resvg } from "@resvg/resvg-js";
import jsQR from "jsqr";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
prepareZXingModule({ overrides: { wasmBinary: readFileSync(wasm).buffer as ArrayBuffer } });

/** Pixels across that the symbol is drawn with. */
const PIXELS = 600;

/** A picture of four bytes a pixel: red, green, blue, opacity. */
export interface PixelImage {
	width: number;
	height: number;
	data: Uint8ClampedArray;
}

function readSymbols(image: PixelImage) {
	return readBarcodes({ ...image, colorSpace: "srgb" } as Parameters<typeof readBarcodes>[0], { formats: ["QRCode"] });
}

/** The text of every QR symbol in a picture. */
export async function readQrSymbols(image: PixelImage): Promise<string[]> {
	return (await readSymbols(image)).map(({ text }) => text);
}

/** What two independent decoders read in an SVG: the texts, and what zxing tells of the symbol. */
export async function readQr(
	svg: string,
): Promise<{ jsqr: string | undefined; zxing: string[]; mirrored: boolean; level: string }> {
	const image = new Resvg(svg, { fitTo: { mode: "width", value: PIXELS }, background: "#fff" }).render();
	const pixels = new Uint8ClampedArray(image.pixels);
	const found = await readSymbols({ data: pixels, width: image.width, height: image.height });
	return {
		jsqr: jsQR(pixels, image.width, image.height)?.data,
		zxing: found.map(({ text }) => text),
		mirrored: found.some(({ isMirrored }) => isMirrored),
		level: found[0]?.ecLevel ?? "",
	};
}
