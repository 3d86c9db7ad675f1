import type { Caller } from "../db/caller.ts";
import { retryIdempotent } from "../db/retry.ts";
import { AppError } from "../errors.ts";
import type { WriteLimits } from "../limits/write-limits.ts";
import { newId } from "../random.ts";
import type { AddressCode } from "./code.ts";
import { assertLive, type StoreOf } from "./resolve.ts";
import type { Address, Attestation } from "./store.ts";

/** What an agent attests who has been there. */
export interface AttestationRequest {
	code: AddressCode;
	/** 1 to 3. */
	level: number;
	note: string;
}

/**
 * Keeps what an agent attests of an address, and raises the address's verification level to it. A lower level than it has is kept and lowers nothing.
 * @param now Milliseconds since the epoch.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED; FORBIDDEN for an agent's own address; QUOTA_EXCEEDED.
 */
export async function attestAddress(
	storeOf: StoreOf,
	caller: Caller,
	limits: WriteLimits,
	{ code, level, note }: AttestationRequest,
	now: number,
): Promise<{ attestation: Attestation; address: Address }> {
	const { canonical, country } = code;
	const store = storeOf(country);
	const [standing] = await caller.run(store.byCodes([canonical]));
	if (assertLive(standing.get(canonical)).ownerId === caller.userId) {
		throw new AppError("FORBIDDEN", "Agents cannot attest their own addresses.");
	}
	const event = { id: newId("att"), canonical, level, note, createdAt: now };
	const attesting = retryIdempotent(() =>
		caller.runAs((agentId) => [
			store.attest({ ...event, agentId }),
			...limits.spend,
			store.raiseLevel(event),
			store.attestationById(event),
			store.byCodes([canonical]),
		]),
	);
	const [, , , , [attestation], holders] = await attesting.catch((error: unknown) => {
		throw limits.explain(error);
	});
	const address = assertLive(holders.get(canonical));
	if (!attestation) throw new Error("A live address was found and its attestation was not kept");
	return { attestation, address };
}
