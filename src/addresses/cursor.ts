import { AppError } from "../errors.ts";
import type { ListPosition } from "./store.ts";

/** The opaque text of a position in an owner's list. It needs no signature: it only chooses among the rows of whoever asks. */
export function writeCursor({ createdAt, canonical }: ListPosition): string {
	return btoa(`${createdAt}.${canonical}`).replace(/=+$/, "");
}

/** @throws AppError INVALID_REQUEST for what writeCursor has not written. */
export function parseCursor(cursor: string): ListPosition {
	let text = "";
	try {
		text = atob(cursor);
	} catch {}
	const [, createdAt, canonical] = /^(\d{1,15})\.([A-Z]{2}\d{9})$/.exec(text) ?? [];
	if (!createdAt || !canonical) {
		const message = "Send the next_cursor of the previous page unchanged.";
		throw new AppError("INVALID_REQUEST", `cursor: ${message}`, { errors: [{ path: "cursor", message }] });
	}
	return { createdAt: Number(createdAt), canonical };
}
