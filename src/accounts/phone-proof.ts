import { newId } from "../crypto/random.ts";
import type { Registry } from "../registry.ts";
import { DAY } from "../time/time.ts";
import * as phoneStore from "./phone-store.ts";

/** How a number was proved, to whom it belongs, and when (milliseconds since the epoch). */
type PhoneProofEvent = Omit<phoneStore.PhoneProof, "id" | "isReset"> & { isReset?: boolean };

/** The time (milliseconds since the epoch) after which a verified number must have been given up to be reserved for who gave it up. */
export function reservedSince({ settings, now }: Registry): number {
	return now - settings.limits.PHONE_RESERVED_DAYS * DAY;
}

/**
 * The statements that make a proved number an account's own, verified phone; `holders` is the account, or nothing where a verified
 * account has the number. An unverified account that has it loses it: it can no longer sign in with that number, while its sessions, keys
 * and addresses, which never stood for the number, stay. The proof stays stored.
 */
export function passPhone(event: PhoneProofEvent) {
	return phoneStore.passPhone({ id: newId("prf"), isReset: false, ...event });
}
