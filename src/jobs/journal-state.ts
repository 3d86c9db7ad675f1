/** How a database and its journal in the bucket stand to each other. */
import { queueState } from "../addresses/journal-store.ts";
import type { Database } from "../db/open.ts";
import { inOneTrip } from "../db/statement.ts";
import type { Incident } from "../journal/checkpoint.ts";
import { incident } from "../journal/record-store.ts";

/** What may be wrong between a database and the bucket: one is older than the other, or an entry is newer than its row. */
export type JournalIncident = Incident | "journal_newer";

/**
 * Since when the oldest change of a database has waited for the journal, in milliseconds since the epoch, and what is wrong between the
 * two; each null if there is nothing.
 */
export async function journalState(
	database: Database,
): Promise<{ queuedSince: number | null; incident: JournalIncident | null }> {
	const found = await inOneTrip(database, { queue: queueState({}), known: incident({}) });
	const [[queue], [known]] = [found.queue, found.known];
	const newer = queue?.isNewer || known?.isNewer ? "journal_newer" : null;
	return { queuedSince: queue?.queuedAt ?? null, incident: known?.incident ?? newer };
}
