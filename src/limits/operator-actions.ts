/** What operators read and set of the allowances of accounts, as statements for the batch that keeps the act. */
import type { Statements } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import { type Allowance, limitStoreOf } from "./store.ts";

export type { Allowance };

/** The allowance of an account, where it has one. */
export function readingAllowance(registry: Registry, userId: string) {
	return limitStoreOf(registry.database).allowanceOf({ userId });
}

/** Gives an account an allowance in the place of the one before. */
export function allowing(registry: Registry, allowance: Allowance): Statements {
	return { allowed: limitStoreOf(registry.database).setAllowance(allowance) };
}
