import { AppError } from "../errors.ts";
import type { SigningSecrets } from "./access-token.ts";
import { assertStrongPassword, hashPassword, UNMATCHABLE_HASH, verifyPassword } from "./password.ts";
import { parsePhone } from "./phone.ts";
import { randomBase62 } from "./secret.ts";
import { newSession, type TokenPair } from "./session.ts";
import type { AccountStore, User } from "./store.ts";

/** What the use cases on accounts work with. `now` is in milliseconds since the epoch. */
export interface AccountContext {
	store: AccountStore;
	signingSecrets: SigningSecrets;
	now: number;
}

export interface SignedIn extends TokenPair {
	user: User;
}

/**
 * Opens an account for a phone and signs it in.
 * @throws AppError INVALID_PHONE, WEAK_PASSWORD, PHONE_TAKEN.
 */
export async function register(context: AccountContext, phoneText: string, password: string): Promise<SignedIn> {
	const { store, signingSecrets, now } = context;
	const phone = parsePhone(phoneText);
	assertStrongPassword(password, phone);
	const taken = () => new AppError("PHONE_TAKEN", "This phone number already has an account. Sign in instead.");
	// Asked before the costly hash; the unique column decides when two register at once.
	if (await store.userByPhone(phone)) throw taken();
	const user: User = {
		id: `usr_${randomBase62(22)}`,
		phone,
		phoneVerified: false,
		passwordHash: hashPassword(password),
		role: "user",
		createdAt: now,
	};
	const { session, tokens } = await newSession(user.id, signingSecrets, now);
	if (!(await store.createUser(user, session))) throw taken();
	return { ...tokens, user };
}

/**
 * Signs in by phone and password. An unknown phone costs and says the same as a wrong password.
 * @throws AppError INVALID_PHONE, INVALID_CREDENTIALS.
 */
export async function login(context: AccountContext, phoneText: string, password: string): Promise<SignedIn> {
	const { store, signingSecrets, now } = context;
	const user = await store.userByPhone(parsePhone(phoneText));
	const matches = verifyPassword(password, user?.passwordHash ?? UNMATCHABLE_HASH);
	if (!user || !matches) throw new AppError("INVALID_CREDENTIALS", "The phone number or the password is wrong.");
	const { session, tokens } = await newSession(user.id, signingSecrets, now);
	await store.createSession(session);
	return { ...tokens, user };
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
