/** Writes the numbers and text that a shard is made of: the inverse of src/zones/payload.ts. */
export class PayloadWriter {
	readonly #bytes: number[] = [];

	unsigned(value: number): void {
		let rest = value;
		while (rest >= 128) {
			this.#bytes.push((rest % 128) + 128);
			rest = Math.floor(rest / 128);
		}
		this.#bytes.push(rest);
	}

	signed(value: number): void {
		this.unsigned(value >= 0 ? 2 * value : -2 * value - 1);
	}

	text(text: string): Uint8Array {
		return Uint8Array.from([...this.#bytes, ...new TextEncoder().encode(text)]);
	}
}
