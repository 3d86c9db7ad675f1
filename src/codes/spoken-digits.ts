/** Digits as they are said aloud and then written down, in the six languages of the pages. A test holds them to what the pages say. */
const WORDS: readonly string[] = [
	"zero|oh|nought|zéro|صفر|sifuri|sufuri|sifiri|sifili",
	"one|un|une|واحد|moja|ɗaya|daya|um|uma",
	"two|deux|اثنان|اثنين|إثنان|mbili|biyu|dois|duas",
	"three|trois|ثلاثة|tatu|uku|três|tres",
	"four|quatre|أربعة|اربعة|nne|huɗu|hudu|quatro",
	"five|cinq|خمسة|tano|biyar|cinco",
	"six|ستة|sita|shida|seis|meia",
	"seven|sept|سبعة|saba|bakwai|sete",
	"eight|huit|ثمانية|nane|takwas|oito",
	"nine|neuf|تسعة|tisa|tara|nove",
];

const digitOf = new Map(WORDS.flatMap((words, digit) => words.split("|").map((word) => [word, String(digit)])));

/** A text with digits instead of the words for them, where four or more stand in it. */
export function withSpokenDigits(text: string): string {
	let count = 0;
	const written = text.replace(/\p{L}+/gu, (word) => {
		const digit = digitOf.get(word.toLowerCase());
		if (digit !== undefined) count += 1;
		return digit ?? word;
	});
	return count >= 4 ? written : text;
}
