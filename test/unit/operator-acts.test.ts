import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { account } from "../../src/acts/account-acts.ts";
import { act, pathOf, reason } from "../../src/acts/act.ts";
import { acts } from "../../src/acts/acts.ts";
import { endpoints } from "../../src/api.ts";
import { operatorCommands, operatorUsage, runOperatorCommand } from "../../src/cli/operator-acts.ts";
import { sent } from "../../src/schemas/common.ts";

const url = "http://127.0.0.1:9";
const options = {
	url,
	token: "x",
	reason: "Ticket 4711",
	role: "agent",
	agent: "+2348031234567",
	evidence: "pin_on_site",
	scopes: "addresses:read,changes:read",
	decision: "hide",
	code: "NG-1377-48215",
	"new-addresses-per-day": "5",
	"unknown-codes-per-minute": "usual",
};

const requestOf = (name: string, named: string, given: Record<string, string> = options) =>
	operatorCommands()[name]?.request(named, given);

describe("the acts of the command line", () => {
	it("each call the endpoint of their act, with a body that it takes", () => {
		for (const one of acts) {
			const { path, body } = requestOf(one.command ?? one.name, one.on.example)!;
			const endpoint = endpoints.find(({ id }) => id === one.id);
			expect(endpoint).toMatchObject({ method: "post", path: `/v1/operator/${pathOf(one)}` });
			expect(endpoint?.path.replace(/\{\w+\}/, one.on.example)).toBe(`/v1/operator/${path}`);
			expect(() => endpoint?.body?.().parse({ ...body, reason: "Ticket 4711" })).not.toThrow();
		}
		expect(requestOf("scopes", "key_x")?.body).toEqual({ scopes: ["addresses:read", "changes:read"] });
		expect(requestOf("allowance", "usr_x")?.body).toEqual({ new_addresses_per_day: 5, unknown_codes_per_minute: null });
		expect(requestOf("retire", "NG-1377-48215")?.body).toEqual({ successor: undefined });
	});

	it("and what operators look up leave nothing of the API out", () => {
		const called = Object.entries(operatorCommands()).map(([name, { request, takesName }]) => {
			const named =
				acts.find((one) => (one.command ?? one.name) === name)?.on.example ?? (name === "reports" ? "all" : "NG");
			const { path, body } = request(takesName ? named : "", options);
			return `${body ? "post" : "get"} ${path.split("?")[0]?.replace(/[a-z]+_\w{22}|NG-1377-48215/, "{}")}`;
		});
		const operated = endpoints.filter(({ path }) => path.startsWith("/v1/operator/"));
		const missing = operated
			.map(({ method, path }) => `${method} ${path.slice("/v1/operator/".length).replace(/\{\w+\}/, "{}")}`)
			.filter((one) => !called.includes(one));
		// `find` shows an account, and the last is a list for a page.
		expect(missing).toEqual(["get accounts/{}", "get pending-phones"]);
	});

	it("list all where nothing is named", () => {
		const commands = Object.entries(operatorCommands());
		const lists = commands.filter(([, { missing }]) => missing === undefined).map(([name]) => requestOf(name, "", {}));
		expect(lists.map((list) => list?.path)).toEqual(["reports?waiting=1", "agents", "figures", "acts?"]);
		expect(requestOf("acts", "usr_x", { cursor: "1-act_y" })?.path).toBe("acts?account=usr_x&cursor=1-act_y");
	});

	it("find reads a number as the registry's country dials it, and asks for the country of nine digits", async () => {
		vi.stubEnv("REGISTRY_COUNTRY", "NG");
		expect(requestOf("find", "0803 123 4567")?.body).toEqual({ phone: "+2348031234567" });
		expect(requestOf("find", "+2348031234567")?.body).toEqual({ phone: "+2348031234567" });
		expect(() => requestOf("find", "1377-81920")).toThrow(
			"two letters in front of the nine digits, such as NG-1377-81920.",
		);
		vi.stubEnv("REGISTRY_COUNTRY", "FR");
		expect(() => requestOf("find", "1377-81920")).toThrow("in front of the nine digits. For a phone number");
		vi.unstubAllEnvs();
		expect(requestOf("find", "0803 123 4567")?.body, "where wrangler.toml names no country").toEqual({
			phone: "0803 123 4567",
		});
	});

	it("are written in the guides as they are taken", () => {
		const folder = "src/docs/guides/";
		const texts = readdirSync(folder).map((name) => readFileSync(folder + name, "utf8"));
		const written = texts.flatMap((text) => text.match(/(?<=npm run registry -- )\S+.*? --reason "[^"]+".*/g) ?? []);
		expect(written.length).toBeGreaterThan(3);
		for (const command of written) {
			const [name = "", ...args] = command.match(/[^\s"`]+|(?<=")[^"]+(?=")/g) ?? [];
			const { options: own = [] } = operatorCommands()[name] ?? {};
			const taken = Object.fromEntries(["url", "token", ...own].map((name) => [name, { type: "string" as const }]));
			const { values, positionals } = parseArgs({ args, options: taken, allowPositionals: true });
			const named = positionals[0]?.replace("KEY", "key_x") ?? "";
			expect(requestOf(name, named, values as Record<string, string>), command).toBeDefined();
		}
	});

	it.each([
		["suspend", "+2348031234567", {}, "Name the account by its id"],
		["suspend", "", {}, "Name the account by its id"],
		[
			"decide",
			"NG-1377-48215",
			{},
			"Name the report by its id, such as rpt_7dN3kq0vXW2mZrB8cT5yLa. `reports` prints it.",
		],
		["suspend", "usr_x", { reason: "" }, "Say why"],
		["allowance", "usr_x", { "new-addresses-per-day": "many" }, "must be a number"],
		["allowance", "usr_x", { "unknown-codes-per-minute": undefined }, "--unknown-codes-per-minute must be a number"],
		["acts", "+2348031234567", {}, "`find` prints the id"],
		["reports", "rpt_x", {}, "`reports all`"],
		["find", "usr_x", { url: "addr.example" }, "not the URL of a deployment"],
		["find", "usr_x", {}, `Cannot reach ${url}`],
		["find", "usr_x", { token: undefined, url: "https://addr.example" }, "OPERATOR_TOKEN"],
	])("%s %s with %j says what is wrong", async (name, named, changed, said) => {
		await expect(runOperatorCommand(name, named, { ...options, ...changed })).rejects.toThrow(said);
	});

	it("go to the origin of --url, and say what to do where a page to sign in at answers", async () => {
		const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("<html>", { status: 302 }));
		const asked = runOperatorCommand("figures", "", { url: "https://addr.example/operate/", token: "x" });
		await expect(asked).rejects.toThrow("Get a new token");
		expect(fetched).toHaveBeenCalledWith("https://addr.example/v1/operator/figures", expect.anything());
		fetched.mockRestore();
	});
});

describe("an act that is added to the list", () => {
	const added = act({
		name: "praise",
		on: account,
		id: "praiseAccount",
		summary: "Praise an account",
		description: "It is praised.",
		button: "Praise this account",
		done: "Account praised.",
		body: sent("Praise", () => ({ how_often: z.nullable(z.int()), tone: z.enum(["loud", "quiet"]), reason: reason() })),
		plan: () => ({ statements: {} }),
	});
	beforeAll(() => {
		acts.push(added);
	});
	afterAll(() => {
		acts.pop();
	});

	it("is a command, with its options and a line of --help", () => {
		expect(operatorUsage()).toMatch(
			/npm run registry -- praise ACCOUNT --how-often NUMBER\|usual --tone loud\|quiet\n +Praise an account/,
		);
		const { options: own, request } = operatorCommands().praise!;
		expect(own).toEqual(["reason", "how-often", "tone"]);
		expect(request("usr_x", { "how-often": "3", tone: "loud" })).toEqual({
			path: "accounts/usr_x/praise",
			body: { how_often: 3, tone: "loud" },
		});
	});
});
