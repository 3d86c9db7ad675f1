import { app } from "./app.ts";
import type { Bindings } from "./env.ts";
import { cleanUp } from "./http/nightly.ts";

export default {
	fetch: app.fetch,
	/** Every night (wrangler.toml). */
	scheduled: (controller, env) => cleanUp(env, controller.scheduledTime),
} satisfies ExportedHandler<Bindings>;
