/** A length as people of a language (BCP 47) read it: `14 m`, `1.4 km`. */
export function lengthText(metres: number, language: string): string {
	const isFar = metres >= 1000;
	return new Intl.NumberFormat(language, {
		style: "unit",
		unit: isFar ? "kilometer" : "meter",
		maximumFractionDigits: isFar && metres < 100_000 ? 1 : 0,
	}).format(isFar ? metres / 1000 : metres);
}
