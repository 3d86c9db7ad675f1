import { type Language, languages } from "../languages/languages.ts";
import { type MeasureUnit, regionalData, varietyOf } from "../languages/regional.ts";

/** A number with its unit of measure, in a language. */
function unitText(count: number, unit: MeasureUnit, language: string, options: Intl.NumberFormatOptions): string {
	const known = regionalData(language);
	if (!known) return new Intl.NumberFormat(varietyOf(language), { ...options, style: "unit", unit }).format(count);
	const { maximumFractionDigits = 0 } = options;
	const [one, several] = known.units[unit];
	const number = new Intl.NumberFormat("en", { maximumFractionDigits }).format(count);
	return (count === 1 ? one : several).replace("{0}", number);
}

/** A length as people of a language (ISO 639-1) read it: `14 m`, `1.4 km`. */
export function lengthText(metres: number, language: string): string {
	const isFar = metres >= 1000;
	const maximumFractionDigits = isFar && metres < 100_000 ? 1 : 0;
	return unitText(isFar ? metres / 1000 : metres, isFar ? "kilometer" : "meter", language, { maximumFractionDigits });
}

/** A time in milliseconds as a date in a language and a time zone, such as `21 Nov 2026`. */
export function dateText(
	time: number,
	language: string,
	timeZone = "UTC",
	style: "medium" | "long" = "medium",
): string {
	const known = regionalData(language);
	if (!known) return new Intl.DateTimeFormat(varietyOf(language), { dateStyle: style, timeZone }).format(time);
	const parts = new Intl.DateTimeFormat("en", { day: "numeric", month: "numeric", year: "numeric", timeZone });
	const [month, day, year] = parts.format(time).split("/");
	return `${day} ${known.months[style === "long" ? "long" : "short"][Number(month) - 1]}, ${year}`;
}

/** A time in milliseconds as date and time of day in a language and a time zone, which it names, such as `21 Nov 2026, 14:05 UTC+1`. */
export function timeText(time: number, language: Language, timeZone = "UTC"): string {
	const hour = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone, timeZoneName: "shortOffset" } as const;
	const text = new Intl.DateTimeFormat("en-GB", hour).format(time).replace("GMT+0", "UTC").replace("GMT", "UTC");
	return `${dateText(time, language, timeZone)}${languages[language].comma} ${text}`;
}

/** A number of days or minutes in a language, such as `7 days`. */
export function durationText(count: number, unit: "day" | "minute", language: string): string {
	return unitText(count, unit, language, { unitDisplay: "long" });
}
