import { crc32, inflateSync } from "node:zlib";
import type { PixelImage } from "./read-qr.ts";

/** Decodes a PNG of a byte a pixel by a palette, without filters, and refuses any other and any with a wrong checksum. */
export function readPng(png: Uint8Array): PixelImage & { pixelsPerMetre: number } {
	const bytes = Buffer.from(png);
	if (bytes.subarray(0, 8).toString("latin1") !== "\x89PNG\r\n\x1a\n") throw new Error("No signature of PNG");
	const chunks = new Map<string, Buffer>();
	for (let at = 8; at < bytes.length; ) {
		const length = bytes.readUInt32BE(at);
		const body = bytes.subarray(at + 4, at + 8 + length);
		if (crc32(body) !== bytes.readUInt32BE(at + 8 + length)) throw new Error("A wrong checksum");
		chunks.set(body.subarray(0, 4).toString("latin1"), body.subarray(4));
		at += length + 12;
	}
	if ([...chunks.keys()].join() !== "IHDR,PLTE,pHYs,IDAT,IEND") throw new Error(`Chunks ${[...chunks.keys()]}`);
	const header = chunks.get("IHDR")!;
	const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
	if (header.subarray(8).toString("hex") !== "0803000000") throw new Error("Not a byte a pixel by a palette");
	const palette = chunks.get("PLTE")!;
	const rows = inflateSync(chunks.get("IDAT")!);
	const stride = width + 1;
	if (rows.length !== stride * height) throw new Error(`${rows.length} bytes of pixels`);
	const data = new Uint8ClampedArray(width * height * 4).fill(255);
	for (let y = 0; y < height; y += 1) {
		if (rows[y * stride] !== 0) throw new Error("A filtered row");
		for (let x = 0; x < width; x += 1) {
			const entry = rows[y * stride + 1 + x]! * 3;
			if (entry >= palette.length) throw new Error("No such colour");
			data.set(palette.subarray(entry, entry + 3), (y * width + x) * 4);
		}
	}
	return { width, height, data, pixelsPerMetre: chunks.get("pHYs")!.readUInt32BE(0) };
}
