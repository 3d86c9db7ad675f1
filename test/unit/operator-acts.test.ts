import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { endpoints } from "../../src/api.ts";
import { doAct, LISTS, OPERATOR_ACTS, optionsOf } from "../../src/cli/operator-acts.ts";

const url = "http://127.0.0.1:9";
const options = {
	url,
	token: "x",
	reason: "Ticket 4711",
	role: "agent",
	evidence: "pin_on_site",
	scopes: "changes:read",
	decision: "hide",
	code: "NG-1377-48215",
	"new-addresses-per-day": "5",
	"unknown-codes-per-minute": "usual",
};

describe("the acts of the command line", () => {
	const operated = endpoints.filter(({ path }) => path.startsWith("/v1/operator/"));
	const called = Object.entries(OPERATOR_ACTS).map(([name, act]) => {
		const { path, body } = act(name === "reports" ? "all" : "usr_x", options);
		const wanted = `/v1/operator/${path.split("?")[0]?.replace("usr_x", "{}")}`;
		const method = body ? "post" : "get";
		return {
			name,
			endpoint: operated.find((it) => it.method === method && it.path.replace(/\{\w+\}/, "{}") === wanted),
		};
	});

	it("each call an endpoint of operators, and each act of the API has one", () => {
		expect(called.filter(({ endpoint }) => !endpoint)).toEqual([]);
		const missing = operated.filter(({ method }) => method === "post");
		expect(missing.filter((act) => !called.some(({ endpoint }) => endpoint === act)).map(({ path }) => path)).toEqual(
			[],
		);
	});

	it("list all where nothing is named", () => {
		expect(LISTS.map((name) => OPERATOR_ACTS[name]?.("", options).path)).toEqual([
			"acts?",
			"reports?waiting=1",
			"agents",
			"figures",
		]);
		expect(OPERATOR_ACTS.acts?.("usr_x", { cursor: "1-act_y" }).path).toBe("acts?account=usr_x&cursor=1-act_y");
	});

	it("are written in the guides as they are taken", () => {
		const folder = "src/docs/guides/";
		const texts = readdirSync(folder).map((name) => readFileSync(folder + name, "utf8"));
		const written = texts.flatMap((text) => text.match(/(?<=npm run registry -- )\S+.*? --reason "[^"]+".*/g) ?? []);
		expect(written.length).toBeGreaterThan(3);
		for (const command of written) {
			const [name = "", ...args] = command.match(/[^\s"`]+|(?<=")[^"]+(?=")/g) ?? [];
			const taken = Object.fromEntries(optionsOf(name).map((option) => [option, { type: "string" as const }]));
			const { values, positionals } = parseArgs({ args, options: taken, allowPositionals: true });
			OPERATOR_ACTS[name]?.(encodeURIComponent(positionals[0] ?? ""), values);
		}
	});

	it.each([
		["suspend", "+2348031234567", {}, "Name the account by its id"],
		["suspend", "usr_x", { reason: "" }, "Say why"],
		["allowance", "usr_x", { "new-addresses-per-day": "many" }, "is a number"],
		["allowance", "usr_x", { "unknown-codes-per-minute": undefined }, "--unknown-codes-per-minute is a number"],
		["acts", "+2348031234567", {}, "`find` prints the id"],
		["reports", "rpt_x", {}, "`reports all`"],
		["find", "usr_x", { url: "addr.example" }, "not the URL of a deployment"],
		["find", "usr_x", {}, `Nothing answers at ${url}`],
		["find", "usr_x", { token: undefined, url: "https://addr.example" }, "OPERATOR_TOKEN"],
	])("%s %s with %j says what is wrong", async (name, subject, changed, said) => {
		await expect(doAct(name, subject, { ...options, ...changed })).rejects.toThrow(said);
	});

	it("go to the origin of --url, and say what to do where a page to sign in at answers", async () => {
		const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("<html>", { status: 302 }));
		const asked = doAct("figures", "", { url: "https://addr.example/operate/", token: "x" });
		await expect(asked).rejects.toThrow("Get a new token");
		expect(fetched).toHaveBeenCalledWith("https://addr.example/v1/operator/figures", expect.anything());
		fetched.mockRestore();
	});
});
