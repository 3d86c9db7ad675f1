/** `npm start` over several databases, which one line of the guide binds, in a copy of this checkout. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { getPlatformProxy } from "wrangler";
import { MINUTE } from "../../src/time/time.ts";
import { temporaryFolder } from "../support/folder.ts";
import { LAGOS, mint, send, signUp } from "../support/remote.ts";

const root = path.join(import.meta.dirname, "../..");
const PORT = 8793;
const URL = `http://localhost:${PORT}`;
const POINTS = {
	LAGOS,
	KANO: { lat: 12.0022, lng: 8.592, label: "Kano" },
	NAIROBI: { lat: -1.2864, lng: 36.8172, label: "Nairobi" },
	ACCRA: { lat: 5.6037, lng: -0.187, label: "Accra" },
};

/** This checkout, as a clean clone has it after `npm ci`. */
function clone(): string {
	const folder = temporaryFolder();
	const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
	for (const file of files.split("\n").filter(Boolean)) cpSync(path.join(root, file), path.join(folder, file));
	symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
	return folder;
}

const isServing = () =>
	fetch(`${URL}/healthz`).then(
		({ ok }) => ok,
		() => false,
	);

/** Waits for a condition, and gives up what hangs. */
async function until(condition: () => Promise<boolean>): Promise<void> {
	const started = Date.now();
	while (!(await condition())) {
		if (Date.now() - started > 5 * MINUTE) throw new Error("npm start hangs");
		await setTimeout(200);
	}
}

it("npm start serves three databases beside DB, and each address lies where its code says", async () => {
	const cwd = clone();
	const guide = readFileSync(path.join(root, "src/docs/guides/operate.md"), "utf8");
	const [line = ""] = /^for of in .*$/m.exec(guide) ?? [];
	execFileSync("sh", ["-c", line], { cwd });

	expect(await isServing()).toBe(false);
	const server = spawn("npm", ["start", "--", "--port", String(PORT)], { cwd, detached: true, stdio: "ignore" });
	const ended = new Promise((resolve) => server.once("exit", resolve));
	const codes: string[] = [];
	try {
		await Promise.race([
			until(isServing),
			ended.then((status) => Promise.reject(new Error(`It ended with ${status}`))),
		]);
		const { token } = await signUp(URL);
		for (const point of Object.values(POINTS)) codes.push(await mint(URL, token, point));
		const list = await send(URL, { path: "/v1/addresses", token });
		expect(list.body.data).toMatchObject(codes.toReversed().map((canonical) => ({ canonical })));
		const health = await send(URL, { path: "/healthz" });
		expect(health.body.databases).toEqual({ DB_NG_01234: "ok", DB_NG_56789: "ok", DB_KE: "ok" });
	} finally {
		process.kill(-(server.pid as number), "SIGTERM");
	}
	await until(async () => !(await isServing()));

	// As after an upgrade: what is there is proved before anything is changed.
	rmSync(path.join(cwd, ".wrangler/state/v3/prepared"));
	const { status, stderr } = spawnSync("node", [".dev/prepare.ts"], { cwd, encoding: "utf8" });
	expect(status, stderr).toBe(0);

	const { env, dispose } = await getPlatformProxy<Record<string, D1Database>>({
		configPath: path.join(cwd, "wrangler.toml"),
		persist: { path: path.join(cwd, ".wrangler/state/v3") },
		remoteBindings: false,
	});
	const names = ["DB", "DB_NG_01234", "DB_NG_56789", "DB_KE"];
	const found = await Promise.all(
		names.map(async (name) => {
			const rows = env[name]?.prepare("select canonical from addresses where owner_id <> 'usr_nobody'");
			return (await rows?.raw<string[]>())?.flat() ?? [];
		}),
	).finally(dispose);
	const [lagos = "", kano = "", nairobi = "", accra = ""] = codes;
	const inNigeria = (digits: RegExp) => [lagos, kano].filter((code) => digits.test(code)).toSorted();
	expect(found.map((each) => each.toSorted())).toEqual([
		[accra],
		inNigeria(/^NG[0-4]/),
		inNigeria(/^NG[5-9]/),
		[nairobi],
	]);
});
