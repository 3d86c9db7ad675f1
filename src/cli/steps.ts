/** Steps that are safe to repeat: each checks whether it is done before it does anything. */
import { adviceOn } from "./advice.ts";

/** One thing that must be true in the end. */
export interface Step {
	/** In a few words, such as `database`. */
	name: string;
	/**
	 * What it does, as a dry run says after "would", such as "create the bucket". A step without a plan only checks, so a dry run takes it
	 * too.
	 */
	plan?: string;
	/** Whether nothing is left to do. Changes nothing. A step without this is taken every time. */
	isDone?(): Promise<boolean>;
	/** Takes the step, and returns the outcome as a short sentence. */
	act(): Promise<string>;
	/** What the operator should do when it fails. */
	help: string;
}

/**
 * Runs the steps in order and stops at the first that fails. Steps that are done already are skipped, so running them again continues
 * where they stopped.
 * @param isDryRun Whether to print what would be done and change nothing. What cannot be looked up, because nobody is signed in or an
 * earlier step would create it, counts as not done. A dry run continues after a step that would fail, and throws at the end.
 * @throws Error that says what went wrong and what to do.
 */
export async function runSteps(steps: Step[], say: (line: string) => void, isDryRun = false): Promise<void> {
	const failing: string[] = [];
	for (const [index, step] of steps.entries()) {
		const title = `[${index + 1}/${steps.length}] ${step.name}:`;
		try {
			const isDone = isDryRun ? await step.isDone?.().catch(() => false) : await step.isDone?.();
			if (isDone) {
				say(`${title} done already`);
				continue;
			}
			say(`${title} ${isDryRun && step.plan ? `would ${step.plan}` : await step.act()}`);
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			if (isDryRun) {
				say(`${title} would fail: ${message}\n  What to do: ${adviceOn(message) ?? step.help}`);
				failing.push(step.name);
				continue;
			}
			throw new Error(
				`${title} failed\n${message}\n\nWhat to do: ${adviceOn(message) ?? step.help}\nThen run the same command again. It continues where it stopped.`,
				{ cause: error },
			);
		}
	}
	if (failing.length > 0)
		throw new Error(`\nThe deployment would fail at: ${failing.join(", ")}. Nothing has been changed.`);
}
