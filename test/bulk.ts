/**
 * Creates the addresses of a CSV file by the command line, kills it in the middle and runs it again: every point must have one address, none two.
 * `npm run bulk`, or with a number of points: `npm run bulk -- 2000`.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeKey, signUp } from "./support/remote.ts";
import { serveRegistry } from "./support/serve.ts";

const PORT = 8794;
const POINTS = Number(process.argv[2] ?? 20_000);
const root = path.join(import.meta.dirname, "..");

execFileSync(process.execPath, [".dev/build-once.ts"], { cwd: root, stdio: "inherit" });
const served = await serveRegistry(PORT);
const folder = mkdtempSync(path.join(tmpdir(), "bulk-"));
const file = path.join(folder, "meters.csv");

/** Runs the command until it ends or, with `lines`, until it has written so many lines and is killed. */
function mint(key: string, lines = Number.POSITIVE_INFINITY): Promise<number | null> {
	const args = [path.join(root, "dist/address-registry.js"), "mint", file, "--registry", served.url];
	const child = spawn(process.execPath, args, { env: { ...process.env, REGISTRY_KEY: key }, stdio: "inherit" });
	const watch = setInterval(() => {
		if (writtenLines().length > lines) child.kill("SIGKILL");
	}, 20);
	return new Promise((resolve) => {
		child.on("exit", (code) => {
			clearInterval(watch);
			resolve(code);
		});
	});
}

function writtenLines(): string[] {
	try {
		return readFileSync(`${file}.codes.csv`, "utf8").trimEnd().split("\n").slice(1);
	} catch {
		return [];
	}
}

try {
	const { key } = await makeKey(served.url, (await signUp(served.url)).token, ["addresses:write"]);
	const lines = Array.from({ length: POINTS }, (_, index) => {
		const [row, column] = [Math.floor(index / 200), index % 200];
		return `meter-${index},${(6.45 + row / 1000).toFixed(5)},${(3.3 + column / 1000).toFixed(5)},Meter ${index}`;
	});
	writeFileSync(file, `external_id,lat,lng,label\r\n${lines.join("\r\n")}\r\n`);
	const started = Date.now();
	const killed = await mint(key, POINTS / 2);
	const half = writtenLines().length;
	const ended = await mint(key);
	const seconds = ((Date.now() - started) / 1000).toFixed(0);
	if (killed !== null || half >= POINTS) throw new Error(`The first run was not killed in the middle (${half} lines)`);
	const rows = await served.database
		.prepare(
			"select count(*) as rows, count(distinct external_id) as ids, count(distinct canonical) as codes from addresses where external_id is not null",
		)
		.first<{ rows: number; ids: number; codes: number }>();
	const written = new Set(writtenLines().map((line) => line.split(",")[1]));
	console.log(
		`${POINTS} points, killed after ${half} lines: ${JSON.stringify(rows)} in ${seconds} s, ${written.size} in the file.`,
	);
	if (ended !== 0 || rows?.rows !== POINTS || rows.ids !== POINTS || rows.codes !== POINTS || written.size !== POINTS)
		throw new Error("Not every point has one address");
} finally {
	await served.stop();
	rmSync(folder, { recursive: true });
}
