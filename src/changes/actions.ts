/** All that can be done with the feed of changes: the one door of this folder. */
import { type Change, publicRecord, readFeed } from "../addresses/feed-actions.ts";
import type { Caller } from "../db/caller.ts";
import { AppError } from "../errors.ts";
import { countCall, rateLimited } from "../limits/rate-limits.ts";
import type { Registry } from "../registry.ts";
import { parseCursor, writeCursor } from "./feed-cursor.ts";

/** Which page of the feed is wanted. */
export interface ChangesRequest {
	/** The cursor that the reader has; undefined for the start of what is kept. */
	after: string | undefined;
	limit: number;
	/** Whether the reader wants the changes of their own addresses alone. */
	isOwn: boolean;
}

/** A page of the feed as it is answered. */
export interface ChangesPage {
	/** One JSON text for each change, each with its line break. */
	lines: string[];
	/** Where to go on. */
	cursor: string;
	/** Whether there is more already. */
	hasMore: boolean;
}

/** Where the newest snapshot is. */
export function snapshotUrl({ webUrl }: Registry): string {
	return `${webUrl}/v1/snapshots/latest`;
}

/** @throws AppError FORBIDDEN for a caller who was proved and may not read the changes of all addresses. */
export function assertMayFollow({ scopes }: Caller): void {
	if (scopes.includes("changes:read")) return;
	throw new AppError(
		"FORBIDDEN",
		"The changes of all addresses need an API key with the scope changes:read, which the operator of the registry grants. Add mine=1 to read those of your own.",
	);
}

/** @throws AppError RATE_LIMITED. */
export async function countRead(registry: Registry, { countedBy }: Caller): Promise<void> {
	if (await countCall(registry, "BATCHES", countedBy)) return;
	throw rateLimited(registry, "BATCHES", "You read too many pages. Wait a minute.");
}

function lineOf({ code, kind, address, successor, ...position }: Change): string {
	const cursor = writeCursor(position);
	const at = new Date(position.at).toISOString();
	return `${JSON.stringify({ cursor, kind, code, at, address: address && publicRecord(address), successor })}\n`;
}

/**
 * A page of the feed of changes, oldest first.
 * @throws AppError INVALID_REQUEST for a cursor that is none; FEED_RESET for one that the feed does not know any more; FORBIDDEN;
 * RATE_LIMITED.
 */
export async function readChanges(
	registry: Registry,
	caller: Caller,
	{ after, limit, isOwn }: ChangesRequest,
): Promise<ChangesPage> {
	const position = after === undefined ? undefined : parseCursor(after);
	await countRead(registry, caller);
	const page = await readFeed(registry, caller, { after: position, limit, isOwn });
	if (!isOwn) assertMayFollow(caller);
	if (!page) {
		throw new AppError(
			"FEED_RESET",
			"The feed no longer knows this cursor: the registry has been restored since, or the cursor is too old. Load the newest snapshot and go on from its cursor.",
			{ snapshot: snapshotUrl(registry) },
		);
	}
	return { lines: page.changes.map(lineOf), cursor: writeCursor(page.next), hasMore: page.hasMore };
}
