import type { Context, Hono } from "hono";
import type { AppEnv } from "./app-env.ts";
import { conditional } from "./conditional.ts";
import type { Endpoint } from "./endpoint.ts";
import { BODY_BYTES_MAX, readJson, validate } from "./validation.ts";

/** The parameters of a query: text, or a list of texts where one stands several times. */
function queryOf(c: Context<AppEnv>): Record<string, string | string[]> {
	const entries = Object.entries(c.req.queries());
	return Object.fromEntries(entries.map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]));
}

/** Whether a request brings no body. Proxies and HTTP/1.1 servers hand on an empty stream for a body that was never sent. */
async function isEmpty(request: Request): Promise<boolean> {
	if (request.body === null || request.headers.get("Content-Length") === "0") return true;
	if (request.headers.has("Content-Type")) return false;
	const reader = request.clone().body?.getReader();
	const first = await reader?.read();
	await reader?.cancel();
	return first?.done ?? true;
}

/**
 * Counts the call, proves the credential, so that a stranger is refused before anything that they sent is read, validates each part of the
 * request, does the work and answers.
 */
function serve({ limits = [], access, params, query, headers, handle, ...endpoint }: Endpoint) {
	const { body, bodyBytesMax = BODY_BYTES_MAX, answer, cache } = endpoint;
	const isBodyOptional = body?.safeParse(undefined).success === true;
	return async (c: Context<AppEnv>) => {
		for (const limit of limits) await limit(c);
		const call = {
			c,
			caller: await access.admit(c),
			params: params && validate(params, c.req.param()),
			query: query && validate(query, queryOf(c)),
			headers: headers && validate(headers, c.req.header()),
		};
		const hasBody = body && !(isBodyOptional && (await isEmpty(c.req.raw)));
		const sent = hasBody ? validate(body, await readJson(c.req.raw, bodyBytesMax)) : undefined;
		const response = answer.respond(c, await handle({ ...call, body: sent }));
		// Set here and not with `c.header`, whose headers would replace those of an error and of the handler's own response.
		if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", cache ?? "no-store");
		// What everyone may store, pages of every origin may embed.
		if (cache) response.headers.set("Cross-Origin-Resource-Policy", "cross-origin");
		return response;
	};
}

/** Serves an endpoint: ETag, limits, credential, validation of path, query, headers and body, handler, answer, in this order. */
export function mount(app: Hono<AppEnv>, endpoint: Endpoint): void {
	app.on(
		endpoint.method,
		// A parameter with something behind it in its segment ends where that begins.
		[
			endpoint.path.replace(/\{(\w+)\}(\.\w+)?/g, (_, name, extension) =>
				extension ? `:${name}{.+\\${extension}}` : `:${name}`,
			),
		],
		...(endpoint.cache ? [conditional] : []),
		serve(endpoint),
	);
}
