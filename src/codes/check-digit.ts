const MODULUS = 11;
const RADIX = 2;

/**
 * The ISO/IEC 7064 MOD 11-2 check character (`0`-`9` or `X`, which stands for ten) of a string of digits and upper-case letters. A
 * letter has its value in ISO 7064's alphanumeric systems, A = 10 to Z = 35, as in base 36, so the check covers the country too.
 *
 * Pure system, recursive method (ISO 7064 section 7.1): P = (P + a) * 2 for each character a, and the check character c makes P + c
 * congruent to 1.
 * @example
 * ```ts
 * checkCharacter("NG13774821") // "5"
 * ```
 */
export function checkCharacter(body: string): string {
	let product = 0;
	for (const character of body) product = ((product + Number.parseInt(character, 36)) * RADIX) % MODULUS;
	const check = (MODULUS + 1 - product) % MODULUS;
	return check === 10 ? "X" : String(check);
}
