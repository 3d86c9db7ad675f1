import { and, eq, gt, ne, not, type SQL, sql } from "drizzle-orm";
import { type Database, perDatabase } from "../db/open.ts";
import { ONE_ROW, refuse } from "../db/refusal.ts";
import { hasRow, insertRow, updateRows } from "../db/rows.ts";
import { phoneProofs, users } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";

/** A verification event of a phone, as stored, and whether it resets the password of the account, whoever opened that. */
export type PhoneProof = Omit<typeof phoneProofs.$inferSelect, "takenFrom" | "replacedPhone" | "replacedVerified"> & {
	isReset: boolean;
};

/** A phone, and the account that has or shall have it. */
type Holding = Parameters<{ phone: string; userId: string }>;

/** A phone that an account shall have. Numbers that were given up after `reservedSince` are kept for who gave them up. */
type Wish = Parameters<{ phone: string; userId: string; reservedSince: number }>;

/** Why a statement on phones refuses. */
export const PHONE_TAKEN = "phone taken";
export const PHONE_RESERVED = "phone reserved";

/** All SQL on phones: who has one, and who has proved it. */
export const phoneStoreOf = perDatabase((db: Database) => {
	/** An account that has the phone without having proved it. */
	const isUnverified = ({ phone }: Pick<Holding, "phone">) =>
		and(eq(users.phone, phone), eq(users.phoneVerified, false));
	/** The same, other than `userId`. */
	const isUnverifiedElsewhere = (holding: Holding) => and(isUnverified(holding), ne(users.id, holding.userId));
	/** That an account other than `userId` has proved the phone. */
	const isVerifiedElsewhere = ({ phone, userId }: Holding) =>
		hasRow(users, and(eq(users.phone, phone), ne(users.id, userId), eq(users.phoneVerified, true)));

	const insertProof = prepare(db, (proof: Parameters<PhoneProof>) => {
		const { id, userId, phone, method, agentId, provedAt, isReset } = proof;
		return insertRow(
			db,
			phoneProofs,
			{
				id,
				userId,
				phone,
				method,
				agentId,
				provedAt,
				takenFrom: sql`(select ${users.id} from ${users}
					where ${isUnverified(proof)} and (${users.id} <> ${userId} or ${isReset}))`,
				replacedPhone: sql`nullif(${users.phone}, ${phone})`,
				replacedVerified: sql`${users.phoneVerified} and ${users.phone} <> ${phone}`,
			},
			sql`from ${users} where ${and(eq(users.id, userId), not(isVerifiedElsewhere(proof)))}`,
		).onConflictDoNothing();
	});
	const takePhone = prepare(db, (proof: Holding) =>
		updateRows(db, users, { phone: null }, and(isUnverifiedElsewhere(proof), sql`changes() = 1`)),
	);
	const givePhone = prepare(db, (proof: Holding) =>
		updateRows(
			db,
			users,
			{ phone: proof.phone, phoneVerified: true },
			and(eq(users.id, proof.userId), not(isVerifiedElsewhere(proof))),
		).returning(),
	);

	const assertFree = ({ phone, userId, reservedSince }: Wish, isFree: SQL) => {
		const isReserved = hasRow(
			phoneProofs,
			and(
				eq(phoneProofs.replacedPhone, phone),
				gt(phoneProofs.provedAt, reservedSince),
				eq(phoneProofs.replacedVerified, true),
				ne(phoneProofs.userId, userId),
				// An operator may have passed the number on all the same.
				not(hasRow(users, and(eq(users.id, userId), eq(users.phone, phone)))),
			),
		);
		const holds = sql`case when not (${isFree}) then ${refuse(PHONE_TAKEN)} when ${isReserved} then ${refuse(PHONE_RESERVED)} end`;
		return db.select({ holds: holds.as("holds") }).from(ONE_ROW);
	};

	return {
		/** Refuses for PHONE_TAKEN where another account than `userId` has the phone, and for PHONE_RESERVED where one gave it up lately. */
		assertPhoneFree: prepare(db, (wish: Wish) =>
			assertFree(wish, not(hasRow(users, and(eq(users.phone, wish.phone), ne(users.id, wish.userId))))),
		),

		/**
		 * Refuses for PHONE_TAKEN where a verified account other than `userId` has the phone, and for PHONE_RESERVED where one gave it up
		 * lately.
		 */
		assertProvable: prepare(db, (wish: Wish) => assertFree(wish, not(isVerifiedElsewhere(wish)))),

		/** Refuses for PHONE_RESERVED where another account than `userId` gave the phone up lately. */
		assertNotReserved: prepare(db, (wish: Wish) => assertFree(wish, sql`true`)),

		/**
		 * Gives a proved number to an account and writes the proof down. An unverified account that has the number loses it. `holders` is
		 * the account, or nothing when a verified account has the number or the account is gone. Run again, they prove nothing twice.
		 */
		passPhone: (proof: PhoneProof) => ({
			proof: insertProof(proof),
			taken: takePhone(proof),
			holders: givePhone(proof),
		}),
	};
});
