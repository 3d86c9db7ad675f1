/** What operators read of addresses and do to them, as statements for the batch that keeps the act. */
import type { AddressCode } from "../codes/code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import { assertChanged } from "../db/refusal.ts";
import { inOneTrip, type Statements } from "../db/statement.ts";
import { invalidField } from "../errors.ts";
import type { Registry } from "../registry.ts";
import { DAY } from "../time.ts";
import { announceChange, changedEntry, retiredEntry } from "./address-cache.ts";
import { assertLive } from "./issued.ts";
import { type Address, addressStoreOf, NO_SUCCESSOR, NOT_LIVE } from "./store.ts";

export type { Address };
export { announceChange, NO_SUCCESSOR, NOT_LIVE };

/** Newest addresses and attestations of an account that an operator is shown. */
const SHOWN_MAX = 20;

/** The newest live addresses of an account. */
export function readingAddresses(registry: Registry, ownerId: string) {
	return addressStoreOf(registry.database).ownedBy({ ownerId, isSandbox: false }, SHOWN_MAX);
}

/** What an agent attested lately, and which private addresses they read, newest first. */
export function readingVisits(registry: Registry, agentId: string) {
	const store = addressStoreOf(registry.database);
	const asked = { agentId, limit: SHOWN_MAX };
	return { attested: store.attestedBy(asked), reads: store.readsBy(asked) };
}

/** What agents attested of an address, oldest first. */
export function visitsTo(registry: Registry, { canonical }: Address) {
	return inOneTrip(addressStoreOf(registry.database).attestationsOf({ canonical }));
}

/** What agents did last, by their ids: which address they attested, how many within a day, and when they read a private one. */
export async function lastVisitsOf(registry: Registry, agentIds: string[]) {
	const asked = { agents: JSON.stringify(agentIds), since: registry.now - DAY };
	const found = await inOneTrip(addressStoreOf(registry.database).lastVisits(asked));
	return new Map(found.map((visits) => [visits.agentId, visits]));
}

async function issuedUnder(registry: Registry, code: AddressCode) {
	const issued = await inOneTrip(addressStoreOf(registry.databaseOf(code)).byCodes([code.canonical]));
	return issued.get(code.canonical);
}

/** The live address of a code, hidden or not. @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED. */
export async function addressOfCode(registry: Registry, code: AddressCode): Promise<Address> {
	return assertLive(await issuedUnder(registry, code));
}

/** The owner of the address of a code, also of a retired one; empty where the address is erased. */
export async function ownerOfCode(registry: Registry, code: AddressCode): Promise<string> {
	return (await issuedUnder(registry, code))?.address?.ownerId ?? "";
}

/**
 * Retires an address in its owner's place; refuses for NOT_LIVE where somebody else has retired it first, and for NO_SUCCESSOR where the
 * successor is no other live address.
 * @throws AppError INVALID_REQUEST where one of both is a sandbox address.
 */
export function retiringFor(
	registry: Registry,
	{ canonical, ownerId }: Address,
	successor: AddressCode | undefined,
): Statements {
	if (successor && isSandboxCode(successor.canonical) !== isSandboxCode(canonical))
		throw invalidField("successor", "Sandbox addresses, whose codes begin with ZZ, lead only to each other.");
	const store = addressStoreOf(registry.database);
	const retiring = { canonical, ownerId, now: registry.now, successor: successor?.canonical ?? null };
	return {
		retired: store.retire(retiring),
		isRetired: store.assertRetired(retiring),
		// After it, so that an address cannot name itself.
		...(successor ? { isSuccessor: store.assertLiveSuccessor({ canonical: successor.canonical }) } : {}),
	};
}

/** Hides an address from everyone but its owner, or shows it again; refuses for NOT_LIVE where it is retired by now. */
export function hiding(registry: Registry, { canonical }: Address, isHidden: boolean): Statements {
	const store = addressStoreOf(registry.database);
	return {
		isLive: store.assertLive({ canonical }),
		hidden: store.setHidden({ canonical, isHidden, now: registry.now }),
	};
}

/** Gives an address to another account; refuses for NOTHING_CHANGED where it is retired or somebody else's by now. */
export function handingOver({ database }: Registry, { canonical, ownerId }: Address, newOwnerId: string): Statements {
	const handedOver = addressStoreOf(database).handOver({ canonical, ownerId, newOwnerId });
	return { handedOver, isHandedOver: assertChanged(database)({}) };
}

/** What follows when an operator has hidden an address or shown it again. */
export function announceHidden(registry: Registry, address: Address, isHidden: boolean): Promise<void> {
	const { now } = registry;
	const changed = { ...address, version: address.version + 1, updatedAt: now, hiddenAt: isHidden ? now : null };
	return announceChange(registry, [address.canonical], changedEntry(registry, changed));
}

/** What follows when an operator has retired an address. */
export function announceRetired(
	registry: Registry,
	{ canonical }: Address,
	successor: AddressCode | undefined,
): Promise<void> {
	return announceChange(registry, [canonical], retiredEntry(canonical, successor?.canonical ?? null));
}

/** The names of zones, such as `NG0421`, in which there are addresses. */
export async function namesOfZones(registry: Registry, zones: string[]): Promise<Map<string, string>> {
	const found = await inOneTrip(addressStoreOf(registry.database).zoneNames({ zones: JSON.stringify(zones) }));
	return new Map(found.map(({ zone, name }) => [zone, name ?? ""]));
}
