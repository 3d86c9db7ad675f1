/** What the journal knows that a backup does not: read once, before anything is changed. */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import path from "node:path";
import { entriesSince, erasedSince, OVERLAP_MILLISECONDS, prunedBefore } from "../addresses/journal.ts";
import type { SigningSecret } from "../env.ts";
import type { Registry, Report } from "./backup.ts";

/** Entries that are read at once: each is an object of its own. */
const AT_ONCE = 32;

/** What reading the journal takes. */
export interface JournalReading {
	/** The signing secrets, by which the journal is encrypted. */
	secrets: SigningSecret[];
	/** A folder that nobody else can read: what is there is saved into it first, then the rows of the journal. */
	saveTo: string;
	/** Whether the operator accepts a journal that does not reach back far enough, or of which a signing secret is lost. */
	isIncomplete?: boolean;
	report: Report;
}

/** The journal since a moment. */
export interface JournalSince {
	/** The rows of addresses, a line of JSON for each, without an order. */
	file: string;
	/** By code, the version of its row in the file. */
	versions: Map<string, number>;
	/** By code, the version of an entry that cannot be read: the place of its address is not known, nor whether it is private by now. */
	unreadable: Map<string, number>;
	/** Codes that were issued, of which registries before the journal wrote nothing else. */
	issued: Set<string>;
	erased: { codes: Set<string>; accounts: Set<string> };
}

/**
 * Reads what was written into the journal since a moment.
 * @param moment In milliseconds since the epoch.
 * @throws Error when the journal does not reach back so far, or none of the entries under a secret can be read, before anything is changed.
 */
export async function readJournal(
	{ bucket }: Registry,
	moment: number,
	{ secrets, saveTo, isIncomplete = false, report }: JournalReading,
): Promise<JournalSince> {
	const pruned = await prunedBefore(bucket);
	if (pruned > moment && !isIncomplete) {
		throw new Error(
			`This goes back to ${new Date(moment).toISOString()}, and the journal holds nothing from before ${new Date(pruned).toISOString()}. Addresses that were created in between would be lost, and their codes could be issued again. Use a newer backup, or accept that with --incomplete.`,
		);
	}
	const since = moment - OVERLAP_MILLISECONDS;
	const journal: JournalSince = {
		file: path.join(saveTo, "journal.ndjson"),
		versions: new Map(),
		unreadable: new Map(),
		issued: new Set(),
		erased: await erasedSince(bucket, since),
	};
	/** Ids of signing secrets, by whether an entry under them could be read. */
	const keyIds = { read: new Set<string>(), unreadable: new Set<string>() };
	const rows = createWriteStream(journal.file, { mode: 0o600 });
	for await (const { canonical, version, keyId, row } of entriesSince(bucket, secrets, since, AT_ONCE)) {
		if (journal.erased.codes.has(canonical)) continue;
		if (row) {
			keyIds.read.add(keyId);
			journal.versions.set(canonical, row.version);
			if (!rows.write(`${JSON.stringify(row)}\n`)) await once(rows, "drain");
		} else if (version === 0) journal.issued.add(canonical);
		else {
			keyIds.unreadable.add(keyId);
			journal.unreadable.set(canonical, version);
		}
	}
	rows.end();
	await once(rows, "close");
	const lacking = [...keyIds.unreadable].find((id) => !keyIds.read.has(id));
	if (lacking !== undefined && !isIncomplete) {
		throw new Error(
			`No entry of the journal under the signing secret '${lacking}' can be read. Set JWT_SECRETS to all secrets of the last 35 days, each as id:secret. If that secret is lost, accept the loss of its entries with --incomplete: new addresses among them never come back, and older ones come back as private.`,
		);
	}
	const { versions, unreadable, erased } = journal;
	report(
		`journal: ${versions.size.toLocaleString("en")} addresses since, ${erased.codes.size} erased, ${unreadable.size} that cannot be read`,
	);
	return journal;
}
