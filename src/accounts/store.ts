import { perDatabase } from "../db/open.ts";
import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip, type Statements } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import { pendingPhoneStoreOf } from "./phone-pending-store.ts";
import { phoneStoreOf } from "./phone-store.ts";
import { type NewSession, sessionStoreOf } from "./session-store.ts";
import { type User, userStoreOf } from "./user-store.ts";

export type AccountStore = ReturnType<typeof accountStoreOf>;

/** All SQL on accounts: users and passwords, phones and proofs, sessions and refresh tokens. */
export const accountStoreOf = perDatabase((db) => {
	const store = { ...userStoreOf(db), ...phoneStoreOf(db), ...pendingPhoneStoreOf(db), ...sessionStoreOf(db) };
	return {
		...store,

		/**
		 * Inserts a user signed in on a first session; refuses for PHONE_TAKEN or PHONE_RESERVED.
		 * @param reservedSince Numbers that were given up after this time (milliseconds since the epoch) are kept for who gave them up.
		 * @param spend What a new account spends of limits.
		 */
		async createUser(
			user: User & { phone: string },
			session: NewSession,
			reservedSince: number,
			spend: Statements,
		): Promise<User> {
			const { id, phone } = user;
			// Run again after an answer was lost, it finds what it has written itself.
			const {
				created: [created],
			} = await retryIdempotent(() =>
				inOneTrip({
					isFree: store.assertPhoneFree({ phone, userId: id, reservedSince }),
					...store.startSession(session),
					inserted: store.insertUser(user),
					created: store.userById({ id }),
					...spend,
				}),
			);
			if (!created) throw new Error("A user was inserted and is not found");
			return created;
		},
	};
});

/** The store of accounts that a request works with. */
export function accountStore(registry: Registry): AccountStore {
	return accountStoreOf(registry.database);
}
