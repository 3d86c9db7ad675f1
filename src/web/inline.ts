import { createHash } from "node:crypto";

/** A style sheet or script that stands in the page itself, so that nothing is fetched, with the CSP source that allows exactly it. */
export interface Inline {
	text: string;
	/** CSP level 3 section 2.3.1, hash-source. */
	source: string;
}

export function inline(text: string): Inline {
	return { text, source: `'sha256-${createHash("sha256").update(text).digest("base64")}'` };
}
