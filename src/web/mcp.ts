/**
 * Model Context Protocol (revision 2025-06-18) at /mcp: three public reads, as tools for language models. Streamable HTTP without
 * sessions or streams: each POST holds one JSON-RPC 2.0 message and is answered by one. A tool calls the endpoint of the API that it
 * stands for, so that limits, caches and refusals are the same.
 */

import type { Context } from "hono";
import manifest from "../../package.json" with { type: "json" };
import { TEXT_FIELDS } from "../addresses/texts.ts";
import { parseCode } from "../codes/code.ts";
import { AppError } from "../errors.ts";
import { type AppEnv, newRoutes, webUrl } from "../http/app-env.ts";
import { BODY_BYTES_MAX, readBody } from "../http/validation.ts";

/** The supported revisions, the newest first. */
const REVISIONS = ["2025-06-18", "2025-03-26"];

/** Error codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

const INSTRUCTIONS =
	"An address code is two letters for the country and nine digits, such as NG-1377-48215. Never guess a digit: ask the person for the code again.";

/** Answers a request to the API, as the app does. */
type Fetch = (
	request: Request,
	env: AppEnv["Bindings"],
	context: Context["executionCtx"],
) => Response | Promise<Response>;

type Arguments = Readonly<Record<string, unknown>>;

interface Tool {
	title: string;
	description: string;
	properties: Readonly<Record<string, { type: string; description: string }>>;
	/** The path of the endpoint that answers it; or the answer itself. @throws AppError */
	ask(given: Arguments): { path: string } | { answer: object };
}

const CODE = { code: { type: "string", description: "The code in any spelling, such as NG-1377-48215." } };

const TOOLS: Readonly<Record<string, Tool>> = {
	resolve_address: {
		title: "Resolve an address code",
		description: `Returns the place of an address code: its coordinates, ${TEXT_FIELDS.join(", ")}, locality, region and country.`,
		properties: CODE,
		ask: ({ code }) => ({ path: `/v1/public/addresses/${encodeURIComponent(String(code))}` }),
	},
	check_code: {
		title: "Check an address code",
		description: "Verifies the check digit of a code. It does not tell whether the code has an address.",
		properties: CODE,
		ask({ code }) {
			const { canonical, country, zone } = parseCode(String(code));
			return { answer: { canonical, country, zone, check_digit: "fits" } };
		},
	},
	zone_at: {
		title: "Find the zone of a point",
		description: "Returns the country, region and zone of a coordinate, and the localities near it. Creates nothing.",
		properties: {
			lat: { type: "number", description: "Latitude in degrees, WGS 84." },
			lng: { type: "number", description: "Longitude in degrees, WGS 84." },
		},
		ask: ({ lat, lng }) => ({
			path: `/v1/public/zones?${new URLSearchParams({ lat: String(lat), lng: String(lng) })}`,
		}),
	},
};

interface Message {
	id?: string | number | null;
	method?: unknown;
	params?: { protocolVersion?: unknown; name?: unknown; arguments?: Arguments };
}

class RpcError extends Error {
	readonly code: number;

	constructor(code: number, message: string) {
		super(message);
		this.code = code;
	}
}

const text = (value: object, isError: boolean) => ({
	content: [{ type: "text", text: JSON.stringify(value) }],
	structuredContent: value,
	isError,
});

/** Calls a tool. A refusal by the API is a result too, for the model to read. */
async function callTool(
	c: Context<AppEnv>,
	fetch: Fetch,
	{ name, arguments: given = {} }: NonNullable<Message["params"]>,
) {
	const tool = Object.hasOwn(TOOLS, String(name)) ? TOOLS[String(name)] : undefined;
	if (!tool) throw new RpcError(INVALID_PARAMS, `Unknown tool. The tools are ${Object.keys(TOOLS).join(", ")}.`);
	for (const [argument, { type }] of Object.entries(tool.properties)) {
		if (typeof given[argument] !== type) throw new RpcError(INVALID_PARAMS, `${argument}: Send a ${type}.`);
	}
	try {
		const asked = tool.ask(given);
		if ("answer" in asked) return text(asked.answer, false);
		const address = c.req.header("CF-Connecting-IP");
		const headers = { Accept: "application/json", ...(address ? { "CF-Connecting-IP": address } : {}) };
		const answer = await fetch(new Request(webUrl(c) + asked.path, { headers }), c.env, c.executionCtx);
		return text(await answer.json(), !answer.ok);
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		return text({ code: error.code, detail: error.detail }, true);
	}
}

/** The result of a message. @throws RpcError */
async function resultOf(c: Context<AppEnv>, fetch: Fetch, { method, params = {} }: Message): Promise<object> {
	switch (method) {
		case "initialize": {
			const asked = String(params.protocolVersion);
			return {
				protocolVersion: REVISIONS.includes(asked) ? asked : REVISIONS[0],
				capabilities: { tools: {} },
				serverInfo: { name: manifest.name, title: "Address registry", version: manifest.version },
				instructions: INSTRUCTIONS,
			};
		}
		case "ping":
			return {};
		case "tools/list":
			return {
				tools: Object.entries(TOOLS).map(([name, { title, description, properties }]) => ({
					name,
					title,
					description,
					inputSchema: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
					annotations: { readOnlyHint: true },
				})),
			};
		case "tools/call":
			return callTool(c, fetch, params);
		default:
			throw new RpcError(
				METHOD_NOT_FOUND,
				"This server offers only tools: initialize, ping, tools/list and tools/call.",
			);
	}
}

async function answerMessage(c: Context<AppEnv>, fetch: Fetch): Promise<Response> {
	let id: Message["id"] = null;
	const failed = ({ code, message }: RpcError, status: 200 | 400) =>
		c.json({ jsonrpc: "2.0", id, error: { code, message } }, status);
	try {
		const body = await readBody(c.req.raw, BODY_BYTES_MAX);
		let message: Message;
		try {
			message = JSON.parse(new TextDecoder().decode(body));
		} catch {
			return failed(new RpcError(PARSE_ERROR, "The body is not valid JSON."), 400);
		}
		if (typeof message !== "object" || message === null || Array.isArray(message) || typeof message.method !== "string")
			return failed(new RpcError(INVALID_REQUEST, "Send one JSON-RPC 2.0 request."), 400);
		// A notification is not answered.
		if (message.id === undefined) return c.body(null, 202);
		id = message.id;
		return c.json({ jsonrpc: "2.0", id, result: await resultOf(c, fetch, message) });
	} catch (error) {
		if (error instanceof RpcError) return failed(error, 200);
		throw error;
	}
}

/** The endpoint for language models. @param fetch Answers a request to the API. */
export function mcpRoutes(fetch: Fetch) {
	return newRoutes().post("/mcp", async (c) => {
		c.header("Cache-Control", "no-store");
		return answerMessage(c, fetch);
	});
}
