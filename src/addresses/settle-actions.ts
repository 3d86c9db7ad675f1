/**
 * What follows the closing of an account, and its opening. Each is a row of `closed_owners` in each database that has addresses of the
 * account, whatever their number; all readers of addresses see it at once. A job tells the feed of each address.
 */
import {
	deleteUnsettled,
	openAmong,
	type Unsettled,
	unsettledAccounts,
	unsettledOf,
} from "../accounts/address-database-actions.ts";
import type { Database } from "../db/open.ts";
import { messagesOf } from "../db/retry.ts";
import { inEach } from "../db/several.ts";
import { inOneTrip } from "../db/statement.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import { otherDatabases } from "./databases-of-owner.ts";
import * as addressStore from "./store.ts";

type Settler = Pick<Registry, "database" | "databases" | "settings" | "now">;

/**
 * How long each run settles an account again after it was closed or opened, in milliseconds. A mint that began before it was closed may
 * still be under way.
 */
const SETTLED_FOR = 120_000;

/** The most accounts that a run settles. */
const SETTLED_MAX = 100;

/** Closed owners of a database that are compared with the accounts at once. */
const COMPARED_AT_ONCE = 1_000;

/** Closes or opens the addresses of an account in all other databases, as that of accounts notes it. */
async function settle(registry: Settler, { userId, databaseNames }: Unsettled): Promise<void> {
	const [closing] = await inOneTrip(registry.database, addressStore.closingOf({ ownerId: userId }));
	if (closing)
		await inEach(await otherDatabases(registry, databaseNames), addressStore.followClosing(closing, registry.now));
}

/**
 * Settles an account right after the request that closed or opened it. If a database does not answer, it is left to the job that settles
 * all accounts every five minutes.
 */
export async function settleAccount(registry: Registry, userId: string): Promise<void> {
	if (registry.databases.length === 1) return;
	try {
		const [account] = await inOneTrip(registry.database, unsettledOf({ userId }));
		if (account) await settle(registry, account);
	} catch (error) {
		log("error", "account_not_settled", { request_id: registry.requestId, causes: messagesOf(error) });
	}
}

/**
 * Opens in a database what is closed there alone: version 1.3.0 opens accounts without knowing these rows, so a registry that went back to
 * it for a while has such.
 */
async function openLeftClosed({ database, now }: Settler, db: Database): Promise<void> {
	for (let after = ""; ; ) {
		const closed = await inOneTrip(db, addressStore.closedAfter({ after, limit: COMPARED_AT_ONCE }));
		const ids = closed.map(({ ownerId }) => ownerId);
		const open = new Set(ids.length > 0 ? (await inOneTrip(database, openAmong({ ids }))).map(({ id }) => id) : []);
		const left = closed.filter(({ ownerId }) => open.has(ownerId));
		if (left.length > 0) await inOneTrip(db, addressStore.opening(left, now));
		if (closed.length < COMPARED_AT_ONCE) return;
		after = ids.at(-1) ?? "";
	}
}

/** Settles accounts that were closed or opened lately: part of the five-minute job. */
export async function settleAccounts(registry: Settler): Promise<void> {
	const { database, databases, now } = registry;
	const notSettled = (error: unknown) => log("error", "account_not_settled", { causes: messagesOf(error) });
	const others = databases.filter((db) => db !== database);
	if (others.length === 0) return;
	for (const account of await inOneTrip(database, unsettledAccounts({ limit: SETTLED_MAX }))) {
		try {
			await settle(registry, account);
			await inOneTrip(database, deleteUnsettled({ userId: account.userId, time: now - SETTLED_FOR }));
		} catch (error) {
			notSettled(error);
		}
	}
	await Promise.all(others.map((db) => openLeftClosed(registry, db).catch(notSettled)));
}

/** Addresses of which the feed is told in one transaction. */
const TOLD_AT_ONCE = 500;

/** The most transactions of a run in each database: 10,000 addresses. A larger account is told of in several runs. */
const TELLINGS_MAX = 20;

/**
 * Tells the feed of each address of the accounts that were closed or opened lately, a batch for each account in turn, so that those who
 * keep a copy learn of it: part of the five-minute job. An opening is told of each address, even where the closing was not yet: a reader
 * may have met the address closed.
 */
export async function tellClosings({ databases }: Pick<Registry, "databases">): Promise<void> {
	await Promise.all(
		databases.map((db) =>
			tellIn(db).catch((error: unknown) =>
				log("error", "closings_not_told", { database: db.name, causes: messagesOf(error) }),
			),
		),
	);
}

async function tellIn(db: Database): Promise<void> {
	for (let left = TELLINGS_MAX; left > 0; ) {
		const owners = await inOneTrip(db, addressStore.untoldOwners({ limit: left }));
		if (owners.length === 0) return;
		for (const owner of owners) {
			const rows = await inOneTrip(db, addressStore.nextUntold({ ...owner, limit: TOLD_AT_ONCE }));
			const { createdAt, canonical } = rows.at(-1) ?? {
				createdAt: owner.toldCreatedAt,
				canonical: owner.toldCanonical,
			};
			const telling = addressStore.telling({
				...owner,
				codes: rows.map((row) => row.canonical),
				lastCreatedAt: createdAt,
				lastCanonical: canonical,
				isLast: rows.length < TOLD_AT_ONCE,
			});
			await inOneTrip(db, telling);
			left -= 1;
		}
	}
}
