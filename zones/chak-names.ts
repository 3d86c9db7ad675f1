/**
 * Names of the canal colonies of Punjab and Sindh as people write them. A village there is a chak with a number, and the number of the canal
 * branch that waters it, on its left or right: "Chak 112/9-L". The list of places spells them out: "Chak One Hundred Twelve -Nine Left".
 */

const UNITS =
	"zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
		" ",
	);
const TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/** A number of up to 999 in words; undefined for other words. */
function numberOf(words: readonly string[]): number | undefined {
	let [sum, isLast] = [0, false];
	for (const word of words) {
		const [unit, ten] = [UNITS.indexOf(word), TENS.indexOf(word)];
		if (word === "hundred" && sum < 10) sum = Math.max(1, sum) * 100;
		else if (ten > 1 && sum % 100 === 0 && !isLast) sum += ten * 10;
		else if (unit > 0 && sum % 10 === 0 && !isLast && (unit < 10 || sum % 100 === 0)) {
			sum += unit;
			isLast = word !== words[0] || unit > 9;
		} else return undefined;
	}
	return sum === 0 ? undefined : sum;
}

/** The digits for a number in words, with a letter that may follow it, as people write them: "112", "185-A". */
function written(words: readonly string[]): string | undefined {
	const letter = /^[a-d]$/.test(words.at(-1) ?? "") ? words.at(-1)!.toUpperCase() : "";
	const number = numberOf(letter ? words.slice(0, -1) : words);
	return number === undefined ? undefined : `${number}${letter && `-${letter}`}`;
}

/** The name of a chak as people write it; any other name unchanged. */
export function chakName(name: string): string {
	const [chak, ...words] = name.toLowerCase().split(/[\s-]+/u);
	if (chak !== "chak") return name;
	const [, side] = /^(l|r)(?:eft|ight)?$/.exec(words.at(-1) ?? "") ?? [];
	if (!side) {
		const number = written(words);
		return number === undefined ? name : `Chak ${number}`;
	}
	const letter = words.at(-2) === "a" ? "A" : "";
	const branch = words.length - (letter ? 3 : 2);
	const [village, number] = [written(words.slice(0, branch)), numberOf(words.slice(branch, branch + 1))];
	if (village === undefined || number === undefined) return name;
	return `Chak ${village}/${number}-${letter}${side.toUpperCase()}`;
}
