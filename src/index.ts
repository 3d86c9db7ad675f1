import { maintainJournal } from "./addresses/journal.ts";
import { app } from "./app.ts";
import { continueSnapshot, SNAPSHOT_CRON } from "./changes/snapshot.ts";
import { cleanUp } from "./clean-up.ts";
import type { Bindings } from "./env.ts";
import { openRegistry } from "./registry.ts";

export default {
	fetch: app.fetch,
	/** Every hour, and every five minutes for snapshots (wrangler.toml). */
	scheduled: async (controller, env, context) => {
		if (controller.cron === SNAPSHOT_CRON) {
			const registry = openRegistry(env, {
				requestId: "snapshot",
				webUrl: "",
				clientAddress: undefined,
				now: controller.scheduledTime,
				afterAnswer: (work) => context.waitUntil(work),
			});
			await continueSnapshot(registry);
			return;
		}
		await Promise.all([cleanUp(env, controller.scheduledTime), maintainJournal(env, controller.scheduledTime)]);
	},
} satisfies ExportedHandler<Bindings>;
