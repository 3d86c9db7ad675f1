import { AppError } from "../errors.ts";
import { newId } from "../secret.ts";
import type { AddressCode } from "./code.ts";
import { findAddress, type StoreOf } from "./resolve.ts";
import type { Address, Attestation } from "./store.ts";

/** What an agent attests who has been there. */
export interface AttestationRequest {
	code: AddressCode;
	agentId: string;
	/** 1 to 3. */
	level: number;
	note: string;
}

/**
 * Keeps what an agent attests of an address, and raises the address's verification level to it. A lower level than it has is kept and lowers nothing.
 * @param now Milliseconds since the epoch.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED.
 */
export async function attestAddress(
	storeOf: StoreOf,
	{ code, agentId, level, note }: AttestationRequest,
	now: number,
): Promise<{ attestation: Attestation; address: Address }> {
	const { canonical, country } = code;
	await findAddress(storeOf, code);
	const attested = await storeOf(country).attest({ id: newId("att"), canonical, agentId, level, note, createdAt: now });
	if (!attested) throw new AppError("ADDRESS_RETIRED", "The owner has just retired this address.");
	return attested;
}
