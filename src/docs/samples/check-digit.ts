/** Whether the check digit of a code of two letters and nine digits fits the rest (ISO 7064 MOD 11-2). */
export function checkDigitFits(code: string): boolean {
	let product = 0;
	for (const character of code.slice(0, -1)) {
		// 0 to 9 are themselves; A is 10, B is 11, and so on to Z, which is 35.
		product = ((product + Number.parseInt(character, 36)) * 2) % 11;
	}
	return (product + Number(code.at(-1))) % 11 === 1;
}
