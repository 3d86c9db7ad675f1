import { refusalOf } from "../db/refusal.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { equalInConstantTime } from "../hash.ts";
import { type AccountContext, confirmPassword, isDueForErasure, type SignedIn, type ThrottleOf } from "./accounts.ts";
import type { SignedInCaller } from "./caller.ts";
import { assertStrongPassword, hashPassword } from "./password.ts";
import { newRecoveryCode, recoveryHashOf } from "./recovery-code.ts";
import { newSession } from "./session.ts";
import { PASSWORD_CHANGED, RECOVERY_CODE_USED } from "./user-store.ts";

/**
 * Makes a recovery code for a signed-in user, in the place of the one before. It is returned here and never again.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED; INVALID_TOKEN when the session has ended.
 */
export async function createRecoveryCode(
	context: AccountContext,
	caller: SignedInCaller,
	throttleOf: ThrottleOf,
	password: string,
): Promise<string> {
	const { store } = context;
	const { id: userId, passwordHash } = await confirmPassword(context, caller, throttleOf, password);
	const { code, hash: recoveryHash } = newRecoveryCode();
	try {
		await caller.run(store.assertPassword(userId, passwordHash), store.setRecoveryHash({ userId, recoveryHash }));
		context.log("info", "recovery_code_created", { user: userId });
		return code;
	} catch (error) {
		throw refusalOf(error) === PASSWORD_CHANGED ? new AppError("INVALID_CREDENTIALS", "The password is wrong.") : error;
	}
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
	const { store, now } = context;
	const phone = await context.readPhone(phoneText);
	assertStrongPassword(password, phone, await context.commonPasswords());
	const throttle = throttleOf({ recoveryOf: phone });
	const [[user], failures] = await inOneTrip(store.userByPhone({ phone }), throttle.failures);
	throttle.assertOpen(failures);
	const recoveryHash = recoveryHashOf(code);
	const matches = equalInConstantTime(recoveryHash, user?.recoveryHash ?? "0".repeat(recoveryHash.length));
	const wrong = async () =>
		new AppError("INVALID_CREDENTIALS", "The phone number or the recovery code is wrong.", {
			headers: await throttle.fail(),
		});
	if (!user || !matches || isDueForErasure(user, now)) throw await wrong();
	const { id: userId } = user;
	// Asked again, so that of guesses sent at once no more than the allowed number tells anything.
	throttle.assertOpen((await inOneTrip(throttle.failures))[0]);
	const { session, tokens } = await newSession(userId, context);
	const newHash = await context.hashInTurn(() => hashPassword(password));
	try {
		await throttle.succeed((assertOpen, forget) =>
			inOneTrip(
				assertOpen,
				store.assertRecoveryCode({ userId, recoveryHash }),
				store.resetPassword({ userId, newHash }),
				store.revokeSessions({ userId, now }),
				...store.startSession(session),
				forget,
				context.noteSignIn(phone),
			),
		);
	} catch (error) {
		throw refusalOf(error) === RECOVERY_CODE_USED ? await wrong() : error;
	}
	context.log("info", "password_changed", { user: userId, phone }, { by: "recovery code" });
	return { ...tokens, user };
}
