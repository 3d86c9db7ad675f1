import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler } from "hono";
import * as z from "zod/mini";
import { AppError, type FieldError, invalidField } from "../errors.ts";
import { type LazySchema, lazy } from "../schemas/lazy.ts";
import type { AppEnv } from "./app-env.ts";
import { faultText } from "./fault-texts.ts";
import { repeatedKey } from "./repeated-key.ts";

z.config({ localeError: faultText });

/** Largest body of an ordinary request, in bytes. */
export const BODY_BYTES_MAX = 16 * 1024;

/** The most faults that are reported, and the longest field name that is repeated, in UTF-16 units. */
const FAULTS_MAX = 20;
const PATH_CHARACTERS_MAX = 100;

function fieldErrors(error: z.core.$ZodError): FieldError[] {
	return error.issues.flatMap((issue) => {
		const path = issue.path.map(String);
		return issue.code === "unrecognized_keys"
			? issue.keys.map((key) => ({
					path: [...path, key].join("."),
					message: "This field is not known here. Check its spelling.",
				}))
			: [{ path: path.join("."), message: issue.message }];
	});
}

/** The error of an input that does not match its schema. It names each field at fault. */
function invalidRequest(error: z.core.$ZodError): AppError {
	const errors = fieldErrors(error)
		.slice(0, FAULTS_MAX)
		.map(({ path, message }) => ({ path: path.slice(0, PATH_CHARACTERS_MAX), message }))
		// Other faults of a value of the wrong type say nothing new.
		.filter(({ path }, index, all) => all.findIndex((other) => other.path === path) === index);
	const detail = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join(" ");
	return new AppError("INVALID_REQUEST", detail, { errors });
}

/** Tracking parameters that other services add to links. They are ignored, because whoever follows a link did not write them. */
const TRACKING = /^(utm_\w+|fbclid|gclid|dclid|msclkid|twclid|igshid|mc_[ce]id|yclid|_ga|_gl)$/;

const withoutTracking = z.transform((query: Record<string, unknown>) =>
	Object.fromEntries(Object.entries(query).filter(([name]) => !TRACKING.test(name))),
);

/**
 * Validates the path parameters, query or headers of a request, and stores the parsed values in the context.
 * @throws AppError INVALID_REQUEST, and whatever the schema throws.
 */
export function validate(target: "param" | "query" | "header", schema: LazySchema) {
	const validator = lazy(
		(): MiddlewareHandler<AppEnv> =>
			zValidator(
				target,
				target === "query"
					? z.pipe(withoutTracking, schema() as z.core.$ZodType<unknown, Record<string, unknown>>)
					: schema(),
				(result) => {
					if (!result.success) throw invalidRequest(result.error);
				},
			),
	);
	return async (c: Context<AppEnv>): Promise<void> => {
		await validator()(c, async () => {});
	};
}

/**
 * Parses a body with a schema.
 * @throws AppError INVALID_REQUEST.
 */
export function validateBody<Value>(schema: LazySchema<Value>, value: unknown): Value {
	const result = schema().safeParse(value);
	if (!result.success) throw invalidRequest(result.error);
	return result.data;
}

/**
 * Reads a body of at most `maxBytes`, without trusting its declared length.
 * @throws AppError BODY_TOO_LARGE; INVALID_REQUEST if it is truncated.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
	const tooLarge = () => new AppError("BODY_TOO_LARGE", `The body may have at most ${maxBytes} bytes.`);
	if (Number(request.headers.get("Content-Length")) > maxBytes) throw tooLarge();
	const chunks: Uint8Array[] = [];
	let size = 0;
	try {
		for await (const chunk of request.body ?? []) {
			size += chunk.length;
			if (size > maxBytes) throw tooLarge();
			chunks.push(chunk);
		}
	} catch (error) {
		if (error instanceof AppError) throw error;
		// A client that hangs up within its body is no trouble of the database's, though the runtime words both alike.
		throw new AppError("INVALID_REQUEST", "The body ended before it was complete.");
	}
	const body = new Uint8Array(size);
	let offset = 0;
	for (const chunk of chunks) {
		body.set(chunk, offset);
		offset += chunk.length;
	}
	return body;
}

/**
 * Reads a JSON body of at most `maxBytes` bytes. Hono's own reader is not used, because it silently replaces invalid UTF-8, and
 * zValidator treats a body of any other content type as an empty object.
 * @param mayBeMissing Whether an empty body counts as undefined: proxies and HTTP/1.1 servers pass on an empty stream for a body that was
 * never sent.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, INVALID_REQUEST.
 */
export async function readJson(request: Request, maxBytes: number, mayBeMissing: boolean): Promise<unknown> {
	const early = mayBeMissing ? await readBody(request, maxBytes) : undefined;
	if (early?.length === 0) return undefined;
	const headers = { Accept: "application/json", "Accept-Encoding": "identity" };
	const unsupported = (detail: string) => new AppError("UNSUPPORTED_MEDIA_TYPE", detail, { headers });
	const contentType = request.headers.get("Content-Type") ?? "";
	if (contentType.split(";")[0]?.trim().toLowerCase() !== "application/json") {
		throw unsupported("Send the body as JSON, with the header Content-Type: application/json.");
	}
	const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType) ?? [];
	if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw unsupported("Send the body in UTF-8.");
	if (!/^(identity)?$/i.test(request.headers.get("Content-Encoding") ?? "")) {
		throw unsupported("Send the body as it is, without a Content-Encoding.");
	}
	const body = early ?? (await readBody(request, maxBytes));
	return parseJson(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body));
}

/**
 * Parses a JSON text.
 * @param read Returns the text, or throws if it is not text.
 * @throws AppError INVALID_REQUEST, also where an object names a key twice.
 */
export function parseJson(read: () => string): unknown {
	let text: string;
	let value: unknown;
	try {
		text = read();
		value = JSON.parse(text);
	} catch {
		const message = "The body is not valid JSON in UTF-8.";
		throw new AppError("INVALID_REQUEST", message, { errors: [{ path: "", message }] });
	}
	const repeated = repeatedKey(text);
	if (repeated !== undefined)
		throw invalidField(repeated.slice(0, PATH_CHARACTERS_MAX), "This is named twice. Send it once.");
	return value;
}
