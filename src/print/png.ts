import { crc32 } from "node:zlib";
import type { Bitmap } from "./bitmap.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const GREYSCALE = 0;
const METRES = 1;

/** A chunk: length of its data, four letters, data, and the CRC of letters and data (PNG third edition, section 5.3). */
function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(data.length + 12);
	const view = new DataView(bytes.buffer);
	view.setUint32(0, data.length);
	bytes.set(new TextEncoder().encode(type), 4);
	bytes.set(data, 8);
	view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
	return bytes;
}

/** zlib's form of DEFLATE (RFC 1950), by the platform's own stream. */
async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * A PNG image (ISO/IEC 15948) of one bit a pixel, in greyscale and without filters, which suits drawings of black on white best.
 * @param pixelsPerMetre how large it is to be printed
 */
export async function encodePng(bitmap: Bitmap, pixelsPerMetre: number): Promise<Uint8Array<ArrayBuffer>> {
	const { width, height, bytesPerRow } = bitmap;
	const header = new DataView(new ArrayBuffer(13));
	header.setUint32(0, width);
	header.setUint32(4, height);
	header.setUint8(8, 1);
	header.setUint8(9, GREYSCALE);
	const size = new DataView(new ArrayBuffer(9));
	size.setUint32(0, pixelsPerMetre);
	size.setUint32(4, pixelsPerMetre);
	size.setUint8(8, METRES);
	// Each row starts with the number of its filter, 0 for none.
	const rows = new Uint8Array((bytesPerRow + 1) * height);
	for (let y = 0; y < height; y += 1) {
		rows.set(bitmap.bytes.subarray(y * bytesPerRow, (y + 1) * bytesPerRow), y * (bytesPerRow + 1) + 1);
	}
	const chunks = [
		chunk("IHDR", new Uint8Array(header.buffer)),
		chunk("pHYs", new Uint8Array(size.buffer)),
		chunk("IDAT", await deflate(rows)),
		chunk("IEND", new Uint8Array()),
	];
	return new Uint8Array(await new Blob([SIGNATURE, ...chunks]).arrayBuffer());
}
