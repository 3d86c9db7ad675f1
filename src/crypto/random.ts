/** Digits of base 62, in order of value. */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * `length` random characters of an alphabet of at most 256, drawn without bias: bytes past the last whole multiple of its size are
 * redrawn.
 */
export function randomText(alphabet: string, length: number): string {
	const usable = 256 - (256 % alphabet.length);
	let text = "";
	while (text.length < length) {
		for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
			if (byte < usable && text.length < length) text += alphabet[byte % alphabet.length];
		}
	}
	return text;
}

/** `length` random base62 characters, each log2(62) = 5.95 bits. */
export function randomBase62(length: number): string {
	return randomText(BASE62, length);
}

/** `length` random decimal digits, each log2(10) = 3.32 bits. */
export function randomDigits(length: number): string {
	return randomText("0123456789", length);
}

/** A new id for a row, such as `usr_7dN3kq0vXW2mZrB8cT5yLa`: 131 random bits, more than a UUID has. */
export function newId(prefix: string): string {
	return `${prefix}_${randomBase62(22)}`;
}
