import type { Context } from "hono";
import type { ProblemCode } from "../errors.ts";
import type { Registry } from "../registry.ts";
import type { LazySchema } from "../schemas/lazy.ts";
import type { Answer } from "./answer.ts";
import type { AppEnv } from "./app-env.ts";
import type { Credential } from "./authorization.ts";

/** One way to present a credential, as the `securitySchemes` of OpenAPI 3.1 describe it. */
export interface SecurityScheme {
	/** Its key under `components.securitySchemes`. */
	name: string;
	definition: Readonly<Record<string, string>>;
}

/** Who may call an endpoint: the guard and its documentation in one value. */
export interface Access<Caller = unknown> {
	/** The schemes of which one must be presented; empty when anyone may call. */
	schemes: readonly SecurityScheme[];
	/** A sentence for the documentation, such as "Needs an access token." */
	summary: string;
	/** Every error that `admit` throws, besides those that any endpoint can answer. */
	errors: readonly ProblemCode[];
	/** The header in which a proxy may send an access token instead of the Authorization header. */
	proxyHeader?: string;
	/**
	 * Verifies a credential and returns the caller.
	 * @throws AppError One of `errors`.
	 */
	admit(registry: Registry, credential: Credential | undefined): Promise<Caller>;
}

/** Lets everyone call, without reading any credential. */
export const anyone: Access<undefined> = {
	schemes: [],
	summary: "Anyone may call it.",
	errors: [],
	admit: async () => undefined,
};

/**
 * A rate limit, checked before the credential is verified.
 * @returns A function to call when the response is ready, if the limit is on concurrent calls.
 * @throws AppError RATE_LIMITED when nothing is left; UNAVAILABLE when too many are being answered.
 */
export type CallLimit = (registry: Registry, credential?: Credential) => Promise<(() => void) | undefined>;

/**
 * Does some work within limits, which are checked in order and released when it is done.
 * @throws AppError As the limits and the work do.
 */
export async function withinLimits<Result>(
	registry: Registry,
	limits: readonly CallLimit[],
	work: () => Promise<Result>,
	credential?: Credential,
): Promise<Result> {
	const ends: ((() => void) | undefined)[] = [];
	try {
		for (const limit of limits) ends.push(await limit(registry, credential));
		return await work();
	} finally {
		for (const end of ends) end?.();
	}
}

/** The arguments of a handler: each part of the request as its schema parsed it. */
export interface Call<Caller, Params, Query, Headers, Body> {
	registry: Registry;
	/** Hono's context, for anything else in the request or the response. */
	c: Context<AppEnv>;
	caller: Caller;
	params: Params;
	query: Query;
	headers: Headers;
	body: Body;
}

/**
 * One endpoint of the API: `mount` serves it, and the OpenAPI document and the documentation page describe it. A part of the request
 * without a schema is not read.
 */
export interface Endpoint<
	Caller = unknown,
	Params = unknown,
	Query = unknown,
	Headers = unknown,
	Body = unknown,
	Result = unknown,
> {
	method: "get" | "post" | "put" | "patch" | "delete";
	/** The path with OpenAPI's braces, such as `/v1/addresses/{canonical}`. */
	path: string;
	/** The operationId: a verb and a noun, which generated clients use as the name of a function. */
	id: string;
	/** The chapter of the documentation that describes it (src/docs/chapters.ts). */
	tag: string;
	summary: string;
	description: string;
	access: Access<Caller>;
	limits?: readonly CallLimit[];
	params?: LazySchema<Params>;
	query?: LazySchema<Query>;
	/** Request headers by their lower-case names. */
	headers?: LazySchema<Headers>;
	/** A body in JSON. It may be left out where the schema is optional. */
	body?: LazySchema<Body>;
	/** The largest body, in bytes; BODY_BYTES_MAX when unset. */
	bodyBytesMax?: number;
	answer: Answer<Result>;
	/** Errors of its own, besides those that follow from its access, query, headers and body. */
	errors?: readonly ProblemCode[];
	/**
	 * The Cache-Control of a successful answer, which anyone may store. The responses of all other endpoints are `no-store`.
	 */
	cache?: string;
	/** If it is deprecated: since when, and when it is removed, as UTC days such as `2027-01-31`. */
	deprecated?: { since: string; until: string };
	/** The handler, typed by its schemas, its access and its answer. */
	handle(call: Call<Caller, Params, Query, Headers, Body>): NoInfer<Result> | Promise<NoInfer<Result>>;
}

/** Infers the types of a handler from the rest of its endpoint. */
export function endpoint<Caller, Params, Query, Headers, Body, Result>(
	described: Endpoint<Caller, Params, Query, Headers, Body, Result>,
): Endpoint {
	return described;
}

/** Whether an endpoint answers 304 to a matching If-None-Match: each read whose answer has an ETag (RFC 9110 section 13.1.2). */
export function isConditional({ method, cache, answer }: Endpoint): boolean {
	return cache !== undefined || (method === "get" && answer.headers?.ETag !== undefined);
}

/** A chapter of the documentation: what `tag` of an endpoint names. */
export interface Tag {
	name: string;
	description: string;
}

/** Errors that every endpoint can answer, those of every body, and those of every credential. */
export const COMMON_ERRORS: readonly ProblemCode[] = ["WRONG_HOST", "RATE_LIMITED", "INTERNAL", "UNAVAILABLE"];
export const BODY_ERRORS: readonly ProblemCode[] = ["INVALID_REQUEST", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];
export const CREDENTIAL_ERRORS: readonly ProblemCode[] = ["UNAUTHENTICATED", "INVALID_TOKEN", "ACCOUNT_SUSPENDED"];

/** Every error that an endpoint can answer. */
export function errorsOf({ access, query, headers, body, errors = [] }: Endpoint): ProblemCode[] {
	const ofInput: readonly ProblemCode[] = body ? BODY_ERRORS : query || headers ? ["INVALID_REQUEST"] : [];
	return [...new Set([...access.errors, ...ofInput, ...errors, ...COMMON_ERRORS])];
}
