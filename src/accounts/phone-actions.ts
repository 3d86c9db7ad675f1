/** Proving a phone by one-time code, and what it allows: registering, and setting a new password. */
import { inOneTrip, type Statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { dailyLimit, networkSubject } from "../limits/daily-limits.ts";
import { forgetFailures, isKnownNetwork, noteSignIn } from "../limits/failed-logins.ts";
import { hashInTurn } from "../limits/hash-queue.ts";
import type { Registry } from "../registry.ts";
import { DAY } from "../time/time.ts";
import { otpGateway, type SentCode, sendCode, tryCode } from "../verification/actions.ts";
import {
	confirmNewNumber,
	currentUser,
	isDueForErasure,
	noteIfOpened,
	type PasswordReset,
	type SignedIn,
	settingPassword,
	userWith,
} from "./actions.ts";
import { readPasswordFilter } from "./common-passwords.ts";
import { assertStrongPassword, hashPassword } from "./password.ts";
import { passPhone, reservedSince } from "./phone-proof.ts";
import { callingCodeForSms, readPhone } from "./phone-reader.ts";
import { newSession } from "./session.ts";
import { accountSuspended, type SignedInCaller } from "./signed-in.ts";
import * as accountStore from "./store.ts";
import type { User } from "./user-store.ts";

/** The statement that spends a code from the quota of the phone's calling code. */
async function spendingOfCallingCode(registry: Registry, phone: string, isOldAccount: boolean): Promise<Statement> {
	const callingCode = await callingCodeForSms(registry.settings.smsCallingCodes, phone);
	// Older accounts are counted apart, so that new accounts and strangers cannot use up their codes.
	const subject = isOldAccount ? `${callingCode} of accounts` : callingCode;
	return dailyLimit(registry, "one-time-codes-of-calling-code", { subject }).spend;
}

/** Whether an account was opened before today (UTC). */
function isOld(user: User | undefined, now: number): boolean {
	return user !== undefined && user.createdAt < now - (now % DAY);
}

/** The error for a code that is wrong, expired, used up or tried too often. `path` is the field that holds the code. */
function wrongCode(path: string): AppError {
	const message = "This one-time code is wrong, expired or used up. Ask for a new one.";
	return new AppError("INVALID_REQUEST", message, { errors: [{ path, message }] });
}

/**
 * Sends a one-time code to a phone, by which a signed-in user can prove that it is theirs.
 * @throws AppError OTP_DISABLED, INVALID_PHONE, PHONE_TAKEN, RATE_LIMITED, QUOTA_EXCEEDED, UNAVAILABLE.
 */
export async function requestCode(registry: Registry, caller: SignedInCaller, phoneText: string): Promise<SentCode> {
	const phone = await readPhone(phoneText);
	const user = await currentUser(registry, caller);
	const { id: userId } = user;
	const sending = {
		phone,
		asker: { userId },
		spends: [
			dailyLimit(registry, "one-time-codes-of-account", { subject: userId }).spend,
			await spendingOfCallingCode(registry, phone, isOld(user, registry.now)),
		],
		checks: { isProvable: accountStore.assertProvable({ phone, userId, reservedSince: reservedSince(registry) }) },
		isForHolder: user.phone === phone,
		caller,
	};
	return sendCode(registry, sending);
}

/**
 * Sends a one-time code to a phone for somebody who is signed out, to open an account or to set a new password. The answer does not depend
 * on whether the phone has an account, so that nobody learns it.
 * @throws AppError OTP_DISABLED, INVALID_PHONE, RATE_LIMITED, QUOTA_EXCEEDED, UNAVAILABLE.
 */
export async function requestCodeSignedOut(registry: Registry, phoneText: string): Promise<SentCode> {
	const phone = await readPhone(phoneText);
	const { known, holders } = await inOneTrip(registry.database, {
		known: isKnownNetwork(registry, phone),
		holders: accountStore.userByPhone({ phone }),
	});
	// On a network where the phone's holder has signed in before, strangers cannot use up the codes, whether they are there or elsewhere.
	const isForHolder = known[0]?.isKnown === 1;
	const ofNetwork = dailyLimit(registry, "one-time-codes-of-network", { subject: networkSubject(registry, "otp") });
	const isOldAccount = isForHolder && isOld(holders[0], registry.now);
	const spends = [
		...(isForHolder ? [] : [ofNetwork.spend]),
		await spendingOfCallingCode(registry, phone, isOldAccount),
	];
	return sendCode(registry, { phone, asker: "network", spends, checks: {}, isForHolder });
}

/**
 * Proves a phone by the code sent to it. The number then belongs to the user who asked for the code. If it differs from the one they sign
 * in with, they prove their password too. Otherwise somebody with a stolen session could take over the account.
 * @throws AppError INVALID_PHONE, PHONE_TAKEN, INVALID_CREDENTIALS, RATE_LIMITED; INVALID_REQUEST if the code is wrong, expired, used or
 * was tried too often, or the password is missing.
 */
export async function verifyPhone(
	registry: Registry,
	caller: SignedInCaller,
	{ phone: phoneText, code, password }: { phone: string; code: string; password: string | undefined },
): Promise<User> {
	const phone = await readPhone(phoneText);
	const { userId } = caller.claims;
	const user = await currentUser(registry, caller);
	if (user.phone !== phone) await confirmNewNumber(registry, caller, password);
	const right = await tryCode(registry, { userId }, phone, code, caller);
	if (!right) throw wrongCode("code");
	const proof = passPhone({ userId, phone, method: "otp", agentId: null, provedAt: registry.now });
	// The transaction that gives the number also uses up the code, so that a failure in between does not cost the code.
	const {
		holders: [holder],
	} = await caller.run(registry.database, {
		...right(() => wrongCode("code")),
		isProvable: accountStore.assertProvable({ phone, userId, reservedSince: reservedSince(registry) }),
		isSamePassword: accountStore.assertPassword(userId, [user.passwordHash]),
		...proof,
		settled: accountStore.settle({ userId }),
		signInNoted: noteSignIn(registry, phone),
	});
	if (!holder) throw accountStore.phoneTaken();
	const replaced = user.phone !== phone;
	registry.log("info", "phone_verified", { user: userId, phone }, { by: "one-time code", replaced });
	return holder;
}

/** What is sent to prove a phone while signed out. */
interface SignedOutProof {
	phone: string;
	password: string;
	/** The one-time code. */
	otp: string;
}

/**
 * Reads what is sent to prove a phone while signed out, and tries the code.
 * @throws AppError OTP_DISABLED, INVALID_PHONE; INVALID_REQUEST if the code is wrong; UNAVAILABLE while too many people sign in.
 */
async function tryProof(registry: Registry, { phone: phoneText, password, otp }: SignedOutProof) {
	otpGateway(registry);
	const phone = await readPhone(phoneText);
	assertStrongPassword(password, phone, await readPasswordFilter(registry.bindings));
	return { phone, right: await tryCode(registry, "network", phone, otp) };
}

/**
 * Opens an account for a phone that a one-time code proves, and signs it in. An unverified account with the same number loses the number.
 * @throws AppError OTP_DISABLED, INVALID_PHONE, WEAK_PASSWORD, PHONE_TAKEN; INVALID_REQUEST if the code is wrong; UNAVAILABLE while too
 * many people sign in.
 */
export async function registerProved(registry: Registry, proving: SignedOutProof): Promise<SignedIn> {
	const { phone, right } = await tryProof(registry, proving);
	if (!right) throw wrongCode("otp");
	const newUser = await userWith(registry, proving.password);
	const { id: userId } = newUser;
	const { session, tokens } = await newSession(registry, userId);
	const proof = passPhone({ userId, phone, method: "otp", agentId: null, provedAt: registry.now });
	const {
		holders: [user],
	} = await inOneTrip(registry.database, {
		...right(() => wrongCode("otp")),
		isProvable: accountStore.assertProvable({ phone, userId, reservedSince: reservedSince(registry) }),
		inserted: accountStore.insertUser(newUser),
		...proof,
		...accountStore.startSession(session),
		failuresForgotten: forgetFailures(registry, phone),
		signInNoted: noteSignIn(registry, phone),
	});
	if (!user) throw accountStore.phoneTaken();
	registry.log("info", "signed_up", { user: userId, phone }, { by: "one-time code" });
	return { ...tokens, user };
}

/**
 * Sets a new password by a one-time code, ends all sessions of the account and signs in again. This also verifies the number. If it was not
 * verified before, somebody else may have opened the account, so its keys are revoked.
 * @throws AppError OTP_DISABLED, INVALID_PHONE, WEAK_PASSWORD, INVALID_CREDENTIALS, ACCOUNT_SUSPENDED; UNAVAILABLE while too many people
 * sign in.
 */
export async function resetProved(
	registry: Registry,
	{ revokesKeys, isEvenSuspended, ...proving }: SignedOutProof & PasswordReset,
): Promise<SignedIn> {
	const { phone, right } = await tryProof(registry, proving);
	const wrong = () =>
		new AppError("INVALID_CREDENTIALS", "The phone number or the one-time code is wrong, or the code has expired.");
	if (!right) throw wrong();
	const { now } = registry;
	// Looked up after the code is checked, so that only the holder of the phone can learn whether it has an account.
	const [user] = await inOneTrip(registry.database, accountStore.userByPhone({ phone }));
	if (!user || isDueForErasure(user, now)) throw wrong();
	if (user.suspendedAt !== null && !isEvenSuspended) throw accountSuspended(registry);
	const { id: userId, passwordHash: oldHash } = user;
	const { session, tokens } = await newSession(registry, userId);
	const newHash = await hashInTurn(registry, () => hashPassword(proving.password));
	const proof = passPhone({ userId, phone, method: "otp", agentId: null, provedAt: now, isReset: true });
	await inOneTrip(registry.database, {
		...right(wrong),
		isSamePassword: accountStore.assertPassword(userId, [oldHash, newHash], wrong, isEvenSuspended),
		isProvable: accountStore.assertProvableOr({ phone, userId, reservedSince: reservedSince(registry) }, wrong),
		...settingPassword(registry, {
			userId,
			phone,
			newHash,
			session,
			revokesKeys: revokesKeys || !user.phoneVerified,
		}),
		...proof,
	});
	noteIfOpened(registry, user);
	registry.log("info", "password_changed", { user: userId, phone }, { by: "one-time code" });
	return { ...tokens, user: { ...user, phoneVerified: true } };
}
