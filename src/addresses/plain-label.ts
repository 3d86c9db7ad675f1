/**
 * A label as it is shown. Embeddings, overrides and isolates (Unicode UAX 9, section 2) are left out: one that is not closed
 * would turn the text after it around, and a stray closing one would end the isolation a page puts around the label. What Arabic
 * needs inside a line, its letters' own direction and the marks LRM, RLM and ALM, stays.
 */
export function plainLabel(label: string): string {
	return label.replace(/[\u202a-\u202e\u2066-\u2069]/g, "").trim();
}

/** A label inside a line of plain text, such as a title: isolated, so that its direction does not reach the rest. */
export function isolated(text: string): string {
	return text && `\u2068${text}\u2069`;
}
