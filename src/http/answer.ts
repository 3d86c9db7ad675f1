import type { Context } from "hono";
import type { LazySchema } from "../schemas/lazy.ts";
import type { AppEnv } from "./app-env.ts";

/** The successful response of an endpoint, and how the result of its handler becomes that response. */
export interface Answer<Result = unknown> {
	status: 200 | 201 | 202 | 204;
	description: string;
	/** Each representation by its media type: the schema of a JSON body, "text" for an SVG image, or "bytes" for another image. */
	content?: Readonly<Record<string, LazySchema | "text" | "bytes">>;
	/** Headers of its own, each with what it says. Not every answer carries one whose name ends in a question mark. */
	headers?: Readonly<Record<string, string>>;
	respond(c: Context<AppEnv>, result: Result): Response;
}

/** The headers of an answer, for its documentation. The handler sets them with `c.header`. */
type OwnHeaders = Pick<Answer, "headers">;

/** One JSON body: the handler returns the value that `schema` describes. */
export function json<Value>(
	status: 200 | 201 | 202,
	schema: LazySchema<Value>,
	description: string,
	ownHeaders: OwnHeaders = {},
): Answer<Value> {
	return {
		status,
		description,
		content: { "application/json": schema },
		...ownHeaders,
		respond: (c, value) => c.json(value, status),
	};
}

/** Representations that the handler builds itself, by media type, and returns as a Response of status 200. */
export function representations(
	content: NonNullable<Answer["content"]>,
	description: string,
	ownHeaders: OwnHeaders = {},
): Answer<Response> {
	return { status: 200, description, content, ...ownHeaders, respond: (_, response) => response };
}

/** No body: status 204. The handler returns nothing. */
export function noContent(description: string, ownHeaders: OwnHeaders = {}): Answer<void> {
	return { status: 204, description, ...ownHeaders, respond: (c) => c.body(null, 204) };
}
