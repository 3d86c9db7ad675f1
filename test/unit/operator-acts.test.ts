import { describe, expect, it } from "vitest";
import { endpoints } from "../../src/api.ts";
import { doAct, LISTS, OPERATOR_ACTS } from "../../src/cli/operator-acts.ts";

const url = "http://127.0.0.1:9";
const options = {
	url,
	token: "x",
	reason: "Ticket 4711",
	role: "agent",
	scopes: "changes:read",
	decision: "hide",
	"new-addresses-per-day": "5",
};

describe("the acts of the command line", () => {
	const operated = endpoints.filter(({ path }) => path.startsWith("/v1/operator/"));
	const called = Object.entries(OPERATOR_ACTS).map(([name, act]) => {
		const { path, body } = act("usr_x", options);
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
			"acts",
			"agents",
			"reports?waiting=1",
			"figures",
		]);
	});

	it.each([
		["suspend", "+2348031234567", {}, "Name the account by its id"],
		["suspend", "usr_x", { reason: "" }, "Say why"],
		["allowance", "usr_x", { "new-addresses-per-day": "many" }, "is a number"],
		["find", "usr_x", {}, `Nothing answers at ${url}`],
		["find", "usr_x", { token: undefined, url: "https://addr.example" }, "OPERATOR_TOKEN"],
	])("%s %s with %j says what is wrong", async (name, subject, changed, said) => {
		await expect(doAct(name, subject, { ...options, ...changed })).rejects.toThrow(said);
	});
});
