/** What the commands of the builder share: mistakes of whoever calls them are told in a line, without a stack trace. */
import { OperatorError } from "./faults.ts";

function isWrongOption(error: unknown): error is Error {
	return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

/**
 * Runs a command. A wrong option, or a file that cannot be used, ends it with a message and exit code 1.
 * @param usage What to type, for those who typed something else.
 */
export async function runCommand(usage: string, command: () => void | Promise<void>): Promise<void> {
	try {
		await command();
	} catch (error) {
		if (error instanceof OperatorError) console.error(error.message);
		else if (isWrongOption(error)) console.error(`${error.message.split(". To specify")[0]!}\nUsage: ${usage}`);
		else throw error;
		process.exitCode = 1;
	}
}
