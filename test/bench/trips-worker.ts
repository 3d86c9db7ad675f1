/**
 * The registry with a database that is far away: each call to D1 takes DELAY_MILLISECONDS more. The answer tells in `X-Trips` how many calls
 * were made one after the other.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Bindings } from "../../src/env.ts";
import registry from "../../src/index.ts";

/** A call to D1, from when it was sent until its answer came, in milliseconds. */
interface Trip {
	sent: number;
	answered: number;
}

const trips = new AsyncLocalStorage<Trip[]>();

async function farAway<Answer>(delay: number, work: () => Promise<Answer>): Promise<Answer> {
	const trip = { sent: Date.now(), answered: Number.POSITIVE_INFINITY };
	trips.getStore()?.push(trip);
	try {
		await scheduler.wait(delay);
		return await work();
	} finally {
		trip.answered = Date.now();
	}
}

/** The most trips of which each was sent after the one before it was answered. What is not answered by now, nobody has waited for. */
function tripsInARow(all: Trip[]): number {
	let count = 0;
	let last = Number.NEGATIVE_INFINITY;
	for (const { sent, answered } of all.toSorted((a, b) => a.answered - b.answered)) {
		if (sent < last || answered === Number.POSITIVE_INFINITY) continue;
		count += 1;
		last = answered;
	}
	return count;
}

const inner = new WeakMap<object, D1PreparedStatement>();

function statement(real: D1PreparedStatement, delay: number): D1PreparedStatement {
	const outer = {
		bind: (...values: unknown[]) => statement(real.bind(...values), delay),
		run: () => farAway(delay, () => real.run()),
		all: () => farAway(delay, () => real.all()),
		raw: () => farAway(delay, () => real.raw()),
		first: (column: string) => farAway(delay, () => real.first(column)),
	} as D1PreparedStatement;
	inner.set(outer, real);
	return outer;
}

type Queries = Pick<D1Database, "prepare" | "batch">;

function database(real: D1Database, delay: number): D1Database {
	const queries = (on: Queries): Queries => ({
		prepare: (query) => statement(on.prepare(query), delay),
		batch: (statements) => farAway(delay, () => on.batch(statements.map((outer) => inner.get(outer) ?? outer))),
	});
	return {
		...queries(real),
		withSession: (bookmark: string) => queries(real.withSession(bookmark)),
	} as unknown as D1Database;
}

let far: Bindings | undefined;

export default {
	async fetch(request, env, context) {
		far ??= { ...env, DB: database(env.DB, Number(env.DELAY_MILLISECONDS)) };
		const bindings = far;
		const made: Trip[] = [];
		const answer = await trips.run(made, () => registry.fetch(request as Request, bindings, context));
		const told = new Response(answer.body, answer);
		told.headers.set("X-Trips", String(tripsInARow(made)));
		return told;
	},
} satisfies ExportedHandler<Bindings & { DELAY_MILLISECONDS: number }>;
