/** All SQL on phones: who has one, and who has proved it. */
import { and, eq, gt, ne, not, type SQL, sql } from "drizzle-orm";
import { ONE_ROW, refuse } from "../db/refusal.ts";
import { hasRow, insertRow, updateRows } from "../db/rows.ts";
import { phoneProofs, users } from "../db/schema.ts";
import { type Parameters, query, refusing, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";

/** A verification event of a phone, as stored, and whether it resets the password of the account, whoever opened that. */
export type PhoneProof = Omit<typeof phoneProofs.$inferSelect, "takenFrom" | "replacedPhone" | "replacedVerified"> & {
	isReset: boolean;
};

/** A phone, and the account that has or shall have it. */
type Holding = Parameters<{ phone: string; userId: string }>;

/** A phone that an account shall have. Numbers that were given up after `reservedSince` are reserved for who gave them up. */
interface WishedPhone {
	phone: string;
	userId: string;
	reservedSince: number;
}

type Wish = Parameters<WishedPhone>;

/**
 * The error for a number that a verified account has. Numbers change hands, but who has it now is then for people to settle and not for
 * whoever reads the SMS first.
 */
export function phoneTaken(detail = "This phone number is verified for another account."): AppError {
	return new AppError("PHONE_TAKEN", detail);
}

/** An account that has the phone without having proved it. */
const isUnverified = ({ phone }: Pick<Holding, "phone">) => and(eq(users.phone, phone), eq(users.phoneVerified, false));
/** The same, other than `userId`. */
const isUnverifiedElsewhere = (holding: Holding) => and(isUnverified(holding), ne(users.id, holding.userId));
/** That an account other than `userId` has proved the phone. */
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

/** A statement that refuses a phone that is not free, or that another account than `userId` gave up lately. */
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
					// An operator may have passed the number on all the same.
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
					phoneTaken("Another account gave up this phone number recently. It is reserved for its holder for a while."),
			},
		},
	);

const assertFree = asserting((wish) => not(hasRow(users, and(eq(users.phone, wish.phone), ne(users.id, wish.userId)))));

/**
 * Refuses where another account than `userId` has the phone, or gave it up lately.
 * @param detail What is said of a phone that another account has.
 */
export const assertPhoneFree = (wish: WishedPhone, detail: string) =>
	refusing(assertFree(wish), { "phone taken": () => phoneTaken(detail) });

/** Refuses where a verified account other than `userId` has the phone, or gave it up lately. */
export const assertProvable = asserting((wish) => not(isVerifiedElsewhere(wish)));

/** The same, with one error for both. */
export const assertProvableOr = (wish: WishedPhone, error: () => AppError) =>
	refusing(assertProvable(wish), { "phone taken": error, "phone reserved": error });

/** Refuses where another account than `userId` gave the phone up lately. */
export const assertNotReserved = asserting(() => sql`true`);

/**
 * Gives a proved number to an account and writes the proof down. An unverified account that has the number loses it. `holders` is
 * the account, or nothing when a verified account has the number or the account is gone. Run again, they prove nothing twice.
 */
export const passPhone = (proof: PhoneProof) => ({
	proof: insertProof(proof),
	taken: takePhone(proof),
	holders: givePhone(proof),
});
