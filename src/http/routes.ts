import { HonoBase } from "hono/hono-base";
import { LinearRouter } from "hono/router/linear-router";
import type { AppEnv } from "./app-env.ts";

/** Routes of one part of the service, for src/app.ts to mount. They are matched by the router of the whole; their own only lists them. */
export function newRoutes(): HonoBase<AppEnv> {
	return new HonoBase({ strict: false, router: new LinearRouter() });
}
