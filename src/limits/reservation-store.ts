/** All SQL on reservations: what accounts have spent for writes in a database other than their own. */
import { and, eq, lt, sql } from "drizzle-orm";
import { deletion, insertRow, updateRows } from "../db/rows.ts";
import { reservations } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";

export type Reservation = typeof reservations.$inferSelect;

type Named = Pick<Reservation, "userId" | "name">;

const isThis = ({ userId, name }: Parameters<Named>) =>
	and(eq(reservations.userId, userId), eq(reservations.name, name));

/** Reserves a name for a user, unless it is reserved already. */
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

/** Releases a name. */
export const letGo = statement((named: Parameters<Named>) => query.delete(reservations).where(isThis(named)));

/** Deletes up to `count` reservations from before a time (milliseconds since the epoch). */
export const deleteReservedBefore = deletion(
	reservations,
	({ time }: Parameters<{ time: number }>) => sql`${lt(reservations.at, time)}`,
);
