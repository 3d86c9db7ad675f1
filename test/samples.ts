/**
 * Runs the samples of the guides (src/docs/samples) and those of the reference (src/docs/code-samples.ts) against a registry, as they are
 * printed. `npm run samples`, after a build.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { SNAPSHOT_CRON } from "../src/changes/snapshot.ts";
import { parseCode } from "../src/client/codes.ts";
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

/** What customers send, with the code, the unit and the token of a private address in it, or the fault. */
const entries: [text: string, read: [code: string, unit: string, share: string] | string][] = [
	["ng 1377 48215", ["NG137748215", "", ""]],
	["NG-1377-48215 / 3 b", ["NG137748215", "3B", ""]],
	["NG-1377-48215/Ground floor left", ["NG137748215", "GROUNDFLOORLEFT", ""]],
	["NG-1377-48215 / ٣ب, ask for Chidi", ["NG137748215", "3ب", ""]],
	["NG/1377/48215 / 3B - second gate", ["NG137748215", "3B", ""]],
	["NG-1377-48215, 5 boxes", ["NG137748215", "", ""]],
	["NG-1377-4821, 5 boxes", "MALFORMED_CODE"],
	["My code is NG-1377-48215.", ["NG137748215", "", ""]],
	["ＮＧ－１３７７－４８２１５", ["NG137748215", "", ""]],
	["https://addr.example/a/NG137748215?unit=3b", ["NG137748215", "3B", ""]],
	["Here: https://addr.example/a/NG-1377-48215?share=ab.c-_d&unit=3B#map", ["NG137748215", "3B", "ab.c-_d"]],
	["https://addr.example/a/NG137748215", ["NG137748215", "", ""]],
	["NG-1377-48215 or NG-1377-48215 / 3B", ["NG137748215", "", ""]],
	["NG-1377-48216, no, NG-1377-48215", ["NG137748215", "", ""]],
	["NG-1377-48215 or ZZ-0000-00009", "MALFORMED_CODE"],
	["NG-1377-48216", "BAD_CHECK_DIGIT"],
	["NG-1377-48216 and NG-1377-48217", "MALFORMED_CODE"],
	["NG-O377-48215", "MALFORMED_CODE"],
	["12 Allen Avenue", "MALFORMED_CODE"],
	["", "MALFORMED_CODE"],
];

/** Fails unless a reader of a language writes what each entry holds, as a line of JSON. */
function judgeEntries(name: string, read: (texts: string[]) => string[]): void {
	const lines = read(entries.map(([text]) => text));
	for (const [index, [text, right]] of entries.entries())
		if (lines[index] !== JSON.stringify(right)) throw new Error(`${name} reads ${text} as ${lines[index]}`);
	console.log(`${name} reads ${entries.length} entries as the others do.`);
}

/** A program that takes the texts as a line of JSON. */
const linesOf =
	(command: string, ...args: string[]) =>
	(texts: string[]) => {
		const answer = spawnSync(command, args, { cwd: samples, input: JSON.stringify(texts), encoding: "utf8" });
		if (answer.status !== 0) throw new Error(answer.stderr);
		return answer.stdout.trimEnd().split("\n");
	};

judgeEntries("parseCode", (texts) =>
	texts.map((text) => {
		const read = parseCode(text);
		if (read.mistake) return JSON.stringify(read.mistake === "wrong" ? "BAD_CHECK_DIGIT" : "MALFORMED_CODE");
		return JSON.stringify([read.canonical, read.unit, read.share]);
	}),
);
const pythonEntries = `import json, sys, read_entry
for text in json.load(sys.stdin):
    try: read = read_entry.read_entry(text)
    except ValueError as fault: read = str(fault)
    print(json.dumps(read, ensure_ascii=False, separators=(",", ":")))`;
judgeEntries("read_entry.py", linesOf("python3", "-B", "-c", pythonEntries));
const phpEntries = `require 'read-entry.php';
foreach (json_decode(stream_get_contents(STDIN)) as $text) {
    try { $read = array_values(read_entry($text)); } catch (InvalidArgumentException $fault) { $read = $fault->getMessage(); }
    echo json_encode($read, JSON_UNESCAPED_UNICODE), "\n";
}`;
judgeEntries("read-entry.php", linesOf("php", "-r", phpEntries));

/** Fails unless the server of a shop takes and refuses orders in one language as in another, says so by its exit code, and waits for no registry. */
async function judgeOrders(url: string): Promise<void> {
	const silent = createServer(() => {});
	await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
	const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
	const order = async ([command, ...args]: string[], registry: string, text: string) => {
		const env = { ...process.env, REGISTRY: registry };
		const run = promisify(execFile)(command!, [...args, text], { cwd: samples, env, timeout: 60_000 });
		const { stdout, stderr, code } = await run.then(
			(done) => ({ ...done, code: 0 }),
			(error: { stdout: string; stderr: string; code: number }) => error,
		);
		if (!stdout.startsWith("{")) throw new Error(`${args}: ${stdout}${stderr}`);
		const { display, unit, refused, unchecked } = JSON.parse(stdout);
		return JSON.stringify({ display, unit, refused, unchecked, code });
	};
	const programs = [
		[process.execPath, "order.ts"],
		["python3", "-B", "checkout.py"],
		["php", "checkout.php"],
	];
	const orders: [registry: string, text: string, right: object][] = [
		[url, "NG-1377-48215 / 3b", { display: "NG-1377-48215", unit: "3B", code: 0 }],
		[url, "https://addr.example/a/NG137748215?unit=3B", { display: "NG-1377-48215", unit: "3B", code: 0 }],
		[url, "NG-1377-48216", { refused: "BAD_CHECK_DIGIT", code: 1 }],
		[url, "", { refused: "MALFORMED_CODE", code: 1 }],
		[url, "ZZ-0000-00017", { refused: "ADDRESS_RETIRED", code: 1 }],
		[url, "ZZ-0000-00009", { refused: "SANDBOX", code: 1 }],
		["http://127.0.0.1:9", "NG-1377-48215", { unit: "", unchecked: "", code: 0 }],
		[silentUrl, "NG-1377-48215", { unit: "", unchecked: "", code: 0 }],
	];
	for (const [registry, text, right] of orders) {
		const said = await Promise.all(programs.map((program) => order(program, registry, text)));
		// TypeScript keeps what was sent, which may be a link; the others keep the code.
		const alike = said.map((line) => line.replace(/"unchecked":"[^"]*"/, '"unchecked":""'));
		for (const line of alike)
			if (line !== JSON.stringify(right)) throw new Error(`${text} at ${registry}: ${said.join("\n")}`);
	}
	silent.closeAllConnections();
	silent.close();
	console.log(`${programs.length} servers of shops take and refuse ${orders.length} orders alike.`);
}

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

/** A proxy in front of a registry, which breaks the first answers to the parts of a snapshot as time and bad lines do. */
async function brokenLine(origin: string, breakages: ("gone" | "damaged")[]) {
	const server = createServer(async (request, response) => {
		const { authorization = "" } = request.headers;
		const isPart = /^\/v1\/snapshots\/(?!latest)/.test(request.url ?? "");
		const breakage = isPart ? breakages.shift() : undefined;
		// What the registry itself says of a name that no list has any more.
		const at = breakage === "gone" ? request.url?.replace(/-[0-9a-f]{12}/, "-000000000000") : request.url;
		const answer = await fetch(origin + at, { headers: { authorization } });
		const body = Buffer.from(await answer.arrayBuffer());
		if (breakage === "damaged") body[20] = (body[20] ?? 0) ^ 1;
		const kept = ["content-type", "link", "next-cursor", "retry-after"].flatMap((name) => {
			const value = answer.headers.get(name);
			return value ? [[name, value.replaceAll(origin, line)]] : [];
		});
		response.writeHead(answer.status, Object.fromEntries(kept));
		const isText = /json/.test(answer.headers.get("content-type") ?? "");
		response.end(isText ? body.toString().replaceAll(origin, line) : body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const line = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return { line, close: () => server.close() };
}

/** Runs a copy behind such a line. */
async function copyBehind(
	origin: string,
	breakages: ("gone" | "damaged")[],
	[command, name]: [string, string],
	key: string,
) {
	const { line, close } = await brokenLine(origin, breakages);
	const folder = mkdtempSync(path.join(tmpdir(), "copy-"));
	const env = { ...process.env, REGISTRY: line, KEY: key, COPY: path.join(folder, "copy.json") };
	try {
		const run = promisify(execFile)(command, [name], { cwd: samples, env });
		const { stdout, stderr, code } = await run.then(
			(done) => ({ ...done, code: 0 }),
			(error: { stdout: string; stderr: string; code: number }) => error,
		);
		return { code, said: stdout + stderr, isKept: existsSync(env.COPY) };
	} finally {
		close();
		rmSync(folder, { recursive: true });
	}
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
	await judgeOrders(served.url);
	for (const program of [
		[process.execPath, "mirror.ts"],
		["python3", "mirror.py"],
	] as [string, string][]) {
		const whole = await copyBehind(served.url, ["gone"], program, key);
		if (whole.code !== 0 || !whole.isKept || !/[1-9]\d* addresses/.test(whole.said))
			throw new Error(`${program} gives up where a part has another name: ${whole.said}`);
		const damaged = await copyBehind(served.url, ["damaged"], program, key);
		if (damaged.code === 0 || damaged.isKept || !/is damaged/.test(damaged.said))
			throw new Error(`${program} keeps a part that is damaged: ${damaged.said}`);
		console.log(`${program[1]} reads the list again on 410, and keeps nothing damaged.`);
	}
} finally {
	rmSync(copies, { recursive: true });
	await served.stop();
}
