import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

/** How long a browser may remember a preflight, in seconds: the most that Chromium takes. */
const PREFLIGHT_SECONDS = 7200;

/** What the API reads, then what monitoring in a shop's page adds to every call: trace context (W3C), Sentry's, and anything else. */
const HEADERS = ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match"];
const MONITORING_HEADERS = ["traceparent", "tracestate", "baggage", "sentry-trace", "*"];

const preflight = cors({
	origin: "*",
	allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
	allowHeaders: [...HEADERS, ...MONITORING_HEADERS],
	maxAge: PREFLIGHT_SECONDS,
});

/** Operators use the registry's own pages and programs, so their endpoints are closed to pages of other origins. */
const CLOSED = /^\/v1\/operator(\/|$)/;

/**
 * Opens the API to pages of every origin, and exposes all response headers to them. The API uses no cookies, so a page cannot act for a
 * visitor.
 */
export const openToBrowsers: MiddlewareHandler = async (c, next) => {
	if (CLOSED.test(c.req.path)) return next();
	if (c.req.method === "OPTIONS" && c.req.header("Access-Control-Request-Method")) return preflight(c, next);
	await next();
	c.res.headers.set("Access-Control-Allow-Origin", "*");
	c.res.headers.set("Access-Control-Expose-Headers", "*");
};
