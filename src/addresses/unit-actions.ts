/** Parts of an address with a door of their own, such as flats and shops. Whoever may see the address sees them. */
import type { AddressCode } from "../codes/code.ts";
import type { Caller } from "../db/caller.ts";
import { inOneTrip } from "../db/statement.ts";
import { spendingWrite } from "../limits/daily-limits.ts";
import type { Registry } from "../registry.ts";
import { answerAddress, assertSandbox, runOnOwn } from "./actions.ts";
import { announceChange, changedEntry, type PublicRequest } from "./address-cache.ts";
import { withinLookups } from "./enumeration.ts";
import type { Unit } from "./unit-store.ts";
import * as unitStore from "./unit-store.ts";

export const { UNITS_MAX } = unitStore;

/** What anyone who may see an address reads of a unit. */
export type UnitRecord = Pick<Unit, "unit" | "label">;

export function unitRecord({ unit, label }: UnitRecord): UnitRecord {
	return { unit, label };
}

/**
 * The units of a live address of the caller.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner.
 */
export async function listUnits(registry: Registry, caller: Caller, code: AddressCode): Promise<Unit[]> {
	const units = unitStore.unitsOf(code);
	const reading = () => runOnOwn(registry, caller, code, () => ({ units }));
	return (await withinLookups(registry, caller, code, reading)).results.units;
}

/**
 * Answers the units of an address to whoever may see it, from the cache where they are fresh.
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
 * Adds a unit to an address of the caller or, with a label, gives it that; takes it away without one. It counts as a change.
 * @param request `unit` is normalised.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, QUOTA_EXCEEDED, also for more than
 * UNITS_MAX units.
 */
export async function changeUnit(
	registry: Registry,
	caller: Caller,
	{ code, unit, label }: { code: AddressCode; unit: string; label: string | undefined },
): Promise<void> {
	await assertSandbox(caller, code);
	const { canonical } = code;
	const changing = () =>
		runOnOwn(registry, caller, code, (ofOwner) => {
			const own = { ...ofOwner, unit };
			const raised = unitStore.raiseVersionOfUnits({ ...own, now: registry.now });
			const spending = spendingWrite(registry, "changes", own.ownerId, {
				texts: [unit, unit, label],
				takesAway: label === undefined,
			});
			if (label === undefined) return { raised, removed: unitStore.removeUnit(own), ...spending };
			const put = unitStore.putUnit({ ...own, label, createdAt: registry.now });
			return { room: unitStore.assertRoom(own), put, ...spending, raised };
		});
	const { address, results } = await withinLookups(registry, caller, code, changing);
	if (results.raised.length > 0) await announceChange(registry, [canonical], await changedEntry(address));
}
