import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { AppError } from "../errors.ts";
import { log } from "../logs/log.ts";
import { type AppEnv, webUrl } from "./app-env.ts";

/** The longest name that DNS holds, in characters, and a port (RFC 1035 section 2.3.4). */
const HOST_CHARACTERS_MAX = 253 + ":65535".length;

/** A name in ASCII, an IPv4 or IPv6 address, and a port. URLs also allow quotes, which must not reach a page. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i;

/** Refuses a request whose Host header is not a valid host, from which no link could be built. */
export const readableHost = createMiddleware<AppEnv>(async (c, next) => {
	const url = URL.parse(c.req.url);
	if (!url || url.host.length > HOST_CHARACTERS_MAX || !HOST.test(url.host)) {
		throw new AppError("INVALID_REQUEST", "The Host header is not a valid host name.");
	}
	c.set("url", url);
	await next();
});

/**
 * Whether a form was sent from a page of this registry, as far as the browser says (Sec-Fetch-Site, else Origin). A browser that sends
 * neither is trusted.
 */
export function isSentFromHere(c: Context<AppEnv>): boolean {
	const site = c.req.header("Sec-Fetch-Site");
	const origin = c.req.header("Origin");
	if (site !== undefined ? site !== "same-origin" : origin !== undefined && origin !== webUrl(c)) return false;
	// A browser without Sec-Fetch-Site that hides its origin cannot be told from another site's sandboxed frame.
	return origin !== "null";
}

/** Hosts of the device itself, which need no HTTPS. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether this isolate has logged that WEB_URL is unset. */
let isWarned = false;

/**
 * Serves one origin. With WEB_URL set, a request to another host is refused, except on loopback, because caches in front of the Worker do
 * not distinguish hosts. Without it, links are built from the Host header, so responses with links are `no-store`; those under
 * /v1/public and /files have none.
 */
export const oneOrigin = createMiddleware<AppEnv>(async (c, next) => {
	const { webUrl } = c.get("config");
	const { origin, host, hostname } = c.get("url");
	if (webUrl) {
		if (origin !== webUrl && host !== new URL(webUrl).host && !LOOPBACK.test(hostname)) {
			throw new AppError("WRONG_HOST", `This registry is served at ${webUrl}. Send the request there.`);
		}
		return next();
	}
	if (!isWarned && !LOOPBACK.test(hostname)) {
		isWarned = true;
		log("warn", "web_url_unset", { message: "Set WEB_URL. Until then, answers that contain links cannot be cached." });
	}
	await next();
	if (!/^\/(v1\/public|files)\//.test(c.req.path)) c.res.headers.set("Cache-Control", "no-store");
});
