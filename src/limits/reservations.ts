/**
 * What an account spends in the database of accounts for a write in another. No transaction spans two databases, so what is spent is
 * reserved first, under a name. Where the write comes to nothing, it is given back; where its outcome is unknown, it stays spent, and
 * sending the same again spends nothing.
 */
import { inOneTrip, type Statements } from "../db/statement.ts";
import { newId } from "../random.ts";
import type { Registry } from "../registry.ts";
import * as reservationStore from "./reservation-store.ts";

export type Reservation = reservationStore.Reservation;

/** How long the reservation of another attempt is left alone, in milliseconds, because that may be under way. */
export const UNDER_WAY = 60_000;

/** Reserves a name where nothing is reserved under it: what spends right behind it spends once for all that are sent under the name. */
export const reserving = reservationStore.reserve;

/** Reads the reservation that stands. */
export const readingReservation = reservationStore.reservationOf;

/** Moves a reservation to another prefix, as it was seen. */
export const movingReservation = reservationStore.moveReservation;

/** Lets a name go, behind what gives back what was spent under it. */
export function releasing(userId: string, name: string, refunds: Statements): Statements {
	return { ...refunds, released: reservationStore.letGo({ userId, name }) };
}

/** How a caller's writes in other databases hold what they spend. */
export function holdingOf({ database, now, afterAnswer }: Registry) {
	return {
		hold(userId: string) {
			const name = newId("rsv");
			const holding = reserving({ userId, name, prefix: "", requestHash: null, at: now });
			return { name, holding };
		},
		release: (userId: string, name: string, refunds: Statements) =>
			inOneTrip(database, releasing(userId, name, refunds)),
		afterAnswer: (work: Promise<unknown>) => afterAnswer(work.catch(() => undefined)),
	};
}
