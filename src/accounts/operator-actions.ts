/**
 * What operators read of accounts and do to them. What is done comes as statements, because one batch does it and keeps the record of the
 * act (src/operate/actions.ts).
 */
import { assertChanged } from "../db/refusal.ts";
import { inOneTrip, type Statements } from "../db/statement.ts";
import { newId } from "../random.ts";
import type { Registry } from "../registry.ts";
import { parsePhone } from "./phone.ts";
import { readingOwnAccount } from "./phone-pending-actions.ts";
import type { PendingPhone } from "./phone-pending-store.ts";
import * as accountStore from "./store.ts";
import { noAccount, type User } from "./user-store.ts";

export type { PendingPhone, User };
export { noAccount };

/** The id of the account that has a phone; undefined where none has. @throws AppError INVALID_PHONE. */
export async function accountIdOfPhone(registry: Registry, phoneText: string): Promise<string | undefined> {
	const phone = parsePhone(phoneText);
	const [user] = await inOneTrip(registry.database, accountStore.userByPhone({ phone }));
	return user?.id;
}

/** Reads an account and its live sessions, newest first. */
export function readingAccount(registry: Registry, userId: string) {
	const sessions = accountStore.liveSessions({ userId, now: registry.now });
	return { ...readingOwnAccount(userId), sessions };
}

/** Up to 100 numbers that their accounts have accepted and that another account has, longest first. */
export function readingWaitingPhones() {
	return accountStore.waiting({ limit: 100 });
}

/** The account that has the number which waits for another; undefined where none has. */
export async function holderOfPending(registry: Registry, userId: string): Promise<string | undefined> {
	const [pending] = await inOneTrip(registry.database, accountStore.pendingOf({ userId }));
	return pending?.holderId ?? undefined;
}

/** Refuses where there is no such account; stands in front of what is done to it. */
export function provingAccount(userId: string, done: Statements = {}): Statements {
	return { isAccount: accountStore.assertAccount({ userId }), ...done };
}

/** Refuses unless one account is missing and another is there and not closed. */
export function provingHeir(missingId: string, userId: string): Statements {
	return { isHeir: accountStore.assertHeir({ missingId, userId }) };
}

/** What can be done to an account that needs nothing but its id. */
const ACTS = {
	// These three refuse where it is so already.
	suspend: (userId, at) => ({ suspended: accountStore.setSuspension({ userId, at }), isChanged: assertChanged({}) }),
	restore: (userId) => ({ restored: accountStore.setSuspension({ userId, at: null }), isChanged: assertChanged({}) }),
	"sign-out": (userId, now) => ({
		...accountStore.revokeSessions({ userId, now, exceptId: "" }),
		isChanged: assertChanged({}),
	}),
	// Refuses where the holder has accepted none.
	"pass-phone"(userId, now) {
		const passing = { userId, now, reservedSince: 0, isDecided: 1 as const, proofId: newId("prf") };
		return { isDue: accountStore.assertDue(passing), ...accountStore.passPending(passing) };
	},
	// Refuses where none waits, as when it has passed already.
	"refuse-phone": (userId) => ({
		isPending: accountStore.assertPending({ userId }),
		forgotten: accountStore.forget({ userId }),
	}),
} satisfies Record<string, (userId: string, now: number) => Statements>;

export type AccountAct = keyof typeof ACTS;

/** The statements that do an act to an account; they refuse where there is none. */
export function statementsOfAct({ now }: Registry, userId: string, act: AccountAct): Statements {
	return provingAccount(userId, ACTS[act](userId, now));
}

/** Makes an account an agent's, or ends that; refuses where it is so already. */
export function givingRole(userId: string, role: User["role"]): Statements {
	return provingAccount(userId, { given: accountStore.setRole({ userId, role }), isChanged: assertChanged({}) });
}

/** Agents, by the age of their accounts, oldest first. */
export function readingAgents(limit: number) {
	return accountStore.agents({ limit });
}
