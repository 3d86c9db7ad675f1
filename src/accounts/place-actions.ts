/** In which databases accounts have addresses. */
import type { Database } from "../db/open.ts";
import * as placeStore from "./place-store.ts";
import { addPlace } from "./user-store.ts";

/** Notes that an account has addresses in a database, unless it is noted. */
export function notingPlace(userId: string, { name }: Database) {
	return addPlace({ userId, place: ` ${name} ` });
}

/** An account that was closed or opened again, as it is now. */
export interface Closing {
	userId: string;
	isClosed: 0 | 1;
	places: string;
}

/** Reads an account that was closed or opened lately and has addresses in other databases. */
export function isUnsettled(userId: string) {
	return placeStore.unsettledOf({ userId });
}

/** Reads the accounts that were. */
export function readingUnsettled(limit: number) {
	return placeStore.unsettledAccounts({ limit });
}

/** Forgets that an account was, where that is before a time. */
export function settledBefore(userId: string, time: number) {
	return placeStore.settle({ userId, time });
}
