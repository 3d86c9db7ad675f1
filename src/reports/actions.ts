/**
 * What anyone reports about an address, and what its owner answers. Nothing here moves a pin or hides an address: an operator decides
 * (src/operate).
 */
import { assertSandbox, lookUpForAnyone, ownAddress } from "../addresses/actions.ts";
import { addressPrivate } from "../addresses/issued.ts";
import { type AddressCode, partsOf } from "../codes/code.ts";
import { newId } from "../crypto/random.ts";
import type { Caller } from "../db/caller.ts";
import { inEach, latestBy, merged } from "../db/several.ts";
import { inOneTrip, showing } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { dailyLimit, networkSubject, spendingWrite, wideNetworkSubject } from "../limits/daily-limits.ts";
import { assertCall } from "../limits/rate-limits.ts";
import { writeAndSpend } from "../limits/reservations.ts";
import type { Registry } from "../registry.ts";
import { REPORTS_SHOWN_MAX } from "./schemas.ts";
import type { NewReport, Report, ReportPosition } from "./store.ts";
import * as reportStore from "./store.ts";

export type { Report };

/** What is reported. */
type ReportRequest = Pick<NewReport, "kind" | "text" | "point">;

/** The error of a report that is not there. */
function noReport(): AppError {
	return new AppError("NOT_FOUND", "There is no such report. Reports are erased after 90 days.");
}

/**
 * Stores what somebody reports about an address, who need not have an account. A private address takes reports as a public one does:
 * its refusal to resolve says already that it exists. One that an operator hides is being looked into already.
 * @returns The id, which is the secret that its state is read by.
 * @throws AppError As a look-up of the code does; QUOTA_EXCEEDED.
 */
export async function reportAddress(registry: Registry, code: AddressCode, request: ReportRequest): Promise<string> {
	const { canonical } = code;
	const address = await lookUpForAnyone(registry, code);
	if (address.hiddenAt !== null) throw addressPrivate(address);
	const report = { ...request, id: newId("rpt"), canonical, createdAt: registry.now };
	const { spend, note } = dailyLimit(registry, "reports-of-address", {
		subject: networkSubject(registry, `reports of ${canonical}`),
	});
	const ofNetwork = dailyLimit(registry, "reports-of-network", { subject: networkSubject(registry, "reports") });
	const ofWide = dailyLimit(registry, "reports-of-wide-network", {
		subject: wideNetworkSubject(registry, "reports"),
	});
	const spending = { spent: showing(spend, note), ofNetwork: ofNetwork.spend, ofWide: ofWide.spend };
	await writeAndSpend(registry, registry.databaseOf(code), reportStore.insert(report), spending);
	return report.id;
}

/** The report with an id, in whichever database it lies, which the id does not tell. @throws AppError NOT_FOUND. */
export async function findReport({ databases }: Registry, id: string): Promise<Report> {
	const [report] = (await inEach(databases, reportStore.byId({ id }))).flat();
	if (!report) throw noReport();
	return report;
}

/** Reads reports before a position, newest first; of them all, or those alone that wait for a decision. */
export function readingReports(position: ReportPosition, isWaiting: boolean, limit: number) {
	return (isWaiting ? reportStore.pageOfWaiting : reportStore.page)({ ...position, limit });
}

/**
 * The report with an id, for whoever made it.
 * @throws AppError NOT_FOUND; RATE_LIMITED, as look-ups of codes are.
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
		Array.from(byDatabase, ([db, codes]) =>
			inOneTrip(db, reportStore.ofAddresses({ codes: JSON.stringify(codes), limit })),
		),
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
	await ownAddress(registry, caller, code);
	return reportsAbout(registry, [code.canonical]);
}

/**
 * Stores what the owner of an address answers to a report, which replaces what they answered before.
 * @throws AppError As listReports; NOT_FOUND; INVALID_REQUEST where the report is decided; QUOTA_EXCEEDED.
 */
export async function answerReport(
	registry: Registry,
	caller: Caller,
	{ code, id, answer }: { code: AddressCode; id: string; answer: string },
): Promise<Report> {
	const { now } = registry;
	const { canonical } = code;
	await assertSandbox(caller, code);
	await ownAddress(registry, caller, code);
	const {
		answered: [answered],
		found: [found],
	} = await caller.run(registry.databaseOf(code), (userId) => ({
		answered: reportStore.answer({ id, canonical, answer, answeredAt: now }),
		...spendingWrite(registry, "changes", userId, { texts: [answer] }),
		found: reportStore.byId({ id }),
	}));
	if (answered) return answered;
	if (found?.canonical !== canonical) throw noReport();
	throw new AppError("INVALID_REQUEST", "The operator has decided this report already, so it takes no answer.");
}
