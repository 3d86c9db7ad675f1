/** Which databases hold the addresses of an account. */
import type { Database } from "../db/open.ts";
import * as placeStore from "./place-store.ts";
import { addPlace } from "./user-store.ts";

/** Records that an account has addresses in a database, unless that is recorded already. */
export function notingPlace(userId: string, { name }: Database) {
	return addPlace({ userId, place: ` ${name} ` });
}

/** The current state of an account that was closed or opened again. */
export interface Closing {
	userId: string;
	isClosed: 0 | 1;
	places: string;
}

/** Reads an account if it was closed or opened again recently and has addresses in other databases. */
export function isUnsettled(userId: string) {
	return placeStore.unsettledOf({ userId });
}

/** Reads up to `limit` such accounts, the longest waiting first. */
export function readingUnsettled(limit: number) {
	return placeStore.unsettledAccounts({ limit });
}

/** Deletes the record that an account was closed or opened again before a time (milliseconds since the epoch). */
export function settledBefore(userId: string, time: number) {
	return placeStore.settle({ userId, time });
}
