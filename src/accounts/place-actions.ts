/** Which databases hold the addresses of an account. */
import type { Database } from "../db/open.ts";
import { addPlace } from "./user-store.ts";

export { deleteUnsettled, openAmong, type Unsettled, unsettledAccounts, unsettledOf } from "./place-store.ts";

/** Records that an account has addresses in a database, unless that is recorded already. */
export function notingPlace(userId: string, { name }: Database) {
	return addPlace({ userId, place: ` ${name} ` });
}
