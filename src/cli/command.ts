/** Runs a command that an operator types: reads its arguments, and reports failures in sentences, without a stack trace. */
import path from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { adviceOn } from "./advice.ts";

/** A command cannot run with its arguments. The message says which are wrong. */
export class UsageError extends Error {
	override name = "UsageError";
}

/** The origin of the URL of a registry. @throws UsageError if the text is no such URL. */
export function originOf(text: string): string {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (url && /^https?:$/.test(url.protocol)) return url.origin;
	throw new UsageError(`'${text}' is not the URL of a deployment, such as https://addr.example.`);
}

type ReadArguments<Options extends NonNullable<ParseArgsConfig["options"]>> = ReturnType<
	typeof parseArgs<{ options: Options; allowPositionals: true; strict: true }>
>;

/** What is wrong with the arguments. For an unknown option, Node also explains how to pass it as a positional, which nobody meant. */
function complaintOf({ message }: Error, args: string[]): string {
	const [unknown] = /^Unknown option '[^']*'/.exec(message) ?? [];
	if (!unknown) return message;
	const negative = args.find((arg) => /^-[\d.]/.test(arg));
	return negative ? `'${negative}' must be 0 or more.` : `${unknown}.`;
}

/**
 * Runs a command with the arguments of this process. It exits with 2 after wrong arguments and with 1 after any other failure, whose
 * message is printed; with DEBUG in the environment, its stack too.
 * @param usage Printed by `--help`.
 * @param options As `parseArgs` of node:util takes them.
 * @param positionalsMax The most arguments other than options that it takes.
 */
export async function runCommand<const Options extends NonNullable<ParseArgsConfig["options"]>>(
	{ usage, options, positionalsMax = 0 }: { usage: string; options: Options; positionalsMax?: number },
	run: (given: ReadArguments<Options>) => Promise<void> | void,
): Promise<void> {
	const args = process.argv.slice(2);
	if (args.includes("--help") || args.includes("-h")) return console.log(usage);
	try {
		const given = parseArgs({ args, options, allowPositionals: true, strict: true });
		const excess = given.positionals[positionalsMax];
		if (excess !== undefined) throw new UsageError(`Unexpected argument '${excess}'.`);
		await run(given);
	} catch (thrown) {
		const error = thrown as NodeJS.ErrnoException;
		if (error instanceof UsageError || error.code?.startsWith("ERR_PARSE_ARGS")) {
			const { name } = path.parse(process.argv[1]!);
			// The usage names this command's script, and perhaps others before it. A command without a script is run by its own name.
			const script = new RegExp(`npm run (\\w+:)?${name}\\b`).exec(usage)?.[0];
			console.error(`${complaintOf(error, args)}\nSee \`${script ? `${script} --` : name} --help\`.`);
			process.exitCode = 2;
			return;
		}
		console.error(process.env.DEBUG ? error : error.message);
		const advice = error.name === "WranglerError" ? adviceOn(error.message) : undefined;
		if (advice) console.error(`\nWhat to do: ${advice}`);
		process.exitCode = 1;
	}
}
