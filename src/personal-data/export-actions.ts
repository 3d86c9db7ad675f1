import { ownAccountOf } from "../accounts/phone-pending-actions.ts";
import type { SignedInCaller } from "../accounts/signed-in.ts";
import { allAddressesOf } from "../addresses/actions.ts";
import { allVisitsOf } from "../addresses/attestation-actions.ts";
import { otherDatabases } from "../addresses/databases-of-owner.ts";
import { latestBy, merged } from "../db/several.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { countExport } from "../limits/daily-limits.ts";
import { startHeavyCall } from "../limits/heavy-calls.ts";
import type { Registry } from "../registry.ts";
import { reportsAbout } from "../reports/actions.ts";
import type { Report } from "../reports/store.ts";
import { exportedAccount, exportedFeature, exportedReport } from "./export-record.ts";
import * as personalDataStore from "./store.ts";

/**
 * How many versions of addresses an export holds in memory at a time: about 10 MB of an isolate's 128 MB. An account may have 100,000
 * addresses and hundreds of thousands of changes. Fewer at a time would take more than the 1,000 queries that D1 allows an invocation.
 */
const EXPORTED_AT_ONCE = 5_000;

/** How many addresses are written at a time. That takes about 4 ms, and other requests are answered in between. */
const WRITTEN_AT_ONCE = 250;

/** The most reports about one part of the addresses. It is far more than the limits allow, and only bounds the document. */
const EXPORTED_REPORTS_MAX = 10_000;

/**
 * The document of exportSchema, in parts. The first part holds all that most accounts have, so that a failure there still gets an error
 * status.
 */
async function* exportParts(registry: Registry, caller: SignedInCaller, userId: string): AsyncGenerator<string> {
	await countExport(registry, caller);
	const { database, databases } = registry;
	// This throws if one of its databases is not bound.
	await otherDatabases(registry, caller.databaseNames);
	const [{ users, dailyCounts, operatorActs, ...data }, account, visits, ...others] = await Promise.all([
		inOneTrip(database, personalDataStore.readingAllOf(userId)),
		ownAccountOf(registry, userId),
		allVisitsOf(registry, userId),
		// What was spent for addresses, and acts on them, are stored in the database of the addresses.
		...databases
			.filter((db) => db !== database)
			.map((db) => inOneTrip(db, personalDataStore.readingCountsAndActsOf(userId))),
	]);
	const [user] = users;
	if (!user || !account) throw new AppError("INVALID_TOKEN", "The account of this token no longer exists.");
	const newestFirst = latestBy<{ id: string; at: number }>(
		({ at }) => at,
		({ id }) => id,
	);
	const held = {
		user,
		...data,
		dailyCounts: [dailyCounts, ...others.map((other) => other.dailyCounts)].flat(),
		operatorActs: merged([operatorActs, ...others.map((other) => other.operatorActs)], newestFirst),
	};
	const head = JSON.stringify(exportedAccount(held, { account, visits }, registry.now)).slice(0, -1);
	let part = `${head},"addresses":{"type":"FeatureCollection","features":[`;
	let separator = "";
	const reports: Report[] = [];
	for await (const addresses of allAddressesOf(registry, userId, EXPORTED_AT_ONCE)) {
		const codes = addresses.map(({ address }) => address.canonical);
		reports.push(...(await reportsAbout(registry, codes, EXPORTED_REPORTS_MAX)));
		for (const [index, address] of addresses.entries()) {
			part += separator + JSON.stringify(exportedFeature(address));
			separator = ",";
			if ((index + 1) % WRITTEN_AT_ONCE > 0 && index + 1 < addresses.length) continue;
			yield part;
			part = "";
		}
	}
	reports.sort((one, other) => other.createdAt - one.createdAt);
	yield `${part}]},"reports":${JSON.stringify(reports.map(exportedReport))}}`;
}

/**
 * Everything that the registry holds about a user, as JSON in UTF-8. If the database fails after the first addresses, the stream breaks
 * off.
 * @throws AppError QUOTA_EXCEEDED; RATE_LIMITED while the account has other heavy calls in progress; INVALID_TOKEN if it is gone.
 */
export async function exportOf(registry: Registry, caller: SignedInCaller): Promise<ReadableStream<Uint8Array>> {
	const userId = await caller.user();
	const parts = exportParts(registry, caller, userId);
	const call = await startHeavyCall(userId);
	const goOn = async () => {
		try {
			call.goOn();
			await scheduler.wait(0);
			return await parts.next();
		} catch (error) {
			call.end();
			throw error;
		}
	};
	let next = await goOn();
	const encoder = new TextEncoder();
	return new ReadableStream({
		async pull(controller) {
			if (!next.done) {
				controller.enqueue(encoder.encode(next.value));
				next = await goOn();
			}
			if (!next.done) return;
			call.end();
			controller.close();
		},
		cancel: call.end,
	});
}
