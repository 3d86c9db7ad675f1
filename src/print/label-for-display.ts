/**
 * Most combining marks on one letter, counting the invisible format characters among them. Eight is the tallest Tibetan stack (seven
 * joined letters and a sign), and more than Burmese, Khmer, pointed Hebrew and Arabic, or decomposed Vietnamese and Yoruba ever reach.
 * Without a limit, piled-up marks would overwrite the lines above and below.
 */
const MARKS_MAX = 8;
const MARKS_TOO_MANY = new RegExp(`([\\p{M}\\p{Cf}]{${MARKS_MAX}})[\\p{M}\\p{Cf}]+`, "gu");

/** Ticks, which would look as if the registry vouched for the label. */
const TICKS = /[\u221a\u2611\u2705\u2713\u2714\u{10102}\u{1f5f8}\u{1f5f9}\u{1fbb1}]\ufe0f?/gu;

/**
 * A label for display. Storage and the API's answers have it as it was written. Ticks are left out, and so are embeddings, overrides
 * and isolates (Unicode UAX 9, section 2): an unclosed one would reverse the text after it, and a stray closing one would end the
 * isolation that a page puts around the label. What Arabic needs inside a line stays: its letters' own direction and the marks LRM, RLM
 * and ALM.
 */
export function plainLabel(label: string): string {
	return label
		.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
		.replace(TICKS, "")
		.replace(MARKS_TOO_MANY, "$1")
		.trim();
}

/** A label inside a line of plain text, such as a title: isolated, so that its direction does not reach the rest. */
export function isolated(text: string): string {
	return text && `\u2068${text}\u2069`;
}
