/** A picture of black and white pixels; white at first. */
export class Bitmap {
	/** In pixels. */
	readonly width: number;
	readonly height: number;
	/** Rows from top to bottom, 8 pixels a byte from the highest bit, 1 is white, each row in whole bytes: as PNG packs them. */
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly bytesPerRow: number;

	constructor(width: number, height: number) {
		this.width = width;
		this.height = height;
		this.bytesPerRow = Math.ceil(width / 8);
		this.bytes = new Uint8Array(this.bytesPerRow * height).fill(0xff);
	}

	/** Blackens a rectangle, given by its upper left corner and size in pixels; what reaches beyond the picture is cut off. */
	fill(left: number, top: number, width: number, height: number): void {
		const right = Math.min(this.width, left + width);
		const bottom = Math.min(this.height, top + height);
		for (let y = Math.max(0, top); y < bottom; y += 1) {
			for (let x = Math.max(0, left); x < right; x += 1) {
				this.bytes[y * this.bytesPerRow + (x >> 3)]! &= ~(0x80 >> (x & 7));
			}
		}
	}
}
