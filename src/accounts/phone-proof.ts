import { newId } from "../crypto/random.ts";
import type { Registry } from "../registry.ts";
import { DAY } from "../time/time.ts";
import * as phoneStore from "./phone-store.ts";

/** How a number was proved, for which account, and when (milliseconds since the epoch). */
type PhoneProofEvent = Omit<phoneStore.PhoneProof, "id" | "isReset"> & { isReset?: boolean };

/**
 * The start of the reservation period (milliseconds since the epoch). A verified number given up later is reserved for its former holder.
 */
export function reservedSince({ settings, now }: Registry): number {
	return now - settings.numbers.PHONE_RESERVED_DAYS * DAY;
}

/**
 * The statements that give a proved number to an account and verify it there. `holders` is the account, or empty if a verified account has
 * the number. An unverified account with the number loses it and can no longer sign in with it. Its sessions, keys and addresses stay,
 * because they never depended on the number. The proof stays stored.
 */
export function passPhone(event: PhoneProofEvent) {
	return phoneStore.givePhoneTo({ id: newId("prf"), isReset: false, ...event });
}
