import { createMiddleware } from "hono/factory";
import { secureHeaders } from "hono/secure-headers";
import type { AppEnv } from "./app-env.ts";

/** What holds for every answer that does not say otherwise: pages and images set their own policy, and it stays. */
const policy = {
	overwrite: false,
	contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
	xFrameOptions: "DENY",
	crossOriginResourcePolicy: "same-origin",
} satisfies Parameters<typeof secureHeaders>[0];

const plain = secureHeaders({ ...policy, strictTransportSecurity: false });

/** Two years, as the preload list asks (hstspreload.org); over plain HTTP, as in development, the header would mean nothing (RFC 6797 section 8.1). */
const encrypted = secureHeaders({ ...policy, strictTransportSecurity: "max-age=63072000; includeSubDomains" });

export const securityHeaders = createMiddleware<AppEnv>((c, next) =>
	new URL(c.req.url).protocol === "https:" ? encrypted(c, next) : plain(c, next),
);
