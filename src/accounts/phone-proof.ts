import { AppError } from "../errors.ts";
import { newId } from "../secret.ts";
import { parsePhone } from "./phone.ts";
import type { AccountStore, PhoneProof, User } from "./store.ts";

export type { AccountStore, User };

/** How a number was proved, to whom it belongs, and when (milliseconds since the epoch). */
export type PhoneProofEvent = Omit<PhoneProof, "id">;

/**
 * Refuses a number that a verified account has. Numbers change hands, but who has it now is then for people to settle and not for whoever reads the SMS first.
 * @throws AppError PHONE_TAKEN.
 */
export async function assertProvable(store: AccountStore, userId: string, phone: string): Promise<void> {
	const holder = await store.userByPhone(phone);
	if (holder?.phoneVerified && holder.id !== userId) throw phoneTaken();
}

function phoneTaken(): AppError {
	return new AppError("PHONE_TAKEN", "This phone number is verified for another account.");
}

/**
 * Makes a proved number an account's own, verified phone. An unverified account that sits on it loses it: it can no longer sign in with that number, while
 * its sessions, keys and addresses, which never stood for the number, stay. The proof is kept.
 * @throws AppError PHONE_TAKEN when the number is verified for another account.
 */
export async function provePhone(store: AccountStore, event: PhoneProofEvent): Promise<User> {
	const user = await store.passPhone({ id: newId("prf"), ...event });
	if (!user) throw phoneTaken();
	return user;
}

/** What an agent attests: that the person they met holds a phone. */
export interface PhoneAttestation {
	agentId: string;
	phone: string;
	/** The account of that person; undefined for the one that has the number. */
	userId: string | undefined;
}

/**
 * Verifies a phone because an agent met the person who holds it. The number passes as if its owner had proved it by a one-time code.
 * @param now Milliseconds since the epoch.
 * @throws AppError INVALID_PHONE, PHONE_TAKEN; NOT_FOUND when there is no such account.
 */
export async function attestPhone(store: AccountStore, attestation: PhoneAttestation, now: number): Promise<User> {
	const { agentId, userId } = attestation;
	const phone = parsePhone(attestation.phone);
	const user = userId === undefined ? await store.userByPhone(phone) : await store.userById(userId);
	if (!user) throw new AppError("NOT_FOUND", "There is no such account.");
	return provePhone(store, { userId: user.id, phone, method: "agent", agentId, provedAt: now });
}
