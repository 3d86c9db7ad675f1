import type { FeedPosition } from "../addresses/feed-actions.ts";
import { AppError } from "../errors.ts";

/**
 * The opaque text of a position in the feed. It holds the time of its change beside the number: a restore begins a new feed, and even
 * where the database was taken back by other means and gives numbers anew, no other change has that time.
 */
export function writeCursor({ seq, at }: FeedPosition): string {
	return btoa(`${seq}.${at}`).replace(/=+$/, "");
}

/** @throws AppError INVALID_REQUEST for what writeCursor has not written. */
export function parseCursor(cursor: string): FeedPosition {
	let text = "";
	try {
		text = atob(cursor);
	} catch {}
	const [, seq, at] = /^(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
	if (!seq || !at) {
		const message = "Send the cursor of a change, of a snapshot or of Next-Cursor unchanged.";
		throw new AppError("INVALID_REQUEST", `after: ${message}`, { errors: [{ path: "after", message }] });
	}
	return { seq: Number(seq), at: Number(at) };
}
