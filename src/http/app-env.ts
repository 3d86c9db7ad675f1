import type { Context } from "hono";
import type { Bindings, Config } from "../env.ts";

/** Who calls, once a credential has been proved. */
export interface Caller {
	userId: string;
	/** The session that the access token belongs to; undefined for an API key. */
	sessionId: string | undefined;
}

/** What Hono's context carries through a request. */
export interface AppEnv {
	Bindings: Bindings;
	Variables: {
		/** Names this request in logs, in `X-Request-Id` and in a problem's `instance`. */
		requestId: string;
		config: Config;
		/** Set by the authentication middleware alone. */
		caller: Caller;
	};
}

/** The public origin that links are built on, without a trailing slash. */
export function webUrl(c: Context<AppEnv>): string {
	return c.var.config.webUrl ?? new URL(c.req.url).origin;
}
