/** Closing accounts and opening them again, if their addresses lie in other databases than the accounts do. */
import { type Closing, deleteUnsettled, unsettledAccounts, unsettledOf } from "../accounts/place-actions.ts";
import { messagesOf } from "../db/retry.ts";
import { inEach } from "../db/several.ts";
import { inOneTrip } from "../db/statement.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import { otherPlaces } from "./places.ts";
import * as addressStore from "./store.ts";

type Settler = Pick<Registry, "database" | "databases" | "settings" | "now">;

/**
 * How long each run settles an account again after it was closed or opened, in milliseconds. A mint that began before it was closed may
 * still be under way.
 */
const SETTLED_FOR = 120_000;

/** The most accounts that a run settles. */
const SETTLED_MAX = 100;

/** Closes or reopens the addresses of an account in all other databases, to match the account as it is now. */
async function settle(registry: Settler, { userId, isClosed, places }: Closing): Promise<void> {
	const of = { ownerId: userId, now: registry.now };
	const settling = isClosed ? addressStore.closeWithAccount(of) : addressStore.reopenWithAccount(of);
	await inEach(await otherPlaces(registry, places), settling);
}

/**
 * Settles an account right after the request that closed or opened it. If a database does not answer, it is left to the job that settles
 * all accounts every five minutes.
 */
export async function settleAccount(registry: Registry, userId: string): Promise<void> {
	try {
		const [closing] = await inOneTrip(registry.database, unsettledOf({ userId }));
		if (closing) await settle(registry, closing);
	} catch (error) {
		log("error", "account_not_settled", { request_id: registry.requestId, causes: messagesOf(error) });
	}
}

/** Settles accounts that were closed or opened lately: part of the five-minute job. */
export async function settleAccounts(registry: Settler): Promise<void> {
	if (registry.databases.length === 1) return;
	for (const closing of await inOneTrip(registry.database, unsettledAccounts({ limit: SETTLED_MAX }))) {
		try {
			await settle(registry, closing);
			const settled = deleteUnsettled({ userId: closing.userId, time: registry.now - SETTLED_FOR });
			await inOneTrip(registry.database, settled);
		} catch (error) {
			log("error", "account_not_settled", { causes: messagesOf(error) });
		}
	}
}
