/** Steps that are safe to repeat: each looks whether it is done before it does anything. */
import { adviceOn } from "./advice.ts";

/** One thing that has to hold in the end. */
export interface Step {
	/** In a few words, such as `database`. */
	name: string;
	/** What it does, to go on after "would", such as "create the bucket", for a dry run. One without it only looks, and is taken then too. */
	plan?: string;
	/** Whether nothing is left to do. Changes nothing. A step without it is taken each time. */
	isDone?(): Promise<boolean>;
	/** Does it. What came of it, as a short sentence. */
	act(): Promise<string>;
	/** What the operator should do when it fails. */
	help: string;
}

/**
 * Runs the steps in order and stops at the first that fails. What is done already is not done again, so running the steps once more
 * goes on where they stopped.
 * @param isDryRun Prints what would be done, and changes nothing. What cannot be looked up then, as when nobody is signed in or when an
 * earlier step would create it, counts as not done. It goes on after a step that would fail, and throws at the end.
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
