/** Parts of an address with a door of their own, such as flats and shops. Whoever may see the address sees them. */
import type { AddressCode } from "../codes/code.ts";
import type { Caller } from "../db/caller.ts";
import { inOneTrip, spending } from "../db/statement.ts";
import { spendingWrite } from "../limits/daily-limits.ts";
import type { Registry } from "../registry.ts";
import { answerAddress, heldTo, runOnOwn } from "./actions.ts";
import { announceChange, type PublicRequest } from "./address-cache.ts";
import { type UnitRecord, unitRecord } from "./address-record.ts";
import { type IfMatch, unlessDone } from "./entity-tag.ts";
import type { Address } from "./store.ts";
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
export async function listUnits(
	registry: Registry,
	caller: Caller,
	code: AddressCode,
): Promise<{ units: UnitRecord[]; address: Address }> {
	const { address, results } = await runOnOwn(registry, caller, code, (own) => ({ units: unitStore.unitsOf(own) }));
	return { units: results.units.map(unitRecord), address };
}

/**
 * Answers the units of an address to anyone who may see it, from the cache if that is fresh.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, ADDRESS_PRIVATE, RATE_LIMITED.
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

/** A unit to name, or without a label to remove, and the versions of the address that this is meant for; undefined for any. */
interface UnitRequest extends WrittenUnit {
	code: AddressCode;
	label: string | undefined;
	ifMatch?: IfMatch | undefined;
}

/** A unit after a change, or undefined if it was removed, and its address. */
interface ChangedUnit {
	unit: UnitRecord | undefined;
	address: Address;
}

/**
 * Adds a unit to an address of the caller or changes its label; without a label, removes it. Each counts as a change.
 * @param request A name equal to the unit leaves the stored name as it is. With `*`, a unit is changed only if the address has it.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, FORBIDDEN when the caller is not the owner, PRECONDITION_FAILED, QUOTA_EXCEEDED,
 * also for more than UNITS_MAX units.
 */
export async function changeUnit(registry: Registry, caller: Caller, request: UnitRequest): Promise<ChangedUnit> {
	const { code, unit, name, label } = request;
	return unlessDone(
		() => writeUnit(registry, caller, request),
		async () => {
			const { units, address } = await listUnits(registry, caller, code);
			const found = units.find((one) => one.unit === unit);
			const isDone = label === undefined ? !found : found?.label === label && (name === unit || found.name === name);
			return isDone ? { unit: found, address } : undefined;
		},
	);
}

async function writeUnit(
	registry: Registry,
	caller: Caller,
	{ code, unit, name, label, ifMatch }: UnitRequest,
): Promise<ChangedUnit> {
	const { canonical } = code;
	const { address, results } = await runOnOwn(registry, caller, code, (ofOwner) => {
		const own = { ...ofOwner, unit };
		const held = heldTo(ifMatch, ofOwner);
		const raised = unitStore.raiseVersionOfUnits({ ...own, now: registry.now });
		const spends = spendingWrite(registry, "changes", own.ownerId, {
			texts: [unit, unit, name, label],
			takesAway: label === undefined,
		});
		if (label === undefined) return { ...held, raised, removed: spending(unitStore.removeUnit(own), spends) };
		const put = unitStore.putUnit({ ...own, name: name === unit ? "" : name, label, createdAt: registry.now });
		const isNamed = ifMatch === "*" ? { isNamed: unitStore.assertNamed(own) } : {};
		return { ...held, ...isNamed, room: unitStore.assertRoom(own), put: spending(put, spends), raised };
	});
	if (results.raised.length > 0) await announceChange(registry, [canonical], address);
	const [put] = "put" in results ? results.put : [];
	return { unit: put && unitRecord(put), address };
}
