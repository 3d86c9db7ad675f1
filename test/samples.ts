/**
 * Runs the samples of the guides (src/docs/samples) and those of the reference (src/docs/code-samples.ts) against a registry, as they are
 * printed. `npm run samples`, after a build.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { SNAPSHOT_CRON } from "../src/changes/snapshot.ts";
import type { codeSamplesOf } from "../src/docs/code-samples.ts";
import type { OpenApiDocument } from "../src/docs/openapi.ts";
import { checkDigitFits } from "../src/docs/samples/check-digit.ts";
import { makeKey, signUp } from "./support/remote.ts";
import { serveRegistry } from "./support/serve.ts";

const PORT = 8795;
const root = path.join(import.meta.dirname, "..");
const samples = path.join(root, "src/docs/samples");

execFileSync(process.execPath, [".dev/build-once.ts"], { cwd: root, stdio: "inherit" });

/** Codes, each in several spellings, and the last cell of each row mistyped, which must be refused. */
const rows = readFileSync(path.join(root, "dist/assets/vectors.csv"), "utf8").trimEnd().split("\r\n").slice(1);
const vectors = rows.map((row) => row.split(","));

for (const [code = "", ...spellings] of vectors) {
	const mistyped = spellings.at(-1) ?? "";
	if (!checkDigitFits(code) || checkDigitFits(mistyped)) throw new Error("check-digit.ts judges codes wrongly");
}

/** Fails unless a program that reads a text a line writes the code that it reads as, or the name of its fault, for each. */
function judge(name: string, command: string, args: string[]): void {
	const lines = vectors.flatMap((cells) =>
		cells.map((cell, index) => ({ cell, isWrong: index === cells.length - 1, code: cells[0] })),
	);
	const extra = [
		{ cell: "NG-O377-48215", code: "MALFORMED_CODE" },
		{ cell: "", code: "MALFORMED_CODE" },
		{ cell: "NG\u{fe0e}1377\u000b4821\u200f5", code: "NG137748215" },
	];
	const all = [
		...lines.map(({ cell, isWrong, code }) => ({ cell, code: isWrong ? "BAD_CHECK_DIGIT" : code })),
		...extra,
	];
	const input = all.map(({ cell }) => cell).join("\n");
	const answer = spawnSync(command, args, { cwd: samples, input, encoding: "utf8" });
	if (answer.status !== 0) throw new Error(`${name}: ${answer.stderr}`);
	const read = answer.stdout.trimEnd().split("\n");
	const wrong = all.findIndex(({ code }, index) => read[index] !== code);
	if (wrong >= 0 || read.length !== all.length)
		throw new Error(`${name} reads ${JSON.stringify(all[wrong])} as ${read[wrong]}`);
	console.log(`${name} reads ${all.length} texts rightly.`);
}

const python = `import sys, read_code
for line in sys.stdin.buffer.read().decode().split("\\n"):
    try: print(read_code.read_code(line))
    except ValueError as fault: print(fault)`;
judge("read_code.py", "python3", ["-B", "-c", python]);
const php = `require 'read-code.php';
foreach (explode("\\n", stream_get_contents(STDIN)) as $line) {
    try { echo read_code($line), "\\n"; } catch (InvalidArgumentException $fault) { echo $fault->getMessage(), "\\n"; }
}`;
judge("read-code.php", "php", ["-r", php]);

/** How a sample of the reference is run, by its language: its file, and the command that takes the file. */
const RUNS: Record<string, [extension: string, command: string, ...args: string[]]> = {
	Shell: [".sh", "bash"],
	TypeScript: [".mts", process.execPath],
	Python: [".py", "python3", "-B"],
	PHP: [".php", "php"],
};

/** What a registry answers to a call that is not written as documented, and to one that lacks its credential. */
const BADLY_WRITTEN =
	/"code":"(INVALID_REQUEST|UNSUPPORTED_MEDIA_TYPE|METHOD_NOT_ALLOWED|UNAUTHENTICATED)"|No endpoint has this path/;

/** What a sample came to: the code of the problem that it tells, or `done`. @throws Error where it fails otherwise. */
async function outcomeOf(name: string, folder: string, { lang, source }: Sample, env: NodeJS.ProcessEnv, file: string) {
	const [extension = "", command = "", ...args] = RUNS[lang] ?? [];
	writeFileSync(path.join(folder, `sample${extension}`), source);
	const run = promisify(execFile)(command, [...args, `sample${extension}`], { cwd: folder, env, encoding: "utf8" });
	const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
	const isKept = file !== "" && existsSync(path.join(folder, file));
	const said = `${stdout}${stderr}${isKept ? readFileSync(path.join(folder, file), "utf8") : ""}`;
	if (isKept) rmSync(path.join(folder, file));
	const [, problem] = /"code":"([A-Z_]+)"/.exec(said) ?? [];
	const failed = await run.then(
		() => false,
		() => true,
	);
	// The refresh token of an example is no token of anybody.
	const isStranger = problem === "INVALID_TOKEN" && source.includes("Authorization");
	if (BADLY_WRITTEN.test(said) || isStranger || (failed && !problem) || /warning|deprecated/i.test(stderr))
		throw new Error(`${name} in ${lang}:\n${source}\n${said}`);
	return problem ?? "done";
}

type Sample = ReturnType<typeof codeSamplesOf>[number];

/** Runs the samples of all operations but those of operators, whom no registry knows here. Languages must agree on what a read answers. */
async function runReference(url: string, credentials: { KEY: string; TOKEN: string }): Promise<void> {
	const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
	const operations = Object.entries(document.paths).flatMap(([at, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${at}`, method, operation })),
	);
	const folders = Object.keys(RUNS).map(() => mkdtempSync(path.join(tmpdir(), "reference-")));
	let count = 0;
	for (const { name, method, operation } of operations) {
		if (JSON.stringify(operation.security).includes("operatorToken")) continue;
		const samples = operation["x-codeSamples"] as Sample[];
		const file = /--output (\S+)/.exec(samples[0]?.source ?? "")?.[1] ?? "";
		const env = { ...process.env, ...credentials };
		const outcomes = await Promise.all(
			samples.map((sample, index) => outcomeOf(name, folders[index] ?? "", sample, env, file)),
		);
		if (method === "get" && new Set(outcomes).size > 1) throw new Error(`${name}: ${outcomes}`);
		count += samples.length;
	}
	for (const folder of folders) rmSync(folder, { recursive: true });
	console.log(`${count} samples of the reference are understood.`);
}

const served = await serveRegistry(PORT);
const copies = mkdtempSync(path.join(tmpdir(), "samples-"));
try {
	const { token } = await signUp(served.url);
	const { key } = await makeKey(served.url, token, ["addresses:read"]);
	const writing = await makeKey(served.url, token, ["addresses:read", "addresses:write"]);
	await runReference(served.url, { KEY: writing.key, TOKEN: token.replace("Bearer ", "") });
	// As an operator grants it.
	await served.database.exec(
		`update api_keys set scopes = '["addresses:read","changes:read"]' where scopes = '["addresses:read"]'`,
	);
	await served.runHourly(Date.now(), SNAPSHOT_CRON);
	const commands: Record<string, [string, ...string[]]> = {
		".sh": ["bash", "-e"],
		".ts": [process.execPath],
		".py": ["python3", "-B"],
	};
	const names = readdirSync(samples).filter(
		(name) => !/^(check-|checkout\.ts|read|sms-)/.test(name) && path.extname(name) in commands,
	);
	for (const [index, name] of names.entries()) {
		const [command, ...args] = commands[path.extname(name)] ?? [""];
		const env = {
			...process.env,
			REGISTRY: served.url,
			KEY: key,
			COPY: path.join(copies, `${name}.json`),
			PHONE: `+234803910000${index}`,
		};
		const run = spawnSync(command, [...args, name], { cwd: samples, env, encoding: "utf8" });
		if (run.status !== 0 || !/48215|NG-\d{4}|\d/.test(run.stdout))
			throw new Error(`${name}: ${run.stdout}${run.stderr}`);
		console.log(`${name} succeeds.`);
	}
} finally {
	rmSync(copies, { recursive: true });
	await served.stop();
}
