import type { Context } from "hono";
import { DATABASE_UNAVAILABLE, messagesOf } from "../db/retry.ts";
import { ConfigError } from "../env.ts";
import { AppError, problemTable } from "../errors.ts";
import type { ProblemBody } from "../problem-schema.ts";
import { ZoneIndexError } from "../zones/format.ts";
import type { AppEnv } from "./app-env.ts";
import { log } from "./log.ts";

/** The public error for anything thrown; what happened inside goes to the log alone. */
export function toAppError(error: unknown, requestId: string): AppError {
	if (error instanceof AppError) return error;
	const unavailable = { headers: { "Retry-After": "5" } };
	if (error instanceof ZoneIndexError) {
		log("error", "zone_index_unavailable", { request_id: requestId, reason: error.reason, message: error.message });
		return new AppError("UNAVAILABLE", "Zones cannot be looked up right now. Try again shortly.", unavailable);
	}
	if (error instanceof ConfigError) {
		log("error", "misconfigured", { request_id: requestId, message: error.message });
		return new AppError("UNAVAILABLE", "The service is not ready. Try again shortly.", unavailable);
	}
	const messages = messagesOf(error);
	log("error", "unexpected_error", { request_id: requestId, causes: messages });
	if (messages.some((message) => DATABASE_UNAVAILABLE.test(message))) {
		return new AppError("UNAVAILABLE", "The service cannot answer right now. Try again shortly.", unavailable);
	}
	return new AppError("INTERNAL", "Something went wrong on our side. It has been recorded under this request id.");
}

/** The problem of an error, without the request around it: batches answer it per item. */
export function problemBody(error: AppError, origin: string, requestId: string): ProblemBody {
	const { status, title } = problemTable[error.code];
	return {
		type: `${origin}/problems/${error.code}`,
		title,
		status,
		detail: error.detail,
		instance: requestId,
		code: error.code,
		...(error.errors ? { errors: error.errors } : {}),
	};
}

/** Answers anything thrown as `application/problem+json`. */
export function problemResponse(error: unknown, c: Context<AppEnv>): Response {
	const requestId = c.var.requestId;
	const appError = toAppError(error, requestId);
	const origin = c.get("config")?.webUrl ?? new URL(c.req.url).origin;
	const body = problemBody(appError, origin, requestId);
	return new Response(JSON.stringify(body), {
		status: body.status,
		headers: {
			"Content-Type": "application/problem+json",
			"Cache-Control": "no-store",
			// Every 401 names a scheme (RFC 9110 section 15.5.2); an error that knows better says so itself.
			...(body.status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
			...appError.headers,
		},
	});
}
