/** All SQL on phones: who has one, and who has proved it. */
import { and, eq, gt, ne, not, type SQL, sql } from "drizzle-orm";
import { ONE_ROW, refuse } from "../db/refusal.ts";
import { hasRow, insertRow, updateRows } from "../db/rows.ts";
import { phoneProofs, users } from "../db/schema.ts";
import { type Parameters, query, refusing, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";

/** A stored proof of a phone. `isReset` says whether it also resets the account's password, whoever opened the account. */
export type PhoneProof = Omit<typeof phoneProofs.$inferSelect, "takenFrom" | "replacedPhone" | "replacedVerified"> & {
	isReset: boolean;
};

/** A phone, and the account that has it or is to get it. */
type Holding = Parameters<{ phone: string; userId: string }>;

/**
 * A phone that an account is to get. Numbers given up after `reservedSince` (milliseconds since the epoch) are reserved for their former
 * holders.
 */
interface WishedPhone {
	phone: string;
	userId: string;
	reservedSince: number;
}

type Wish = Parameters<WishedPhone>;

/**
 * The error for a number that is verified for another account. Numbers change hands, but people must settle who has it now, not whoever
 * reads the SMS first.
 */
export function phoneTaken(detail = "This phone number is verified for another account."): AppError {
	return new AppError("PHONE_TAKEN", detail);
}

/** An account that has the phone without having proved it. */
const isUnverified = ({ phone }: Pick<Holding, "phone">) => and(eq(users.phone, phone), eq(users.phoneVerified, false));
/** An account other than `userId` that has the phone without having proved it. */
const isUnverifiedElsewhere = (holding: Holding) => and(isUnverified(holding), ne(users.id, holding.userId));
/** Whether an account other than `userId` has proved the phone. */
const isVerifiedElsewhere = ({ phone, userId }: Holding) =>
	hasRow(users, and(eq(users.phone, phone), ne(users.id, userId), eq(users.phoneVerified, true)));

const insertProof = statement((proof: Parameters<PhoneProof>) => {
	const { id, userId, phone, method, agentId, provedAt, isReset } = proof;
	return insertRow(
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
const takePhone = statement((proof: Holding) =>
	updateRows(users, { phone: null }, and(isUnverifiedElsewhere(proof), sql`changes() = 1`)),
);
const givePhone = statement((proof: Holding) =>
	updateRows(
		users,
		{ phone: proof.phone, phoneVerified: true },
		and(eq(users.id, proof.userId), not(isVerifiedElsewhere(proof))),
	).returning(),
);

/** A statement that refuses a phone that is not free, or that an account other than `userId` gave up recently. */
const asserting = (isFree: (wish: Wish) => SQL) =>
	statement(
		(wish: Wish) => {
			const { phone, userId, reservedSince } = wish;
			const isReserved = hasRow(
				phoneProofs,
				and(
					eq(phoneProofs.replacedPhone, phone),
					gt(phoneProofs.provedAt, reservedSince),
					eq(phoneProofs.replacedVerified, true),
					ne(phoneProofs.userId, userId),
					// An operator may have given this account the number despite the reservation.
					not(hasRow(users, and(eq(users.id, userId), eq(users.phone, phone)))),
				),
			);
			const holds = sql`case when not (${isFree(wish)}) then ${refuse("phone taken")} when ${isReserved} then ${refuse("phone reserved")} end`;
			return query.select({ holds: holds.as("holds") }).from(ONE_ROW);
		},
		{
			refuses: {
				"phone taken": phoneTaken,
				"phone reserved": () =>
					phoneTaken(
						"This was the number of another account until recently. It is reserved for its holder for a while.",
					),
			},
		},
	);

const assertFree = asserting((wish) => not(hasRow(users, and(eq(users.phone, wish.phone), ne(users.id, wish.userId)))));

/**
 * Refuses if an account other than `userId` has the phone, or gave it up recently.
 * @param detail The detail of the error if another account has the phone.
 */
export const assertPhoneFree = (wish: WishedPhone, detail: string) =>
	refusing(assertFree(wish), { "phone taken": () => phoneTaken(detail) });

/** Refuses if a verified account other than `userId` has the phone, or any other account gave it up recently. */
export const assertProvable = asserting((wish) => not(isVerifiedElsewhere(wish)));

/** As `assertProvable`, with one error for both refusals. */
export const assertProvableOr = (wish: WishedPhone, error: () => AppError) =>
	refusing(assertProvable(wish), { "phone taken": error, "phone reserved": error });

/** Refuses if an account other than `userId` gave up the phone recently. */
export const assertNotReserved = asserting(() => sql`true`);

/**
 * Gives a proved number to an account and records the proof. An unverified account with the number loses it. `holders` is the account, or
 * empty if a verified account has the number or the account is gone. Running the statements again records no second proof.
 */
export const givePhoneTo = (proof: PhoneProof) => ({
	proof: insertProof(proof),
	taken: takePhone(proof),
	holders: givePhone(proof),
});
