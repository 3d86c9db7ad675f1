import { AppError } from "../errors.ts";
import { equalInConstantTime } from "../secret.ts";
import { type AccountContext, confirmPassword, isDueForErasure, type SignedIn, type ThrottleOf } from "./accounts.ts";
import { assertStrongPassword, hashPassword } from "./password.ts";
import { parsePhone } from "./phone.ts";
import { newRecoveryCode, recoveryHashOf } from "./recovery-code.ts";
import { newSession } from "./session.ts";

/**
 * Makes a recovery code for a signed-in user, in the place of the one before. It is returned here and never again.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED; INVALID_TOKEN when the account is gone.
 */
export async function createRecoveryCode(
	context: AccountContext,
	throttleOf: ThrottleOf,
	userId: string,
	password: string,
): Promise<string> {
	const user = await confirmPassword(context, throttleOf, userId, password);
	const { code, hash } = newRecoveryCode();
	if (await context.store.setRecoveryHash(user.id, user.passwordHash, hash)) return code;
	throw new AppError("INVALID_CREDENTIALS", "The password is wrong.");
}

/**
 * Sets a new password by phone and recovery code, which is used up, ends all sessions of the account and signs in anew, as `login` does. Wrong codes count as
 * failed sign-ins, and an unknown phone costs and says the same as a wrong code.
 * @throws AppError INVALID_PHONE, WEAK_PASSWORD, INVALID_CREDENTIALS, RATE_LIMITED.
 */
export async function resetPassword(
	context: AccountContext,
	throttleOf: ThrottleOf,
	{ phone: phoneText, code, password }: { phone: string; code: string; password: string },
): Promise<SignedIn> {
	const { store } = context;
	const phone = parsePhone(phoneText);
	assertStrongPassword(password, phone);
	const throttle = throttleOf(phone);
	await throttle.assertOpen();
	const user = await store.userByPhone(phone);
	const recoveryHash = recoveryHashOf(code);
	const matches = equalInConstantTime(recoveryHash, user?.recoveryHash ?? "0".repeat(recoveryHash.length));
	const wrong = async () =>
		new AppError("INVALID_CREDENTIALS", "The phone number or the recovery code is wrong.", {
			headers: await throttle.fail(),
		});
	if (!user || !matches || isDueForErasure(user, context.now)) throw await wrong();
	// Asked again, so that of guesses sent at once no more than the allowed number tells anything.
	await throttle.assertOpen();
	const { session, tokens } = await newSession(user.id, context);
	const passwordHash = await context.hashInTurn(() => hashPassword(password));
	if (!(await store.resetPassword(recoveryHash, passwordHash, session))) throw await wrong();
	await throttle.succeed();
	return { ...tokens, user };
}
