/** Closing an account. */
import { confirmPassword } from "../accounts/actions.ts";
import type { SignedInCaller } from "../accounts/signed-in.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { spendingClosing } from "../limits/daily-limits.ts";
import type { Registry } from "../registry.ts";
import { DAY } from "../time/time.ts";
import * as personalDataStore from "./store.ts";

/**
 * Closes the account of a signed-in user. Its sessions end, its keys are refused and its addresses are closed at once. What caches hold of
 * them expires within a minute: purging each would be work that grows with the account. Signing in before it is erased opens it again, with
 * its keys and addresses.
 * @returns When it is erased, in milliseconds since the epoch.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED, QUOTA_EXCEEDED; INVALID_TOKEN if the account is gone.
 */
export async function closeAccount(registry: Registry, caller: SignedInCaller, password: string): Promise<number> {
	const { database, now, settings } = registry;
	const user = await confirmPassword(registry, caller, password);
	const eraseAt = now + settings.numbers.ACCOUNT_ERASURE_DAYS * DAY;
	const closing = { userId: user.id, provedHash: user.passwordHash, eraseAt, now };
	const { closed } = await inOneTrip(database, personalDataStore.close(closing, spendingClosing(registry, user.id)));
	if (closed.length === 0) throw new AppError("INVALID_CREDENTIALS", "The password is wrong.");
	registry.closedOrOpened.add(user.id);
	registry.log("info", "account_closed", { user: user.id });
	return eraseAt;
}
