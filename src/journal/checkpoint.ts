/**
 * Proves that a database and the bucket belong together in time. Every five minutes both get the same checkpoint, the bucket first, with
 * the one before it. So a run that ends between the two leaves the database at either, which is no incident. Whatever else is found is one:
 * a database that was rolled back by hand, or a bucket that was lost, replaced or put back as an older copy.
 */
import type { Database } from "../db/open.ts";
import { inOneTrip } from "../db/statement.ts";
import { inAttempts } from "../time/attempts.ts";
import { claimBucket } from "./bucket-identity.ts";
import * as recordStore from "./record-store.ts";

/** The checkpoint of a database in the bucket, by the name of its binding. */
const CHECKPOINTS = "journal/checkpoints/";

/** A moment that database and bucket shared. */
interface Checkpoint {
	/** Greater for a later one. */
	number: number;
	/** A random text, which tells it from one of the same number in another history. */
	mark: string;
}

/** What the bucket stores: its newest checkpoint, and the one before it, which is null for the first. */
interface Stored {
	current: Checkpoint;
	previous: Checkpoint | null;
}

/** What is wrong: the database is older than the bucket, or the other way round. */
export type Incident = "database_behind" | "bucket_behind";

/** The checkpoints of a database and the bucket, as they were read. */
interface Found {
	/** What the database has; null before its first. */
	own: Checkpoint | null;
	stored: Stored | null;
	/** The object in the bucket that this was read from; null if there is none. */
	object: R2Object | null;
	/** What is wrong by these two. */
	incident: Incident | null;
	/** What the last run found. */
	known: Incident | null;
}

const isSame = (one: Checkpoint | null, other: Checkpoint | null) => one?.mark === other?.mark;

/** What is wrong with a database that has one checkpoint and a bucket that has another. */
function incidentOf(own: Checkpoint | null, stored: Stored | null): Incident | null {
	if (!stored) return own ? "bucket_behind" : null;
	if (isSame(own, stored.current) || isSame(own, stored.previous)) return null;
	return own && own.number > stored.current.number ? "bucket_behind" : "database_behind";
}

/** What an object of the bucket says; null if it says nothing that can be read. */
function parsed(text: string | undefined): Stored | null {
	try {
		const stored = JSON.parse(text ?? "null") as Stored | null;
		return typeof stored?.current?.number === "number" && typeof stored.current.mark === "string" ? stored : null;
	} catch {
		return null;
	}
}

/** Reads the checkpoints of a database and the bucket: the database first, because the bucket is never behind it. */
export async function readCheckpoints(bucket: R2Bucket, database: Database): Promise<Found> {
	const [row] = await inOneTrip(database, recordStore.identity({}));
	const { checkpoint: number = null, checkpointMark: mark = null, incident: known = null } = row ?? {};
	const own = number === null || mark === null ? null : { number, mark };
	const object = await inAttempts(() => bucket.get(CHECKPOINTS + database.name));
	const stored = parsed(await object?.text());
	return { own, stored, object, incident: incidentOf(own, stored), known };
}

const after = (...some: (Checkpoint | null | undefined)[]): Checkpoint => ({
	number: Math.max(...some.map((one) => one?.number ?? 0)) + 1,
	mark: crypto.randomUUID(),
});

const textOf = (stored: Stored) => JSON.stringify(stored);

/**
 * Compares a database with the bucket. Gives both the next checkpoint or, if they do not belong together, notes that in the database.
 * @param registryId The id of the registry that the database belongs to.
 * @param isComparedOnly Whether both keep the checkpoints that they have.
 * @returns What is wrong; null if nothing is, or if another run was faster.
 */
export async function checkTogether(
	bucket: R2Bucket,
	database: Database,
	registryId: string,
	isComparedOnly = false,
): Promise<Incident | null> {
	const { own, stored, object, known, ...found } = await readCheckpoints(bucket, database);
	// A new database in the place of a lost one has another registry's id until it is restored.
	const incident = (await claimBucket(bucket, registryId)) ? found.incident : "database_behind";
	const from = own?.mark ?? null;
	if (incident) {
		if (incident === known) return incident;
		const noted = await inOneTrip(database, recordStore.noteIncident({ from, incident }));
		return noted > 0 ? incident : null;
	}
	if (isComparedOnly) return null;
	let next = stored?.current;
	if (!next || isSame(own, next)) {
		next = after(own);
		const onlyIf = object ? { etagMatches: object.etag } : { etagDoesNotMatch: "*" };
		const text = textOf({ current: next, previous: own });
		const put = await inAttempts(() => bucket.put(CHECKPOINTS + database.name, text, { onlyIf }));
		if (!put) return null;
	}
	await inOneTrip(database, recordStore.advance({ from, ...next }));
	return null;
}

/** Makes a database and the bucket belong together from now on: what was missing in one of them has been put back, or is in a backup. */
export async function beginTogether(bucket: R2Bucket, database: Database): Promise<void> {
	const { own, stored } = await readCheckpoints(bucket, database);
	const current = after(own, stored?.current);
	const text = textOf({ current, previous: own });
	await inAttempts(() => bucket.put(CHECKPOINTS + database.name, text));
	await inOneTrip(database, recordStore.advance({ from: own?.mark ?? null, ...current }));
}
