import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { call } from "../support/client.ts";
import { LAGOS, mint, newOwner, signUp } from "../support/people.ts";

const rpc = async (method: string, params?: object, id: number | null = 1) => {
	const answer = await call("/mcp", {
		method: "POST",
		headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
		body: JSON.stringify({
			jsonrpc: "2.0",
			...(id === null ? {} : { id }),
			method,
			...(params ? { params } : {}),
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
			["1999-01-01", "2025-06-18"],
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
		expect(refused).toMatchObject({ isError: true, structuredContent: { code: "ADDRESS_PRIVATE" } });
		expect(JSON.stringify(refused)).not.toContain("Quiet");
	});

	it("judges codes, and finds the zone of a point", async () => {
		expect((await tool("check_code", { code: "ng 1377 48215" }))!.result).toMatchObject({
			structuredContent: { canonical: "NG137748215", check_digit: "fits" },
		});
		expect((await tool("check_code", { code: "NG-1377-48216" }))!.result).toMatchObject({
			isError: true,
			structuredContent: { code: "BAD_CHECK_DIGIT" },
		});
		expect((await tool("zone_at", { lat: LAGOS.lat, lng: LAGOS.lng }))!.result).toMatchObject({
			structuredContent: { country: "NG" },
		});
	});

	it.each([
		["an unknown tool", "tools/call", { name: "mint", arguments: {} }, -32602],
		["a name that every object has", "tools/call", { name: "toString", arguments: {} }, -32602],
		["an argument of another type", "tools/call", { name: "zone_at", arguments: { lat: "6", lng: 3 } }, -32602],
		["what it does not have", "resources/list", undefined, -32601],
	])("refuses %s", async (_, method, params, code) => {
		expect((await rpc(method, params)).body).toMatchObject({ id: 1, error: { code, message: expect.any(String) } });
	});

	it("refuses what is no message, and any other method", async () => {
		const send = (body: string) => call("/mcp", { method: "POST", body });
		expect([(await send("{")).status, (await send("[]")).status, (await send('"x"')).status]).toEqual([400, 400, 400]);
		expect((await send(JSON.stringify({ x: "x".repeat(20_000) }))).status).toBe(413);
		const answer = await call("/mcp");
		expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "POST"]);
	});
});
