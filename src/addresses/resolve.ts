import { AppError } from "../errors.ts";
import { type AddressCode, parseCode } from "./code.ts";
import type { Address, AddressStore } from "./store.ts";

/**
 * The live address of a code in any spelling. The check digit is judged before the database is asked.
 * @throws AppError MALFORMED_CODE, BAD_CHECK_DIGIT, ADDRESS_NOT_FOUND, ADDRESS_RETIRED.
 */
export async function resolveAddress(storeOf: (country: string) => AddressStore, input: string): Promise<Address> {
	const code: AddressCode = parseCode(input);
	const address = await storeOf(code.country).byCode(code.canonical);
	if (!address)
		throw new AppError("ADDRESS_NOT_FOUND", "The code is well formed, but no address has been issued under it.");
	if (address.retiredAt !== null)
		throw new AppError("ADDRESS_RETIRED", "The owner has retired this address. Its code will not be issued again.");
	return address;
}
