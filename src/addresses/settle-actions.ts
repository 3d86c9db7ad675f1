/** Closing and opening accounts again where their addresses lie in other databases than they do. */
import { type Closing, isUnsettled, readingUnsettled, settledBefore } from "../accounts/place-actions.ts";
import { messagesOf } from "../db/retry.ts";
import { inEach } from "../db/several.ts";
import { inOneTrip } from "../db/statement.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import { otherPlaces } from "./places.ts";
import * as addressStore from "./store.ts";

type Settler = Pick<Registry, "database" | "databases" | "now">;

/** How long an account is settled again and again, in milliseconds: a mint that began before it was closed may still be under way. */
const SETTLED_FOR = 120_000;

/** Accounts that a run settles at most. */
const SETTLED_MAX = 100;

/** Hides or shows the addresses of an account in all other databases, as the account is now. */
async function settle(registry: Settler, { userId, isClosed, places }: Closing): Promise<void> {
	const of = { ownerId: userId, now: registry.now };
	const settling = isClosed ? addressStore.closeWithAccount(of) : addressStore.reopenWithAccount(of);
	await inEach(otherPlaces(registry, places), settling);
}

/**
 * The same for an account that has just been closed or opened, by its request. A database that does not answer is left to the job that
 * settles all accounts every five minutes.
 */
export async function settleAccount(registry: Registry, userId: string): Promise<void> {
	try {
		const [closing] = await inOneTrip(registry.database, isUnsettled(userId));
		if (closing) await settle(registry, closing);
	} catch (error) {
		log("error", "account_not_settled", { request_id: registry.requestId, causes: messagesOf(error) });
	}
}

/** Settles all accounts that were closed or opened lately: part of the five-minute job. */
export async function settleAccounts(registry: Settler): Promise<void> {
	if (registry.databases.length === 1) return;
	for (const closing of await inOneTrip(registry.database, readingUnsettled(SETTLED_MAX))) {
		try {
			await settle(registry, closing);
			const settled = settledBefore(closing.userId, registry.now - SETTLED_FOR);
			await inOneTrip(registry.database, settled);
		} catch (error) {
			log("error", "account_not_settled", { causes: messagesOf(error) });
		}
	}
}
