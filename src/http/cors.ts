import { cors } from "hono/cors";

/** How long a browser may remember a preflight, in seconds: the most that Chromium takes. */
const PREFLIGHT_SECONDS = 7200;

/** Opens the API to pages of every origin. No cookie is ever used, so there is nothing that a page could use in a visitor's name. */
export const openToBrowsers = cors({
	origin: "*",
	allowMethods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
	allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "If-None-Match"],
	exposeHeaders: [
		"ETag",
		"Location",
		"RateLimit",
		"RateLimit-Policy",
		"Retry-After",
		"WWW-Authenticate",
		"X-Request-Id",
	],
	maxAge: PREFLIGHT_SECONDS,
});
