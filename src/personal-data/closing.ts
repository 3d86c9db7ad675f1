import { type AccountContext, confirmPassword, type ThrottleOf } from "../accounts/accounts.ts";
import type { SignedInCaller } from "../accounts/caller.ts";
import { AppError } from "../errors.ts";
import { DAY } from "../time.ts";
import type { PersonalDataStore } from "./store.ts";

/**
 * Closes the account of a signed-in user: its sessions end, its keys are refused and its addresses are hidden at once. Signing in before it is
 * erased opens it again, with its keys and addresses.
 * @param days How many days it stays closed before it is erased.
 * @returns When it is erased, in milliseconds since the epoch.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED; INVALID_TOKEN when the account is gone.
 */
export async function closeAccount(
	store: PersonalDataStore,
	context: AccountContext,
	caller: SignedInCaller,
	throttleOf: ThrottleOf,
	{ password, days }: { password: string; days: number },
): Promise<number> {
	const user = await confirmPassword(context, caller, throttleOf, password);
	const eraseAt = context.now + days * DAY;
	if (await store.close(user.id, user.passwordHash, eraseAt, context.now)) {
		context.log("info", "account_closed", { user: user.id });
		return eraseAt;
	}
	throw new AppError("INVALID_CREDENTIALS", "The password is wrong.");
}
