/**
 * Reports that anyone makes about an address, and its owner's answers. Nothing here moves a pin or hides an address: an operator decides
 * (src/operate).
 */
import { lookUpForAnyone, ownAddress, runOnOwn } from "../addresses/actions.ts";
import { addressPrivate } from "../addresses/retired-or-withheld.ts";
import { type AddressCode, partsOf } from "../codes/code.ts";
import { newId } from "../crypto/random.ts";
import type { Caller } from "../db/caller.ts";
import { inEach, latestBy, merged } from "../db/several.ts";
import { inOneTrip, spending } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { dailyLimit, networkSubject, spendingWrite, wideNetworkSubject } from "../limits/daily-limits.ts";
import { assertCall } from "../limits/rate-limits.ts";
import type { Registry } from "../registry.ts";
import { REPORTS_SHOWN_MAX } from "./schemas.ts";
import type { NewReport, Report, ReportPosition } from "./store.ts";
import * as reportStore from "./store.ts";

export type { Report };

/** The content of a report. */
type ReportRequest = Pick<NewReport, "kind" | "text" | "point">;

/**
 * Stores a report about an address; the reporter needs no account. A private address takes reports as a public one does, since the refusal
 * to resolve it already says that it exists. One hidden by an operator takes none, because it is being looked into.
 * @returns The id, which is the secret with which the state of the report can be read.
 * @throws AppError As a look-up of the code does; ADDRESS_PRIVATE for a hidden address; QUOTA_EXCEEDED.
 */
export async function reportAddress(registry: Registry, code: AddressCode, request: ReportRequest): Promise<string> {
	const { canonical } = code;
	const address = await lookUpForAnyone(registry, code);
	if (address.hiddenAt !== null) throw addressPrivate(address);
	const report = { ...request, id: newId("rpt"), canonical, createdAt: registry.now };
	const { spendAndNote } = dailyLimit(registry, "reports-of-address", {
		subject: networkSubject(registry, `reports of ${canonical}`),
	});
	const ofNetwork = dailyLimit(registry, "reports-of-network", { subject: networkSubject(registry, "reports") });
	const ofWide = dailyLimit(registry, "reports-of-wide-network", {
		subject: wideNetworkSubject(registry, "reports"),
	});
	const spends = [spendAndNote, ofNetwork.spend, ofWide.spend];
	await inOneTrip(registry.databaseOf(code), spending(reportStore.insert(report), spends));
	return report.id;
}

/** The report with a given id. All databases are searched, since the id does not tell which one has it. @throws AppError NOT_FOUND. */
export async function findReport({ databases }: Registry, id: string): Promise<Report> {
	const [report] = (await inEach(databases, reportStore.byId({ id }))).flat();
	if (!report) throw reportStore.noReport();
	return report;
}

/** A statement that reads reports before a position, newest first: all of them, or only those that wait for a decision. */
export function readingReports(position: ReportPosition, isWaiting: boolean, limit: number) {
	return (isWaiting ? reportStore.pageOfWaiting : reportStore.page)({ ...position, limit });
}

/**
 * The report with a given id, for its reporter.
 * @throws AppError NOT_FOUND; RATE_LIMITED, under the same limit as look-ups of codes.
 */
export async function reportById(registry: Registry, id: string): Promise<Report> {
	await assertCall(registry, "LOOKUPS", registry.network, "Your network asked too often. Wait a minute.");
	return findReport(registry, id);
}

/** The newest reports of some addresses, newest first, for their owner. */
export async function reportsAbout(
	registry: Registry,
	canonicals: string[],
	limit = REPORTS_SHOWN_MAX,
): Promise<Report[]> {
	const byDatabase = Map.groupBy(canonicals, (canonical) => registry.databaseOf(partsOf(canonical)));
	const lists = await Promise.all(
		Array.from(byDatabase, ([db, codes]) => inOneTrip(db, reportStore.ofAddresses({ codes, limit }))),
	);
	const newestFirst = latestBy<Report>(
		({ createdAt }) => createdAt,
		({ id }) => id,
	);
	return merged(lists, newestFirst, limit);
}

/**
 * The newest reports of an address, for its owner.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner.
 */
export async function listReports(registry: Registry, caller: Caller, code: AddressCode): Promise<Report[]> {
	const { results } = await runOnOwn(registry, caller, code, ({ canonical }) => ({
		reports: reportStore.ofAddresses({ codes: [canonical], limit: REPORTS_SHOWN_MAX }),
	}));
	return results.reports;
}

/**
 * Stores the answer of an address's owner to a report, in place of any earlier answer.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner; NOT_FOUND; INVALID_REQUEST if the report
 * is decided already; QUOTA_EXCEEDED.
 */
export async function answerReport(
	registry: Registry,
	caller: Caller,
	{ code, id, answer }: { code: AddressCode; id: string; answer: string },
): Promise<Report> {
	const { now } = registry;
	const { canonical } = await ownAddress(registry, caller, code, true);
	const {
		answered: [answered],
		found: [found],
	} = await caller.run(registry.databaseOf(code), (userId) => ({
		answered: spending(
			reportStore.answer({ id, canonical, answer, answeredAt: now }),
			spendingWrite(registry, "changes", userId, { texts: [answer] }),
		),
		found: reportStore.byId({ id }),
	}));
	if (answered) return answered;
	if (found?.canonical !== canonical) throw reportStore.noReport();
	throw new AppError("INVALID_REQUEST", "The operator has decided this report already, so it takes no answer.");
}
