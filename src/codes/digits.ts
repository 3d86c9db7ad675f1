/**
 * The ASCII digit of a decimal digit of any script. Unicode has every script's ten digits in one ascending run (The Unicode
 * Standard, section 4.6), and two runs may touch, so the value is the distance from the start of the run modulo 10.
 */
function asciiDigit(character: string): string {
	const codePoint = character.codePointAt(0) ?? 0;
	let first = codePoint;
	while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
	return String((codePoint - first) % 10);
}

/** A text with the decimal digits of every script written as 0 to 9, such as `٣` as `3`. */
export function asciiDigits(text: string): string {
	return text.replace(/(?![0-9])\p{Nd}/gu, asciiDigit);
}
