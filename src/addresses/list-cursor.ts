import { FOREIGN_CURSOR, readOpaque, writeOpaque } from "../cursor.ts";
import { invalidField } from "../errors.ts";
import type { ListPosition } from "./store.ts";

/** The opaque text of a position in an owner's list. */
export function writeCursor({ createdAt, canonical }: ListPosition): string {
	return writeOpaque(createdAt, canonical);
}

/** @throws AppError INVALID_REQUEST for what writeCursor has not written. */
export function parseCursor(cursor: string): ListPosition {
	const [createdAt, canonical] = readOpaque(cursor, /^(\d{1,15})\.([A-Z]{2}\d{9})$/);
	if (!createdAt || !canonical) throw invalidField("cursor", FOREIGN_CURSOR);
	return { createdAt: Number(createdAt), canonical };
}
