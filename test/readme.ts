/**
 * Starts the registry as the README says and pastes its curl session into a shell: every request must succeed. Then starts it once
 * more, which must find all that the session left.
 */
import { spawn } from "node:child_process";
import path from "node:path";
import { readSession, runSession } from "../src/cli/smoke.ts";

const PORT = 8797;
const BASE = `http://localhost:${PORT}`;
/** Ends a start or a stop that hangs. How long one takes is printed, and judged by nobody, because the machine may be busy. */
const PATIENCE_SECONDS = 300;

const root = path.join(import.meta.dirname, "..");
const { password } = readSession();

async function serves(): Promise<boolean> {
	try {
		return (await fetch(`${BASE}/healthz`)).ok;
	} catch {
		return false;
	}
}

/** Waits until the registry serves, or no longer does. How many seconds it took. */
async function waitUntilServing(isServing: boolean): Promise<number> {
	const started = Date.now();
	while ((await serves()) !== isServing) {
		if (Date.now() - started > PATIENCE_SECONDS * 1000)
			throw new Error(`npm start did not ${isServing ? "serve" : "stop"} within ${PATIENCE_SECONDS} s`);
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	return (Date.now() - started) / 1000;
}

/** Serves the registry by `npm start` while `work` runs. What the command printed. */
async function whileServing(work: () => Promise<void>): Promise<string> {
	if (await serves()) throw new Error(`Something serves on port ${PORT} already`);
	const command = ["start", "--", "--port", String(PORT)];
	const server = spawn("npm", command, { cwd: root, detached: true, stdio: ["ignore", "pipe", "ignore"] });
	let printed = "";
	server.stdout.on("data", (text: Buffer) => {
		printed += text;
	});
	try {
		const seconds = await waitUntilServing(true);
		console.log(`npm start serves after ${seconds.toFixed(1)} s`);
		await work();
	} finally {
		if (server.pid) process.kill(-server.pid, "SIGTERM");
	}
	await waitUntilServing(false);
	return printed;
}

/** What the session leaves behind. */
let [phone, access, code] = ["", "", ""];

await whileServing(async () => {
	({ phone, access, code } = await runSession(BASE));
	console.log("The README's session works as pasted.");
});

const printed = await whileServing(async () => {
	const json = { "Content-Type": "application/json" };
	const answers = {
		"the address resolves": await fetch(`${BASE}/v1/public/addresses/${code}`),
		"the account signs in": await fetch(`${BASE}/v1/auth/login`, {
			method: "POST",
			headers: json,
			body: JSON.stringify({ phone, password }),
		}),
		"the session goes on": await fetch(`${BASE}/v1/auth/me`, { headers: { Authorization: `Bearer ${access}` } }),
	};
	for (const [hope, { ok, status }] of Object.entries(answers))
		if (!ok) throw new Error(`After a second start, that ${hope} is not so: ${status}`);
});
if (/Applying migrations|Generated a/.test(printed)) throw new Error("The second start prepared everything again");
console.log("A second start keeps the address, the account and its session.");
