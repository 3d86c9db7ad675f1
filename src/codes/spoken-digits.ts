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

/** A letter that a name explains, as in `N for Nigeria`. */
const EXPLAINED = /(?<!\p{L})(\p{L}) (?:for|as in|comme|como|de|kama|kamar) \p{L}{2,20}[,;،]?/giu;
/** A digit said once for two or three of it, as in `double 7`. */
const REPEATED = /(?<!\p{L})(double|triple) (\d)/giu;

/**
 * A word in the form in which it is compared: in lower case, and in Arabic without the marks and letters that people often leave out or
 * replace.
 */
const folded = (word: string) => word.toLowerCase().replace(/[أإآ]/g, "ا").replaceAll("ة", "ه");

/**
 * A text with digits for digit words and letters for the words that spell them, if it has at least four digit words. Otherwise only
 * explained letters are shortened.
 */
export function withSpokenDigits(text: string): string {
	const explained = text.replace(EXPLAINED, "$1 ");
	let count = 0;
	const written = explained.replace(/\p{L}+/gu, (word) => {
		const said = folded(word);
		const digit = digitOf.get(said);
		if (digit !== undefined) count += 1;
		return digit ?? (SPELLING.has(said) ? said[0]!.toUpperCase() : word);
	});
	if (count < 4) return explained;
	// Digits said one by one are also written with a comma after each.
	return written
		.replace(REPEATED, (_, times: string, digit: string) => digit.repeat(/^d/i.test(times) ? 2 : 3))
		.replace(/(?<=\d)[,;،.](?= \d)/g, "");
}
