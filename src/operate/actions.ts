/** What operators do, for the API, their pages and the command line alike. Each act is kept, with its reason, in the batch that does it. */

import {
	type AccountAct,
	accountIdOfPhone,
	givingRole,
	holderOfPending,
	noAccount,
	type PendingPhone,
	provingAccount,
	provingHeir,
	readingAccount,
	readingAgents,
	readingWaitingPhones,
	statementsOfAct,
	type User,
} from "../accounts/operator-actions.ts";
import { notingPlace } from "../accounts/place-actions.ts";
import { askingRecovery } from "../accounts/recovery-actions.ts";
import {
	type Address,
	addressesOf,
	addressOfCode,
	announceChange,
	announceHidden,
	announceRetired,
	handingOver,
	hiding,
	lastVisitsOf,
	mergedAddresses,
	mergedNewestVisits,
	namesOfZones,
	ownerOfCode,
	proveSuccessor,
	readingAddresses,
	readingVisits,
	retiringFor,
	visitsTo,
} from "../addresses/operator-actions.ts";
import { type AddressCode, CODES_PER_ZONE, judgeCode, parseCode } from "../codes/code.ts";
import { NOBODY } from "../codes/demo.ts";
import { FOREIGN_CURSOR } from "../cursor.ts";
import type { Database } from "../db/open.ts";
import { nothingChanged } from "../db/refusal.ts";
import { inEach, latestBy, merged } from "../db/several.ts";
import { inOneTrip, type Statement, type Statements } from "../db/statement.ts";
import { AppError, invalidField } from "../errors.ts";
import { countedZones, figuresOf } from "../jobs/watch.ts";
import { accountIdOfKey, grantingScopes, type KeyScope, readingKeys, revokingKey } from "../keys/operator-actions.ts";
import type { ValueOf } from "../lazy.ts";
import { type Allowance, allowing, readingAllowance } from "../limits/daily-limits.ts";
import { recovery } from "../limits/policy.ts";
import { newId } from "../random.ts";
import type { Registry } from "../registry.ts";
import {
	type Decision,
	deciding,
	type Report,
	readingReports,
	reportWith,
	showingText,
} from "../reports/operator-actions.ts";
import type { Mandate, Operator } from "./identity.ts";
import type { OperatorAct } from "./operate-store.ts";
import * as operateStore from "./operate-store.ts";
import type { actsQuerySchema, recoveryRequestSchema } from "./schemas.ts";
import type { Search } from "./search.ts";

export type { AccountAct, OperatorAct, Report };

/** Acts on an account that are shown with it. */
const SHOWN_ACTS = 20;
/** Newest acts of the overview. */
const OVERVIEW_ACTS = 5;
/** Agents that are listed: the first. */
const AGENTS_MAX = 1_000;
/** Zones of a country that are listed: the fullest. */
const ZONES_MAX = 1_000;

/** What is done to what. */
type Deed = Pick<OperatorAct, "act" | "subject" | "userId"> & { detail?: string };

/** An act about to be kept. */
function actOf({ now, requestId }: Registry, { operator, reason }: Mandate, deed: Deed): OperatorAct {
	return { id: newId("act"), at: now, operator: operator.name, detail: "", reason, requestId, ...deed };
}

/**
 * Does something and keeps that it was done, by whom and why, in one batch.
 * @param db Where it is done: an act on an address stands in the database of its code.
 */
async function act(
	registry: Registry,
	mandate: Mandate,
	deed: Deed,
	done: Statements,
	db: Database = registry.database,
): Promise<OperatorAct> {
	const row = actOf(registry, mandate, deed);
	try {
		await inOneTrip(db, { ...done, kept: operateStore.keep(row) });
	} catch (error) {
		// Where the answer to the first try was lost, the second refuses what is done by then.
		if (!(error instanceof AppError)) throw error;
		if ((await inOneTrip(db, operateStore.byId({ id: row.id }))).length === 0) throw error;
	}
	const concerned = { ...(deed.userId ? { user: deed.userId } : {}) };
	registry.log("info", "operator_acted", concerned, { act: deed.act });
	return row;
}

/**
 * Keeps in the trip that reads it that an operator looks at an account, or at a list that has people in it: once an hour, and without a
 * reason, so that whoever is asked later can say who read what.
 */
function looking(registry: Registry, operator: Operator, deed: Omit<Deed, "act">): Statements {
	const row = actOf(registry, { operator, reason: "" }, { act: "look", ...deed });
	return { looked: operateStore.keepOnceAnHour(row) };
}

/** Reads a list that has people in it, which is kept as `looking` does: from all databases, where it is of addresses. */
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
 * All that an operator sees of an account, which is kept. What is private of an address, and of visits to it, is read by an act of its own.
 */
export async function accountFor(registry: Registry, operator: Operator, userId: string) {
	const ofAddresses = {
		addresses: readingAddresses(userId),
		...readingVisits(userId),
		acts: operateStore.actsOn({ userId, limit: SHOWN_ACTS }),
	};
	const {
		users: [user],
		allowances: [allowance],
		pendings: [pending],
		claims: [claim],
		...found
	} = await inOneTrip(registry.database, {
		...provingAccount(userId, looking(registry, operator, { subject: userId, userId })),
		...readingAccount(registry, userId),
		keys: readingKeys(userId),
		allowances: readingAllowance(userId),
		...ofAddresses,
	});
	if (!user) throw noAccount();
	const lists = [found, ...(await inEach(othersOf(registry), ofAddresses))];
	const addresses = mergedAddresses(lists.map((list) => list.addresses));
	const { attested, reads } = mergedNewestVisits(lists);
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
		addresses: without(addresses, { label: "" }),
		attested: visits,
		reads,
		acts,
	};
}

export type AccountView = Awaited<ReturnType<typeof accountFor>>;

async function accountIdOf(registry: Registry, { phone, code, id }: Search): Promise<string | undefined> {
	if (phone !== undefined) return accountIdOfPhone(registry, phone);
	if (code === undefined) return id;
	return (await addressOfCode(registry, parseCode(code))).ownerId;
}

/** Finds the account of a phone, of an address or with an id. That somebody looked is kept, and what they looked by is not. */
export async function findAccount(registry: Registry, mandate: Mandate, search: Search): Promise<AccountView> {
	const userId = await accountIdOf(registry, search);
	const detail = Object.keys(search).find((name) => search[name as keyof Search] !== undefined) ?? "";
	const found = userId === undefined ? {} : provingAccount(userId);
	await act(registry, mandate, { act: "find", detail, subject: userId ?? "", userId: userId ?? "" }, found);
	if (userId === undefined) throw noAccount();
	return accountFor(registry, mandate.operator, userId);
}

/** Suspends or restores an account, ends its sessions, or decides on the number that waits for it. */
export async function actOnAccount(registry: Registry, mandate: Mandate, name: AccountAct, userId: string) {
	const done = statementsOfAct(registry, userId, name);
	const deed = { act: name, subject: userId, userId };
	const holder = name === "pass-phone" ? await holderOfPending(registry, userId) : undefined;
	if (!holder) return act(registry, mandate, deed, done);
	// It is done to both accounts.
	const lost = actOf(registry, mandate, { act: name, detail: "lost its number", subject: holder, userId: holder });
	return act(registry, mandate, deed, { ...done, lost: operateStore.keep(lost) });
}

/** Makes an account an agent's, or ends that. */
export function giveRole(registry: Registry, mandate: Mandate, userId: string, role: User["role"]) {
	const deed = { act: "role", detail: role, subject: userId, userId };
	return act(registry, mandate, deed, givingRole(userId, role));
}

/** Gives an account an allowance of its own, which replaces the previous one. */
export function allow(registry: Registry, mandate: Mandate, userId: string, wanted: Omit<Allowance, "userId">) {
	const detail = `${wanted.newAddressesPerDay ?? "usual"} new addresses a day, ${wanted.unknownCodesPerMinute ?? "usual"} unknown codes a minute`;
	const deed = { act: "allowance", detail, subject: userId, userId };
	return act(registry, mandate, deed, {
		...provingAccount(userId),
		...allowing({ userId, ...wanted }),
	});
}

/**
 * Asks that the holder of an unused account gets a new recovery code in person, by an agent at one of its pins. Returns from when on, in
 * milliseconds since the epoch.
 */
export async function recover(
	registry: Registry,
	mandate: Mandate,
	userId: string,
	evidence: ValueOf<typeof recoveryRequestSchema>["evidence"],
): Promise<number> {
	const count = await addressesOf(registry, userId);
	if (count === 0 || count > recovery.addressesMax) {
		const detail = `Only an account with 1 to ${recovery.addressesMax} addresses is recovered in person. This one has ${count}.`;
		throw new AppError("INVALID_REQUEST", detail);
	}
	const asking = askingRecovery(registry, userId, mandate.operator.name);
	await act(
		registry,
		mandate,
		{ act: "recovery", detail: evidence, subject: userId, userId },
		provingAccount(userId, asking),
	);
	return registry.now + recovery.wait;
}

/** Gives a key its scopes: the only way to `changes:read`. */
export async function grantScopes(registry: Registry, mandate: Mandate, id: string, scopes: KeyScope[]) {
	const userId = (await accountIdOfKey(registry, id)) ?? "";
	const deed = { act: "scopes", detail: scopes.join(" "), subject: id, userId };
	return act(registry, mandate, deed, grantingScopes(id, scopes));
}

/** Revokes a key in its owner's place. */
export async function revokeKey(registry: Registry, mandate: Mandate, id: string) {
	const userId = (await accountIdOfKey(registry, id)) ?? "";
	return act(registry, mandate, { act: "revoke-key", subject: id, userId }, revokingKey(registry, id, userId));
}

/** Statements that change an address, and how the change is announced once they ran. */
interface Change {
	/** Asks other databases first, where it must. */
	prove?(address: Address): Promise<unknown>;
	make(address: Address): Statements;
	announce(address: Address): Promise<void>;
}

/** Hides an address from everyone but its owner, or shows it again. */
const hidingChange = (registry: Registry, isHidden: boolean): Change => ({
	make: (address) => hiding(registry, address, isHidden),
	announce: (address) => announceHidden(registry, address, isHidden),
});

/** Retires an address for good, with another to go to instead where one is named. */
const retiringChange = (registry: Registry, next: AddressCode | undefined): Change => ({
	prove: (address) => proveSuccessor(registry, address, next),
	make: (address) => retiringFor(registry, address, next),
	announce: (address) => announceRetired(registry, address, next),
});

/** Changes a live address, with more statements in the same batch, and announces it. */
async function actOnAddress(
	registry: Registry,
	mandate: Mandate,
	code: AddressCode,
	deed: Pick<Deed, "act" | "detail"> & { userId?: string },
	{ prove, make, announce }: Change,
	more: Statements = {},
): Promise<OperatorAct> {
	const address = await addressOfCode(registry, code);
	const { canonical: subject, ownerId: userId } = address;
	if (userId === NOBODY) {
		const detail = "This is an example of the documentation, which every registry has. It stays as it is.";
		throw new AppError("INVALID_REQUEST", detail);
	}
	if (deed.act === (address.hiddenAt === null ? "show" : "hide")) throw nothingChanged();
	await prove?.(address);
	const done = { ...more, ...make(address) };
	const kept = await act(registry, mandate, { subject, userId, ...deed }, done, registry.databaseOf(code));
	await announce(address);
	return kept;
}

/** The live address of a code as its owner has it, private or hidden too, and agents' visits to it. That it is read is kept first. */
export async function readFor(registry: Registry, mandate: Mandate, code: AddressCode) {
	const address = await addressOfCode(registry, code);
	const { canonical: subject, ownerId: userId } = address;
	await act(registry, mandate, { act: "read", subject, userId }, {}, registry.databaseOf(code));
	return { address, visits: await visitsTo(registry, address) };
}

/** Retires an address for good, with another to go to instead where one is named. */
export function retireFor(registry: Registry, mandate: Mandate, code: AddressCode, next: AddressCode | undefined) {
	const deed = { act: "retire", detail: next?.canonical ?? "" };
	return actOnAddress(registry, mandate, code, deed, retiringChange(registry, next));
}

/** Hides an address from everyone but its owner, or shows it again. */
export function hideOrShow(registry: Registry, mandate: Mandate, code: AddressCode, isHidden: boolean) {
	return actOnAddress(registry, mandate, code, { act: isHidden ? "hide" : "show" }, hidingChange(registry, isHidden));
}

/** Gives an address whose account is missing, as after a restore, to the account that its holder has now. */
export async function handOver(registry: Registry, mandate: Mandate, userId: string, code: AddressCode) {
	const { database } = registry;
	const db = registry.databaseOf(code);
	const isApart = db !== database;
	const change: Change = {
		// The new owner's list must find it as soon as it is theirs.
		prove: async ({ ownerId }) =>
			isApart && inOneTrip(database, { ...provingHeir(ownerId, userId), placed: notingPlace(userId, db) }),
		make: (address) => ({
			...(isApart ? {} : provingHeir(address.ownerId, userId)),
			...handingOver(address, userId),
		}),
		announce: ({ canonical }) => announceChange(registry, [canonical]),
	};
	return actOnAddress(registry, mandate, code, { act: "hand-over", userId }, change);
}

/** Lets the owner of an address read the text of a report. */
export async function showReportText(registry: Registry, mandate: Mandate, id: string): Promise<OperatorAct> {
	const { canonical: subject } = await reportWith(registry, id);
	const code = parseCode(subject);
	const userId = await ownerOfCode(registry, code);
	const deed = { act: "report-text", detail: id, subject, userId };
	return act(registry, mandate, deed, showingText(registry, id), registry.databaseOf(code));
}

/**
 * Decides a report, and hides or retires its address in the same batch. The reporter and the owner read the reason.
 * @param next Where the address is retired: the one to go to instead.
 */
export async function decideReport(
	registry: Registry,
	mandate: Mandate,
	id: string,
	decision: Decision["decision"],
	next: AddressCode | undefined,
): Promise<OperatorAct> {
	const code = parseCode((await reportWith(registry, id)).canonical);
	const settled = deciding(registry, { id, decision, reason: mandate.reason });
	const deed = { act: "decide", detail: [decision, next?.canonical, id].filter(Boolean).join(" ") };
	if (decision === "nothing") {
		const userId = await ownerOfCode(registry, code);
		return act(registry, mandate, { ...deed, subject: code.canonical, userId }, settled, registry.databaseOf(code));
	}
	const change = decision === "hide" ? hidingChange(registry, true) : retiringChange(registry, next);
	return actOnAddress(registry, mandate, code, deed, change, settled).catch((error: unknown) => {
		if (!(error instanceof AppError && error.code.startsWith("ADDRESS_"))) throw error;
		throw invalidField("decision", `${error.detail} To close the report, decide "nothing".`);
	});
}

/** Numbers that wait for an operator's decision, longest first, which is kept as looked at. */
export async function pendingPhonesFor(registry: Registry, operator: Operator): Promise<PendingPhone[]> {
	return (await lookAt(registry, operator, "pending-phones", readingWaitingPhones())).flat();
}

/** Agents with what they did last, whoever attested last first, which is kept as looked at. */
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
 * Reports, newest first, or those alone that wait for a decision, which is kept as looked at.
 * @throws AppError INVALID_REQUEST for an invalid cursor.
 */
export async function listReports(
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

/** How the registry is. */
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
	return judgeCode(text) === "complete" ? parseCode(text).canonical : text;
}

/** What operators did, newest first. @throws AppError INVALID_REQUEST for an invalid cursor. */
export async function listActs(
	registry: Registry,
	{ limit, cursor, account = "", subject = "", operator = "", act = "" }: ValueOf<typeof actsQuerySchema>,
): Promise<Paged<OperatorAct>> {
	const position = positionOf("act", cursor);
	const wanted = { userId: account, subject: canonicalOr(subject), operator: operator.toLowerCase(), act };
	const lists = await inEach(registry.databases, operateStore.acts({ ...wanted, ...position, limit: limit + 1 }));
	const found = merged(lists, newestActs, limit + 1);
	return pageOf(found, limit, ({ at }) => at);
}
