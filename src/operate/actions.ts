/** What operators do, for the API, their pages and the command line. Each act is recorded, with its reason, in the batch that does it. */

import { accountIdOfPhone, readingAgents, readingSessions } from "../accounts/actions.ts";
import { readingOwnAccount, readingWaitingPhones } from "../accounts/phone-pending-actions.ts";
import type { PendingPhone } from "../accounts/phone-pending-store.ts";
import { pendingRecoveryOf } from "../accounts/recovery-actions.ts";
import { provingAccount } from "../acts/account-acts.ts";
import type { Act, ActContext } from "../acts/act.ts";
import { addressOfCode } from "../acts/address-acts.ts";
import type { Mandate, Operator } from "../acts/identity.ts";
import { namesOfZones } from "../addresses/actions.ts";
import { lastVisitsOf, mergedNewest, readingNewest } from "../addresses/attestation-actions.ts";
import { CODES_PER_ZONE, parseCode } from "../codes/code.ts";
import { findCode } from "../codes/code-text.ts";
import { newId } from "../crypto/random.ts";
import type { Database } from "../db/open.ts";
import { inEach, latestBy, merged } from "../db/several.ts";
import { inOneTrip, partByDatabase, type Statement, type Statements } from "../db/statement.ts";
import { AppError, invalidField } from "../errors.ts";
import { FOREIGN_CURSOR } from "../http/cursor.ts";
import { countedZones, figuresOf } from "../jobs/watch.ts";
import { readingKeys } from "../keys/actions.ts";
import { allowanceOfAccount } from "../limits/daily-limits.ts";
import type { Registry } from "../registry.ts";
import { type Report, readingReports } from "../reports/actions.ts";
import type { ValueOf } from "../schemas/lazy.ts";
import type { OperatorAct } from "./operate-store.ts";
import * as operateStore from "./operate-store.ts";
import type { actsQuerySchema } from "./schemas.ts";
import type { AccountSearch } from "./search.ts";

export type { OperatorAct, Report };

/** Acts on an account that are shown with it. */
const SHOWN_ACTS = 20;
/** Newest acts of the overview. */
const OVERVIEW_ACTS = 5;
/** Agents that are listed: the first. */
const AGENTS_MAX = 1_000;
/** Zones of a country that are listed: the fullest. */
const ZONES_MAX = 1_000;

/** What the record of an act says of it. */
type Recorded = Pick<OperatorAct, "act" | "subject" | "userId"> & { detail?: string | undefined };

/** The record of an act. */
function recordOf({ now, requestId }: Registry, { operator, reason }: Mandate, recorded: Recorded): OperatorAct {
	return {
		id: newId("act"),
		at: now,
		operator: operator.name,
		reason,
		requestId,
		...recorded,
		detail: recorded.detail ?? "",
	};
}

/**
 * Does something and records in the same batch that it was done, by whom and why.
 * @param db Where it is done: an act on an address stands in the database of its code. Statements of accounts run before it.
 */
async function record(registry: Registry, db: Database, row: OperatorAct, done: Statements): Promise<void> {
	const isApart = db !== registry.database;
	const { ofAccounts, others } = isApart ? partByDatabase(done) : { ofAccounts: {}, others: done };
	await inOneTrip(registry.database, ofAccounts);
	try {
		await inOneTrip(db, { ...others, recorded: operateStore.record(row) });
	} catch (error) {
		// Where the answer to the first try was lost, the second refuses what is done by then.
		if (!(error instanceof AppError)) throw error;
		if ((await inOneTrip(db, operateStore.recordedAct({ id: row.id }))).length === 0) throw error;
	}
	const concerned = { ...(row.userId ? { user: row.userId } : {}) };
	registry.log("info", "operator_acted", concerned, { act: row.act });
}

/**
 * Does an act.
 * @param params What its path names, and `body` what it was sent, both as its schemas returned them.
 * @returns What was found, and the record of the act.
 */
export async function runAct(
	registry: Registry,
	{ name, on, plan }: Act,
	operator: Operator,
	params: unknown,
	body: { reason: string },
): Promise<{ found: ActContext; row: OperatorAct }> {
	const mandate = { operator, reason: body.reason };
	const found = await on.find(registry, params);
	const { statements, also, announce, ...deed } = await plan(registry, found, body, mandate);
	const { subject, userId, db, detail } = { ...found, ...deed };
	const row = recordOf(registry, mandate, { act: name, subject, userId, detail });
	const other = also && recordOf(registry, mandate, { act: name, subject: also.userId, ...also });
	await record(registry, db, row, { ...statements, ...(other && { also: operateStore.record(other) }) });
	await announce?.();
	return { found, row };
}

/**
 * Records, in the round trip that reads it, that an operator looks at an account or at a list of people: once an hour, and without a
 * reason, so that it is known later who read what.
 */
function looking(registry: Registry, operator: Operator, recorded: Omit<Recorded, "act">): Statements {
	const row = recordOf(registry, { operator, reason: "" }, { act: "look", ...recorded });
	return { looked: operateStore.recordOnceAnHour(row) };
}

/** Reads a list of people, which is recorded as `looking` does: from all databases, if it is about addresses. */
async function lookAt<Row>(
	registry: Registry,
	operator: Operator,
	list: string,
	reading: Statement<Row[]>,
	others: readonly Database[] = [],
): Promise<Row[][]> {
	const looked = looking(registry, operator, { subject: list, userId: "" });
	const { found } = await inOneTrip(registry.database, { ...looked, found: reading });
	return [found as Row[], ...(await inEach(others, reading))];
}

/** The databases that hold addresses besides that of accounts. */
const othersOf = ({ database, databases }: Registry) => databases.filter((db) => db !== database);

/** Orders acts, the newest first. */
const newestActs = latestBy<OperatorAct>(
	({ at }) => at,
	({ id }) => id,
);

/**
 * All that an operator sees of an account, which is recorded. Private parts of an address, and of visits to it, are read by an act.
 */
export async function accountFor(registry: Registry, operator: Operator, userId: string) {
	const ofAddresses = {
		...readingNewest(userId),
		acts: operateStore.newestActsOn({ userId, limit: SHOWN_ACTS }),
	};
	const {
		users: [user],
		allowances: [allowance],
		pendings: [pending],
		claims: [claim],
		...found
	} = await inOneTrip(registry.database, {
		...provingAccount(userId, looking(registry, operator, { subject: userId, userId })),
		...readingOwnAccount(userId),
		sessions: readingSessions(registry, userId),
		keys: readingKeys(userId),
		allowances: allowanceOfAccount({ userId }),
		...ofAddresses,
	});
	if (!user) throw new Error("An account was verified that does not exist");
	const lists = [found, ...(await inEach(othersOf(registry), ofAddresses))];
	const { addresses, attested, reads } = mergedNewest(lists);
	const acts = merged(
		lists.map((list) => list.acts),
		newestActs,
		SHOWN_ACTS,
	);
	const without = <Row extends { visibility: string }>(rows: Row[], secrets: Partial<Row>) =>
		rows.map((row) => (row.visibility === "private" ? { ...row, ...secrets } : row));
	const visits = without(attested, { note: "", position: null });
	return {
		...found,
		user,
		allowance,
		pending,
		claim,
		recovery: pendingRecoveryOf(user, registry.now),
		addresses: without(addresses, { label: "" }),
		attested: visits,
		reads,
		acts,
	};
}

export type AccountView = Awaited<ReturnType<typeof accountFor>>;

async function accountIdOf(registry: Registry, { phone, code, id }: AccountSearch): Promise<string | undefined> {
	if (phone !== undefined) return accountIdOfPhone(registry, phone);
	if (code === undefined) return id;
	return (await addressOfCode(registry, parseCode(code))).ownerId;
}

/** Finds the account of a phone, of an address or with an id. The search is recorded, but not what was searched for. */
export async function findAccount(registry: Registry, mandate: Mandate, search: AccountSearch): Promise<AccountView> {
	const userId = await accountIdOf(registry, search);
	const detail = Object.keys(search).find((name) => search[name as keyof AccountSearch] !== undefined) ?? "";
	const row = recordOf(registry, mandate, { act: "find", detail, subject: userId ?? "", userId: userId ?? "" });
	await record(registry, registry.database, row, userId === undefined ? {} : provingAccount(userId));
	// Where there is none, this refuses.
	return accountFor(registry, mandate.operator, userId ?? "");
}

/** Numbers that need an operator's decision, oldest first. The look is recorded. */
export async function pendingPhonesFor(registry: Registry, operator: Operator): Promise<PendingPhone[]> {
	return (await lookAt(registry, operator, "pending-phones", readingWaitingPhones())).flat();
}

/** Agents with what they did last, the latest first. The look is recorded. */
export async function agentsAtWork(registry: Registry, operator: Operator) {
	const [agents = []] = await lookAt(registry, operator, "agents", readingAgents(AGENTS_MAX));
	const visits = await lastVisitsOf(
		registry,
		agents.map(({ id }) => id),
	);
	const nothing = { attested: null, attestedAt: null, lately: 0, readAt: null };
	return agents
		.map((agent) => ({ ...nothing, ...visits.get(agent.id), ...agent }))
		.sort((a, b) => (b.attestedAt ?? 0) - (a.attestedAt ?? 0));
}

export type AgentAtWork = Awaited<ReturnType<typeof agentsAtWork>>[number];

/** The position that a cursor names, or that before every row. @throws AppError INVALID_REQUEST for an invalid cursor. */
function positionOf(prefix: string, cursor = `999999999999999-${prefix}_z`): { at: number; id: string } {
	const [, at = "", id = ""] = new RegExp(`^(\\d{1,15})-(${prefix}_\\w+)$`).exec(cursor) ?? [];
	if (at) return { at: Number(at), id };
	throw invalidField("cursor", FOREIGN_CURSOR);
}

/** One page of rows, of which one more than `limit` was read, with the cursor of those after. */
function pageOf<Row extends { id: string }>(found: Row[], limit: number, timeOf: (row: Row) => number) {
	const rows = found.slice(0, limit);
	const last = rows.at(-1);
	return { rows, nextCursor: last && found.length > limit ? `${timeOf(last)}-${last.id}` : null };
}

/** One page, newest first, and the cursor of the next one. */
export interface Paged<Row> {
	rows: Row[];
	nextCursor: string | null;
}

/**
 * Reports, newest first; all, or only those that need a decision. The look is recorded.
 * @throws AppError INVALID_REQUEST for an invalid cursor.
 */
export async function listAllReports(
	registry: Registry,
	operator: Operator,
	{ limit, cursor, isWaiting }: { limit: number; cursor?: string | undefined; isWaiting: boolean },
): Promise<Paged<Report>> {
	const { at, id } = positionOf("rpt", cursor);
	const reading = readingReports({ createdAt: at, id }, isWaiting, limit + 1);
	const lists = await lookAt(registry, operator, "reports", reading, othersOf(registry));
	const newestFirst = latestBy<Report>(
		({ createdAt }) => createdAt,
		({ id }) => id,
	);
	const found = merged(lists, newestFirst, limit + 1);
	return pageOf(found, limit, ({ createdAt }) => createdAt);
}

/** The zones of a country in which addresses were issued, fullest first, as the hourly job last counted them. */
export async function zonesByFill(registry: Registry, country: string, limit = ZONES_MAX) {
	const { at, zones } = await countedZones(registry.bindings);
	const ofCountry = Object.entries(zones).filter(([zone]) => zone.startsWith(country));
	const counts = ofCountry.sort(([, a], [, b]) => b - a);
	const listed = counts.slice(0, limit);
	const names = await namesOfZones(
		registry,
		listed.map(([zone]) => zone),
	);
	const fullest = listed.map(([zone, issued]) => ({
		zone: zone.slice(2),
		zoneName: names.get(zone) ?? "",
		issued,
		left: Math.max(0, CODES_PER_ZONE - issued),
	}));
	return { countedAt: at, counts: new Map(counts), fullest };
}

/** All zones of a country: where each is, and what was issued in it, with the fullest of them by name. */
export async function zonesOfCountry(registry: Registry, country: string, limit: number) {
	const [placed, counted] = await Promise.all([registry.zones.zonesOf(country), zonesByFill(registry, country, limit)]);
	return { placed, ...counted };
}

export type CountryZones = Awaited<ReturnType<typeof zonesOfCountry>>;

/** The state of the registry. */
export async function overviewOf(registry: Registry) {
	const { bindings, now, zones } = registry;
	const [edition, figures, { rows: acts }] = await Promise.all([
		zones.edition().then(
			({ edition, digest }) => `${edition}-${digest.slice(0, 8)}`,
			() => undefined,
		),
		figuresOf(bindings, now),
		listActs(registry, { limit: OVERVIEW_ACTS }),
	]);
	return { version: bindings.VERSION?.id || "local", edition, figures, acts };
}

export type Overview = Awaited<ReturnType<typeof overviewOf>>;

/** A code in any spelling as it is stored, and any other text as it is. */
function canonicalOr(text: string): string {
	return findCode(text)?.canonical ?? text;
}

/** What operators did, newest first. @throws AppError INVALID_REQUEST for an invalid cursor. */
export async function listActs(
	registry: Registry,
	{ limit, cursor, account = "", subject = "", operator = "", act = "" }: ValueOf<typeof actsQuerySchema>,
): Promise<Paged<OperatorAct>> {
	const position = positionOf("act", cursor);
	const wanted = { userId: account, subject: canonicalOr(subject), operator: operator.toLowerCase(), act };
	const lists = await inEach(registry.databases, operateStore.actsBefore({ ...wanted, ...position, limit: limit + 1 }));
	const found = merged(lists, newestActs, limit + 1);
	return pageOf(found, limit, ({ at }) => at);
}
