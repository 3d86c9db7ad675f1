import { refusalOf } from "../db/refusal.ts";
import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import type { NetworkLimit } from "../limits/write-limits.ts";
import {
	type OtpContext,
	type OtpSending,
	type SentCode,
	sendCode,
	tryCode,
	wasCodeUsed,
} from "../verification/otp.ts";
import {
	type AccountContext,
	confirmPassword,
	currentUser,
	isDueForErasure,
	type SignedIn,
	type ThrottleOf,
	userWith,
} from "./accounts.ts";
import type { SignedInCaller } from "./caller.ts";
import { assertStrongPassword, hashPassword } from "./password.ts";
import type { ReadPhone } from "./phone.ts";
import { explainPhone, passPhone, phoneTaken } from "./phone-proof.ts";
import { PHONE_RESERVED, PHONE_TAKEN } from "./phone-store.ts";
import { newSession } from "./session.ts";
import type { AccountStore } from "./store.ts";
import { PASSWORD_CHANGED, type User } from "./user-store.ts";

export interface CodeContext extends OtpContext {
	accounts: AccountStore;
	readPhone: ReadPhone;
	/** Verified numbers that were given up after this time are kept for who gave them up. Milliseconds since the epoch. */
	reservedSince: number;
	/** Whether somebody has signed in with a phone from the network of the request before. */
	isKnownNetwork: (phone: string) => Promise<boolean>;
}

/**
 * What sending needs that depends on the phone and on whether the asker's account has it.
 * @throws AppError INVALID_PHONE where no codes are sent to such a number.
 */
export type SendingTo = (phone: string, isForHolder: boolean) => Promise<Omit<OtpSending, "checks" | "isForHolder">>;

/** The error for a code that is wrong, expired, used up or was tried too often. `path` is the field that holds it. */
function wrongCode(path: string): AppError {
	const message = "This one-time code is wrong, expired or used up. Ask for a new one.";
	return new AppError("INVALID_REQUEST", message, { errors: [{ path, message }] });
}

/**
 * Sends a one-time code to a phone, with which a signed-in user proves that it is theirs.
 * @throws AppError INVALID_PHONE, PHONE_TAKEN, RATE_LIMITED, QUOTA_EXCEEDED, UNAVAILABLE.
 */
export async function requestCode(
	context: CodeContext,
	sendingTo: SendingTo,
	caller: SignedInCaller,
	phoneText: string,
): Promise<SentCode> {
	const { accounts, reservedSince } = context;
	const phone = await context.readPhone(phoneText);
	const [[user]] = await caller.runAs((id) => [accounts.userById({ id })]);
	const { userId } = caller;
	const isForHolder = user?.phone === phone;
	const checks = [accounts.assertProvable({ phone, userId, reservedSince })];
	const sending = { ...(await sendingTo(phone, isForHolder)), checks, isForHolder };
	try {
		return await sendCode(context, sending, { userId }, phone, caller.run);
	} catch (error) {
		throw explainPhone(error);
	}
}

/**
 * Sends a one-time code to a phone while nobody is signed in: to open an account with it or to set a new password. Whether the phone has an
 * account makes no difference, so that nobody learns it.
 * @param network Where it is asked for.
 * @throws AppError INVALID_PHONE, RATE_LIMITED, QUOTA_EXCEEDED, UNAVAILABLE.
 */
export async function requestCodeSignedOut(
	context: CodeContext,
	sendingTo: SendingTo,
	network: string,
	phoneText: string,
): Promise<SentCode> {
	const phone = await context.readPhone(phoneText);
	// Where its holder has signed in before, strangers elsewhere use up none of the codes.
	const isForHolder = await context.isKnownNetwork(phone);
	const sending = { ...(await sendingTo(phone, isForHolder)), checks: [], isForHolder };
	return sendCode(context, sending, { network }, phone);
}

/**
 * Proves a phone by the code sent to it. The number then belongs to the user who asked for the code. Where it is not the one that they sign in with, they
 * prove their password too, so that nobody takes an account over who only holds a session of it.
 * @throws AppError INVALID_PHONE, PHONE_TAKEN, INVALID_CREDENTIALS, RATE_LIMITED; INVALID_REQUEST when the code is wrong, expired, used, or was tried
 * too often, or the password is missing.
 */
export async function verifyPhone(
	account: AccountContext,
	context: CodeContext,
	caller: SignedInCaller,
	throttleOf: ThrottleOf,
	{ phone: phoneText, code, password }: { phone: string; code: string; password: string | undefined },
): Promise<User> {
	const { accounts, now, reservedSince } = context;
	const phone = await context.readPhone(phoneText);
	const { userId } = caller.claims;
	const user = await currentUser(accounts, caller);
	if (user.phone !== phone) {
		if (password === undefined) {
			const message = "Send your password too, because this replaces the number that you sign in with.";
			throw new AppError("INVALID_REQUEST", message, { errors: [{ path: "current_password", message }] });
		}
		await confirmPassword(account, caller, throttleOf, password);
	}
	const right = await tryCode(context, { userId }, phone, code, caller.run);
	if (!right) throw wrongCode("code");
	const proof = passPhone(accounts, { userId, phone, method: "otp", agentId: null, provedAt: now });
	try {
		// The code is used up by the same transaction that gives the number, so that no trouble in between costs the code.
		const [, , , , , , [holder]] = await retryIdempotent(() =>
			caller.run(
				...right.statements,
				accounts.assertProvable({ phone, userId, reservedSince }),
				accounts.assertPassword(userId, user.passwordHash),
				...proof,
			),
		);
		if (!holder) throw phoneTaken();
		account.log(
			"info",
			"phone_verified",
			{ user: userId, phone },
			{ by: "one-time code", replaced: user.phone !== phone },
		);
		return holder;
	} catch (error) {
		if (wasCodeUsed(error)) throw wrongCode("code");
		if (refusalOf(error) === PASSWORD_CHANGED) throw new AppError("INVALID_CREDENTIALS", "The password is wrong.");
		throw explainPhone(error);
	}
}

/** What somebody sends who proves a phone while signed out. */
export interface SignedOutProof {
	phone: string;
	password: string;
	/** The one-time code. */
	otp: string;
	/** Where it is used. */
	network: string;
}

/**
 * Opens an account for a phone that a one-time code proves, and signs it in. An unverified account that has the number loses it.
 * @param limit On the accounts of a network.
 * @throws AppError INVALID_PHONE, WEAK_PASSWORD, PHONE_TAKEN, QUOTA_EXCEEDED; INVALID_REQUEST when the code is wrong.
 */
export async function registerProved(
	context: AccountContext,
	codes: CodeContext,
	limit: NetworkLimit,
	{ phone: phoneText, password, otp, network }: SignedOutProof,
): Promise<SignedIn> {
	const { store, now } = context;
	const phone = await context.readPhone(phoneText);
	assertStrongPassword(password, phone, await context.commonPasswords());
	const right = await tryCode(codes, { network }, phone, otp);
	if (!right) throw wrongCode("otp");
	const newUser = await userWith(context, password);
	const { id: userId } = newUser;
	const { session, tokens } = await newSession(userId, context);
	const proof = passPhone(store, { userId, phone, method: "otp", agentId: null, provedAt: now });
	try {
		const [, , , , , , , [user]] = await retryIdempotent(() =>
			inOneTrip(
				...right.statements,
				store.assertProvable({ phone, userId, reservedSince: codes.reservedSince }),
				store.insertUser(newUser),
				limit.spend,
				...proof,
				...store.startSession(session),
				context.noteSignIn(phone),
			),
		);
		if (!user) throw phoneTaken();
		context.log("info", "signed_up", { user: userId, phone }, { by: "one-time code" });
		return { ...tokens, user };
	} catch (error) {
		if (wasCodeUsed(error)) throw wrongCode("otp");
		throw limit.explain(explainPhone(error));
	}
}

/**
 * Sets a new password by a one-time code, ends all sessions of the account and signs in anew. The number is verified by it. Where it was not before,
 * whoever opened the account may have been somebody else, so their keys are revoked.
 * @throws AppError INVALID_PHONE, WEAK_PASSWORD, INVALID_CREDENTIALS.
 */
export async function resetProved(
	context: AccountContext,
	codes: CodeContext,
	{ phone: phoneText, password, otp, network }: SignedOutProof,
): Promise<SignedIn> {
	const { store, now } = context;
	const phone = await context.readPhone(phoneText);
	assertStrongPassword(password, phone, await context.commonPasswords());
	const wrong = () =>
		new AppError("INVALID_CREDENTIALS", "The phone number or the one-time code is wrong, or the code has expired.");
	const right = await tryCode(codes, { network }, phone, otp);
	if (!right) throw wrong();
	// Looked up behind the code, so that only the holder of the phone can learn whether it has an account.
	const [[user]] = await inOneTrip(store.userByPhone({ phone }));
	if (!user || isDueForErasure(user, now)) throw wrong();
	const { id: userId, passwordHash: oldHash } = user;
	const { session, tokens } = await newSession(userId, context);
	const newHash = await context.hashInTurn(() => hashPassword(password));
	const proof = passPhone(store, { userId, phone, method: "otp", agentId: null, provedAt: now });
	const revocation = user.phoneVerified ? [] : [store.revokeKeys({ userId, now })];
	try {
		// Run once, because a second run would end the session that the first one started.
		await inOneTrip(
			...right.statements,
			store.assertPassword(userId, oldHash),
			store.assertProvable({ phone, userId, reservedSince: codes.reservedSince }),
			store.resetPassword({ userId, newHash }),
			store.revokeSessions({ userId, now }),
			...revocation,
			...proof,
			...store.startSession(session),
			context.noteSignIn(phone),
		);
	} catch (error) {
		const isWrong =
			wasCodeUsed(error) || [PASSWORD_CHANGED, PHONE_TAKEN, PHONE_RESERVED].includes(refusalOf(error) ?? "");
		throw isWrong ? wrong() : error;
	}
	context.log("info", "password_changed", { user: userId, phone }, { by: "one-time code" });
	return { ...tokens, user: { ...user, phoneVerified: true } };
}
