/**
 * What is spent in the database of accounts for a write in another database. No transaction spans two databases, so the spending is
 * reserved first, under a name. If nothing is written, it is given back. If the outcome is unknown, it stays spent, and sending the same
 * again spends nothing.
 */
import { and, eq, lt } from "drizzle-orm";
import { newId } from "../crypto/random.ts";
import { AppError, type ProblemCode } from "../errors.ts";
import type { Database } from "./open.ts";
import { assertUnchanged } from "./refusal.ts";
import { deletion, insertRow, updateRows } from "./rows.ts";
import { reservations } from "./schema.ts";
import { inOneTrip, type Parameters, query, type Statements, statement } from "./statement.ts";

export type Reservation = typeof reservations.$inferSelect;

type Named = Pick<Reservation, "userId" | "name">;

/** Results by the names of their statements. */
type Results = Record<string, unknown>;

/** As much of a registry as spending needs: the database of accounts, the time, and what may outlive the answer. */
export interface Accounts {
	readonly database: Database;
	/** Milliseconds since the epoch. */
	readonly now: number;
	afterAnswer(work: Promise<unknown>): void;
}

/** Who spends. */
interface Spender {
	/** Empty for somebody without an account. */
	userId: string;
	/** Runs statements in the database of accounts. */
	run(statements: Statements): Promise<Results>;
}

const isThis = ({ userId, name }: Parameters<Named>) =>
	and(eq(reservations.userId, userId), eq(reservations.name, name));

/** Reserves a name for a user, unless it is reserved already. What spends right after it spends once for all attempts under that name. */
export const reserve = statement((reservation: Parameters<Reservation>) =>
	insertRow(reservations, reservation).onConflictDoNothing(),
);

export const reservationOf = statement((named: Parameters<Named>) =>
	query.select().from(reservations).where(isThis(named)),
);

/** Moves a reservation to another prefix, if it is unchanged since `seenAt`. Returns its name if it was moved. */
export const moveReservation = statement(
	(moved: Parameters<Reservation & { seenAt: number }>) =>
		updateRows(
			reservations,
			{ prefix: moved.prefix, at: moved.at },
			and(isThis(moved), eq(reservations.at, moved.seenAt)),
		).returning({ name: reservations.name }),
	{ once: true },
);

const release = statement((named: Parameters<Named>) => query.delete(reservations).where(isThis(named)));

/** Deletes up to `count` reservations from before a time (milliseconds since the epoch). */
export const deleteReservedBefore = deletion(reservations, ({ time }: Parameters<{ time: number }>) =>
	lt(reservations.at, time),
);

/** Gives back what some statements have spent under a name, and releases the name. */
export async function giveBack(database: Database, named: Named, spent: Statements): Promise<void> {
	const refunds = Object.entries(spent).flatMap(([each, { refund }]) => (refund ? [[each, refund(named.name)]] : []));
	await inOneTrip(database, { ...Object.fromEntries(refunds), released: release(named) });
}

/** The statements that run in the database of accounts, and the others. */
export function byDatabase(statements: Statements): { ofAccounts: Statements; others: Statements } {
	const all = Object.entries(statements);
	return {
		ofAccounts: Object.fromEntries(all.filter(([, { isOfAccounts }]) => isOfAccounts)),
		others: Object.fromEntries(all.filter(([, { isOfAccounts }]) => !isOfAccounts)),
	};
}

/** Whether a result says that something was written: it has a row, or a number of rows. */
const isWritten = (result: unknown) => (Array.isArray(result) ? result.length > 0 : Number(result) > 0);

/** The errors of a spent daily quota. RATE_LIMITED is for a quota that allows a few more each minute. */
const NOTHING_LEFT: readonly ProblemCode[] = ["QUOTA_EXCEEDED", "RATE_LIMITED"];

/**
 * Runs statements in the database of accounts and in another one. Those of accounts spend under a new name, for what the statement in front
 * of the first of them writes in the other database. What is spent is given back if that writes nothing or throws an AppError. If the
 * outcome is unknown, it stays spent.
 * @returns All results by their names, those of given-back spending empty.
 * @throws AppError Where nothing is left to spend and something would be written; besides, what the statements throw.
 */
export async function spendThenWrite(
	{ database, now, afterAnswer }: Accounts,
	{ userId, run }: Spender,
	db: Database,
	statements: Statements,
): Promise<Results> {
	const { ofAccounts, others } = byDatabase(statements);
	const all = Object.entries(statements);
	const firstSpending = all.findIndex(([, { isOfAccounts, isRead }]) => isOfAccounts && !isRead);
	const [spentFor = ""] = all[firstSpending - 1] ?? [];
	const nothing = Object.fromEntries(Object.keys(ofAccounts).map((name) => [name, []]));
	const named = { userId, name: newId("rsv") };
	let spent: Results;
	try {
		spent = await run({ held: reserve({ ...named, prefix: "", requestHash: null, at: now }), ...ofAccounts });
	} catch (error) {
		if (!(error instanceof AppError) || !NOTHING_LEFT.includes(error.code)) throw error;
		// The reads still prove the caller. Nothing is spent unless something is written.
		const reads = Object.entries(ofAccounts).filter(([, { isRead }]) => isRead);
		const read = await run(Object.fromEntries(reads));
		const isUnwritten = ["isUnwritten", assertUnchanged({}, () => error)] as const;
		const unlessWritten = Object.entries(others).flatMap((one) => (one[0] === spentFor ? [one, isUnwritten] : [one]));
		return { ...nothing, ...read, ...(await inOneTrip(db, Object.fromEntries(unlessWritten))) };
	}
	const hasSpent = Object.entries(ofAccounts).filter(([name, { isRead }]) => !isRead && isWritten(spent[name]));
	const undo = () => giveBack(database, named, Object.fromEntries(hasSpent));
	let written: Results;
	try {
		written = await inOneTrip(db, others);
	} catch (error) {
		if (error instanceof AppError) await undo();
		throw error;
	}
	if (isWritten(written[spentFor])) {
		afterAnswer(inOneTrip(database, release(named)).catch(() => undefined));
		return { ...spent, ...written };
	}
	await undo();
	return { ...spent, ...Object.fromEntries(hasSpent.map(([name]) => [name, []])), ...written };
}

/**
 * Writes for somebody without an account, and spends for it in the database of accounts. If both are the same database, that is one trip.
 * @throws As spendThenWrite does.
 */
export async function writeAndSpend(accounts: Accounts, db: Database, statements: Statements): Promise<void> {
	const { database } = accounts;
	if (db === database) await inOneTrip(db, statements);
	else await spendThenWrite(accounts, { userId: "", run: (some) => inOneTrip(database, some) }, db, statements);
}
