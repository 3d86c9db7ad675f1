import { maintainJournal } from "./addresses/journal.ts";
import { app } from "./app.ts";
import { cleanUp } from "./clean-up.ts";
import type { Bindings } from "./env.ts";

export default {
	fetch: app.fetch,
	/** Every hour (wrangler.toml). */
	scheduled: async (controller, env) => {
		await Promise.all([cleanUp(env, controller.scheduledTime), maintainJournal(env, controller.scheduledTime)]);
	},
} satisfies ExportedHandler<Bindings>;
