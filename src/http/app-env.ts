import type { Context } from "hono";
import type { Bindings, Config } from "../env.ts";

/** What Hono's context carries through a request. */
export interface AppEnv {
	Bindings: Bindings;
	Variables: {
		/** Names this request in logs, in `X-Request-Id` and in a problem's `instance`. */
		requestId: string;
		config: Config;
		/** Of the request; its host has been proved to be one. */
		url: URL;
		/** How long ago the address that is answered was no longer fresh, in seconds; set where it is served because the database is away. */
		staleSeconds: number | undefined;
	};
}

/** The public origin that links are built on, without a trailing slash. */
export function webUrl(c: Context<AppEnv>): string {
	// `c.var` copies all variables each time.
	return c.get("config").webUrl ?? c.get("url").origin;
}
