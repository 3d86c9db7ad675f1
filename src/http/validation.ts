import { zValidator } from "@hono/zod-validator";
import type { ValidationTargets } from "hono";
import { createMiddleware } from "hono/factory";
import type * as z from "zod";
import { AppError, type FieldError } from "../errors.ts";
import type { AppEnv } from "./app-env.ts";

/** Largest body of an ordinary request, in bytes. */
export const BODY_BYTES_MAX = 16 * 1024;

/** Largest body of a batch, in bytes. */
export const BATCH_BODY_BYTES_MAX = 64 * 1024;

/** Faults that are named at most, and how much of a caller's own field name is repeated, in UTF-16 units. */
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

/** Validates one part of a request by its schema; faults are answered as INVALID_REQUEST that names each field. */
export function validate<Target extends keyof ValidationTargets, Schema extends z.ZodType>(
	target: Target,
	schema: Schema,
) {
	return zValidator(target, schema, (result) => {
		if (result.success) return;
		const errors = fieldErrors(result.error)
			.slice(0, FAULTS_MAX)
			.map(({ path, message }) => ({ path: path.slice(0, PATH_CHARACTERS_MAX), message }));
		const detail = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join(" ");
		throw new AppError("INVALID_REQUEST", detail, { errors });
	});
}

/** Reads a body of at most `maxBytes`, without trusting its declared length. */
async function readBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
	const tooLarge = () => new AppError("BODY_TOO_LARGE", `The body may have at most ${maxBytes} bytes.`);
	if (Number(request.headers.get("Content-Length")) > maxBytes) throw tooLarge();
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of request.body ?? []) {
		size += chunk.length;
		if (size > maxBytes) throw tooLarge();
		chunks.push(chunk);
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
 * Refuses a body that is not JSON before the validator sees it, because zValidator takes a body of any other content type for an
 * empty object, and decoders replace broken UTF-8 silently.
 */
function jsonOnly(maxBytes: number) {
	return createMiddleware<AppEnv>(async (c, next) => {
		const mediaType = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
		if (mediaType !== "application/json") {
			throw new AppError(
				"UNSUPPORTED_MEDIA_TYPE",
				"Send the body as JSON, with the header Content-Type: application/json.",
			);
		}
		const body = await readBody(c.req.raw, maxBytes);
		try {
			const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body));
			// Hono reads a body once and keeps it; what it keeps is the value that was just proved.
			c.req.bodyCache.json = Promise.resolve(value);
		} catch {
			throw new AppError("INVALID_REQUEST", "The body is not valid JSON in UTF-8.", {
				errors: [{ path: "", message: "The body is not valid JSON in UTF-8." }],
			});
		}
		await next();
	});
}

/** The two steps that every JSON body takes: it is JSON of at most `maxBytes` bytes, and it is what the schema says. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema, maxBytes: number = BODY_BYTES_MAX) {
	return [jsonOnly(maxBytes), validate("json", schema)] as const;
}
