import type { Caller } from "../db/caller.ts";
import { refusalOf } from "../db/refusal.ts";
import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip, type Statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import type { SecurityLog } from "../http/security-log.ts";
import type { Guess, LoginThrottle } from "../limits/failed-logins.ts";
import type { NetworkLimit } from "../limits/write-limits.ts";
import { newId } from "../random.ts";
import type { SignedInCaller } from "./caller.ts";
import type { PasswordFilter } from "./common-passwords.ts";
import { assertStrongPassword, hashPassword, needsRehash, UNMATCHABLE_HASH, verifyPassword } from "./password.ts";
import type { ReadPhone } from "./phone.ts";
import { explainPhone, phoneTaken } from "./phone-proof.ts";
import { newSession, type SessionStart, type TokenPair } from "./session.ts";
import type { AccountStore } from "./store.ts";
import { PASSWORD_CHANGED, type User } from "./user-store.ts";

/** What the use cases on accounts work with. `now` is in milliseconds since the epoch. */
export interface AccountContext extends SessionStart {
	store: AccountStore;
	readPhone: ReadPhone;
	/**
	 * Hashes a password in turn with others.
	 * @throws AppError UNAVAILABLE.
	 */
	hashInTurn: <Result>(hash: () => Result) => Promise<Result>;
	/**
	 * Reads the passwords that are too common.
	 * @throws AppError UNAVAILABLE.
	 */
	commonPasswords: () => Promise<PasswordFilter>;
	/** Verified numbers that were given up after this time are kept for who gave them up. Milliseconds since the epoch. */
	reservedSince: number;
	/** Notes that the request has signed in with a phone, so that failures elsewhere do not stop its network. */
	noteSignIn: (phone: string) => Statement;
	log: SecurityLog;
}

export interface SignedIn extends TokenPair {
	user: User;
}

/** A new user with a password and, so far, no phone. */
export async function userWith({ now, hashInTurn }: AccountContext, password: string): Promise<User> {
	return {
		id: newId("usr"),
		phone: null,
		phoneVerified: false,
		passwordHash: await hashInTurn(() => hashPassword(password)),
		role: "user",
		createdAt: now,
		disabledAt: null,
		recoveryHash: null,
		eraseAt: null,
	};
}

/**
 * Opens an account for a phone and signs it in.
 * @param limit On the accounts of a network.
 * @throws AppError INVALID_PHONE, WEAK_PASSWORD, PHONE_TAKEN, QUOTA_EXCEEDED.
 */
export async function register(
	context: AccountContext,
	limit: NetworkLimit,
	phoneText: string,
	password: string,
): Promise<SignedIn> {
	const { store } = context;
	const phone = await context.readPhone(phoneText);
	assertStrongPassword(password, phone, await context.commonPasswords());
	const taken = "This phone number already has an account. Sign in instead.";
	// Asked before the costly hash; the unique column decides when two register at once.
	const [[holder]] = await inOneTrip(store.userByPhone({ phone }));
	if (holder) throw phoneTaken(taken);
	const newUser = { ...(await userWith(context, password)), phone };
	const { session, tokens } = await newSession(newUser.id, context);
	const creating = store.createUser(newUser, session, context.reservedSince, limit.spend, context.noteSignIn(phone));
	const user = await creating.catch((error: unknown) => {
		throw limit.explain(explainPhone(error, taken));
	});
	context.log("info", "signed_up", { user: user.id, phone }, { by: "password" });
	return { ...tokens, user };
}

/** Whether the time of a closed account has come, so that only the hourly clean-up is still to erase it. */
export function isDueForErasure({ eraseAt }: User, now: number): boolean {
	return eraseAt !== null && eraseAt <= now;
}

/** The throttle on guessing what proves an account. */
export type ThrottleOf = (guess: Guess) => LoginThrottle;

/**
 * Proves a password under a throttle that was asked before, because the hash is costly. It is asked again by the batch that a right password leads
 * to, so that of guesses sent at once no more than the allowed number tells anything.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED.
 */
async function provePassword(
	{ hashInTurn }: AccountContext,
	throttle: LoginThrottle,
	user: User | undefined,
	password: string,
	detail: string,
): Promise<User> {
	const matches = await hashInTurn(() => verifyPassword(password, user?.passwordHash ?? UNMATCHABLE_HASH));
	if (!user || !matches) throw new AppError("INVALID_CREDENTIALS", detail, { headers: await throttle.fail() });
	return user;
}

/**
 * Proves the password of a signed-in user once more, before something that cannot be undone.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED; INVALID_TOKEN when the session has ended.
 */
export async function confirmPassword(
	context: AccountContext,
	caller: SignedInCaller,
	throttleOf: ThrottleOf,
	password: string,
): Promise<User> {
	const user = await currentUser(context.store, caller);
	const throttle = throttleOf({ session: caller.claims.sessionId });
	throttle.assertOpen((await inOneTrip(throttle.failures))[0]);
	await provePassword(context, throttle, user, password, "The password is wrong.");
	await throttle.succeed((assertOpen, forget) => retryIdempotent(() => inOneTrip(assertOpen, forget)));
	return user;
}

/**
 * Signs in by phone and password, which opens an account again that was closed. An unknown phone, and one whose account is disabled, cost and say the same as a wrong password.
 * @throws AppError INVALID_PHONE, INVALID_CREDENTIALS, RATE_LIMITED.
 */
export async function login(
	context: AccountContext,
	throttleOf: ThrottleOf,
	phoneText: string,
	password: string,
): Promise<SignedIn> {
	const { store } = context;
	const phone = await context.readPhone(phoneText);
	const throttle = throttleOf({ phone });
	const [[holder], failures] = await inOneTrip(store.userByPhone({ phone }), throttle.failures);
	const known = holder?.disabledAt === null && !isDueForErasure(holder, context.now) ? holder : undefined;
	await throttle.admit(failures);
	const user = await provePassword(context, throttle, known, password, "The phone number or the password is wrong.");
	const { id: userId, passwordHash: provedHash } = user;
	const { session, tokens } = await newSession(userId, context);
	const newHash = needsRehash(provedHash) ? await context.hashInTurn(() => hashPassword(password)) : provedHash;
	const rehash = newHash === provedHash ? [] : [store.setPassword({ userId, oldHash: provedHash, newHash })];
	try {
		await throttle.succeed((assertOpen, forget) =>
			retryIdempotent(() =>
				inOneTrip(
					assertOpen,
					// The new one is this sign-in's own, by an attempt whose answer was lost.
					store.assertPassword(userId, provedHash, newHash),
					...rehash,
					store.reopen({ userId, now: context.now }),
					...store.startSession(session),
					forget,
					context.noteSignIn(phone),
				),
			),
		);
	} catch (error) {
		// The password was changed, or hashed anew by another sign-in, while this one was proved: it is judged again.
		if (refusalOf(error) === PASSWORD_CHANGED) return login(context, throttleOf, phoneText, password);
		throw error;
	}
	context.log("info", "signed_in", { user: userId, phone }, { by: "password" });
	return { ...tokens, user };
}

/**
 * Changes the password of a signed-in user, ends all their sessions, this one too, and signs them in anew.
 * @throws AppError INVALID_CREDENTIALS, WEAK_PASSWORD, RATE_LIMITED; INVALID_TOKEN when the session has ended.
 */
export async function changePassword(
	context: AccountContext,
	caller: SignedInCaller,
	throttleOf: ThrottleOf,
	currentPassword: string,
	newPassword: string,
): Promise<TokenPair> {
	const { store, now } = context;
	const current = await currentUser(store, caller);
	assertStrongPassword(newPassword, current.phone ?? "", await context.commonPasswords());
	const wrong = "The current password is wrong.";
	const throttle = throttleOf({ session: caller.claims.sessionId });
	throttle.assertOpen((await inOneTrip(throttle.failures))[0]);
	const { id: userId, passwordHash: oldHash } = await provePassword(context, throttle, current, currentPassword, wrong);
	const { session, tokens } = await newSession(userId, context);
	const newHash = await context.hashInTurn(() => hashPassword(newPassword));
	try {
		await throttle.succeed((assertOpen, forget) =>
			caller.run(
				assertOpen,
				store.assertPassword(userId, oldHash),
				store.setPassword({ userId, oldHash, newHash }),
				store.revokeSessions({ userId, now }),
				...store.startSession(session),
				forget,
			),
		);
	} catch (error) {
		throw refusalOf(error) === PASSWORD_CHANGED ? new AppError("INVALID_CREDENTIALS", wrong) : error;
	}
	context.log("info", "password_changed", { user: userId }, { by: "password" });
	return tokens;
}

/**
 * The account of a signed-in user.
 * @throws AppError INVALID_TOKEN when their session has ended.
 */
export async function currentUser(store: AccountStore, caller: Caller): Promise<User> {
	const [[user]] = await caller.runAs((id) => [store.userById({ id })]);
	if (!user) throw new Error("A session was proved whose user does not exist");
	return user;
}
