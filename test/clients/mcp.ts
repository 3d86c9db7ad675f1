import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const folder = path.join(import.meta.dirname, "mcp");

/** Asks a registry by the SDK of the Model Context Protocol, which it installs where it is missing. @throws Error */
export async function checkModelContext(registry: string): Promise<void> {
	if (!existsSync(path.join(folder, "node_modules")))
		execFileSync("npm", ["ci", "--silent", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
	const env = { ...process.env, REGISTRY: registry };
	const { stdout } = await promisify(execFile)(process.execPath, ["calls.js"], { cwd: folder, env });
	const expected = JSON.stringify({
		revision: "2025-11-25",
		tools: ["resolve_address", "check_code", "zone_at"].map((name) => [name, "object"]),
		answers: [true, true, true, "BAD_CHECK_DIGIT", "INVALID_REQUEST"],
	});
	if (stdout.trim() !== expected) throw new Error(`The SDK of the Model Context Protocol was answered ${stdout}`);
	console.log(`The SDK of the Model Context Protocol called ${expected}`);
}
