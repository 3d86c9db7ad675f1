/**
 * What an agent's attestation of a number does. It verifies the number that an account has already. Any other number waits for the holder
 * of the account to accept it. An agent may not change the number alone, because it allows setting the password by SMS.
 */

import { newId } from "../crypto/random.ts";
import { retryOnConflict } from "../db/refusal.ts";
import { inOneTrip, type ResultOf, spending } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { spendingWrite } from "../limits/daily-limits.ts";
import type { Registry } from "../registry.ts";
import { confirmNewNumber } from "./actions.ts";
import { passPhone, reservedSince } from "./phone-proof.ts";
import { readPhone } from "./phone-reader.ts";
import type { OwnAccount } from "./record.ts";
import type { SignedInCaller } from "./signed-in.ts";
import * as accountStore from "./store.ts";

/** What an agent attests: that the person they met, who has this account, also has the phone. */
interface PhoneAttestation {
	phone: string;
	userId: string;
}

/**
 * Verifies the phone of an account because an agent met the person who has it. A number that is not the account's own waits until the
 * account's holder accepts it, and `isPending` is true. The answer does not depend on whether another account has the number.
 * @throws AppError INVALID_PHONE, PHONE_TAKEN; FORBIDDEN while another number waits or for the agent's own account; NOT_FOUND if there is
 * no such account; QUOTA_EXCEEDED.
 */
export async function attestPhone(
	registry: Registry,
	caller: SignedInCaller,
	attestation: PhoneAttestation,
): Promise<PhoneAttestation & { isPending: boolean }> {
	const attested = await retryOnConflict(() => tryAttestPhone(registry, caller, attestation));
	const { userId, phone, isPending } = attested;
	const concerned = { user: userId, phone, agent: caller.claims.userId };
	if (isPending) registry.log("warn", "phone_pending", concerned, { by: "agent" });
	else registry.log("info", "phone_verified", concerned, { by: "agent", replaced: false });
	return attested;
}

async function tryAttestPhone(registry: Registry, caller: SignedInCaller, attestation: PhoneAttestation) {
	const { userId } = attestation;
	const { now } = registry;
	const { userId: agentId } = caller.claims;
	const phone = await readPhone(attestation.phone);
	const [holder] = await caller.run(registry.database, accountStore.userById({ id: userId }));
	if (!holder) throw new AppError("NOT_FOUND", "No account has this id.");
	if (userId === agentId) throw new AppError("FORBIDDEN", "Agents cannot attest their own phone number.");
	const isPending = holder.phone !== phone;
	const spends = spendingWrite(registry, "attestations", agentId);
	const proof = passPhone({ userId, phone, method: "agent", agentId, provedAt: now });
	const attesting = isPending
		? {
				isFree: accountStore.assertNotReserved({ phone, userId, reservedSince: reservedSince(registry) }),
				isAlone: accountStore.assertNoOther({ userId, phone }),
				held: spending(accountStore.hold({ userId, phone, agentId, attestedAt: now }), spends),
			}
		: {
				isOwn: accountStore.assertPhoneOf({ userId, phone }),
				...proof,
				holders: spending(proof.holders, spends),
			};
	await caller.run(registry.database, attesting);
	return { userId, phone, isPending };
}

/** Reads an account with its pending number and the claim on its own number. */
export function readingOwnAccount(userId: string) {
	return {
		users: accountStore.userById({ id: userId }),
		pendings: accountStore.pendingOf({ userId }),
		claims: accountStore.claimOn({ userId }),
	};
}

type AccountRead = ResultOf<ReturnType<typeof readingOwnAccount>>;

/** The account that `readingOwnAccount` read, or undefined if there is none. */
function accountOf({ users: [user], pendings, claims }: AccountRead): OwnAccount | undefined {
	return user && { user, pending: pendings[0], claim: claims[0] };
}

/** An account with its pending number and the claim on its own number, or undefined if there is none. */
export async function ownAccountOf({ database }: Registry, userId: string): Promise<OwnAccount | undefined> {
	return accountOf(await inOneTrip(database, readingOwnAccount(userId)));
}

/** The account of a signed-in user. @throws AppError INVALID_TOKEN when their session has ended. */
export async function ownAccount({ database }: Registry, caller: SignedInCaller): Promise<OwnAccount> {
	const account = accountOf(await caller.run(database, readingOwnAccount(caller.claims.userId)));
	if (!account) throw new Error("A session was verified whose user does not exist");
	return account;
}

const nothingPending = () => new AppError("NOT_FOUND", "No phone number is waiting for your answer.");

/**
 * Accepts or declines the number that an agent attested for the signed-in user. An accepted number replaces the one they sign in with, so
 * they prove their password too. If another account has the number, that account is shown the claim, and an operator decides.
 * @throws AppError NOT_FOUND, INVALID_CREDENTIALS, RATE_LIMITED; INVALID_REQUEST if the password is missing.
 */
export async function answerPendingPhone(
	registry: Registry,
	caller: SignedInCaller,
	{ accepts, password }: { accepts: boolean; password: string | undefined },
): Promise<OwnAccount> {
	const { userId } = caller.claims;
	const { user, pending } = await ownAccount(registry, caller);
	if (!pending) throw nothingPending();
	const { phone, agentId: agent } = pending;
	if (!accepts) {
		await caller.run(registry.database, accountStore.deletePending({ userId }));
		registry.log("warn", "phone_declined", { user: userId, phone, agent });
		return ownAccount(registry, caller);
	}
	await confirmNewNumber(registry, caller, password);
	const passing = {
		userId,
		proofId: newId("prf"),
		now: registry.now,
		reservedSince: reservedSince(registry),
		isDecided: 0 as const,
	};
	const { holders } = await caller.run(registry.database, {
		isSamePassword: accountStore.assertPassword(userId, [user.passwordHash]),
		accepted: accountStore.accept({ userId, phone, now: registry.now }),
		...accountStore.passPending(passing),
	});
	const concerned = { user: userId, phone, agent };
	if (holders.length > 0) registry.log("info", "phone_verified", concerned, { by: "agent", replaced: true });
	else registry.log("warn", "phone_claimed", concerned);
	return ownAccount(registry, caller);
}

/**
 * Objects to the signed-in user's number passing to another account. An operator then decides.
 * @throws AppError NOT_FOUND if no other account has accepted it.
 */
export async function objectToClaim(registry: Registry, caller: SignedInCaller): Promise<OwnAccount> {
	const { userId } = caller.claims;
	const { user, claim } = await ownAccount(registry, caller);
	if (!claim) throw new AppError("NOT_FOUND", "No other account has claimed your phone number.");
	await caller.run(registry.database, accountStore.object({ userId, now: registry.now }));
	registry.log("warn", "phone_claim_objected", { user: userId, phone: user.phone ?? undefined });
	return ownAccount(registry, caller);
}

/** Reads up to 100 accepted numbers that wait for an operator, the longest waiting first. */
export function readingWaitingPhones() {
	return accountStore.acceptedPhones({ limit: 100 });
}
