import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { getPlatformProxy } from "wrangler";
import { LOCAL_KEY_FILE, LOCAL_OPERATOR } from "../../src/cli/local-operator.ts";
import { makeKey, signUp } from "../support/remote.ts";
import { serveRegistry } from "../support/serve.ts";
import { vectors } from "../support/vectors.ts";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

/** Runs a command of package.json's as an operator types it. */
function run(command: string, ...args: string[]) {
	const [file = ""] = /\S+\.ts$/.exec(scripts[command] ?? "") ?? [];
	const { status, stdout, stderr } = spawnSync("node", [file, ...args], { encoding: "utf8" });
	return { status, stdout, stderr, lines: `${stdout}\n${stderr}` };
}

const STACK = /^\s+at |node:internal/m;

const OF_ZONES = ["build", "diff", "draw", "fill", "number", "simulate"].map((name) => `zones:${name}`);

describe.each(["deploy", "registry", "smoke", "cost", "basemap", ...OF_ZONES])("npm run %s", (command) => {
	it("explains itself", () => {
		const { status, stdout, stderr } = run(command, "--help");
		expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
		expect(stdout).toContain(`npm run ${command} -- `);
	});

	it.each([
		[["--frobnicate"], "Unknown option '--frobnicate'"],
		[["one", "two", "three", "four"], /^Unexpected argument '|^ONE is no country/],
	])("says what is wrong with %j, and how to write it", (args, complaint) => {
		const { status, stderr, lines } = run(command, ...args);
		expect(status).toBe(2);
		expect(stderr).toMatch(complaint);
		expect(stderr.trim().split("\n").slice(1)).toEqual([`See \`npm run ${command} -- --help\`.`]);
		expect(lines).not.toMatch(STACK);
	});
});

it.each(vectors<[string, string, string]>("refused-commands"))(
	"npm run %s says what is wrong",
	(line, status, complaint) => {
		const [command = "", ...args] = line.split(" ");
		const { status: exit, stderr, lines } = run(command, ...args);
		expect(stderr).toContain(complaint);
		expect(String(exit)).toBe(status);
		expect(lines).not.toMatch(STACK);
	},
);

const root = path.join(import.meta.dirname, "../..");

/** Works in a folder of its own, so that the key of this checkout stays as it is. */
async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(path.join(tmpdir(), "operator-"));
	try {
		await work(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

it("npm start refuses the tables of a version before 0.9.0 in one sentence, and leaves them as they are", () =>
	inFolder(async (cwd) => {
		for (const name of ["migrations", "zones", "wrangler.toml", "node_modules"])
			symlinkSync(path.join(root, name), path.join(cwd, name));
		const tables = async <Answer>(work: (database: D1Database) => Promise<Answer>): Promise<Answer> => {
			const persist = { path: path.join(cwd, ".wrangler/state/v3") };
			const configPath = path.join(root, "wrangler.toml");
			const { env, dispose } = await getPlatformProxy<{ DB: D1Database }>({
				configPath,
				persist,
				remoteBindings: false,
			});
			return work(env.DB).finally(dispose);
		};
		await tables((database) =>
			database.exec(
				"create table d1_migrations (id integer primary key, name text)\ninsert into d1_migrations (name) values ('0000_registry.sql')",
			),
		);
		const { status, stdout, stderr } = spawnSync("node", [`${root}/.dev/prepare.ts`], { cwd, encoding: "utf8" });
		expect(stderr.trim()).toBe(
			"The local database was made by a version before 0.9.0, which no later version can upgrade: delete .wrangler/state to begin with an empty one, or go on with the version that made it.",
		);
		expect({ status, isApplied: stdout.includes("Applying") }).toEqual({ status: 1, isApplied: false });
		const names = await tables(async (database) =>
			(await database.prepare("select name from sqlite_master where name not like '\\_cf%' escape '\\'").raw()).flat(),
		);
		expect(names).toEqual(["d1_migrations"]);
	}));

describe("npm run registry -- operator-token", () => {
	it.each([["--remote"], ["--env", "staging"]])("is for this machine alone, and refuses %s", (...option) => {
		const { status, stdout, stderr } = run("registry", "operator-token", ...option);
		expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
		expect(stderr).toContain("only for the registry on this machine");
	});

	it("prints a token for an hour that the local registry takes, and none that it does not take", () =>
		inFolder(async (cwd) => {
			const node = (...args: string[]) => promisify(execFile)("node", args, { cwd });
			const token = (url: string) => node(`${root}/src/cli/registry.ts`, "operator-token", "--url", url);
			await expect(token("http://127.0.0.1:9")).rejects.toThrow("Run `npm start` once");
			const making = `import("${root}/src/cli/local-operator.ts").then(async (it) => console.log(JSON.stringify(await it.localKeySet())))`;
			const { stdout: keys } = await node("-e", making);
			expect(keys).not.toContain('"d"');
			await expect(token("http://127.0.0.1:9")).rejects.toThrow(/Cannot reach http:\/\/127.0.0.1:9\..*--url\.\s*$/);
			const { issuer, audience, email } = LOCAL_OPERATOR;
			const local = { OPERATORS_ISSUER: issuer, OPERATORS_AUDIENCE: audience, OPERATORS: email, OPERATORS_JWKS: keys };
			const served = await serveRegistry(0, { bindings: local });
			const other = { ...local, OPERATORS_ISSUER: "https://team.cloudflareaccess.com" };
			const ofProvider = await serveRegistry(0, { bindings: other });
			try {
				const { stdout, stderr } = await token(served.url);
				const { exp = 0, iat = 0 } = decodeJwt(stdout.trim());
				expect(exp - iat).toBe(3600);
				expect(stderr).toContain(`${served.url}/operate?token=${stdout.trim()}`);
				const headers = { Authorization: `Bearer ${stdout.trim()}` };
				expect((await fetch(`${served.url}/v1/operator/figures`, { headers })).status).toBe(200);
				await expect(token(ofProvider.url)).rejects.toThrow(
					`${ofProvider.url} accepts this machine's token only while`,
				);
			} finally {
				await Promise.all([served.stop(), ofProvider.stop()]);
			}
			expect(statSync(path.join(cwd, LOCAL_KEY_FILE)).mode & 0o777).toBe(0o600);
		}));
});

it("address-registry mint tells faults last, each by its line, and what the number of the day leaves", () =>
	inFolder(async (cwd) => {
		const file = path.join(cwd, "meters.csv");
		writeFileSync(file, "external_id,lat,lng\r\nsea,-45,-20\nm1,6.5,3.3\nm2,6.6,3.3\nm2,6.6,3.3\nm3,6.7,3.3\n");
		const mint = async (url: string, key: string, ...options: string[]) => {
			const args = [`${root}/src/cli/address-registry.ts`, "mint", file, "--registry", url, ...options];
			const env = { ...process.env, REGISTRY_KEY: key };
			const run = await promisify(execFile)("node", args, { env }).catch((failed) => failed);
			return { status: run.code, stderr: run.stderr.trimEnd().split("\n"), stdout: run.stdout };
		};
		expect((await mint("http://127.0.0.1:9", "x")).stderr).toEqual([
			"Cannot reach http://127.0.0.1:9. Run the command again to continue.",
		]);
		expect((await mint("127.0.0.1:9", "x")).stderr[0]).toBe(
			"Name the registry with --registry, such as https://addr.example.",
		);
		const served = await serveRegistry(0, { bindings: { NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 2 } });
		try {
			const { key } = await makeKey(served.url, (await signUp(served.url)).token, ["addresses:write"]);
			const faults = [
				expect.stringMatching(/^Line 2 \(sea\): No zone holds this coordinate/),
				"Line 5 has the external_id of line 4.",
			];
			const dry = await mint(served.url, key, "--dry-run");
			expect(dry.stderr).toEqual([...faults, expect.stringContaining("may create 2 of these 3 today (UTC)")]);
			expect(dry.stdout).toContain("Columns that are read: external_id, lat, lng.\n");
			expect(dry.stdout).toMatch(/By status: {"failed":2,"would_create":3}\n$/);
			const past = await mint(served.url, key);
			expect(past.stderr).toEqual([
				expect.stringMatching(/^QUOTA_EXCEEDED: .*2 left.*T00:00:00.000Z\. Run the command again/),
			]);
			expect([dry.status, past.status]).toEqual([1, 1]);

			const label = (text: string) => writeFileSync(file, `external_id,lat,lng,label\nm1,6.5,3.3,${text}\n`);
			const codes = () => readFileSync(`${file}.codes.csv`, "utf8");
			writeFileSync(file, "external_id,lat,lng\nm1,-45,-20\n");
			await mint(served.url, key);
			expect(codes()).toBe("line,external_id,code,status,locality,region\n");
			const left = () => readFileSync(`${file}.faults.csv`, "utf8");
			expect(left()).toMatch(/^external_id,lat,lng,fault\nm1,-45,-20,"Line 2 \(m1\): .*"\n$/);
			label("Blue gate");
			expect((await mint(served.url, key)).stderr).toEqual([""]);
			// Who looks for the first line of m1 finds its code.
			expect(codes()).toMatch(/^line,external_id,code,status,locality,region\n2,m1,NG-\d{4}-\d{5},created,.+,Lagos\n$/);
			expect(left()).toBe("");
			label("Red gate");
			const again = await mint(served.url, key, "--dry-run");
			expect(again.stderr).toEqual(["Line 2 (m1): Already yours, with other values, which stay unchanged: label."]);
			expect(again.stdout).toMatch(/By status: {"existing":1}\n$/);
			expect((await mint(served.url, key)).stderr).toEqual(again.stderr);

			const before = codes();
			writeFileSync(file, "external_id,lat,lng\nm1,6.51,3.3\n");
			expect((await mint(served.url, key)).stderr).toEqual([
				expect.stringMatching(/^Line 2 \(m1\): .*at another point/),
			]);
			expect(codes()).toBe(before);
			writeFileSync(file, "Meter No,Y,X,Feeder\nm7,6.52,3.31,F7\nm8,48.85,2.35,F8\n");
			expect((await mint(served.url, key)).stderr).toEqual([
				"Line 1: the column lat is missing. The columns are Meter No, Y, X, Feeder.",
			]);
			expect((await mint(served.url, key, "--columns", "height=Y")).stderr[0]).toContain(
				"--columns: write external_id=",
			);
			expect((await mint(served.url, key, "--encoding", "latin-one")).stderr[0]).toContain(
				"--encoding: latin-one is unknown",
			);
			const columns = ["--columns", "lat=Y,lng=X", "--country", "ng"];
			expect((await mint(served.url, key, ...columns)).stderr).toEqual([
				expect.stringContaining("has different columns"),
			]);
			const rehearsal = await mint(served.url, key, ...columns, "--dry-run");
			expect(rehearsal.stdout).toContain("Reading external_id from the column Meter No.");
			expect(rehearsal.stdout).toContain("Copied to the file of codes: Feeder.");
			expect(rehearsal.stderr).toEqual(["Line 3 (m8): The point is in FR, not in NG. Are lat and lng swapped?"]);
			expect(left()).toMatch(/^Meter No,Y,X,Feeder,fault\nm8,48.85,2.35,F8,"?Line 3/);
			const { key: test } = await makeKey(served.url, (await signUp(served.url)).token, ["addresses:write"], "test");
			expect((await mint(served.url, test, ...columns, "--dry-run")).stdout).toContain('By country: {"NG":1}');

			writeFileSync(file, "external_id,lat,lng\nm1,6.51,3.3\n");
			const { key: others } = await makeKey(served.url, (await signUp(served.url)).token, ["addresses:write"]);
			expect((await mint(served.url, others)).stderr).toEqual([
				expect.stringContaining("Move it away, and run again."),
			]);
			expect(codes()).toBe(before);
		} finally {
			await served.stop();
		}
	}));

it("npm run deploy refuses a wrangler.toml that lacks rate limits of this version, before it does anything", () =>
	inFolder(async (cwd) => {
		const toml = readFileSync("wrangler.toml", "utf8");
		writeFileSync(path.join(cwd, "wrangler.toml"), toml.replaceAll('"PER_MINUTE_300"', '"AUTH_CALLS"'));
		const deploy = spawnSync("node", [`${root}/src/cli/deploy.ts`, "--dry-run"], { cwd, encoding: "utf8" });
		expect(deploy.stderr).toContain("wrangler.toml binds no rate limit PER_MINUTE_300. Copy the [[ratelimits]] tables");
		expect([deploy.status, deploy.stdout]).toEqual([1, ""]);
	}));

it("npm run deploy refuses the key of a developer's machine", () =>
	inFolder(async (cwd) => {
		const toml = readFileSync("wrangler.toml", "utf8");
		const vars = '[vars]\nOPERATORS_ISSUER = "local"\n';
		const ownVars = toml.includes("\n[vars]\n");
		writeFileSync(
			path.join(cwd, "wrangler.toml"),
			ownVars ? toml.replace("\n[vars]\n", `\n${vars}`) : `${toml}\n${vars}`,
		);
		const deploy = spawnSync("node", [`${root}/src/cli/deploy.ts`, "--dry-run"], { cwd, encoding: "utf8" });
		expect(deploy.stderr).toContain("OPERATORS_ISSUER is `local`");
		expect([deploy.status, deploy.stdout]).toEqual([1, ""]);
	}));
