import type { Context } from "hono";
import type { HonoBase } from "hono/hono-base";
import { lazy } from "../schemas/lazy.ts";
import type { AppEnv } from "./app-env.ts";
import { readCredential } from "./authorization.ts";
import { conditional } from "./conditional.ts";
import { type Endpoint, isConditional, withinLimits } from "./endpoint.ts";
import { BODY_BYTES_MAX, readJson, validate, validateBody } from "./validation.ts";

/** What the validators of path, query and headers leave in the context; undefined without a schema. */
type Validated = { in: object; out: { param: unknown; query: unknown; header: unknown } };

/** Sets the headers of a deprecated endpoint (RFC 9745, RFC 8594). */
function deprecationHeaders({ deprecated }: Endpoint): [name: string, value: string][] {
	if (!deprecated) return [];
	return [
		["Deprecation", `@${Date.parse(deprecated.since) / 1000}`],
		["Sunset", new Date(deprecated.until).toUTCString()],
		["Link", '</docs/changelog>; rel="deprecation"; type="text/html"'],
	];
}

/** Serves an endpoint: limits, credential, validation of path, query, headers and body, handler, answer, in this order. */
function serving(endpoint: Endpoint) {
	const { limits = [], access, params, query, headers, body: schema, answer, cache } = endpoint;
	const { bodyBytesMax = BODY_BYTES_MAX } = endpoint;
	const validations = [
		params && validate("param", params),
		query && validate("query", query),
		headers && validate("header", headers),
	].filter((validation) => validation !== undefined);
	const ofDeprecation = deprecationHeaders(endpoint);
	const isBodyOptional = lazy(() => schema?.().safeParse(undefined).success === true);
	return (c: Context<AppEnv, string, Validated>) => {
		const registry = c.get("registry");
		const credential = readCredential(
			c.req.header("Authorization"),
			access.proxyHeader && c.req.header(access.proxyHeader),
		);
		const answerCall = async () => {
			// First of all, so that a stranger is refused before anything that they sent is read.
			const caller = await access.admit(registry, credential);
			for (const validation of validations) await validation(c);
			const body = schema && validateBody(schema, await readJson(c.req.raw, bodyBytesMax, isBodyOptional()));
			const result = await endpoint.handle({
				registry,
				c,
				caller,
				params: c.req.valid("param"),
				query: c.req.valid("query"),
				headers: c.req.valid("header"),
				body,
			});
			const response = answer.respond(c, result);
			// Set here and not with `c.header`, whose headers would replace those of an error and of the handler's own response.
			if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", cache ?? "no-store");
			// What everyone may store, pages of every origin may embed.
			if (cache) response.headers.set("Cross-Origin-Resource-Policy", "cross-origin");
			for (const [name, value] of ofDeprecation) response.headers.append(name, value);
			return response;
		};
		return withinLimits(registry, limits, answerCall, credential);
	};
}

/**
 * Mounts an endpoint as one handler rather than a chain of middleware, each of which would be another route to register and to match on
 * every request.
 */
export function mount(app: HonoBase<AppEnv>, endpoint: Endpoint): void {
	const { method, path } = endpoint;
	app.on(
		method,
		// A parameter with something behind it in its segment ends where that begins.
		[
			path.replace(/\{(\w+)\}(\.\w+)?/g, (_, name, extension) =>
				extension ? `:${name}{.+\\${extension}}` : `:${name}`,
			),
		],
		...(isConditional(endpoint) ? [conditional] : []),
		serving(endpoint),
	);
}
