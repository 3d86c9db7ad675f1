import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-env.ts";

/**
 * Two years, as the preload list asks (hstspreload.org); over plain HTTP, as in development, the header would mean nothing (RFC
 * 6797 section 8.1).
 */
export const TRANSPORT_SECURITY = "max-age=63072000; includeSubDomains";

/** Media types that a browser may open as a document of this origin, which could run scripts, be framed or send a referrer. */
const DOCUMENT = /^(text\/html|image\/svg\+xml)\b/;

/** The default policy of documents. Pages and images set their own policies, which take precedence. */
const DOCUMENT_HEADERS = {
	"Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
	"Cross-Origin-Opener-Policy": "same-origin",
	// Where the visitor is, and nothing else.
	"Permissions-Policy": "geolocation=(self), camera=(), microphone=()",
	"Referrer-Policy": "no-referrer",
	"X-Frame-Options": "DENY",
};

/** Sets the headers that stop browsers from misusing a response. Data needs fewer of them than documents. */
export const securityHeaders = createMiddleware<AppEnv>(async (c, next) => {
	await next();
	const { headers } = c.res;
	headers.set("X-Content-Type-Options", "nosniff");
	if (!headers.has("Cross-Origin-Resource-Policy")) headers.set("Cross-Origin-Resource-Policy", "same-origin");
	if (c.req.url.startsWith("https:")) headers.set("Strict-Transport-Security", TRANSPORT_SECURITY);
	if (!DOCUMENT.test(headers.get("Content-Type") ?? "")) return;
	for (const [name, value] of Object.entries(DOCUMENT_HEADERS)) if (!headers.has(name)) headers.set(name, value);
});
