/**
 * What operators read of accounts and do to them. What is done comes as statements, because one batch does it and keeps the record of the
 * act (src/operate/actions.ts).
 */
import { inOneTrip, type Statements } from "../db/statement.ts";
import { newId } from "../random.ts";
import type { Registry } from "../registry.ts";
import { readPhone } from "./phone.ts";
import { readingOwnAccount } from "./phone-pending-actions.ts";
import { NO_PENDING_PHONE, type PendingPhone } from "./phone-pending-store.ts";
import { accountStore } from "./store.ts";
import { NO_ACCOUNT, type User } from "./user-store.ts";

export type { PendingPhone, User };
export { NO_ACCOUNT, NO_PENDING_PHONE };

/** The id of the account that has a phone; undefined where none has. @throws AppError INVALID_PHONE. */
export async function accountIdOfPhone(registry: Registry, phoneText: string): Promise<string | undefined> {
	const phone = await readPhone(registry, phoneText);
	const [user] = await inOneTrip(accountStore(registry).userByPhone({ phone }));
	return user?.id;
}

/** Reads an account and its live sessions, newest first. */
export function readingAccount(registry: Registry, userId: string) {
	const sessions = accountStore(registry).liveSessions({ userId, now: registry.now });
	return { ...readingOwnAccount(registry, userId), sessions };
}

/** Numbers that their accounts have accepted and that another account has, longest first. */
export function waitingPhones(registry: Registry, limit: number): Promise<PendingPhone[]> {
	return inOneTrip(accountStore(registry).waiting({ limit }));
}

/** Refuses for NO_ACCOUNT where there is no such account; stands in front of what is done to it. */
export function provingAccount(registry: Registry, userId: string, done: Statements = {}): Statements {
	return { isAccount: accountStore(registry).assertAccount({ userId }), ...done };
}

/** Suspends an account. */
export function suspending(registry: Registry, userId: string): Statements {
	const suspended = accountStore(registry).setSuspension({ userId, at: registry.now });
	return provingAccount(registry, userId, { suspended });
}

/** Restores a suspended account. */
export function restoring(registry: Registry, userId: string): Statements {
	const restored = accountStore(registry).setSuspension({ userId, at: null });
	return provingAccount(registry, userId, { restored });
}

/** Ends all sessions of an account. */
export function signingOut(registry: Registry, userId: string): Statements {
	const revoked = accountStore(registry).revokeSessions({ userId, now: registry.now });
	return provingAccount(registry, userId, { revoked });
}

/** Gives an account the number that waits for it; refuses for NO_PENDING_PHONE where its holder has accepted none. */
export function passingPhone(registry: Registry, userId: string): Statements {
	const store = accountStore(registry);
	const passing = { userId, now: registry.now, reservedSince: 0, isDecided: 1 as const, proofId: newId("prf") };
	return provingAccount(registry, userId, { isDue: store.assertDue(passing), ...store.passPending(passing) });
}

/** Forgets the number that waits for an account. */
export function refusingPhone(registry: Registry, userId: string): Statements {
	return provingAccount(registry, userId, { forgotten: accountStore(registry).forget({ userId }) });
}

/** Makes somebody an agent, or an agent somebody like others. */
export function givingRole(registry: Registry, userId: string, role: User["role"]): Statements {
	return provingAccount(registry, userId, { given: accountStore(registry).setRole({ userId, role }) });
}

/** Agents, the first of them first. */
export function listAgents(registry: Registry, limit: number) {
	return inOneTrip(accountStore(registry).agents({ limit }));
}
