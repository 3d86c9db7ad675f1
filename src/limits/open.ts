import { openAccountsDatabase } from "../db/open.ts";
import type { Bindings } from "../env.ts";
import { createLimitStore, type LimitStore } from "./store.ts";

/** The store of exact limits, in the accounts' database. */
export function openLimitStore(env: Bindings): LimitStore {
	return createLimitStore(openAccountsDatabase(env));
}
