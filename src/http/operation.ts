import type * as z from "zod";
import type { ProblemCode } from "../errors.ts";

/** Who may call. */
export type Access = "anyone" | "user" | "user or key";

/** What an operation answers when it succeeds. */
export interface Success {
	status: 200 | 201 | 202 | 204;
	description: string;
	/** Each representation by its media type: the schema of JSON, or "text" for an image or a document. */
	content?: Record<string, z.ZodType | "text">;
	/** Response headers of its own, with what they say. */
	headers?: Record<string, string>;
	/** Those that some of its answers carry. */
	occasionalHeaders?: Record<string, string>;
	/** Whether it carries an ETag and answers 304 to If-None-Match. */
	conditional?: boolean;
}

/** One operation of the API, as the OpenAPI document and the documentation page tell it. The schemas are those that validate. */
export interface Operation {
	method: "get" | "post" | "patch" | "delete";
	/** With OpenAPI's braces. */
	path: string;
	/** A verb and a noun: what a generated client calls it. */
	id: string;
	/** The chapter it stands in. */
	tag: string;
	summary: string;
	description?: string;
	access: Access;
	pathParameters?: z.ZodObject;
	query?: z.ZodObject;
	header?: z.ZodObject;
	body?: z.ZodType;
	success: Success;
	/** Errors beside those that follow from its access, parameters and body. */
	errors?: ProblemCode[];
}

/** Errors that any operation can meet, those of a credential, and those of a body. */
export const ALWAYS: ProblemCode[] = ["RATE_LIMITED", "INTERNAL", "UNAVAILABLE"];
export const OF_CREDENTIALS: ProblemCode[] = ["UNAUTHENTICATED", "INVALID_TOKEN"];
export const OF_BODIES: ProblemCode[] = ["INVALID_REQUEST", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];

/** What can go wrong with the code of an address in a path. */
export const CODE_ERRORS: ProblemCode[] = ["MALFORMED_CODE", "BAD_CHECK_DIGIT", "ADDRESS_NOT_FOUND", "ADDRESS_RETIRED"];

/** Every error an operation can answer. */
export function errorsOf({ access, body, query, header, errors = [] }: Operation): ProblemCode[] {
	const all = new Set<ProblemCode>(access === "anyone" ? [] : OF_CREDENTIALS);
	if (body) for (const code of OF_BODIES) all.add(code);
	if (query || header) all.add("INVALID_REQUEST");
	for (const code of [...errors, ...ALWAYS]) all.add(code);
	return [...all];
}
