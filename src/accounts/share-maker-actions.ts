/** What links to private addresses need to know of the account that made them. */
import { inOneTrip } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import { type ShareMaker, shareMakerStore } from "./share-maker-store.ts";

/** Whether a link's maker still stands: its account has not ended all links since, and its key is not revoked. */
export async function makerStands({ database }: Registry, maker: ShareMaker): Promise<boolean> {
	const [found] = await inOneTrip(database, shareMakerStore.isValid(maker));
	return found?.isValid === 1;
}

/** Reads how many times an account has ended all links to its private addresses. */
export function readingShareCount(userId: string) {
	return shareMakerStore.accountCount({ userId });
}
