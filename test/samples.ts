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

/** Canonical codes, and codes that must be refused. */
const rows = readFileSync(path.join(root, "dist/assets/vectors.csv"), "utf8").trimEnd().split("\r\n").slice(1);
const vectors = rows.map((row) => row.split(",")).map((cells) => [cells[0] ?? "", cells.at(-1) ?? ""] as const);

/** Fails unless a program that reads a code a line writes 1 for each that fits and 0 for each that does not. */
function judge(name: string, command: string, args: string[]): void {
	const input = vectors.flat().join("\n");
	const answer = spawnSync(command, args, { cwd: samples, input, encoding: "utf8" });
	if (answer.status !== 0) throw new Error(`${name}: ${answer.stderr}`);
	if (answer.stdout !== "10".repeat(vectors.length)) throw new Error(`${name} judges codes wrongly`);
	console.log(`${name} judges ${vectors.length} codes and as many mistyped ones rightly.`);
}

if (!vectors.every(([code, wrong]) => checkDigitFits(code) && !checkDigitFits(wrong)))
	throw new Error("check-digit.ts judges codes wrongly");
const python =
	"import sys, check_digit\nfor line in sys.stdin: print(int(check_digit.check_digit_fits(line.strip())), end='')";
judge("check_digit.py", "python3", ["-B", "-c", python]);
const php =
	"require 'check-digit.php'; while (($line = fgets(STDIN)) !== false) echo (int) check_digit_fits(trim($line));";
if (spawnSync("php", ["--version"]).status === 0) judge("check-digit.php", "php", ["-r", php]);
else console.log("check-digit.php has not run: there is no php here.");

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
	const names = readdirSync(samples).filter((name) => !/^check/.test(name) && path.extname(name) in commands);
	for (const [index, name] of names.entries()) {
		const [command, ...args] = commands[path.extname(name)] ?? [""];
		const env = {
			...process.env,
			REGISTRY: served.url,
			KEY: key,
			COPY: path.join(copies, "addresses.json"),
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
