/** Runs the samples of the guides (src/docs/samples) against a registry: every one must succeed. `npm run samples`, after a build. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SNAPSHOT_CRON } from "../src/changes/snapshot.ts";
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

const served = await serveRegistry(PORT);
const copies = mkdtempSync(path.join(tmpdir(), "samples-"));
try {
	const { key } = await makeKey(served.url, (await signUp(served.url)).token, ["addresses:read"]);
	// As an operator grants it.
	await served.database.exec(`update api_keys set scopes = '["addresses:read","changes:read"]'`);
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
