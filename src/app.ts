import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { HonoBase } from "hono/hono-base";
import { methodNotAllowed } from "hono/method-not-allowed";
import { TrieRouter } from "hono/router/trie-router";
import { writeWaitingAccounts } from "./accounts/account-journal.ts";
import { settleAccount } from "./addresses/settle-actions.ts";
import { endpoints } from "./api.ts";
import { readConfig } from "./env.ts";
import { AppError, problemTable } from "./errors.ts";
import { toAppError } from "./failures.ts";
import type { AppEnv } from "./http/app-env.ts";
import { openToBrowsers } from "./http/cors.ts";
import { mount } from "./http/mount.ts";
import { oneOrigin, readableHost } from "./http/origin.ts";
import { problemResponse } from "./http/problem.ts";
import { requestLog } from "./http/request-log.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { limitHeaders } from "./limits/rate-limit-headers.ts";
import { logRefusal } from "./limits/suspicious.ts";
import { openRegistry } from "./registry.ts";

/** The middleware that every request passes, and the API. The pages are in pages.ts. A path works with and without its last slash. */
export const app = new HonoBase<AppEnv>({
	strict: false,
	// Faster routers find these routes ambiguous: one path has `.geojson` right after a code.
	router: new TrieRouter(),
});

/** The paths of the API. All other paths are for people. */
const API_PATHS = ["/v1/*", "/healthz"];
/** The paths under which accounts and keys are changed. */
const OF_ACCOUNTS = /^\/(v1\/(auth|keys|operator|phones)|my|operate)(\/|$)/;
const OF_API = /^\/(v1|healthz)(\/|$)/;

const { fetch, getPath } = app;
Object.assign(app, {
	// `OPTIONS *` names no path (RFC 9112 section 3.2.4), and without one it would skip everything below.
	getPath(...request: Parameters<typeof getPath>) {
		const path = getPath(...request);
		return path.startsWith("/") ? path : "/";
	},
	async fetch(...request: Parameters<typeof fetch>) {
		if (!OF_API.test(getPath(request[0]))) await openPages();
		return fetch(...request);
	},
});

let opened: Promise<void> | undefined;

/** Adds the pages, once. They are a separate module, which an isolate that only answers the API never runs. */
export function openPages(): Promise<void> {
	opened ??= import("./pages.ts").then(({ addPages }) => {
		app.use(refuseMethod());
		addPages(app);
	});
	return opened;
}

/** Answers 405 to a method that no route of a path takes. It knows the routes that exist when it first runs, so pages bring their own. */
function refuseMethod() {
	return methodNotAllowed({
		app,
		onMethodNotAllowed: (c, methods) =>
			problemResponse(
				new AppError("METHOD_NOT_ALLOWED", `Use ${methods.join(" or ")} here.`, {
					headers: { Allow: methods.join(", ") },
				}),
				c,
			),
	});
}

app.use(requestLog);
app.use(securityHeaders);
for (const path of API_PATHS) app.use(path, openToBrowsers);
app.use(readableHost);
app.use(async (c, next) => {
	const config = readConfig(c.env);
	c.set("config", config);
	c.set(
		"registry",
		openRegistry(c.env, {
			requestId: c.get("requestId"),
			webUrl: config.webUrl ?? c.get("url").origin,
			clientAddress: c.req.header("CF-Connecting-IP"),
			userAgent: c.req.header("User-Agent"),
			afterAnswer: (work) => c.executionCtx.waitUntil(work),
			cache: (c.executionCtx as { cache?: CacheContext }).cache,
		}),
	);
	await next();
	for (const [name, value] of limitHeaders(c.get("registry"))) {
		if (!c.res.headers.has(name)) c.res.headers.set(name, value);
	}
});
// The router ignores empty segments, so one answer would be found under any number of paths. The last slash is already removed.
app.use(async (c, next) => (/\/\/|.\/$/.test(c.req.path) ? c.notFound() : next()));
for (const path of API_PATHS) app.use(path, refuseMethod());
app.use(oneOrigin);

// Whatever request ends or replaces something of an account, the change reaches its addresses in all databases, and the journal.
app.use(async (c, next) => {
	await next();
	const registry = c.get("registry");
	for (const id of registry.closedOrOpened) await settleAccount(registry, id);
	if (c.req.method !== "GET" && OF_ACCOUNTS.test(c.req.path)) writeWaitingAccounts(registry);
});
for (const endpoint of endpoints) mount(app, endpoint);

/** Whether a person waits for a page, rather than a program for an answer. */
function isForPerson(c: Context<AppEnv>): boolean {
	const wanted = accepts(c, {
		header: "Accept",
		supports: ["application/problem+json", "application/json", "text/html"],
		default: "application/problem+json",
	});
	return wanted === "text/html" && !OF_API.test(c.req.path);
}

app.notFound(async (c) =>
	isForPerson(c)
		? (await import("./pages.ts")).unknownPage(c)
		: problemResponse(new AppError("NOT_FOUND", "No endpoint has this path. The endpoints are listed at /docs."), c),
);
app.onError((error, c) => {
	const problem = toAppError(error, c.var.requestId);
	const registry = c.get("registry");
	if (registry) logRefusal(registry, problem);
	const response = problemResponse(problem, c);
	// A page gets here if its texts cannot be read, not even those of its own error page.
	if (problem.code !== "UNAVAILABLE" || !isForPerson(c)) return response;
	const { title } = problemTable.UNAVAILABLE;
	response.headers.set("Content-Type", "text/html; charset=UTF-8");
	return new Response(
		`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1><p>${problem.detail}`,
		response,
	);
});
