/** Parts of an address with a door of their own, such as flats and shops. Whoever may see the address sees them. */
import type { AddressCode } from "../codes/code.ts";
import type { Caller } from "../db/caller.ts";
import { inOneTrip } from "../db/statement.ts";
import { spendingWrite } from "../limits/daily-limits.ts";
import type { Registry } from "../registry.ts";
import { answerAddress, runOnOwn } from "./actions.ts";
import { announceChange, type PublicRequest } from "./address-cache.ts";
import { type UnitRecord, unitRecord } from "./address-record.ts";
import * as unitStore from "./unit-store.ts";

export const { UNITS_MAX } = unitStore;

/** A unit in the form that is compared (`unit`), and as somebody wrote it (`name`). */
export interface WrittenUnit {
	unit: string;
	name: string;
}

/**
 * The units of a live address of the caller.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner.
 */
export async function listUnits(registry: Registry, caller: Caller, code: AddressCode): Promise<UnitRecord[]> {
	const { results } = await runOnOwn(registry, caller, code, (own) => ({ units: unitStore.unitsOf(own) }));
	return results.units.map(unitRecord);
}

/**
 * Answers the units of an address to anyone who may see it, from the cache if that is fresh.
 * @throws AppError As resolveAddress does.
 */
export function answerUnits(registry: Registry, request: PublicRequest): Promise<Response> {
	return answerAddress(registry, request, "units", async ({ canonical }) => {
		const found = await inOneTrip(registry.databaseOf(request.code), unitStore.unitsOf({ canonical }));
		return {
			body: JSON.stringify({ data: found.map(unitRecord) }),
			headers: { "Content-Type": "application/json" },
		};
	});
}

/**
 * Adds a unit to an address of the caller or changes its label; without a label, removes it. Each counts as a change.
 * @param request A name equal to the unit leaves the stored name as it is.
 * @returns The unit; undefined if it was removed.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, QUOTA_EXCEEDED, also for more than
 * UNITS_MAX units.
 */
export async function changeUnit(
	registry: Registry,
	caller: Caller,
	{ code, unit, name, label }: WrittenUnit & { code: AddressCode; label: string | undefined },
): Promise<UnitRecord | undefined> {
	const { canonical } = code;
	const { address, results } = await runOnOwn(registry, caller, code, (ofOwner) => {
		const own = { ...ofOwner, unit };
		const raised = unitStore.raiseVersionOfUnits({ ...own, now: registry.now });
		const spending = spendingWrite(registry, "changes", own.ownerId, {
			texts: [unit, unit, name, label],
			takesAway: label === undefined,
		});
		if (label === undefined) return { raised, removed: unitStore.removeUnit(own), ...spending };
		const put = unitStore.putUnit({ ...own, name: name === unit ? "" : name, label, createdAt: registry.now });
		return { room: unitStore.assertRoom(own), put, ...spending, raised };
	});
	if (results.raised.length > 0) await announceChange(registry, [canonical], address);
	const [put] = "put" in results ? results.put : [];
	return put && unitRecord(put);
}
