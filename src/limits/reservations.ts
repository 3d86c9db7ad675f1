/**
 * What an account spends in the database of accounts for a write in another database. No transaction spans two databases, so the spending
 * is reserved first, under a name. If nothing is written, it is given back. If the outcome is unknown, it stays spent, and sending the same
 * again spends nothing.
 */

import { newId } from "../crypto/random.ts";
import type { Holding } from "../db/caller.ts";
import type { Database } from "../db/open.ts";
import { inOneTrip, type Statement, type Statements } from "../db/statement.ts";
import { AppError, type ProblemCode } from "../errors.ts";
import type { Registry } from "../registry.ts";
import * as reservationStore from "./reservation-store.ts";

export type Reservation = reservationStore.Reservation;

/** How long the reservation of another attempt is left alone, in milliseconds, because that attempt may still be under way. */
export const UNDER_WAY = 60_000;

/** The errors of a spent daily quota. RATE_LIMITED is for a quota that allows a few more each minute. */
const NOTHING_LEFT: readonly ProblemCode[] = ["QUOTA_EXCEEDED", "RATE_LIMITED"];

/** Reserves a name unless it is reserved already. What spends right after it spends once for all attempts under that name. */
export const reserving = reservationStore.reserve;

/** Reads the reservation under a name. */
export const readingReservation = reservationStore.reservationOf;

/** Moves a reservation to another prefix, if it is unchanged since it was read. */
export const movingReservation = reservationStore.moveReservation;

/** Releases a name, after statements that give back what was spent under it. */
export function releasing(userId: string, name: string, refunds: Statements): Statements {
	return { ...refunds, released: reservationStore.letGo({ userId, name }) };
}

/**
 * How a caller spends in the database of accounts for writes in another. It spends under a new name, writes, and gives back if nothing was
 * written. If the outcome is unknown, what was spent stays spent.
 */
export function holdingOf({ database, now, afterAnswer }: Registry): Holding {
	return {
		async spend({ userId, spending, run, write }) {
			const name = newId("rsv");
			const held = reserving({ userId, name, prefix: "", requestHash: null, at: now });
			const nothing = Object.fromEntries(Object.keys(spending).map((each) => [each, []]));
			let spent: Record<string, unknown>;
			try {
				spent = await run({ held, ...spending });
			} catch (error) {
				if (!(error instanceof AppError) || !NOTHING_LEFT.includes(error.code)) throw error;
				// The reads still prove the caller. Nothing is spent unless something is written.
				const reads = Object.fromEntries(Object.entries(spending).filter(([, { isRead }]) => isRead));
				spent = { ...nothing, ...(await run(reads)) };
				return { spent, written: (await write(error)).written };
			}
			const refunds = Object.entries(spending).flatMap(([each, { refund }]) =>
				refund && (spent[each] as unknown[]).length > 0 ? [[each, refund(name)] as const] : [],
			);
			const release = (given: Statements) => inOneTrip(database, releasing(userId, name, given));
			const giveBack = () => release(Object.fromEntries(refunds));
			const { written, isWritten } = await write().catch(async (error: unknown) => {
				if (error instanceof AppError) await giveBack();
				throw error;
			});
			if (!isWritten) {
				await giveBack();
				return { spent: { ...spent, ...Object.fromEntries(refunds.map(([each]) => [each, []])) }, written };
			}
			afterAnswer(release({}).catch(() => undefined));
			return { spent, written };
		},
	};
}

/**
 * Writes for a caller without an account, and spends for it in the database of accounts. If both are the same database, that is one trip.
 */
export async function writeAndSpend(registry: Registry, db: Database, write: Statement, spending: Statements) {
	const { database } = registry;
	if (db === database) return void (await inOneTrip(db, { write, ...spending }));
	await holdingOf(registry).spend({
		userId: "",
		spending,
		run: (statements) => inOneTrip(database, statements),
		async write(refusal) {
			if (refusal) throw refusal;
			return { written: await inOneTrip(db, write), isWritten: true };
		},
	});
}
