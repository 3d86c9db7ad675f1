/** What operators read of addresses and do to them, as statements for the batch that keeps the act. */
import { type AddressCode, parseCode, partsOf } from "../codes/code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import { assertChanged, Outdated } from "../db/refusal.ts";
import { inEach, latestBy, merged } from "../db/several.ts";
import { inOneTrip, type Statements } from "../db/statement.ts";
import { AppError, invalidField } from "../errors.ts";
import type { Registry } from "../registry.ts";
import { DAY } from "../time.ts";
import { announceChange, changedEntry, retiredEntry } from "./address-cache.ts";
import { mergedVisits } from "./attestation-actions.ts";
import { assertLive } from "./issued.ts";
import type { Address, Attestation, PrivateRead } from "./store.ts";
import * as addressStore from "./store.ts";

export type { Address };
export { announceChange };

/** Newest addresses and attestations of an account that an operator is shown. */
const SHOWN_MAX = 20;

/** The newest live addresses of an account. */
export function readingAddresses(ownerId: string) {
	return addressStore.ownedBy({ ownerId, isSandbox: false }, SHOWN_MAX);
}

/** What an agent attested lately, and which private addresses they read, newest first. */
export function readingVisits(agentId: string) {
	const asked = { agentId, limit: SHOWN_MAX };
	return { attested: addressStore.attestedBy(asked), reads: addressStore.readsBy(asked) };
}

/** What was read so of an account in several databases, as that of one. */
export function mergedAddresses(lists: Address[][]): Address[] {
	const newestFirst = latestBy<Address>(
		({ createdAt }) => createdAt,
		({ canonical }) => canonical,
	);
	return merged(lists, newestFirst, SHOWN_MAX);
}

/** The same of visits. */
export function mergedNewestVisits<Attested extends Attestation>(
	lists: { attested: Attested[]; reads: PrivateRead[] }[],
): { attested: Attested[]; reads: PrivateRead[] } {
	return mergedVisits(lists, SHOWN_MAX);
}

/** What agents attested of an address, oldest first. */
export function visitsTo(registry: Registry, { canonical }: Address) {
	return inOneTrip(registry.databaseOf(partsOf(canonical)), addressStore.attestationsOf({ canonical }));
}

/** What agents did last, by their ids: which address they attested, how many within a day, and when they read a private one. */
export async function lastVisitsOf(registry: Registry, agentIds: string[]) {
	const asked = { agents: JSON.stringify(agentIds), since: registry.now - DAY };
	const [first = [], ...others] = await inEach(registry.databases, addressStore.lastVisits(asked));
	const visits = new Map(first.map((found) => [found.agentId, found]));
	for (const { agentId, attested, attestedAt, lately, readAt } of others.flat()) {
		const known = visits.get(agentId);
		if (!known) continue;
		if ((attestedAt ?? 0) > (known.attestedAt ?? 0)) Object.assign(known, { attested, attestedAt });
		known.lately += lately;
		known.readAt = Math.max(known.readAt ?? 0, readAt ?? 0) || null;
	}
	return visits;
}

async function issuedUnder(registry: Registry, code: AddressCode) {
	const issued = await inOneTrip(registry.databaseOf(code), addressStore.byCodes([code.canonical]));
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

/** The error of an address that was live when it was read: reading it again says that it is retired, and its successor. */
async function whyNotLive(registry: Registry, canonical: string): Promise<Error> {
	try {
		await addressOfCode(registry, parseCode(canonical));
	} catch (error) {
		if (error instanceof AppError) return error;
	}
	return new Outdated();
}

/**
 * Retires an address in its owner's place; refuses where somebody else has retired it first, or the successor is no
 * other live address.
 * @throws AppError INVALID_REQUEST where one of both is a sandbox address.
 */
export function retiringFor(
	registry: Registry,
	{ canonical, ownerId }: Address,
	successor: AddressCode | undefined,
): Statements {
	if (successor && isSandboxCode(successor.canonical) !== isSandboxCode(canonical))
		throw invalidField("successor", "Sandbox addresses, whose codes begin with ZZ, lead only to each other.");
	const retiring = { canonical, ownerId, now: registry.now, successor: successor?.canonical ?? null };
	return {
		retired: addressStore.retire(retiring),
		isRetired: addressStore.assertRetired(retiring, () => whyNotLive(registry, canonical)),
		// After it, so that an address cannot name itself.
		...(successor && isBeside(registry, canonical, successor)
			? { isSuccessor: addressStore.assertLiveSuccessor({ canonical: successor.canonical }) }
			: {}),
	};
}

/** Whether a successor lies in the same database as an address. */
function isBeside(registry: Registry, canonical: string, successor: AddressCode): boolean {
	return registry.databaseOf(successor) === registry.databaseOf(partsOf(canonical));
}

/**
 * Proves that a successor is live which lies in another database than the address that leads to it.
 * @throws AppError INVALID_REQUEST where it is not.
 */
export async function proveSuccessor(
	registry: Registry,
	{ canonical }: Address,
	successor: AddressCode | undefined,
): Promise<void> {
	if (!successor || isBeside(registry, canonical, successor)) return;
	await inOneTrip(registry.databaseOf(successor), addressStore.assertLiveSuccessor({ canonical: successor.canonical }));
}

/** Hides an address from everyone but its owner, or shows it again; refuses where it is retired by now. */
export function hiding(registry: Registry, { canonical }: Address, isHidden: boolean): Statements {
	return {
		isLive: addressStore.assertLive({ canonical }, () => whyNotLive(registry, canonical)),
		hidden: addressStore.setHidden({ canonical, isHidden, now: registry.now }),
	};
}

/** Gives an address to another account; refuses where it is retired or somebody else's by now. */
export function handingOver({ canonical, ownerId }: Address, newOwnerId: string): Statements {
	const handedOver = addressStore.handOver({ canonical, ownerId, newOwnerId });
	return { handedOver, isHandedOver: assertChanged({}) };
}

/** What follows when an operator has hidden an address or shown it again. */
export async function announceHidden(registry: Registry, address: Address, isHidden: boolean): Promise<void> {
	const { now } = registry;
	const changed = { ...address, version: address.version + 1, updatedAt: now, hiddenAt: isHidden ? now : null };
	return announceChange(registry, [address.canonical], await changedEntry(changed));
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
	const found = await inEach(registry.databases, addressStore.zoneNames({ zones: JSON.stringify(zones) }));
	const named = found.flat().filter(({ name }) => name);
	return new Map(named.map(({ zone, name }) => [zone, name ?? ""]));
}

/** How many live addresses an account has, in all databases. */
export async function addressesOf(registry: Registry, ownerId: string): Promise<number> {
	const counts = await inEach(registry.databases, addressStore.countOf({ ownerId }));
	return counts.reduce((sum, [row]) => sum + (row?.count ?? 0), 0);
}
