/** A length as people of a language (BCP 47) read it: `14 m`, `1.4 km`. */
export function lengthText(metres: number, language: string): string {
	const isFar = metres >= 1000;
	return new Intl.NumberFormat(language, {
		style: "unit",
		unit: isFar ? "kilometer" : "meter",
		maximumFractionDigits: isFar && metres < 100_000 ? 1 : 0,
	}).format(isFar ? metres / 1000 : metres);
}

/** A time as a date in a language, by UTC, such as `21 Nov 2026`. */
export function dateText(time: number, language: string): string {
	return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(time);
}

/** A time as date and hour in a language, by UTC. */
export function timeText(time: number, language: string): string {
	const text = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
	return `${text.format(time)} UTC`;
}

/** A number of days or minutes in a language, such as `7 days`. */
export function durationText(count: number, unit: "day" | "minute", language: string): string {
	return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}
