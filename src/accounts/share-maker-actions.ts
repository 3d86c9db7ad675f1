/** What links to private addresses need to know of the account that made them. */
import { inOneTrip } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import { isValidMaker, type ShareMaker } from "./share-maker-store.ts";

export { shareCountOf } from "./share-maker-store.ts";

/** Whether a link's maker still stands: its account has not ended all links since, and its key is not revoked. */
export async function makerStands({ database }: Registry, maker: ShareMaker): Promise<boolean> {
	const [found] = await inOneTrip(database, isValidMaker(maker));
	return found?.isValid === 1;
}
