/**
 * Runs the README's curl session against a deployment, under a phone number that is reserved for fiction, and cleans up after it:
 * `npm run smoke -- https://addr.example`.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { originOf, runCommand } from "./command.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";

const root = path.join(import.meta.dirname, "../..");

/** How long to wait for a new deployment, which does not reach every location at once. */
const WAIT_MILLISECONDS_MAX = 120_000;
const POLL_MILLISECONDS = 1_000;

/** Some area codes of North America. In each of them, 555-0100 to 555-0199 belong to nobody. */
const AREA_CODES = [201, 202, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216, 217, 218, 219, 224, 225, 228];

/** Bouvet Island, where nobody lives and nobody will miss a used code. */
const NOWHERE = '"lat": -54.4208, "lng": 3.3464';

/** The curl session of the README and the password in it. */
export function readSession(): { script: string; password: string } {
	const readme = readFileSync(path.join(root, "README.md"), "utf8");
	const script = /## A session with curl\n\n```bash\n([\s\S]*?)```/.exec(readme)?.[1];
	const password = /\\"password\\": \\"(.*?)\\"/.exec(script ?? "")?.[1];
	if (!script || !password) throw new Error("README.md has no curl session");
	return { script, password };
}

/** What a session leaves behind. */
interface SessionTraces {
	phone: string;
	/** Access token. */
	access: string;
	/** As displayed. */
	code: string;
}

/**
 * Runs the session in a shell, where every request must succeed.
 * @param edit Changes the script before it runs.
 * @param headers Sent with each request.
 * @throws Error with the session's output, if a request fails or an answer is not as expected.
 */
export async function runSession(
	base: string,
	edit = (script: string) => script,
	headers: Record<string, string> = {},
): Promise<SessionTraces> {
	const sent = Object.entries(headers).map(([name, value]) => ` -H '${name}: ${value}'`);
	const script = [
		"set -eu",
		`curl() { command curl --max-time 30${sent.join("")} "$@"; }`,
		edit(readSession().script).replace("http://localhost:8787", base),
		'printf "\\n%s %s %s" "$PHONE" "$ACCESS" "$CODE"',
	].join("\n");
	return withTemporaryFolder(async (folder) => {
		const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: folder }).catch((error) => {
			throw new Error(`A request of the README's session failed. It printed:\n${error.stdout}\n${error.stderr}`);
		});
		if (!/"canonical":"[A-Z]{2}\d{9}"/.test(stdout))
			throw new Error(`The session created and resolved nothing:\n${stdout}`);
		if (!readFileSync(path.join(folder, "label.svg"), "utf8").startsWith("<svg "))
			throw new Error("The session fetched no card");
		const [phone = "", access = "", code = ""] = stdout.split("\n").at(-1)?.split(" ") ?? [];
		return { phone, access, code };
	});
}

function fictionalPhone(): string {
	const areaCode = AREA_CODES[Math.floor(Math.random() * AREA_CODES.length)];
	return `+1${areaCode}55501${String(Math.floor(Math.random() * 100)).padStart(2, "0")}`;
}

/** Which version of a deployment to test, and how long to wait for it. */
interface SmokeOptions {
	/** The version that was just uploaded, which may get only requests that ask for it; any version if left out. */
	version?: string | undefined;
	/** The name of its Worker. */
	worker?: string | undefined;
	waitMillisecondsMax?: number;
}

/**
 * Waits until the deployment answers and all its parts are well.
 * @throws Error with the last answer, when it never does.
 */
async function waitUntilHealthy(
	base: string,
	headers: Record<string, string>,
	{ version, waitMillisecondsMax = WAIT_MILLISECONDS_MAX }: SmokeOptions,
): Promise<void> {
	const started = Date.now();
	for (;;) {
		const answer = await fetch(`${base}/healthz`, { headers }).then(
			async (response) => `${response.status} ${await response.text()}`,
			(error: Error) => String(error.cause ?? error),
		);
		const isRight = version === undefined || answer.includes(`"version":"${version}"`);
		if (/^200 .*"status":"ok"/.test(answer) && isRight) return;
		if (Date.now() - started > waitMillisecondsMax) {
			throw new Error(
				`${base}/healthz answers: ${answer}${isRight ? "" : `\nThe version that was deployed is ${version}.`}`,
			);
		}
		await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
	}
}

/** Retires the session's address and deletes its account. @throws Error naming what is left. */
async function cleanUpAfter(
	base: string,
	{ phone, access, code }: SessionTraces,
	override: Record<string, string>,
): Promise<void> {
	const headers = { ...override, Authorization: `Bearer ${access}`, "Content-Type": "application/json" };
	const body = JSON.stringify({ password: readSession().password });
	const retired = await fetch(`${base}/v1/addresses/${code}`, { method: "DELETE", headers });
	const deleted = await fetch(`${base}/v1/auth/me`, { method: "DELETE", headers, body });
	if (!retired.ok)
		throw new Error(`The address ${code} of the smoke test could not be retired: ${await retired.text()}`);
	if (!deleted.ok)
		throw new Error(`The account ${phone} of the smoke test could not be deleted: ${await deleted.text()}`);
}

/**
 * Runs the README's session against the deployment at `base`, such as `https://addr.example`. Afterwards its address is retired and its
 * account deleted; only the code, on an uninhabited island, stays used.
 * @throws Error that says which part failed.
 */
export async function smokeTest(base: string, options: SmokeOptions = {}): Promise<void> {
	const { version, worker } = options;
	// With this header, Cloudflare sends a request to a given version: developers.cloudflare.com/workers, "Version overrides".
	const override = { "Cloudflare-Workers-Version-Overrides": `${worker}="${version}"` };
	const headers: Record<string, string> = version && worker ? override : {};
	await waitUntilHealthy(base, headers, options);
	const traces = await runSession(
		base,
		(script) =>
			script
				.replace(/^PHONE=.*$/m, `PHONE="${fictionalPhone()}"`)
				.replace(/\\?"lat\\?": [-\d.]+, \\?"lng\\?": [-\d.]+/, NOWHERE),
		headers,
	);
	await cleanUpAfter(base, traces, headers);
}

const USAGE = `Test a deployment with the session of README.md:

  npm run smoke -- https://addr.example`;

if (process.argv[1] === import.meta.filename) {
	await runCommand({ usage: USAGE, options: {}, positionalsMax: 1 }, async ({ positionals: [text = ""] }) => {
		const origin = originOf(text);
		await smokeTest(origin);
		console.log(`The README's session works against ${origin}, and what it made is cleaned up.`);
	});
}
