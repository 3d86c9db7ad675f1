/** All that a caller can do with the feed of changes and with snapshots. */

import { publicRecord } from "../addresses/address-record.ts";
import { type Change, type FeedPositions, readFeed } from "../addresses/feed-actions.ts";
import type { Caller } from "../db/caller.ts";
import { ACCOUNTS } from "../db/database-of-code.ts";
import { AppError, invalidField } from "../errors.ts";
import { readOpaque, writeOpaque } from "../http/cursor.ts";
import { withinCalls } from "../limits/rate-limits.ts";
import type { Registry } from "../registry.ts";
import { timestamp } from "../time/time.ts";
import { latestSnapshot, RUN_SECONDS, readPart, type Snapshot, secondsToSnapshot } from "./snapshot.ts";

/** A request for one page of the feed. */
interface ChangesRequest {
	/** The reader's cursor; undefined for the oldest retained change. */
	after: string | undefined;
	limit: number;
	/** Whether the reader wants only the changes of their own addresses. */
	isMine: boolean;
}

/** A page of the feed, as answered. */
interface ChangesPage {
	/** One JSON text for each change, each with its line break. */
	lines: string[];
	/** The cursor of the next page. */
	cursor: string;
	/** Whether there are further changes already. */
	hasMore: boolean;
}

/**
 * A position in the feed as an opaque text, without `+` or `/`, so that it needs no escaping in a URL. It holds the time of its change as
 * well as the number. A restore begins a new feed, and even if the database goes back by other means and issues numbers again, no other
 * change has that time. The position in the database of accounts comes first, then those in other databases, each with its name.
 */
function writeCursor({ [ACCOUNTS]: first, ...others }: FeedPositions): string {
	const named = Object.entries(others).map(([name, { seq, at }]) => `${name}:${seq}.${at}`);
	return writeOpaque([first ? `${first.seq}.${first.at}` : "", ...named].join(" "));
}

/** @throws AppError INVALID_REQUEST for a text that writeCursor did not produce. */
function parseCursor(cursor: string): FeedPositions {
	const [text] = readOpaque(cursor, /^((?:\d{1,15}\.\d{1,15})?(?: DB_\w{2,14}:\d{1,15}\.\d{1,15}){0,60})$/);
	if (!text) throw invalidField("after", "Send the cursor of a change, of a snapshot or of Next-Cursor unchanged.");
	const positions = text.split(" ").flatMap((part) => {
		const [numbers = "", name = ACCOUNTS] = part.split(":").toReversed();
		const [seq, at] = numbers.split(".").map(Number);
		return seq === undefined || at === undefined ? [] : [[name, { seq, at }] as const];
	});
	return Object.fromEntries(positions);
}

/** @throws AppError FORBIDDEN for a proved caller who may not read the changes of all addresses. */
function assertMayFollow({ scopes }: Caller): void {
	if (scopes.includes("changes:read")) return;
	throw new AppError(
		"FORBIDDEN",
		"The changes of all addresses need an API key with the scope changes:read, which the operator of the registry grants. GET /v1/changes?mine=1 reads those of your own with any key.",
	);
}

/** @throws AppError RATE_LIMITED. */
function withinReads<Result>(registry: Registry, caller: Caller, work: () => Promise<Result>): Promise<Result> {
	return withinCalls(registry, caller, "BATCHES", "You read too many pages. Wait a minute.", work);
}

function lineOf({ code, kind, address, successor, positions, at: time }: Change): string {
	const cursor = writeCursor(positions);
	const at = timestamp(time);
	return `${JSON.stringify({ cursor, kind, code, at, address: address && publicRecord(address), successor })}\n`;
}

/**
 * A page of the feed of changes, oldest first.
 * @throws AppError INVALID_REQUEST for an invalid cursor; FEED_RESET for one that the feed no longer knows; FORBIDDEN; RATE_LIMITED.
 */
export async function readChanges(
	registry: Registry,
	caller: Caller,
	{ after, limit, isMine }: ChangesRequest,
): Promise<ChangesPage> {
	const position = after === undefined ? undefined : parseCursor(after);
	const page = await withinReads(registry, caller, () =>
		readFeed(registry, caller, { after: position, limit, isMine }),
	);
	if (!isMine) assertMayFollow(caller);
	if (!page) {
		throw new AppError(
			"FEED_RESET",
			`The feed no longer knows this cursor: the registry has been restored since, or the cursor is too old. ${
				isMine
					? "List your addresses with GET /v1/addresses, and go on without after."
					: "Load the newest snapshot and go on from its cursor."
			}`,
			isMine ? {} : { snapshot: `${registry.webUrl}/v1/snapshots/latest` },
		);
	}
	return { lines: page.changes.map(lineOf), cursor: writeCursor(page.next), hasMore: page.hasMore };
}

/** Proves a caller, and checks that they may read the changes of all addresses. @throws AppError FORBIDDEN, RATE_LIMITED. */
async function admitFollower(registry: Registry, caller: Caller): Promise<void> {
	await withinReads(registry, caller, () => caller.prove());
	assertMayFollow(caller);
}

/**
 * The newest snapshot, and the cursor from which to follow the feed.
 * @throws AppError FORBIDDEN, RATE_LIMITED; SNAPSHOT_BEING_MADE with Retry-After while there is none.
 */
export async function findSnapshot(
	registry: Registry,
	caller: Caller,
): Promise<Snapshot & { cursor: string; urlOf(part: string): string }> {
	await admitFollower(registry, caller);
	const snapshot = await latestSnapshot(registry);
	if (!snapshot) {
		throw new AppError(
			"SNAPSHOT_BEING_MADE",
			"No snapshot is finished yet. One is being made, at about 4.8 million addresses an hour. Ask again after Retry-After.",
			{ headers: { "Retry-After": String(await secondsToSnapshot(registry)) } },
		);
	}
	const { id, position } = snapshot;
	const urlOf = (part: string) => `${registry.webUrl}/v1/snapshots/${id}/${part}`;
	return { ...snapshot, cursor: writeCursor(position), urlOf };
}

/**
 * A file of the newest snapshot.
 * @throws AppError FORBIDDEN, RATE_LIMITED; FEED_RESET for a file that the newest snapshot does not have; SNAPSHOT_BEING_MADE while the
 * file is being rewritten; NOT_FOUND for a name that no file can have.
 */
export async function findSnapshotPart(registry: Registry, caller: Caller, id: string, part: string) {
	await admitFollower(registry, caller);
	const found = await readPart(registry, id, part);
	if (found === undefined) throw new AppError("NOT_FOUND", "This is no file of a snapshot.");
	if (found === "gone") {
		throw new AppError(
			"FEED_RESET",
			"The newest snapshot does not have this file: a newer snapshot was made, or the file was written anew without what is no longer public. Ask for the newest snapshot again, and load the files that it names and you do not have.",
			{ snapshot: `${registry.webUrl}/v1/snapshots/latest` },
		);
	}
	if (found === "stale") {
		const detail =
			"An address in this file is no longer public, so the file is being written anew. Ask for the newest snapshot again after Retry-After.";
		throw new AppError("SNAPSHOT_BEING_MADE", detail, { headers: { "Retry-After": String(RUN_SECONDS) } });
	}
	return found;
}
