import { nodeZlib } from "../platform/node.ts";
import { PALETTE, type Picture } from "./picture.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const INDEXED = 3;
const METRES = 1;

/** A chunk: length of its data, four letters, data, and the CRC of letters and data (PNG third edition, section 5.3). */
function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(data.length + 12);
	const view = new DataView(bytes.buffer);
	view.setUint32(0, data.length);
	bytes.set(new TextEncoder().encode(type), 4);
	bytes.set(data, 8);
	view.setUint32(data.length + 8, nodeZlib().crc32(bytes.subarray(4, data.length + 8)));
	return bytes;
}

/** Compresses bytes into zlib's form of DEFLATE (RFC 1950), with the platform's own stream. */
async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * A PNG image (ISO/IEC 15948) with a byte per pixel, which names an entry of the palette. It has no filters, which suits flat drawings
 * best.
 * @param pixelsPerMetre The resolution at which it is to be printed.
 */
export async function encodePng(
	{ width, height, bytes }: Picture,
	pixelsPerMetre: number,
): Promise<Uint8Array<ArrayBuffer>> {
	const header = new DataView(new ArrayBuffer(13));
	header.setUint32(0, width);
	header.setUint32(4, height);
	header.setUint8(8, 8);
	header.setUint8(9, INDEXED);
	const size = new DataView(new ArrayBuffer(9));
	size.setUint32(0, pixelsPerMetre);
	size.setUint32(4, pixelsPerMetre);
	size.setUint8(8, METRES);
	const chunks = [
		chunk("IHDR", new Uint8Array(header.buffer)),
		chunk("PLTE", PALETTE),
		chunk("pHYs", new Uint8Array(size.buffer)),
		chunk("IDAT", await deflate(bytes)),
		chunk("IEND", new Uint8Array()),
	];
	return new Uint8Array(await new Blob([SIGNATURE, ...chunks]).arrayBuffer());
}
