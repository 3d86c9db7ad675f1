import type { Context, Handler } from "hono";
import { HonoBase } from "hono/hono-base";
import { LinearRouter } from "hono/router/linear-router";
import type { Bindings, Config } from "../env.ts";
import type { Registry } from "../registry.ts";

/** The variables of Hono's context. */
export interface AppEnv {
	Bindings: Bindings;
	Variables: {
		/** Names this request in logs, in `X-Request-Id` and in a problem's `instance`. */
		requestId: string;
		/** Opened once the settings and the host have been validated. */
		registry: Registry;
		config: Config;
		/** The URL of the request, whose host has been validated. */
		url: URL;
	};
}

/** The public origin that links are built on, without a trailing slash. */
export function webUrl(c: Context<AppEnv>): string {
	return c.get("registry").webUrl;
}

/** Routes of one part of the service, for src/pages.ts to mount, after which the router of the app matches them. */
export function newRoutes(): HonoBase<AppEnv> {
	return new HonoBase({ strict: false, router: new LinearRouter() });
}

/** Routes from a table of handlers by method and path, which are tried in its order. */
export function routesOf(table: Record<`${"GET" | "POST"} /${string}`, Handler<AppEnv>>): HonoBase<AppEnv> {
	const routes = newRoutes();
	for (const [route, handle] of Object.entries(table)) {
		const [method = "", path = ""] = route.split(" ");
		routes.on(method, path, handle);
	}
	return routes;
}
