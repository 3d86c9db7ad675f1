import { type AddressCode, parseCode, partsOf } from "../codes/code.ts";
import type { Caller } from "../db/caller.ts";
import { inOneTrip, tellingPrimary } from "../db/statement.ts";
import { AppError, appErrorOf } from "../errors.ts";
import { countingPrivateRead } from "../limits/daily-limits.ts";
import { showSuspicion } from "../limits/suspicious.ts";
import { roundedDegrees } from "../points/point.ts";
import type { Registry } from "../registry.ts";
import { PRIVATE_READS_SHOWN } from "../settings/limits.ts";
import { DAY, MINUTE } from "../time/time.ts";
import { issuedUnder } from "./databases-of-owner.ts";
import { eachWithinLookups, withinLookups } from "./enumeration.ts";
import { addressPrivate, isWithheld, liveAddress, ownershipOf } from "./retired-or-withheld.ts";
import type { Address } from "./store.ts";
import * as addressStore from "./store.ts";

/**
 * The live address with a given code, for anyone, from the nearest replica, which may be slightly behind. The caller must check with
 * `isWithheld` whether the reader may see it.
 * @param isCurrent Whether to read the address as it is now, from the primary database.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, RATE_LIMITED; UNAVAILABLE if the database cannot tell.
 */
export async function lookUpForAnyone(registry: Registry, code: AddressCode, isCurrent = false): Promise<Address> {
	const reading = addressStore.byOneCode(code.canonical);
	const current = registry.databaseOf(code);
	const find = async () => {
		const db = isCurrent ? current : registry.nearestDatabaseOf(code);
		const { result, isFromPrimary } = await inOneTrip(db, tellingPrimary(reading));
		// A replica may lack an address that has just been created.
		return liveAddress(isFromPrimary || result ? result : await inOneTrip(current, reading));
	};
	return asOfNow(registry, await withinLookups(registry, undefined, code, find, ({ ownerId }) => ownerId));
}

/**
 * The current live address with a given code, for a caller who is proved in the same trip to the database.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, ADDRESS_PRIVATE, RATE_LIMITED, QUOTA_EXCEEDED; INVALID_TOKEN if the caller is
 * refused.
 */
export async function lookUpAddress(registry: Registry, caller: Caller, code: AddressCode): Promise<Address> {
	const find = async () => {
		const address = liveAddress(await caller.run(registry.databaseOf(code), addressStore.byOneCode(code.canonical)));
		const isOwn = await ownershipOf(caller);
		return isWithheld(address) && !isOwn(address) ? readAsAgent(registry, caller, address) : address;
	};
	return asOfNow(registry, await withinLookups(registry, caller, code, find, ({ ownerId }) => ownerId));
}

/** The fixed sandbox address that moves 11 m north each minute, and back at the hour, so that programs can meet a change. */
const MOVING = "ZZ000000041";

function asOfNow({ now }: Registry, address: Address): Address {
	if (address.canonical !== MOVING) return address;
	const minute = Math.floor(now / MINUTE);
	const lat = roundedDegrees(address.lat + (minute % 60) / 10_000);
	return { ...address, lat, version: minute, updatedAt: minute * MINUTE };
}

/**
 * A private address for an agent who is about to visit it. The reading is recorded and limited. Addresses hidden by an operator stay
 * hidden.
 * @throws AppError ADDRESS_PRIVATE for anybody else; QUOTA_EXCEEDED.
 */
async function readAsAgent(registry: Registry, caller: Caller, address: Address): Promise<Address> {
	const agent = address.hiddenAt === null ? caller.agent?.() : undefined;
	if (!agent) throw addressPrivate(address);
	const { now } = registry;
	const { canonical } = address;
	const db = registry.databaseOf(partsOf(canonical));
	const read = { canonical, today: now - (now % DAY) };
	let readToday = 0;
	const noting = agent.run(db, (agentId) => ({
		counted: countingPrivateRead(registry, agentId, canonical, (count) => {
			readToday = count;
		}),
		noted: addressStore.noteRead({ ...read, agentId, readAt: now }),
	}));
	await noting.catch((error: unknown) => {
		throw error instanceof AppError && error.code === "FORBIDDEN" ? addressPrivate(address) : error;
	});
	// If the agent has already read it today, nothing is spent.
	if (readToday > 0) registry.log("info", "private_address_read", { agent: agent.userId, user: address.ownerId });
	if (readToday === PRIVATE_READS_SHOWN + 1) showSuspicion(registry, "many_private_reads", { agent: agent.userId });
	return address;
}

/** The result of some work, or the AppError that it threw. */
function attempt<Result>(work: () => Result): Result | AppError {
	try {
		return work();
	} catch (error) {
		return appErrorOf(error);
	}
}

/**
 * The live address or the error for each of some codes in any spelling, in the order given.
 * @throws AppError RATE_LIMITED; INVALID_TOKEN if the caller is refused.
 */
export async function lookUpAddresses(
	registry: Registry,
	caller: Caller,
	inputs: string[],
): Promise<(Address | AppError)[]> {
	const codes = inputs.map((input) => attempt(() => parseCode(input)));
	const canonicals = codes.map((code) => (code instanceof AppError ? "" : code.canonical));
	return eachWithinLookups(registry, caller, canonicals, async () => {
		const issued = await issuedUnder(registry, caller, canonicals.filter(Boolean));
		const isOwn = await ownershipOf(caller);
		return codes.map((code) =>
			attempt(() => {
				if (code instanceof AppError) return code;
				const address = liveAddress(issued(code.canonical));
				if (isWithheld(address) && !isOwn(address)) throw addressPrivate(address);
				return asOfNow(registry, address);
			}),
		);
	});
}
