import type { Context } from "hono";
import { type AppError, problemTable } from "../errors.ts";
import type { ProblemBody } from "../schemas/problem-schema.ts";
import type { AppEnv } from "./app-env.ts";

/** The problem details of an error, independent of the request: batches return them per item. */
export function problemBody(error: AppError, origin: string, requestId: string): ProblemBody {
	const { status, title } = problemTable[error.code];
	return {
		type: `${origin}/problems/${error.code}`,
		title,
		status,
		detail: error.detail,
		instance: requestId,
		code: error.code,
		...(error.successor ? { successor: error.successor } : {}),
		...(error.snapshot ? { snapshot: error.snapshot } : {}),
		...error.zone,
		...(error.errors ? { errors: error.errors } : {}),
	};
}

/** Responds with an error as `application/problem+json`, which is `no-store`. */
export function problemResponse(error: AppError, c: Context<AppEnv>): Response {
	// A Host header that is no host was refused before its URL was read; the problem of that has nothing else to link to.
	const origin = c.get("config")?.webUrl ?? c.get("url")?.origin ?? "http://localhost";
	const body = problemBody(error, origin, c.var.requestId);
	return new Response(JSON.stringify(body), {
		status: body.status,
		headers: {
			"Content-Type": "application/problem+json",
			"Cache-Control": "no-store",
			...error.headers,
		},
	});
}
