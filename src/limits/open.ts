import { openAccountsDatabase } from "../db/open.ts";
import type { Bindings } from "../env.ts";
import { type LimitStore, limitStoreOf } from "./store.ts";

/** The store of exact limits, in the accounts' database. */
export function openLimitStore(env: Bindings): LimitStore {
	return limitStoreOf(openAccountsDatabase(env));
}
