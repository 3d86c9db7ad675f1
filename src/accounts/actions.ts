/** What people do with their own accounts: sign up, in and out, and manage passwords, sessions and recovery codes. */

import { equalInConstantTime } from "../crypto/hash.ts";
import { newId } from "../crypto/random.ts";
import type { Caller } from "../db/caller.ts";
import { retryOnConflict, StaleRead } from "../db/refusal.ts";
import { inOneTrip, type Statements, spending } from "../db/statement.ts";
import { AppError, invalidField } from "../errors.ts";
import { spendingRegistration } from "../limits/daily-limits.ts";
import { forgetFailures, type LoginThrottle, loginThrottle, noteSignIn } from "../limits/failed-logins.ts";
import { hashInTurn } from "../limits/hash-queue.ts";
import type { Registry } from "../registry.ts";
import { UNUSED_ACCOUNT_RETENTION } from "../settings/retention.ts";
import { readPasswordFilter } from "./common-passwords.ts";
import { assertStrongPassword, hashPassword, needsRehash, UNMATCHABLE_HASH, verifyPassword } from "./password.ts";
import { reservedSince } from "./phone-proof.ts";
import { readPhone } from "./phone-reader.ts";
import { newRecoveryCode, recoveryHashOf } from "./recovery-code.ts";
import { isJustSignedIn, newSession, type TokenPair } from "./session.ts";
import type { NewSession, Session } from "./session-store.ts";
import { accountSuspended, type SignedInCaller } from "./signed-in.ts";
import * as accountStore from "./store.ts";
import type { User } from "./user-store.ts";

export interface SignedIn extends TokenPair {
	user: User;
}

/** A new user with a password and no phone yet. */
export async function userWith(registry: Registry, password: string): Promise<User> {
	return {
		id: newId("usr"),
		phone: null,
		phoneVerified: false,
		passwordHash: await hashInTurn(registry, () => hashPassword(password)),
		role: "user",
		createdAt: registry.now,
		suspendedAt: null,
		recoveryHash: null,
		eraseAt: null,
		unusedUntil: registry.now + UNUSED_ACCOUNT_RETENTION,
		usedUntil: null,
		shareCount: 0,
		recoveryRequestedAt: null,
		recoveryAgentId: null,
		recoveryGivenAt: null,
		recoveryAskedAt: null,
		recoveryGivenTo: null,
		databaseNames: "",
	};
}

/**
 * Opens an account for a phone and signs it in.
 * @throws AppError INVALID_PHONE, WEAK_PASSWORD, PHONE_TAKEN, RATE_LIMITED; UNAVAILABLE while too many people sign in.
 */
export async function register(registry: Registry, phoneText: string, password: string): Promise<SignedIn> {
	const phone = await readPhone(phoneText);
	assertStrongPassword(password, phone, await readPasswordFilter(registry.bindings));
	const taken = "This phone number already has an account. Sign in instead.";
	// Checked before the costly hash. The unique column decides when two register at once.
	const [holder] = await inOneTrip(registry.database, accountStore.userByPhone({ phone }));
	if (holder) throw accountStore.phoneTaken(taken);
	const newUser = { ...(await userWith(registry, password)), phone };
	const { session, tokens } = await newSession(registry, newUser.id);
	const wish = { phone, userId: newUser.id, reservedSince: reservedSince(registry) };
	await inOneTrip(registry.database, {
		isFree: accountStore.assertPhoneFree(wish, taken),
		...accountStore.startSession(session),
		inserted: spending(accountStore.insertUser(newUser), spendingRegistration(registry)),
		signInNoted: noteSignIn(registry, phone),
	});
	registry.log("info", "signed_up", { user: newUser.id, phone }, { by: "password" });
	return { ...tokens, user: newUser };
}

/** Whether a closed account is past its time, so that it cannot be opened again and only waits for the hourly clean-up. */
export function isDueForErasure({ eraseAt }: User, now: number): boolean {
	return eraseAt !== null && eraseAt <= now;
}

/**
 * Proves a password. The caller has checked the throttle already, because the hash is costly. The batch that a right password leads to
 * checks it again, so that guesses sent at once learn no more than the allowed number would.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED.
 */
async function provePassword(
	registry: Registry,
	throttle: LoginThrottle,
	user: User | undefined,
	password: string,
	detail: string,
): Promise<User> {
	const matches = await hashInTurn(registry, () => verifyPassword(password, user?.passwordHash ?? UNMATCHABLE_HASH));
	if (!user || !matches) throw new AppError("INVALID_CREDENTIALS", detail, { headers: await throttle.fail() });
	return user;
}

/** Proves the password of a signed-in user. Wrong tries count for their session. @throws AppError INVALID_CREDENTIALS, RATE_LIMITED. */
async function proveOwn(registry: Registry, caller: SignedInCaller, user: User, password: string, detail?: string) {
	const throttle = loginThrottle(registry, { session: caller.claims.sessionId });
	throttle.assertOpen(await inOneTrip(registry.database, throttle.usage));
	await provePassword(registry, throttle, user, password, detail ?? "The password is wrong.");
	return throttle;
}

/**
 * Proves the password of a signed-in user once more, before something that cannot be undone.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED; INVALID_TOKEN when the session has ended; UNAVAILABLE while too many people sign in.
 */
export async function confirmPassword(registry: Registry, caller: SignedInCaller, password: string): Promise<User> {
	const user = await currentUser(registry, caller);
	const throttle = await proveOwn(registry, caller, user, password);
	await admit(registry, throttle);
	return user;
}

/**
 * Proves who is acting before they make something that outlives their session. Either the password or a sign-in within the last ten minutes
 * does.
 * @throws AppError INVALID_REQUEST if the password is missing; also whatever confirmPassword throws.
 */
export async function confirmIdentity(
	registry: Registry,
	caller: SignedInCaller,
	password: string | undefined,
): Promise<void> {
	if (password !== undefined) return void (await confirmPassword(registry, caller, password));
	const sessions = await listSessions(registry, caller);
	const own = sessions.find(({ id }) => id === caller.claims.sessionId);
	if (own && isJustSignedIn(registry, own)) return;
	throw invalidField("password", "Send your password too, because you signed in more than ten minutes ago.");
}

/** Lets somebody with the right password in if the throttle is still open. @throws AppError RATE_LIMITED. */
function admit({ database }: Registry, { asserting, forgetting }: LoginThrottle) {
	return inOneTrip(database, { isOpen: asserting, forgotten: forgetting });
}

/**
 * Proves the password before another number becomes the one to sign in with. Otherwise somebody with a stolen session could take over the
 * account.
 * @throws AppError INVALID_REQUEST if the password is missing; also whatever confirmPassword throws.
 */
export async function confirmNewNumber(
	registry: Registry,
	caller: SignedInCaller,
	password: string | undefined,
): Promise<void> {
	if (password === undefined) {
		const message = "Send your password too, because this replaces the number that you sign in with.";
		throw new AppError("INVALID_REQUEST", message, { errors: [{ path: "current_password", message }] });
	}
	await confirmPassword(registry, caller, password);
}

/**
 * Signs in by phone and password. If the account was closed, this opens it again. An unknown phone takes as long and gets the same answer
 * as a wrong password. Only somebody with the right password is told that an account is suspended.
 * @param isEvenSuspended Whether to sign in to a suspended account too. Such a session can only export and delete the account's data.
 * @throws AppError INVALID_PHONE, INVALID_CREDENTIALS, ACCOUNT_SUSPENDED, RATE_LIMITED; UNAVAILABLE while too many people sign in.
 */
export async function login(
	registry: Registry,
	phoneText: string,
	password: string,
	isEvenSuspended: boolean,
): Promise<SignedIn> {
	const phone = await readPhone(phoneText);
	// If another request changes or rehashes the password in the meantime, the whole attempt is made again.
	const signedIn = await retryOnConflict(() => tryLogin(registry, phone, password, isEvenSuspended));
	noteIfOpened(registry, signedIn.user);
	registry.log("info", "signed_in", { user: signedIn.user.id, phone }, { by: "password" });
	return signedIn;
}

/** Notes if a sign-in has opened a closed account again. @param user As it was before. */
export function noteIfOpened({ closedOrOpened }: Registry, { id, eraseAt }: User): void {
	if (eraseAt !== null) closedOrOpened.add(id);
}

async function tryLogin(
	registry: Registry,
	phone: string,
	password: string,
	isEvenSuspended: boolean,
): Promise<SignedIn> {
	const { database, now } = registry;
	const throttle = loginThrottle(registry, { phone });
	const { holders, usage } = await inOneTrip(database, {
		holders: accountStore.userByPhone({ phone }),
		usage: throttle.usage,
	});
	const [holder] = holders;
	const known = holder && !isDueForErasure(holder, now) ? holder : undefined;
	await throttle.assertMayHash(usage);
	const user = await provePassword(registry, throttle, known, password, "The phone number or the password is wrong.");
	if (user.suspendedAt !== null && !isEvenSuspended) {
		await admit(registry, throttle);
		throw accountSuspended(registry);
	}
	const { id: userId, passwordHash: oldHash } = user;
	const { session, tokens } = await newSession(registry, userId);
	const newHash = needsRehash(oldHash) ? await hashInTurn(registry, () => hashPassword(password)) : oldHash;
	await inOneTrip(database, {
		isOpen: throttle.asserting,
		isProved: accountStore.assertPassword(userId, [oldHash, newHash], () => new StaleRead(), isEvenSuspended),
		...(newHash === oldHash ? {} : { rehashed: accountStore.setPassword({ userId, oldHash, newHash }) }),
		reopened: accountStore.reopen({ userId }),
		...accountStore.startSession(session),
		forgotten: throttle.forgetting,
		signInNoted: noteSignIn(registry, phone),
	});
	return { ...tokens, user };
}

/**
 * Changes the password of a signed-in user, ends all their sessions, including this one, and signs them in again.
 * @throws AppError WEAK_PASSWORD; also whatever confirmPassword throws.
 */
export async function changePassword(
	registry: Registry,
	caller: SignedInCaller,
	currentPassword: string,
	newPassword: string,
): Promise<TokenPair> {
	const { now } = registry;
	const current = await currentUser(registry, caller);
	assertStrongPassword(newPassword, current.phone ?? "", await readPasswordFilter(registry.bindings));
	const wrong = "The current password is wrong.";
	const throttle = await proveOwn(registry, caller, current, currentPassword, wrong);
	const { id: userId, passwordHash: oldHash } = current;
	const { session, tokens } = await newSession(registry, userId);
	const newHash = await hashInTurn(registry, () => hashPassword(newPassword));
	await caller.run(registry.database, {
		isOpen: throttle.asserting,
		isProved: accountStore.assertPassword(userId, [oldHash, newHash], () => new AppError("INVALID_CREDENTIALS", wrong)),
		changed: accountStore.setPassword({ userId, oldHash, newHash }),
		...accountStore.revokeSessions({ userId, now, exceptId: session.id }),
		...accountStore.startSession(session),
		forgotten: throttle.forgetting,
	});
	registry.log("info", "password_changed", { user: userId }, { by: "password" });
	return tokens;
}

/**
 * The account of a signed-in user.
 * @throws AppError INVALID_TOKEN when their session has ended.
 */
export async function currentUser(registry: Registry, caller: Caller): Promise<User> {
	const [user] = await caller.run(registry.database, (id) => accountStore.userById({ id }));
	if (!user) throw new Error("A session was verified whose user does not exist");
	return user;
}

/**
 * Makes a recovery code for a signed-in user. It replaces the previous one, and only this call returns it.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED; INVALID_TOKEN when the session has ended; UNAVAILABLE while too many people sign in.
 */
export async function createRecoveryCode(
	registry: Registry,
	caller: SignedInCaller,
	password: string,
): Promise<string> {
	return newRecoveryCodeOf(registry, caller, await confirmPassword(registry, caller, password));
}

/** As createRecoveryCode, but without a password, for somebody who has just signed in (`isJustSignedIn`). */
export async function newRecoveryCodeOf(
	registry: Registry,
	caller: SignedInCaller,
	{ id: userId, passwordHash }: User,
): Promise<string> {
	const { code, hash: recoveryHash } = newRecoveryCode();
	await caller.run(registry.database, {
		isProved: accountStore.assertPassword(userId, [passwordHash]),
		set: accountStore.setRecoveryHash({ userId, recoveryHash }),
	});
	registry.log("info", "recovery_code_created", { user: userId });
	return code;
}

/** A new password for the account of a phone. What proves the holder is passed separately. */
export interface PasswordReset {
	phone: string;
	password: string;
	revokesKeys: boolean;
	/** Whether to reset a suspended account too. Its session can only export and delete its data. */
	isEvenSuspended: boolean;
}

/**
 * The statements that set a new password for an account, end all its sessions and sign it in again. They run after those that prove the
 * holder.
 */
export function settingPassword(
	registry: Registry,
	wanted: { userId: string; phone: string; newHash: string; session: NewSession; revokesKeys: boolean },
): Statements {
	const { userId, phone, newHash, session, revokesKeys } = wanted;
	const { now } = registry;
	return {
		replaced: accountStore.replacePassword({ userId, newHash }),
		...accountStore.revokeSessions({ userId, now, exceptId: session.id }),
		askedAgain: accountStore.askAgain({ userId }),
		...(revokesKeys ? { keysRevoked: accountStore.revokeKeys({ userId, now }) } : {}),
		...accountStore.startSession(session),
		failuresForgotten: forgetFailures(registry, phone),
		signInNoted: noteSignIn(registry, phone),
	};
}

/**
 * Sets a new password by phone and recovery code, ends all sessions of the account and signs in again, as `login` does. The code is used
 * up. Wrong codes count as failed sign-ins. An unknown phone takes as long and gets the same answer as a wrong code. The code stays valid
 * if the account is suspended and refused.
 * @throws AppError WEAK_PASSWORD; also whatever login throws.
 */
export async function resetPassword(
	registry: Registry,
	{ phone: phoneText, code, password, revokesKeys, isEvenSuspended }: PasswordReset & { code: string },
): Promise<SignedIn> {
	const phone = await readPhone(phoneText);
	assertStrongPassword(password, phone, await readPasswordFilter(registry.bindings));
	const throttle = loginThrottle(registry, { phone, hasRecoveryCode: true });
	const { holders, usage } = await inOneTrip(registry.database, {
		holders: accountStore.userByPhone({ phone }),
		usage: throttle.usage,
	});
	const [user] = holders;
	throttle.assertOpen(usage);
	const recoveryHash = recoveryHashOf(code);
	const matches = equalInConstantTime(recoveryHash, user?.recoveryHash ?? "0".repeat(recoveryHash.length));
	const wrong = async () =>
		new AppError("INVALID_CREDENTIALS", "The phone number or the recovery code is wrong.", {
			headers: await throttle.fail(),
		});
	if (!user || !matches || isDueForErasure(user, registry.now)) throw await wrong();
	const { id: userId } = user;
	// Checked again, so that guesses sent at once learn no more than the allowed number would.
	throttle.assertOpen(await inOneTrip(registry.database, throttle.usage));
	if (user.suspendedAt !== null && !isEvenSuspended) throw accountSuspended(registry);
	const { session, tokens } = await newSession(registry, userId);
	const newHash = await hashInTurn(registry, () => hashPassword(password));
	await inOneTrip(registry.database, {
		isOpen: throttle.asserting,
		isRight: accountStore.assertRecoveryCode(
			{ userId, recoveryHash, newHash, admitsSuspended: isEvenSuspended ? 1 : 0 },
			wrong,
		),
		...settingPassword(registry, { userId, phone, newHash, session, revokesKeys }),
	});
	noteIfOpened(registry, user);
	registry.log("info", "password_changed", { user: userId, phone }, { by: "recovery code" });
	return { ...tokens, user };
}

/**
 * The live sessions of a signed-in user, newest first.
 * @throws AppError INVALID_TOKEN when their session has ended.
 */
export function listSessions(registry: Registry, caller: Caller): Promise<Session[]> {
	const { now } = registry;
	return caller.run(registry.database, (userId) => accountStore.liveSessions({ userId, now }));
}

/** The id of the account that has a phone, or undefined if none has. @throws AppError INVALID_PHONE. */
export async function accountIdOfPhone(registry: Registry, phoneText: string): Promise<string | undefined> {
	const [user] = await inOneTrip(registry.database, accountStore.userByPhone({ phone: await readPhone(phoneText) }));
	return user?.id;
}

/** Reads the live sessions of an account, newest first. */
export function readingSessions({ now }: Registry, userId: string) {
	return accountStore.liveSessions({ userId, now });
}

/** The last four digits of the phone numbers of accounts, by account id. Accounts without a number are left out. */
export async function phoneEndingsOf({ database }: Registry, ids: readonly string[]): Promise<Map<string, string>> {
	if (ids.length === 0) return new Map();
	const found = await inOneTrip(database, accountStore.phoneEndings({ ids }));
	return new Map(found.flatMap(({ id, ending }) => (ending === null ? [] : [[id, ending]])));
}

/** Reads agents, the oldest accounts first. */
export function readingAgents(limit: number) {
	return accountStore.agents({ limit });
}
