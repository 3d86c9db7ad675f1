/** The numbers and text that a shard is made of. */
import { ZoneIndexError } from "./format.ts";

/** Reads the numbers of a shard's payload one after the other. */
export class PayloadReader {
	#at = 0;
	readonly #bytes: Uint8Array;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	/**
	 * Reads an unsigned LEB128 number of up to 32 bits.
	 * @throws ZoneIndexError corrupt.
	 */
	unsigned(): number {
		// Most numbers take one byte, and a first look-up reads thousands of them.
		const first = this.#bytes[this.#at];
		if (first !== undefined && first < 128) {
			this.#at += 1;
			return first;
		}
		let value = 0;
		for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
			const byte = this.#bytes[this.#at++];
			if (byte === undefined) throw new ZoneIndexError("corrupt", "a shard's payload ends in a number");
			value += (byte & 127) * scale;
			if (byte < 128) return value;
		}
		throw new ZoneIndexError("corrupt", "a number in a shard is too long");
	}

	/** Reads a signed number in zigzag order: 0, -1, 1, -2, ... */
	signed(): number {
		const value = this.unsigned();
		return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
	}

	/** All that is left, as bytes of its own. */
	rest(): Uint8Array {
		return this.#bytes.slice(this.#at);
	}
}
