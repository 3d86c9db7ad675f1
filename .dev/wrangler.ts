/** wrangler as a function, so that what drives it reads as steps. */
import { spawn } from "node:child_process";
import { unstable_readConfig } from "wrangler";

/** What one run of wrangler came to. */
export interface WranglerRun {
	succeeded: boolean;
	stdout: string;
	/** Why it failed, in wrangler's words and without its colours and log paths. Empty after a success. */
	failure: string;
}

/** What a run of wrangler is given beside its arguments. */
export interface WranglerInput {
	/** Its standard input. */
	input?: string;
	/** Environment variables beside those of this process. */
	variables?: Record<string, string>;
}

/** Runs wrangler with the arguments. It never asks anything. */
export type Wrangler = (args: string[], given?: WranglerInput) => Promise<WranglerRun>;

/** A command that did not succeed. The message holds wrangler's own words. */
export class WranglerError extends Error {
	override name = "WranglerError";
}

/** What a Worker's configuration says of the resources that a deployment needs. */
export interface WorkerConfig {
	/** Of the Worker itself. */
	name: string;
	databaseName: string;
	bucketName: string;
	/** The public origin that the operator has set, if any. */
	webUrl: string | undefined;
	hasOwnDomain: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters.
const COLOURS = /\u001b\[[\d;]*m/g;

/** wrangler's words for why it failed: what follows its first `[ERROR]`, and all it wrote where there is none. */
function failureOf(output: string): string {
	const plain = output.replaceAll(COLOURS, "");
	const [, ...errors] = plain.split("[ERROR]");
	return (errors.length > 0 ? errors.join("\n") : plain)
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "" && !line.startsWith("🪵"))
		.join("\n");
}

/** Makes a function that runs the project's own wrangler, with environment variables beside those of this process. */
export function createWrangler(ofAllRuns: Record<string, string> = {}): Wrangler {
	return (args, { input = "", variables = {} } = {}) =>
		new Promise((resolve, reject) => {
			const child = spawn("wrangler", args, {
				// CI keeps wrangler from asking: what it would ask has been decided here.
				env: { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false", ...ofAllRuns, ...variables },
			});
			let [stdout, stderr] = ["", ""];
			child.stdout.on("data", (text: Buffer) => {
				stdout += text;
			});
			child.stderr.on("data", (text: Buffer) => {
				stderr += text;
			});
			child.on("error", reject);
			child.on("close", (code) => {
				resolve({ succeeded: code === 0, stdout, failure: code === 0 ? "" : failureOf(stderr || stdout) });
			});
			child.stdin.end(input);
		});
}

/** The output of a command that has to succeed. @throws WranglerError when it does not. */
export async function outputOf(wrangler: Wrangler, args: string[], given?: WranglerInput): Promise<string> {
	const { succeeded, stdout, failure } = await wrangler(args, given);
	if (!succeeded) throw new WranglerError(failure);
	return stdout;
}

/** wrangler's own type leads to a package that it does not bring along. */
interface RawConfig {
	name: string;
	vars: Record<string, unknown>;
	d1_databases: { binding: string; database_name: string }[];
	r2_buckets: { binding: string; bucket_name: string }[];
	routes?: unknown[];
	route?: unknown;
}

/**
 * Reads what wrangler.toml says of one environment.
 * @param environment As in `[env.staging]`; the top level when it is empty.
 * @throws Error when wrangler.toml has no such environment.
 */
export function readWorkerConfig(environment: string, config = "wrangler.toml"): WorkerConfig {
	const raw: RawConfig = unstable_readConfig({ config, env: environment });
	const database = raw.d1_databases.find(({ binding }) => binding === "DB");
	const bucket = raw.r2_buckets.find(({ binding }) => binding === "ZONES");
	if (!database || !bucket) {
		throw new Error(
			`${config} has no [env.${environment}] with the bindings DB and ZONES. Add it, or leave --env out to deploy the registry itself.`,
		);
	}
	const { WEB_URL } = raw.vars;
	return {
		name: raw.name,
		databaseName: database.database_name,
		bucketName: bucket.bucket_name,
		webUrl: typeof WEB_URL === "string" && WEB_URL !== "" ? WEB_URL : undefined,
		hasOwnDomain: raw.route !== undefined || (raw.routes ?? []).length > 0,
	};
}
