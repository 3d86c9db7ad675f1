/** Starts the registry as the README says and pastes its curl session into a shell: every request must succeed. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const PORT = 8797;
const START_SECONDS_MAX = 60;

const root = path.join(import.meta.dirname, "..");
const readme = readFileSync(path.join(root, "README.md"), "utf8");
const session = /## A session with curl\n\n```bash\n([\s\S]*?)```/.exec(readme)?.[1];
if (!session) throw new Error("The README has no curl session");

const server = spawn("npm", ["start", "--", "--port", String(PORT)], { cwd: root, detached: true, stdio: "ignore" });

async function serves(): Promise<boolean> {
	try {
		return (await fetch(`http://localhost:${PORT}/healthz`)).ok;
	} catch {
		return false;
	}
}

try {
	const started = Date.now();
	while (!(await serves())) {
		if (Date.now() - started > START_SECONDS_MAX * 1000)
			throw new Error(`npm start did not serve within ${START_SECONDS_MAX} s`);
		await new Promise((resolve) => setTimeout(resolve, 250));
	}
	console.log(`npm start serves after ${((Date.now() - started) / 1000).toFixed(1)} s`);
	const script = `set -eu\ncurl() { command curl --fail-with-body "$@"; }\n${session.replace("localhost:8787", `localhost:${PORT}`)}`;
	const folder = mkdtempSync(path.join(tmpdir(), "readme-"));
	const output = execFileSync("bash", ["-c", script], { cwd: folder, encoding: "utf8" });
	if (!/"canonical":"NG\d{9}"/.test(output)) throw new Error(`The session minted and resolved nothing:\n${output}`);
	if (!readFileSync(path.join(folder, "label.svg"), "utf8").startsWith("<svg "))
		throw new Error("The session fetched no QR image");
	console.log("The README's session works as pasted.");
} finally {
	if (server.pid) process.kill(-server.pid, "SIGTERM");
}
