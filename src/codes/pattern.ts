/** Compiled patterns by source. */
const patterns = new Map<string, RegExp>();

/** A pattern with the flags `iu`, compiled on first use, because sets of Unicode characters take a new isolate half a millisecond. */
export function pattern(source: string): RegExp {
	const compiled = patterns.get(source) ?? new RegExp(source, "iu");
	patterns.set(source, compiled);
	return compiled;
}
