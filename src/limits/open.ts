import { openAccountsDatabase } from "../db/open.ts";
import type { Bindings } from "../env.ts";
import { type FailedLoginStore, failedLoginStoreOf } from "./failed-login-store.ts";

/** The store of failed sign-ins, in the accounts' database. */
export function openFailedLoginStore(env: Bindings): FailedLoginStore {
	return failedLoginStoreOf(openAccountsDatabase(env));
}
