/**
 * Model Context Protocol (revisions 2025-03-26 to 2025-11-25) at /mcp: three public reads, as tools for language models. Streamable HTTP
 * without sessions or streams: each POST holds one JSON-RPC 2.0 message and is answered by one, or in the oldest revision several. A tool
 * calls the endpoint of the API that it stands for, so that limits, caches and refusals are the same.
 */

import type { Context } from "hono";
import manifest from "../../package.json" with { type: "json" };
import { qrUrl } from "../addresses/address-record.ts";
import { TEXT_FIELDS } from "../addresses/texts.ts";
import { parseCode } from "../codes/code.ts";
import { AppError } from "../errors.ts";
import { type AppEnv, newRoutes, webUrl } from "../http/app-env.ts";
import { openToBrowsers } from "../http/cors.ts";
import { BODY_BYTES_MAX, readBody } from "../http/validation.ts";

/** The supported revisions, the newest first. */
const REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26"];

/** What a request without `MCP-Protocol-Version` is read as (basic/transports, Protocol Version Header). It alone has batches. */
const UNNAMED_REVISION = "2025-03-26";

/** The most messages of a batch, each of which may ask the API. */
const BATCH_MAX = 20;

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
	/** What its result always has. Results may have more. */
	returns: Readonly<Record<string, { type: string; description?: string }>>;
	/** The path of the endpoint that answers it; or the answer itself. @throws AppError */
	ask(given: Arguments): { path: string } | { answer: object };
}

const CODE = { code: { type: "string", description: "The code in any spelling, such as NG-1377-48215." } };

const STRING = { type: "string" };
const ZONE = { country: STRING, zone: STRING };

const TOOLS: Readonly<Record<string, Tool>> = {
	resolve_address: {
		title: "Resolve an address code",
		description: `Returns the place of an address code: its coordinates, ${TEXT_FIELDS.join(", ")}, locality, region and country.`,
		properties: CODE,
		returns: {
			canonical: STRING,
			display: { type: "string", description: "The code as people read and write it." },
			lat: { type: "number" },
			lng: { type: "number" },
			...Object.fromEntries([...TEXT_FIELDS, "locality", "region", "country_name"].map((name) => [name, STRING])),
			...ZONE,
		},
		ask: ({ code }) => ({ path: `/v1/public/addresses/${encodeURIComponent(String(code))}` }),
	},
	check_code: {
		title: "Check an address code",
		description: "Verifies the check digit of a code. It does not tell whether the code has an address.",
		properties: CODE,
		returns: { canonical: STRING, ...ZONE, check_digit: { type: "string" } },
		ask({ code }) {
			const { canonical, country, zone } = parseCode(String(code));
			return { answer: { canonical, country, zone, check_digit: "fits" } };
		},
	},
	zone_at: {
		title: "Find the zone of a point",
		description:
			"Returns the country, region and zone of a coordinate, the localities near it, and the place that says where it is. Creates nothing.",
		properties: {
			lat: { type: "number", description: "Latitude in degrees, WGS 84." },
			lng: { type: "number", description: "Longitude in degrees, WGS 84." },
		},
		returns: { ...ZONE, country_name: STRING, region: STRING },
		ask: ({ lat, lng }) => ({
			path: `/v1/public/zones?${new URLSearchParams({ lat: String(lat), lng: String(lng) })}`,
		}),
	},
};

/** One message, once `readMessage` has seen its form. */
interface Message {
	id?: string | number;
	method: string;
	params: Readonly<Record<string, unknown>>;
}

class RpcError extends Error {
	readonly code: number;

	constructor(code: number, message: string) {
		super(message);
		this.code = code;
	}
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** A refusal has no `structuredContent`, which must match the tool's `outputSchema`. */
const refusal = (value: object) => ({ content: [{ type: "text", text: JSON.stringify(value) }], isError: true });

const success = (value: object) => ({
	content: [{ type: "text", text: JSON.stringify(value) }],
	structuredContent: value,
	isError: false,
});

/** What is wrong with the arguments of a call, for the model to mend. */
function faultOf({ properties }: Tool, given: Arguments): string | undefined {
	const names = Object.keys(properties);
	const unknown = Object.keys(given).filter((name) => !names.includes(name));
	if (unknown.length > 0) return `Unknown: ${unknown.join(", ")}. The arguments are ${names.join(", ")}.`;
	const wrong = names.filter((name) => typeof given[name] !== properties[name]!.type);
	return wrong.map((name) => `${name}: Send a ${properties[name]!.type}.`).join(" ") || undefined;
}

/** Calls a tool. Wrong arguments and a refusal by the API are results too, for the model to read. @throws RpcError */
async function callTool(c: Context<AppEnv>, fetch: Fetch, { name, arguments: given = {} }: Message["params"]) {
	const tool = Object.hasOwn(TOOLS, String(name)) ? TOOLS[String(name)] : undefined;
	if (!tool) throw new RpcError(INVALID_PARAMS, `Unknown tool. The tools are ${Object.keys(TOOLS).join(", ")}.`);
	const faults = isObject(given) ? faultOf(tool, given) : "Send the arguments as an object.";
	if (faults) return refusal({ code: "INVALID_REQUEST", detail: faults });
	try {
		const asked = tool.ask(given as Arguments);
		if ("answer" in asked) return success(asked.answer);
		const address = c.req.header("CF-Connecting-IP");
		const headers = { Accept: "application/json", ...(address ? { "CF-Connecting-IP": address } : {}) };
		const answer = await fetch(new Request(webUrl(c) + asked.path, { headers }), c.env, c.executionCtx);
		const value = await answer.json<{ canonical?: string }>();
		if (!answer.ok) return refusal(value);
		// Without WEB_URL, a link would follow the Host header of whoever asks.
		const { webUrl: origin } = c.get("config");
		return success(origin && value.canonical ? { ...value, page: qrUrl(value.canonical, origin) } : value);
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		return refusal({ code: error.code, detail: error.detail });
	}
}

/** The result of a message. @throws RpcError */
async function resultOf(c: Context<AppEnv>, fetch: Fetch, { method, params }: Message): Promise<object> {
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
				tools: Object.entries(TOOLS).map(([name, { title, description, properties, returns }]) => ({
					name,
					title,
					description,
					inputSchema: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
					outputSchema: { type: "object", properties: returns, required: Object.keys(returns) },
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

/** Reads one message (JSON-RPC 2.0 section 4; `params` may be null for none, as several clients send it). @throws RpcError */
function readMessage(value: unknown): Message {
	if (!isObject(value)) throw new RpcError(INVALID_REQUEST, "Send one JSON-RPC 2.0 request.");
	const { jsonrpc, id, method, params } = value;
	if (jsonrpc !== "2.0") throw new RpcError(INVALID_REQUEST, 'jsonrpc: Send "2.0".');
	if (typeof method !== "string") throw new RpcError(INVALID_REQUEST, "method: Send the name of a method.");
	if (id !== undefined && typeof id !== "string" && typeof id !== "number")
		throw new RpcError(INVALID_REQUEST, "id: Send a string or a number.");
	return { ...(id !== undefined && { id }), method, params: isObject(params) ? params : {} };
}

const failed = (id: unknown, { code, message }: RpcError) => ({
	jsonrpc: "2.0",
	id: typeof id === "string" || typeof id === "number" ? id : null,
	error: { code, message },
});

/** What answers one message; nothing answers a notification. @throws Whatever is no fault of the message. */
async function answerTo(c: Context<AppEnv>, fetch: Fetch, value: unknown) {
	const id = isObject(value) ? value.id : null;
	try {
		const message = readMessage(value);
		if (message.id === undefined) return undefined;
		return { jsonrpc: "2.0", id, result: await resultOf(c, fetch, message) };
	} catch (error) {
		if (error instanceof RpcError) return failed(id, error);
		throw error;
	}
}

async function answerBody(c: Context<AppEnv>, fetch: Fetch): Promise<Response> {
	const refuse = (code: number, message: string) => c.json(failed(null, new RpcError(code, message)), 400);
	const revision = c.req.header("MCP-Protocol-Version") ?? UNNAMED_REVISION;
	if (!REVISIONS.includes(revision))
		return refuse(INVALID_REQUEST, `MCP-Protocol-Version: This server has ${REVISIONS.join(", ")}.`);
	const bytes = await readBody(c.req.raw, BODY_BYTES_MAX);
	let body: unknown;
	try {
		body = JSON.parse(new TextDecoder().decode(bytes));
	} catch {
		return refuse(PARSE_ERROR, "The body is not valid JSON.");
	}
	if (!Array.isArray(body)) {
		const answer = await answerTo(c, fetch, body);
		if (!answer) return c.body(null, 202);
		return c.json(answer, "error" in answer && answer.error.code === INVALID_REQUEST ? 400 : 200);
	}
	if (revision !== UNNAMED_REVISION) return refuse(INVALID_REQUEST, `Send one message: ${revision} has no batches.`);
	if (body.length === 0 || body.length > BATCH_MAX)
		return refuse(INVALID_REQUEST, `Send a batch of 1 to ${BATCH_MAX} messages.`);
	if (body.some((message) => isObject(message) && message.method === "initialize"))
		return refuse(INVALID_REQUEST, "initialize: Send it alone.");
	const answers = await Promise.all(body.map((message) => answerTo(c, fetch, message)));
	const given = answers.filter((answer) => answer !== undefined);
	return given.length > 0 ? c.json(given) : c.body(null, 202);
}

/** The endpoint for language models. @param fetch Answers a request to the API. */
export function mcpRoutes(fetch: Fetch) {
	return newRoutes()
		.use("/mcp", openToBrowsers)
		.post("/mcp", async (c) => {
			c.header("Cache-Control", "no-store");
			return answerBody(c, fetch);
		});
}
