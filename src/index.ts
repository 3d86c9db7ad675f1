import { app } from "./app.ts";
import { cleanUp } from "./clean-up.ts";
import type { Bindings } from "./env.ts";

export default {
	fetch: app.fetch,
	/** Every hour (wrangler.toml). */
	scheduled: (controller, env) => cleanUp(env, controller.scheduledTime),
} satisfies ExportedHandler<Bindings>;
