import { AppError } from "../errors.ts";
import type { LoginThrottle } from "../limits/failed-logins.ts";
import { newId } from "../secret.ts";
import { assertStrongPassword, hashPassword, needsRehash, UNMATCHABLE_HASH, verifyPassword } from "./password.ts";
import { parsePhone } from "./phone.ts";
import { newSession, type SessionStart, type TokenPair } from "./session.ts";
import type { AccountStore, User } from "./store.ts";

/** What the use cases on accounts work with. `now` is in milliseconds since the epoch. */
export interface AccountContext extends SessionStart {
	store: AccountStore;
	/**
	 * Hashes a password in turn with others.
	 * @throws AppError UNAVAILABLE.
	 */
	hashInTurn: <Result>(hash: () => Result) => Promise<Result>;
}

export interface SignedIn extends TokenPair {
	user: User;
}

/**
 * Opens an account for a phone and signs it in.
 * @throws AppError INVALID_PHONE, WEAK_PASSWORD, PHONE_TAKEN.
 */
export async function register(context: AccountContext, phoneText: string, password: string): Promise<SignedIn> {
	const { store, now } = context;
	const phone = parsePhone(phoneText);
	assertStrongPassword(password, phone);
	const taken = () => new AppError("PHONE_TAKEN", "This phone number already has an account. Sign in instead.");
	// Asked before the costly hash; the unique column decides when two register at once.
	if (await store.userByPhone(phone)) throw taken();
	const newUser: User = {
		id: newId("usr"),
		phone,
		phoneVerified: false,
		passwordHash: await context.hashInTurn(() => hashPassword(password)),
		role: "user",
		createdAt: now,
		recoveryHash: null,
		eraseAt: null,
	};
	const { session, tokens } = await newSession(newUser.id, context);
	const user = await store.createUser(newUser, session);
	if (!user) throw taken();
	return { ...tokens, user };
}

/** Whether the time of a closed account has come, so that only the nightly clean-up is still to erase it. */
export function isDueForErasure({ eraseAt }: User, now: number): boolean {
	return eraseAt !== null && eraseAt <= now;
}

/** The throttle on guessing the password of an account, by its phone or, when it has none, by its id. */
export type ThrottleOf = (phoneOrId: string) => LoginThrottle;

/**
 * Proves a password under a throttle that is asked before the costly hash, and again after it, so that of guesses sent at once no more
 * than the allowed number tells anything.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED.
 */
async function provePassword(
	{ hashInTurn }: AccountContext,
	throttle: LoginThrottle,
	user: User | undefined,
	password: string,
	detail: string,
): Promise<User> {
	await throttle.assertOpen();
	const matches = await hashInTurn(() => verifyPassword(password, user?.passwordHash ?? UNMATCHABLE_HASH));
	if (!user || !matches) throw new AppError("INVALID_CREDENTIALS", detail, { headers: await throttle.fail() });
	await throttle.assertOpen();
	await throttle.succeed();
	return user;
}

/**
 * Proves the password of a signed-in user once more, before something that cannot be undone.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED; INVALID_TOKEN when the account is gone.
 */
export async function confirmPassword(
	context: AccountContext,
	throttleOf: ThrottleOf,
	userId: string,
	password: string,
): Promise<User> {
	const user = await currentUser(context.store, userId);
	return provePassword(context, throttleOf(user.phone ?? user.id), user, password, "The password is wrong.");
}

/**
 * Signs in by phone and password, which opens an account again that was closed. An unknown phone costs and says the same as a wrong password.
 * @throws AppError INVALID_PHONE, INVALID_CREDENTIALS, RATE_LIMITED.
 */
export async function login(
	context: AccountContext,
	throttleOf: ThrottleOf,
	phoneText: string,
	password: string,
): Promise<SignedIn> {
	const { store } = context;
	const phone = parsePhone(phoneText);
	const holder = await store.userByPhone(phone);
	const known = holder && isDueForErasure(holder, context.now) ? undefined : holder;
	const user = await provePassword(
		context,
		throttleOf(phone),
		known,
		password,
		"The phone number or the password is wrong.",
	);
	const { session, tokens } = await newSession(user.id, context);
	// The password was changed, or hashed anew by another sign-in, while this one was proved: it is judged again.
	if (!(await store.createSession(session, user.passwordHash))) return login(context, throttleOf, phoneText, password);
	if (needsRehash(user.passwordHash)) {
		await store.rehash(user.id, user.passwordHash, await context.hashInTurn(() => hashPassword(password)));
	}
	return { ...tokens, user };
}

/**
 * Changes the password of a signed-in user, ends all their sessions, this one too, and signs them in anew.
 * @throws AppError INVALID_CREDENTIALS, WEAK_PASSWORD, RATE_LIMITED; INVALID_TOKEN when the account is gone.
 */
export async function changePassword(
	context: AccountContext,
	throttleOf: ThrottleOf,
	userId: string,
	currentPassword: string,
	newPassword: string,
): Promise<TokenPair> {
	const { store } = context;
	const user = await currentUser(store, userId);
	assertStrongPassword(newPassword, user.phone ?? "");
	const wrong = "The current password is wrong.";
	await provePassword(context, throttleOf(user.phone ?? user.id), user, currentPassword, wrong);
	const { session, tokens } = await newSession(user.id, context);
	const newHash = await context.hashInTurn(() => hashPassword(newPassword));
	const changed = await store.changePassword(user.passwordHash, newHash, session);
	if (!changed) throw new AppError("INVALID_CREDENTIALS", wrong);
	return tokens;
}

/**
 * The account of a signed-in user.
 * @throws AppError INVALID_TOKEN when the account is gone.
 */
export async function currentUser(store: AccountStore, userId: string): Promise<User> {
	const user = await store.userById(userId);
	if (!user) throw new AppError("INVALID_TOKEN", "The account of this token is gone.");
	return user;
}
