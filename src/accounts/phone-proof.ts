import type { Caller } from "../db/caller.ts";
import { refusalOf } from "../db/refusal.ts";
import { retryIdempotent } from "../db/retry.ts";
import type { Limits } from "../env.ts";
import { AppError } from "../errors.ts";
import type { WriteLimits } from "../limits/write-limits.ts";
import { newId } from "../random.ts";
import { DAY } from "../time.ts";
import type { ReadPhone } from "./phone.ts";
import { PHONE_RESERVED, PHONE_TAKEN, type PhoneProof } from "./phone-store.ts";
import type { AccountStore } from "./store.ts";
import type { User } from "./user-store.ts";

/** How a number was proved, to whom it belongs, and when (milliseconds since the epoch). */
export type PhoneProofEvent = Omit<PhoneProof, "id">;

/** The error for a number that a verified account has. Numbers change hands, but who has it now is then for people to settle and not for whoever reads the SMS first. */
export function phoneTaken(detail = "This phone number is verified for another account."): AppError {
	return new AppError("PHONE_TAKEN", detail);
}

/**
 * PHONE_TAKEN for the error of a batch that was refused because the phone is another account's; any other error as it is.
 * @param detail What is said of a number that another account has now.
 */
export function explainPhone(error: unknown, detail?: string): unknown {
	const refusal = refusalOf(error);
	if (refusal === PHONE_TAKEN) return phoneTaken(detail);
	if (refusal === PHONE_RESERVED)
		return phoneTaken("Another account gave up this phone number recently. It is reserved for its holder for a while.");
	return error;
}

/** The time (milliseconds since the epoch) after which a verified number must have been given up to be kept for who gave it up. */
export function reservedSince({ PHONE_RESERVED_DAYS }: Limits, now: number): number {
	return now - PHONE_RESERVED_DAYS * DAY;
}

/**
 * The statements that make a proved number an account's own, verified phone; the last one's result is the account, or nothing where a verified
 * account has the number. An unverified account that has it loses it: it can no longer sign in with that number, while its sessions, keys and
 * addresses, which never stood for the number, stay. The proof is kept.
 */
export function passPhone(store: AccountStore, event: PhoneProofEvent) {
	return store.passPhone({ id: newId("prf"), ...event });
}

/** What an agent attests: that the person they met holds a phone. */
export interface PhoneAttestation {
	phone: string;
	/** The account of that person. */
	userId: string;
}

/**
 * Verifies a phone because an agent met the person who holds it. The number passes as if its owner had proved it by a one-time code.
 * @returns The account, and whether the number took the place of another one.
 * @throws AppError INVALID_PHONE, PHONE_TAKEN; NOT_FOUND when there is no such account; QUOTA_EXCEEDED.
 */
export async function attestPhone(
	store: AccountStore,
	caller: Caller,
	limits: WriteLimits,
	attestation: PhoneAttestation,
	{ now, reservedSince, readPhone }: { now: number; reservedSince: number; readPhone: ReadPhone },
): Promise<{ user: User; replaced: boolean }> {
	const { userId } = attestation;
	const phone = await readPhone(attestation.phone);
	const [[holder]] = await caller.run(store.userById({ id: userId }));
	if (!holder) throw new AppError("NOT_FOUND", "No account has this id.");
	if (userId === caller.userId) throw new AppError("FORBIDDEN", "Agents cannot attest their own phone number.");
	if (holder.phoneVerified && holder.phone !== phone) {
		throw new AppError("FORBIDDEN", "This account has another verified phone number. Only its owner can replace it.");
	}
	const event = { userId, phone, method: "agent" as const, agentId: caller.userId, provedAt: now };
	const proof = passPhone(store, event);
	const assertProvable = store.assertProvable({ phone, userId, reservedSince });
	const proving = retryIdempotent(() => caller.run(assertProvable, ...proof, ...limits.spend));
	const [, , , [user]] = await proving.catch((error: unknown) => {
		throw limits.explain(explainPhone(error));
	});
	if (!user) throw phoneTaken();
	return { user, replaced: holder.phone !== phone };
}
