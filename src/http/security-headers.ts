import { createMiddleware } from "hono/factory";
import { secureHeaders } from "hono/secure-headers";
import type { AppEnv } from "./app-env.ts";

/** What holds for every answer that does not say otherwise: pages and images set their own policy, and it stays. */
const policy = {
	overwrite: false,
	contentSecurityPolicy: { defaultSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
	xFrameOptions: "DENY",
	crossOriginResourcePolicy: "same-origin",
} satisfies Parameters<typeof secureHeaders>[0];

const plain = secureHeaders({ ...policy, strictTransportSecurity: false });

/** Two years, as the preload list asks (hstspreload.org); over plain HTTP, as in development, the header would mean nothing (RFC 6797 section 8.1). */
const encrypted = secureHeaders({ ...policy, strictTransportSecurity: "max-age=63072000; includeSubDomains" });

/** What pages may ask a browser for: where the visitor is. */
const PERMISSIONS = "geolocation=(self), camera=(), microphone=()";

export const securityHeaders = createMiddleware<AppEnv>(async (c, next) => {
	// Not by `new URL`, which throws where the Host header is no host.
	await (c.req.url.startsWith("https:") ? encrypted : plain)(c, next);
	const { headers } = c.res;
	const isPage = headers.get("Content-Type")?.startsWith("text/html");
	if (isPage && !headers.has("Permissions-Policy")) c.header("Permissions-Policy", PERMISSIONS);
});
