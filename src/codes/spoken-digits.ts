import { DIGITS_OF_CODE } from "./code.ts";

/** The words for the digits 0 to 9 in the six languages of the pages. A test compares them with what the pages say. */
const WORDS: readonly string[] = [
	"zero|oh|nought|zéro|صفر|sifuri|sufuri|sifiri|sifili",
	"one|un|une|واحد|moja|ɗaya|daya|um|uma",
	"two|deux|اثنان|اثنين|اتنين|mbili|biyu|dois|duas",
	"three|trois|ثلاثه|ثلاث|تلاته|tatu|uku|três|tres",
	"four|quatre|اربعه|اربع|nne|huɗu|hudu|quatro",
	"five|cinq|خمسه|خمس|tano|biyar|cinco",
	"six|سته|ست|sita|shida|seis|meia",
	"seven|sept|سبعه|سبع|saba|bakwai|sete",
	"eight|huit|ثمانيه|ثماني|ثمان|تمانيه|nane|takwas|oito",
	"nine|niner|neuf|تسعه|تسع|tisa|tara|nove",
];

const digitOf = new Map(WORDS.flatMap((words, digit) => words.split("|").map((word) => [word, String(digit)])));

/** The spelling alphabet of radio operators (ICAO annex 10, volume II, 5.2.1.3). Each word begins with the letter it stands for. */
const SPELLING = new Set(
	"alfa alpha bravo charlie delta echo foxtrot golf hotel india juliett juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey whisky xray yankee zulu".split(
		" ",
	),
);

/** The names of letters as dictation writes them in the six languages. A name may be that of several letters, and a word for none. */
const LETTER_NAMES: Readonly<Record<string, string>> = {
	...{ A: "ay|ei", B: "bee|bé|bê|be|bi|بي", C: "cee|see|cé|cê|ce|si|سي", D: "dee|dé|dê|de|di|دي", E: "ee|i|é|ê|اي" },
	...{ F: "ef|eff|effe|efe|اف", G: "gee|gé|gê|ge|gi|ji|جي", H: "aitch|hache|agá|ache|اتش", I: "eye|ai|اي" },
	...{ J: "jay|ji|je|jota|جي|جيه", K: "kay|ka|kei|cá|capa|كي", L: "el|ell|elle|ele|ال", M: "em|emme|eme|ام" },
	...{ N: "en|enn|enne|ene|eni|ان", O: "oh|ó|او", P: "pee|pé|pê|pe|pi|بي", Q: "cue|queue|qu|quê|kyu|كيو" },
	...{
		R: "ar|are|erre|ara|ار",
		S: "ess|es|esse|اس",
		T: "tee|tea|té|tê|te|ti|تي",
		U: "you|yu|يو",
		V: "vee|vé|vê|ve|vi|في",
	},
	...{ W: "dáblio|دبليو", X: "ex|ix|xis|eks|اكس", Y: "why|wye|ípsilon|واي", Z: "zed|zee|zède|zedi|زد|زي" },
};

const lettersOf = new Map<string, string[]>();
for (const [letter, names] of Object.entries(LETTER_NAMES)) {
	for (const name of [letter.toLowerCase(), ...names.split("|")]) {
		lettersOf.set(name, [...(lettersOf.get(name) ?? []), letter]);
	}
}

/** Words for the hyphen between two groups, said before digits. */
const HYPHENS =
	/(?<!\p{L})(?:dash|hyphen|tiret|trait d['’]union|traço|hífen|hifen|deshi|kistari|شرطه|شرطة)[\s,،]*(?=\p{Nd})/giu;

/** A number as dictation writes it, with its thousands set apart: `49,234`. Between two digits of a number, never behind a space. */
const THOUSANDS = /(?<![\p{Nd}.,٬،])(\p{Nd}{1,2})[,٬،](\p{Nd}{3})(?![.,٬،]?\p{Nd})/gu;

/** A letter that a name explains, as in `N for Nigeria`. */
const EXPLAINED = /(?<!\p{L})(\p{L}) (?:for|as in|comme|como|de|kama|kamar) \p{L}{2,20}[,;،]?/giu;
/** A digit said once for two or three of it, as in `double 7`. */
const REPEATED = /(?<!\p{L})(double|triple) (\d)/giu;

/**
 * A word in the form in which it is compared: in lower case, and in Arabic without the marks and letters that people often leave out or
 * replace.
 */
const folded = (word: string) => word.toLowerCase().replace(/[أإآ]/g, "ا").replaceAll("ة", "ه");

/** Fewer digit words than these are read only where a text has nine digits with them. */
const SAID_MIN = 4;

/**
 * A text as it was said: with digits for digit words, letters for the words that spell them, and neither commas within numbers nor words
 * for hyphens. A text in which few digits are said keeps its words.
 */
export function withSpokenDigits(text: string): string {
	const explained = text.replace(EXPLAINED, "$1 ").replace(THOUSANDS, "$1$2").replace(HYPHENS, "");
	let count = 0;
	const written = explained
		.replace(/\p{L}+/gu, (word) => {
			const said = folded(word);
			const digit = digitOf.get(said);
			if (digit !== undefined) count += 1;
			return digit ?? (SPELLING.has(said) ? said[0]!.toUpperCase() : word);
		})
		.replace(REPEATED, (_, times: string, digit: string) => digit.repeat(/^d/i.test(times) ? 2 : 3))
		.replace(HYPHENS, "");
	const isSaid =
		count >= SAID_MIN || (written !== explained && (written.match(/\p{Nd}/gu)?.length ?? 0) >= DIGITS_OF_CODE);
	if (!isSaid) return explained;
	// Digits said one by one are also written with a comma after each.
	return written.replace(/(?<=\d)[,;،.](?= \d)/g, "");
}

/** The name of one letter, of another, and nothing else but digits. */
const LETTERS_SAID = /^[^\p{L}\p{M}\p{Nd}]*(\p{L}[\p{L}\p{M}]*)[\s,،.-]+(\p{L}[\p{L}\p{M}]*)([^\p{L}\p{M}]*)$/u;

/**
 * Every way to read a text that is nothing but two letters, said by their names, and digits: `en gee 1377 48215`. None for any other
 * text, because most names of letters are words too.
 */
export function withLettersSaid(text: string): string[] {
	const [, first = "", second = "", digits = ""] = LETTERS_SAID.exec(withSpokenDigits(text)) ?? [];
	const seconds = lettersOf.get(folded(second)) ?? [];
	return (lettersOf.get(folded(first)) ?? []).flatMap((letter) => seconds.map((other) => letter + other + digits));
}
