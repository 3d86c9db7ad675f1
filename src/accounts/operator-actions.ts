/**
 * What operators read of accounts and do to them. What is done comes as statements, because one batch does it and keeps the record of the
 * act (src/operate/actions.ts).
 */
import { assertChanged } from "../db/refusal.ts";
import { inOneTrip, type Statement, type Statements } from "../db/statement.ts";
import { newId } from "../random.ts";
import type { Registry } from "../registry.ts";
import { parsePhone } from "./phone.ts";
import { readingOwnAccount } from "./phone-pending-actions.ts";
import { NO_PENDING_PHONE, type PendingPhone } from "./phone-pending-store.ts";
import { type AccountStore, accountStore } from "./store.ts";
import { NO_ACCOUNT, NO_HEIR, type User } from "./user-store.ts";

export type { PendingPhone, User };
export { NO_ACCOUNT, NO_HEIR, NO_PENDING_PHONE };

/** The id of the account that has a phone; undefined where none has. @throws AppError INVALID_PHONE. */
export async function accountIdOfPhone(registry: Registry, phoneText: string): Promise<string | undefined> {
	const phone = parsePhone(phoneText);
	const [user] = await inOneTrip(accountStore(registry).userByPhone({ phone }));
	return user?.id;
}

/** Reads an account and its live sessions, newest first. */
export function readingAccount(registry: Registry, userId: string) {
	const sessions = accountStore(registry).liveSessions({ userId, now: registry.now });
	return { ...readingOwnAccount(registry, userId), sessions };
}

/** Up to 100 numbers that their accounts have accepted and that another account has, longest first. */
export function waitingPhones(registry: Registry): Promise<PendingPhone[]> {
	return inOneTrip(accountStore(registry).waiting({ limit: 100 }));
}

/** The account that has the number which waits for another; undefined where none has. */
export async function holderOfPending(registry: Registry, userId: string): Promise<string | undefined> {
	const [pending] = await inOneTrip(accountStore(registry).pendingOf({ userId }));
	return pending?.holderId ?? undefined;
}

/** Refuses for NO_ACCOUNT where there is no such account; stands in front of what is done to it. */
export function provingAccount(registry: Registry, userId: string, done: Statements = {}): Statements {
	return { isAccount: accountStore(registry).assertAccount({ userId }), ...done };
}

/** Refuses for NO_HEIR unless one account is missing and another is there and not closed. */
export function provingHeir(registry: Registry, missingId: string, userId: string): Statements {
	return { isHeir: accountStore(registry).assertHeir({ missingId, userId }) };
}

/** What can be done to an account that needs nothing but its id. */
const ACTS = {
	// These three refuse for NOTHING_CHANGED where it is so already.
	suspend: (store, userId, now, isChanged) => ({ suspended: store.setSuspension({ userId, at: now }), isChanged }),
	restore: (store, userId, _, isChanged) => ({ restored: store.setSuspension({ userId, at: null }), isChanged }),
	"sign-out": (store, userId, now, isChanged) => ({ ...store.revokeSessions({ userId, now }), isChanged }),
	// Refuses for NO_PENDING_PHONE where the holder has accepted none.
	"pass-phone"(store, userId, now) {
		const passing = { userId, now, reservedSince: 0, isDecided: 1 as const, proofId: newId("prf") };
		return { isDue: store.assertDue(passing), ...store.passPending(passing) };
	},
	// Refuses for NO_PENDING_PHONE where none waits, as when it has passed already.
	"refuse-phone": (store, userId) => ({
		isPending: store.assertPending({ userId }),
		forgotten: store.forget({ userId }),
	}),
} satisfies Record<string, (store: AccountStore, userId: string, now: number, isChanged: Statement) => Statements>;

export type AccountAct = keyof typeof ACTS;

/** The statements that do an act to an account; they refuse for NO_ACCOUNT where there is none. */
export function statementsOfAct(registry: Registry, userId: string, act: AccountAct): Statements {
	const isChanged = assertChanged(registry.database)({});
	return provingAccount(registry, userId, ACTS[act](accountStore(registry), userId, registry.now, isChanged));
}

/** Makes an account an agent's, or ends that; refuses for NOTHING_CHANGED where it is so already. */
export function givingRole(registry: Registry, userId: string, role: User["role"]): Statements {
	const given = accountStore(registry).setRole({ userId, role });
	return provingAccount(registry, userId, { given, isChanged: assertChanged(registry.database)({}) });
}

/** Agents, by the age of their accounts, oldest first. */
export function listAgents(registry: Registry, limit: number) {
	return inOneTrip(accountStore(registry).agents({ limit }));
}
