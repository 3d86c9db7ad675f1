import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { log } from "../log.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * Names every request, and writes one line about the share of them that LOG_REQUESTS wants: method, route, status, milliseconds. The
 * route is the pattern and not the path or the query, so that nothing a caller typed reaches the log.
 */
export const requestLog = createMiddleware<AppEnv>(async (c, next) => {
	const started = Date.now();
	const requestId = `req_${crypto.randomUUID().replaceAll("-", "")}`;
	c.set("requestId", requestId);
	await next();
	c.res.headers.set("X-Request-Id", requestId);
	if (Math.random() >= Number(c.env.LOG_REQUESTS ?? 0)) return;
	log("info", "request", {
		request_id: requestId,
		method: c.req.method,
		// Of several patterns that match, such as those of /my/sign-in and /my/:code, the first one answers.
		route: matchedRoutes(c).find(({ method }) => method !== "ALL")?.path ?? "none",
		status: c.res.status,
		milliseconds: Date.now() - started,
	});
});
