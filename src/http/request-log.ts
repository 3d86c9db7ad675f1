import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { AppError } from "../errors.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * Gives every request an id, and counts it where METRICS is bound: method, route, status, milliseconds. The route is the pattern and not
 * the path or the query, so that nothing a caller typed is counted.
 */
export const requestLog = createMiddleware<AppEnv>(async (c, next) => {
	const started = Date.now();
	const requestId = `req_${crypto.randomUUID().replaceAll("-", "")}`;
	c.set("requestId", requestId);
	await next();
	c.res.headers.set("X-Request-Id", requestId);
	const { METRICS } = c.env;
	if (!METRICS) return;
	const { method } = c.req;
	// Of several patterns that match, such as those of /my/sign-in and /my/:code, the first one answers.
	const route = matchedRoutes(c).find(({ method }) => method !== "ALL")?.path ?? "none";
	METRICS.writeDataPoint({
		indexes: [route],
		blobs: [
			`${method} ${route}`,
			(c.req.raw.cf?.country as string) ?? "",
			c.error instanceof AppError ? c.error.code : "",
		],
		doubles: [c.res.status, Date.now() - started],
	});
});
