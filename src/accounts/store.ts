import { perDatabase } from "../db/open.ts";
import type { Registry } from "../registry.ts";
import { pendingPhoneStoreOf } from "./phone-pending-store.ts";
import { phoneStoreOf } from "./phone-store.ts";
import { sessionStoreOf } from "./session-store.ts";
import { userStoreOf } from "./user-store.ts";

export type AccountStore = ReturnType<typeof accountStoreOf>;

/** All SQL on accounts: users and passwords, phones and proofs, sessions and refresh tokens. */
export const accountStoreOf = perDatabase((db) => ({
	...userStoreOf(db),
	...phoneStoreOf(db),
	...pendingPhoneStoreOf(db),
	...sessionStoreOf(db),
}));

/** The store of accounts that a request works with. */
export function accountStore(registry: Registry): AccountStore {
	return accountStoreOf(registry.database);
}
