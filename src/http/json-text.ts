/** A fault of a JSON text that JSON.parse accepts silently. */
export interface JsonFlaw {
	/** Dotted path of the member at fault; array indexes are left out. */
	path: string;
	message: string;
}

/** Strings, each with the colon that makes it a member's name, and brackets. In JSON that has been parsed nothing else needs to be told apart. */
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/**
 * Finds a member that appears twice in one object, of which JSON.parse keeps the last without a word (RFC 8259 section 4), or a text with half of a surrogate
 * pair, which UTF-8 cannot hold, so that different texts would be stored as one (section 8.2).
 * @param text JSON that JSON.parse takes.
 */
export function jsonFlaw(text: string): JsonFlaw | undefined {
	/** Of each bracket that is open, the names seen in it, and the name that it is the value of. */
	const open: { names: Set<string>; name: string }[] = [];
	let name = "";
	const path = (last: string) => [...open.map((bracket) => bracket.name), last].filter(Boolean).join(".");
	for (const [token, literal, colon] of text.matchAll(TOKENS)) {
		if (token === "{" || token === "[") {
			open.push({ names: new Set(), name });
			name = "";
			continue;
		}
		if (token === "}" || token === "]") {
			open.pop();
			name = "";
			continue;
		}
		if (literal === undefined) continue;
		// Only an escape can write half of a pair: the text itself was decoded from UTF-8.
		const value = literal.includes("\\") ? (JSON.parse(literal) as string) : literal.slice(1, -1);
		if (!value.isWellFormed()) {
			const at = path(colon === undefined ? name : "");
			return { path: at, message: "This text contains half of a surrogate pair. Send whole characters." };
		}
		if (colon === undefined) {
			name = "";
			continue;
		}
		const names = open.at(-1)?.names;
		if (names?.has(value)) return { path: path(value), message: "This field appears twice. Send it once." };
		names?.add(value);
		name = value;
	}
	return undefined;
}
