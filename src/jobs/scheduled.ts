import { maintainAccountJournal } from "../accounts/account-journal.ts";
import { maintainJournal } from "../addresses/journal.ts";
import { renewAddresses } from "../addresses/renewal.ts";
import { settleAccounts } from "../addresses/settle-actions.ts";
import { continueSnapshot, SNAPSHOT_CRON } from "../changes/snapshot.ts";
import type { Bindings } from "../env.ts";
import { keepRecord, requireOwnBucket } from "../journal/maintain.ts";
import { openRegistry } from "../registry.ts";
import { cleanUp } from "./clean-up.ts";
import { watch, watchHourlyJob } from "./watch.ts";

/** What runs every hour, and every five minutes for snapshots (wrangler.toml). */
export const scheduled: ExportedHandlerScheduledHandler<Bindings> = async (controller, env, context) => {
	const now = controller.scheduledTime;
	if (controller.cron === SNAPSHOT_CRON) {
		const registry = openRegistry(env, {
			requestId: "snapshot",
			webUrl: "",
			clientAddress: undefined,
			now,
			afterAnswer: (work) => context.waitUntil(work),
		});
		await Promise.all([continueSnapshot(registry), watchHourlyJob(env, now), settleAccounts(registry)]);
		return;
	}
	const cleaning = cleanUp(env, now);
	// Side by side, the journal would write down again what has just been erased.
	const renewing = cleaning.catch(() => {}).then(() => renewAddresses(env, now));
	const keepJournal = async () => {
		await renewing.catch(() => {});
		await requireOwnBucket(env);
		await maintainAccountJournal(env);
		await maintainJournal(env, now);
		await keepRecord(env, now);
	};
	const jobs = { clean_up: cleaning, renewal: renewing, journal: keepJournal() };
	const outcomes = await Promise.allSettled(Object.values(jobs));
	const failed = Object.keys(jobs).filter((_, index) => outcomes[index]?.status === "rejected");
	await watch(env, now, failed);
	// The run counts as failed where one of them has.
	await Promise.all(Object.values(jobs));
};
