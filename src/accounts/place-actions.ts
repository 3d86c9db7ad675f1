/** In which databases accounts have addresses. */
import type { Database } from "../db/open.ts";
import { addPlace } from "./user-store.ts";

/** Notes that an account has addresses in a database, unless it is noted. */
export function notingPlace(userId: string, { name }: Database) {
	return addPlace({ userId, place: ` ${name} ` });
}
