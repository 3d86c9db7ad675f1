import type { Refusals } from "../db/refusal.ts";
import { AppError } from "../errors.ts";
import { newId } from "../random.ts";
import type { Registry } from "../registry.ts";
import { DAY } from "../time.ts";
import { PHONE_RESERVED, PHONE_TAKEN, type PhoneProof } from "./phone-store.ts";
import type { AccountStore } from "./store.ts";

/** How a number was proved, to whom it belongs, and when (milliseconds since the epoch). */
type PhoneProofEvent = Omit<PhoneProof, "id" | "isReset"> & { isReset?: boolean };

/**
 * The error for a number that a verified account has. Numbers change hands, but who has it now is then for people to settle and not for
 * whoever reads the SMS first.
 */
export function phoneTaken(detail = "This phone number is verified for another account."): AppError {
	return new AppError("PHONE_TAKEN", detail);
}

const RESERVED = "Another account gave up this phone number recently. It is reserved for its holder for a while.";

/**
 * PHONE_TAKEN for batches that refuse a phone because it is another account's.
 * @param detail What is said of a number that another account has now.
 */
export function phoneRefusals(detail?: string): Refusals {
	return { [PHONE_TAKEN]: () => phoneTaken(detail), [PHONE_RESERVED]: () => phoneTaken(RESERVED) };
}

/** The time (milliseconds since the epoch) after which a verified number must have been given up to be kept for who gave it up. */
export function reservedSince({ settings, now }: Registry): number {
	return now - settings.limits.PHONE_RESERVED_DAYS * DAY;
}

/**
 * The statements that make a proved number an account's own, verified phone; `holders` is the account, or nothing where a verified
 * account has the number. An unverified account that has it loses it: it can no longer sign in with that number, while its sessions, keys
 * and addresses, which never stood for the number, stay. The proof is kept.
 */
export function passPhone(store: AccountStore, event: PhoneProofEvent) {
	return store.passPhone({ id: newId("prf"), isReset: false, ...event });
}
