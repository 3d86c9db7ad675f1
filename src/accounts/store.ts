import { perDatabase } from "../db/open.ts";
import { refusalOf } from "../db/refusal.ts";
import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip, type Statement } from "../db/statement.ts";
import { PHONE_TAKEN, phoneStoreOf } from "./phone-store.ts";
import { type NewSession, sessionStoreOf } from "./session-store.ts";
import { type User, userStoreOf } from "./user-store.ts";

export type AccountStore = ReturnType<typeof accountStoreOf>;

/** All SQL on accounts: users and passwords, phones and proofs, sessions and refresh tokens. */
export const accountStoreOf = perDatabase((db) => {
	const store = { ...userStoreOf(db), ...phoneStoreOf(db), ...sessionStoreOf(db) };
	return {
		...store,

		/**
		 * Inserts a user signed in on a first session; undefined when another account has the phone.
		 * @param spend What a new account spends of limits.
		 */
		async createUser(
			user: User & { phone: string },
			session: NewSession,
			...spend: Statement[]
		): Promise<User | undefined> {
			const { id, phone } = user;
			try {
				// Run again after an answer was lost, it finds what it has written itself.
				const [, , , , , , [created]] = await retryIdempotent(() =>
					inOneTrip(
						store.assertPhoneFree({ phone, userId: id }),
						...store.startSession(session),
						store.insertUser(user),
						store.userById({ id }),
						...spend,
					),
				);
				return created;
			} catch (error) {
				if (refusalOf(error) === PHONE_TAKEN) return undefined;
				throw error;
			}
		},
	};
});
