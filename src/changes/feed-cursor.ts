import type { FeedPosition } from "../addresses/feed-actions.ts";
import { readOpaque, writeOpaque } from "../cursor.ts";
import { invalidField } from "../errors.ts";

/**
 * The opaque text of a position in the feed. It holds the time of its change beside the number: a restore begins a new feed, and even
 * where the database was taken back by other means and gives numbers anew, no other change has that time.
 */
export function writeCursor({ seq, at }: FeedPosition): string {
	return writeOpaque(seq, at);
}

/** @throws AppError INVALID_REQUEST for what writeCursor has not written. */
export function parseCursor(cursor: string): FeedPosition {
	const [seq, at] = readOpaque(cursor, /^(\d{1,15})\.(\d{1,15})$/);
	if (!seq || !at)
		throw invalidField("after", "Send the cursor of a change, of a snapshot or of Next-Cursor unchanged.");
	return { seq: Number(seq), at: Number(at) };
}
