/** Cursors: opaque texts that stand for a position in a list. They need no signature: they choose only among the rows of whoever asks. */

/** What is wrong with a `cursor` that no answer gave. */
export const FOREIGN_CURSOR = "Send the next_cursor of the previous page unchanged.";

/** The text that stands for the parts of a position. */
export function writeOpaque(...parts: (string | number)[]): string {
	return btoa(parts.join(".")).replace(/=+$/, "");
}

/** The groups of a pattern in what writeOpaque was given; none where it has not written the text or the pattern is another one's. */
export function readOpaque(text: string, pattern: RegExp): string[] {
	try {
		return pattern.exec(atob(text))?.slice(1) ?? [];
	} catch {
		return [];
	}
}
