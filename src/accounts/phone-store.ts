import { and, eq, ne, notExists, type SQL, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import { type Database, perDatabase } from "../db/open.ts";
import { assertThat } from "../db/refusal.ts";
import { phoneProofs, users } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";

/** A verification event of a phone, as stored. */
export type PhoneProof = Omit<typeof phoneProofs.$inferSelect, "takenFrom">;

/** A phone, and the account that has or shall have it. */
type Holding = Parameters<{ phone: string; userId: string }>;

/** Why a statement on phones refuses. */
export const PHONE_TAKEN = "phone taken";

/** All SQL on phones: who has one, and who has proved it. */
export const phoneStoreOf = perDatabase((db: Database) => {
	const idOf = (condition: SQL | undefined) => db.select({ id: users.id }).from(users).where(condition);
	/** An account other than `userId` that has the phone without having proved it. */
	const isUnverifiedElsewhere = ({ phone, userId }: Holding) =>
		and(eq(users.phone, phone), ne(users.id, userId), eq(users.phoneVerified, false));
	/** The id of an account other than `userId` that has proved the phone. */
	const verifiedElsewhere = ({ phone, userId }: Holding) =>
		idOf(and(eq(users.phone, phone), ne(users.id, userId), eq(users.phoneVerified, true)));

	const insertProof = prepare(db, (proof: Parameters<PhoneProof>) => {
		const { id, userId, phone, method, agentId, provedAt } = proof;
		return insertRow(
			db,
			phoneProofs,
			{ id, userId, phone, method, agentId, provedAt, takenFrom: sql`${idOf(isUnverifiedElsewhere(proof))}` },
			sql`from ${users} where ${and(eq(users.id, userId), notExists(verifiedElsewhere(proof)))}`,
		).onConflictDoNothing();
	});
	const takePhone = prepare(db, (proof: Holding) =>
		db
			.update(users)
			.set({ phone: null })
			.where(and(isUnverifiedElsewhere(proof), sql`changes() = 1`)),
	);
	const givePhone = prepare(db, (proof: Holding) =>
		db
			.update(users)
			.set({ phone: sql`${proof.phone}`, phoneVerified: true })
			.where(and(eq(users.id, proof.userId), notExists(verifiedElsewhere(proof))))
			.returning(),
	);

	return {
		/** Refuses for PHONE_TAKEN where another account than `userId` has the phone. */
		assertPhoneFree: prepare(db, ({ phone, userId }: Holding) =>
			assertThat(db, notExists(idOf(and(eq(users.phone, phone), ne(users.id, userId)))), PHONE_TAKEN),
		),

		/** Refuses for PHONE_TAKEN where a verified account other than `userId` has the phone. */
		assertProvable: prepare(db, ({ phone, userId }: Parameters<{ phone: string; userId: string }>) =>
			assertThat(db, notExists(verifiedElsewhere({ phone, userId })), PHONE_TAKEN),
		),

		/**
		 * Gives a proved number to an account and writes the proof down. An unverified account that has the number loses it. The last one's result is
		 * the account, or nothing when a verified account has the number or the account is gone. Run again, they prove nothing twice.
		 */
		passPhone: (proof: PhoneProof) => [insertProof(proof), takePhone(proof), givePhone(proof)] as const,
	};
});
