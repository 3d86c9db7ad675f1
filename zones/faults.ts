/** Errors that an operator can correct. Those of boundaries name all faults at once, so that a file is corrected in one go. */

/** An operator's input cannot be used, or something does not answer. The message says what, and what to do. */
export class OperatorError extends Error {
	override readonly name: string = "OperatorError";
}

/** How many faults a message names one by one; it counts the others. */
const MOST_NAMED = 100;
/** How many faults or notes are named of those that differ only in where they are. */
const MOST_ALIKE = 10;

/** What a line says apart from where: the text from the first colon that a remark follows, without names and numbers. */
function saying(line: string): string {
	return line
		.slice(Math.max(0, line.search(/: (it|its|there) /)))
		.replace(/"[^"]*"/g, "")
		.replace(/\d+(\.\d+)?/g, "#");
}

/** Shortens lines: of those that say the same about many places, a few are named and the others counted. */
export function summary(lines: readonly string[]): string[] {
	return [...Map.groupBy(lines, saying).values()].flatMap((alike) => {
		const rest = alike.length - MOST_ALIKE;
		return rest <= 1 ? alike : [...alike.slice(0, MOST_ALIKE), `and ${rest} more of which the same is to be said`];
	});
}

/** The boundaries cannot be used. The message tells the operator, one line each, which features to fix and how. */
export class BoundaryError extends OperatorError {
	override readonly name = "BoundaryError";
	/** each a sentence that begins with the feature */
	readonly faults: readonly string[];

	constructor(faults: string | readonly string[], options?: ErrorOptions) {
		const all = typeof faults === "string" ? [faults] : faults;
		const lines = summary(all);
		const rest = lines.length - MOST_NAMED;
		super([...lines.slice(0, MOST_NAMED), ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n"), options);
		this.faults = all;
	}
}

/** Calls steps that may throw a BoundaryError, and returns all faults that they found. */
export function faultsOf(steps: Iterable<() => void>): string[] {
	const faults: string[] = [];
	for (const step of steps) {
		try {
			step();
		} catch (error) {
			if (!(error instanceof BoundaryError)) throw error;
			faults.push(...error.faults);
		}
	}
	return faults;
}

/** Calls steps that may throw a BoundaryError, and throws one with all faults that they found. */
export function allFaults(steps: Iterable<() => void>): void {
	const faults = faultsOf(steps);
	if (faults.length > 0) throw new BoundaryError(faults);
}
