/** A language of the pages. */
interface PageLanguage {
	/** Its name in the language itself. */
	name: string;
	direction: "ltr" | "rtl";
	/** Its comma, such as between a place and its country. */
	comma: "," | "،";
	/** Whether the runtime of Workers lacks its names of months, units and countries, so that .dev/build.ts takes them from Node. */
	isUnknownToWorkers?: true;
}

/** The languages of the pages. English is first, for whoever asks for none of them. The texts of each are in messages-*.ts. */
export const languages = {
	en: { name: "English", direction: "ltr", comma: "," },
	fr: { name: "Français", direction: "ltr", comma: "," },
	ar: { name: "العربية", direction: "rtl", comma: "،" },
	sw: { name: "Kiswahili", direction: "ltr", comma: "," },
	ha: { name: "Hausa", direction: "ltr", comma: ",", isUnknownToWorkers: true },
	pt: { name: "Português", direction: "ltr", comma: "," },
} as const satisfies Record<string, PageLanguage>;

/** ISO 639-1. */
export type Language = keyof typeof languages;

export const DEFAULT_LANGUAGE: Language = "en";

/** More ranges than any browser sends. The rest of a longer header is ignored. */
const RANGES_MAX = 50;

export function isLanguage(tag: string): tag is Language {
	return Object.hasOwn(languages, tag);
}

/** The language of a tag or range: `pt-BR` is `pt` here (RFC 4647 section 3.4, lookup). */
function languageOfTag(tag: string): Language | undefined {
	const primary = tag.trim().toLowerCase().split("-", 1)[0] ?? "";
	return isLanguage(primary) ? primary : undefined;
}

/**
 * The language to answer in: the one asked for by `?lang=`, else the best of an Accept-Language header (RFC 9110 section 12.5.4:
 * the highest weight wins, the first among equals, weight 0 refuses), else English.
 */
export function chooseLanguage(asked: string | undefined, acceptLanguage: string | undefined): Language {
	const explicit = asked && languageOfTag(asked);
	if (explicit) return explicit;
	let best: { language: Language; weight: number } | undefined;
	for (const range of (acceptLanguage ?? "").split(",").slice(0, RANGES_MAX)) {
		const [tag = "", ...parameters] = range.split(";");
		const language = languageOfTag(tag);
		const weightText = parameters.map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(parameter)?.[1]).find(Boolean);
		const weight = weightText === undefined ? 1 : Number(weightText);
		if (language && weight > (best?.weight ?? 0)) best = { language, weight };
	}
	return best?.language ?? DEFAULT_LANGUAGE;
}
