import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

/** Runs a command of package.json's as an operator types it. */
function run(command: string, ...args: string[]) {
	const { status, stdout, stderr } = spawnSync("node", [`src/cli/${command}.ts`, ...args], { encoding: "utf8" });
	return { status, stdout, stderr, lines: `${stdout}\n${stderr}` };
}

const STACK = /^\s+at |node:internal/m;

describe.each(["deploy", "registry", "smoke", "cost", "basemap"])("npm run %s", (command) => {
	it("explains itself", () => {
		const { status, stdout, stderr } = run(command, "--help");
		expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
		expect(stdout).toContain(`npm run ${command} -- `);
	});

	it.each([
		[["--frobnicate"], "Unknown option '--frobnicate'"],
		[["one", "two", "three", "four"], "Unexpected argument '"],
	])("says what is wrong with %j, and how to write it", (args, complaint) => {
		const { status, stderr, lines } = run(command, ...args);
		expect(status).toBe(2);
		expect(stderr).toContain(complaint);
		expect(stderr).toContain(`npm run ${command} -- `);
		expect(lines).not.toMatch(STACK);
	});
});

it.each([
	["deploy", ["--env", "nowhere"], 1, 'No environment found in configuration with name "nowhere"'],
	["deploy", ["--location", "moon"], 2, "--location moon is not one of weur, "],
	["deploy", ["--zones", "nowhere.zones"], 2, "There is no zone index nowhere.zones."],
	["registry", ["frobnicate"], 2, "There is no act 'frobnicate'."],
	["registry", ["import"], 2, "Name the backup."],
	["registry", ["hand-over", "NG031148211"], 2, "Name the code and the account."],
	["registry", ["import", "nowhere"], 1, "nowhere holds no finished backup"],
	["registry", ["suspend", "usr_x"], 2, "Say why, with --reason."],
	["registry", ["find"], 2, "Say to what"],
	["basemap", [], 2, "Name the archive, or say --remove."],
	["basemap", ["nowhere.pmtiles"], 2, "There is no file nowhere.pmtiles that can be read."],
	["smoke", ["nonsense"], 2, "'nonsense' is not the address of a deployment."],
])("npm run %s %j says what is wrong", (command, args, status, complaint) => {
	const { status: exit, stderr, lines } = run(command, ...args);
	expect(stderr).toContain(complaint);
	expect(exit).toBe(status);
	expect(lines).not.toMatch(STACK);
});
