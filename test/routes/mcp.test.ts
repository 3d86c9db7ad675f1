import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { call, ORIGIN } from "../support/client.ts";
import { LAGOS, mint, newOwner, signUp } from "../support/people.ts";

const rpc = async (method: string, params?: object | null, id: number | null = 1) => {
	const answer = await call("/mcp", {
		method: "POST",
		headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
		body: JSON.stringify({
			jsonrpc: "2.0",
			...(id === null ? {} : { id }),
			method,
			...(params === undefined ? {} : { params }),
		}),
	});
	return {
		status: answer.status,
		body: answer.status === 202 ? undefined : await answer.json<Record<string, never>>(),
	};
};
const tool = async (name: string, given: object) => (await rpc("tools/call", { name, arguments: given })).body;

describe("POST /mcp", () => {
	it("introduces itself in the revision that is asked for, or in its newest", async () => {
		for (const [asked, answered] of [
			["2025-03-26", "2025-03-26"],
			["2025-06-18", "2025-06-18"],
			["1999-01-01", "2025-11-25"],
		])
			expect((await rpc("initialize", { protocolVersion: asked, capabilities: {} })).body).toMatchObject({
				jsonrpc: "2.0",
				id: 1,
				result: { protocolVersion: answered, serverInfo: { name: "address-registry", version: manifest.version } },
			});
		expect(await rpc("notifications/initialized", undefined, null)).toMatchObject({ status: 202 });
		expect((await rpc("ping")).body).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
	});

	it("has three tools that only read", async () => {
		const { body } = await rpc("tools/list");
		const { tools } = body!.result as unknown as {
			tools: { name: string; annotations: object; inputSchema: { required: string[] } }[];
		};
		expect(tools.map(({ name, inputSchema }) => [name, inputSchema.required])).toEqual([
			["resolve_address", ["code"]],
			["check_code", ["code"]],
			["zone_at", ["lat", "lng"]],
		]);
		for (const { annotations } of tools) expect(annotations).toEqual({ readOnlyHint: true });
	});

	it("resolves as the API does, a private address not at all", async () => {
		const { canonical } = await newOwner();
		const { result } = (await tool("resolve_address", { code: canonical.toLowerCase() }))!;
		expect(result).toMatchObject({ isError: false, structuredContent: { canonical } });
		const { access } = await signUp();
		const { canonical: hidden } = await mint(access, { ...LAGOS, label: "Quiet", visibility: "private" });
		const refused = (await tool("resolve_address", { code: hidden }))!.result;
		expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("ADDRESS_PRIVATE") }] });
		expect(JSON.stringify(refused)).not.toContain("Quiet");
	});

	it("judges codes, and finds the zone of a point", async () => {
		expect((await tool("check_code", { code: "ng 1377 48215" }))!.result).toMatchObject({
			structuredContent: { canonical: "NG137748215", check_digit: "fits" },
		});
		expect((await tool("check_code", { code: "NG-1377-48216" }))!.result).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining("BAD_CHECK_DIGIT") }],
		});
		expect((await tool("zone_at", { lat: LAGOS.lat, lng: LAGOS.lng }))!.result).toMatchObject({
			structuredContent: { country: "NG" },
		});
	});

	it.each([
		["an unknown tool", "tools/call", { name: "mint", arguments: {} }, -32602],
		["a name that every object has", "tools/call", { name: "toString", arguments: {} }, -32602],
		["no parameters of a call", "tools/call", null, -32602],
		["what it does not have", "resources/list", undefined, -32601],
	])("refuses %s", async (_, method, params, code) => {
		expect((await rpc(method, params)).body).toMatchObject({ id: 1, error: { code, message: expect.any(String) } });
	});

	it.each([
		["zone_at", { lat: "6", lng: 3 }, "lat: Send a number."],
		["zone_at", { lat: 6 }, "lng: Send a number."],
		["check_code", { code: "NG-1377-48215", unit: "3B" }, "Unknown: unit. The arguments are code."],
		["check_code", [], "Send the arguments as an object."],
		["check_code", null, "Send the arguments as an object."],
	])("lets the model read what is wrong with the arguments of %s: %j", async (name, given, said) => {
		const { result } = (await rpc("tools/call", { name, arguments: given })).body!;
		expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(said) }] });
		expect(result).not.toHaveProperty("structuredContent");
	});

	it("gives what its output schemas say", async () => {
		const { canonical } = await newOwner();
		const { tools } = (await rpc("tools/list")).body!.result as unknown as {
			tools: { name: string; outputSchema: { properties: Record<string, { type: string }>; required: string[] } }[];
		};
		const given: Record<string, object> = { zone_at: { lat: LAGOS.lat, lng: LAGOS.lng } };
		for (const { name, outputSchema } of tools) {
			const { result } = (await tool(name, given[name] ?? { code: canonical }))!;
			const { structuredContent } = result as unknown as { structuredContent: Record<string, unknown> };
			expect(outputSchema.required.length).toBeGreaterThan(3);
			for (const key of outputSchema.required)
				expect([name, key, typeof structuredContent[key]]).toEqual([name, key, outputSchema.properties[key]!.type]);
		}
	});

	it("links the page of an address where WEB_URL says which host that is", async () => {
		const { canonical } = await newOwner();
		const ask = async (webUrl: string) => {
			const params = { name: "resolve_address", arguments: { code: canonical } };
			const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
			const answer = await call("/mcp", { method: "POST", body, settings: { WEB_URL: webUrl } });
			return (await answer.json<{ result: { structuredContent: object } }>()).result.structuredContent;
		};
		expect(await ask(ORIGIN)).toMatchObject({ page: `${ORIGIN}/a/${canonical}` });
		expect(await ask("")).not.toHaveProperty("page");
	});

	const post = (body: unknown, headers: Record<string, string> = {}) =>
		call("/mcp", { method: "POST", headers, body: JSON.stringify(body) ?? "" });
	const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

	it("takes null for no parameters", async () => {
		for (const method of ["initialize", "ping", "tools/list"])
			expect((await rpc(method, null)).body).toMatchObject({ id: 1, result: expect.any(Object) });
	});

	it.each([
		["another JSON-RPC", { ...ping, jsonrpc: "1.0" }],
		["no JSON-RPC", { id: 1, method: "ping" }],
		["an id that is an object", { ...ping, id: { a: 1 } }],
		["an id that is null", { ...ping, id: null }],
		["no method", { jsonrpc: "2.0", id: 1 }],
		["text", "ping"],
		["null", null],
	])("refuses %s as an invalid request", async (_, body) => {
		const answer = await post(body);
		expect([answer.status, await answer.json()]).toMatchObject([400, { jsonrpc: "2.0", error: { code: -32600 } }]);
	});

	it.each(["1900-01-01", "not-a-version", ""])("refuses the revision %j with 400", async (revision) => {
		const answer = await post(ping, { "MCP-Protocol-Version": revision });
		expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: -32600 } }]);
	});

	it("reads batches in the one revision that has them", async () => {
		const batch = [ping, { jsonrpc: "2.0", method: "notifications/initialized" }, { ...ping, id: "b" }, { id: 3 }];
		const answers = await (await post(batch)).json<{ id: unknown }[]>();
		expect(answers).toMatchObject([{ id: 1, result: {} }, { id: "b", result: {} }, { error: { code: -32600 } }]);
		expect((await post([batch[1]])).status).toBe(202);
		expect((await post([ping], { "MCP-Protocol-Version": "2025-03-26" })).status).toBe(200);
		expect((await post([ping], { "MCP-Protocol-Version": "2025-06-18" })).status).toBe(400);
		expect((await post(Array(21).fill(ping))).status).toBe(400);
		expect((await post([{ ...ping, method: "initialize" }])).status).toBe(400);
	});

	it("opens itself to pages of other origins, as inspectors in browsers are", async () => {
		const preflight = await call("/mcp", {
			method: "OPTIONS",
			headers: {
				Origin: "https://inspector.example",
				"Access-Control-Request-Method": "POST",
				"Access-Control-Request-Headers": "content-type, mcp-protocol-version",
			},
		});
		expect([preflight.status, preflight.headers.get("Access-Control-Allow-Origin")]).toEqual([204, "*"]);
		expect(preflight.headers.get("Access-Control-Allow-Headers")).toMatch(/(^|,)\*(,|$)/);
		const answer = await post(ping, { Origin: "https://inspector.example" });
		expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
	});

	it("refuses what is no message, and any other method", async () => {
		const send = (body: string) => call("/mcp", { method: "POST", body });
		expect([(await send("{")).status, (await send("[]")).status, (await send('"x"')).status]).toEqual([400, 400, 400]);
		expect((await send(JSON.stringify({ x: "x".repeat(20_000) }))).status).toBe(413);
		const answer = await call("/mcp");
		expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "POST"]);
	});
});
