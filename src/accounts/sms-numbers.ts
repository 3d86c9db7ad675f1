import { type MetadataJson, parsePhoneNumberFromString } from "libphonenumber-js/core";
import { dataFile } from "../data-file.ts";
import type { Bindings, SmsNumbers } from "../env.ts";
import { AppError } from "../errors.ts";

/** Reads the numbering plans with the ranges of each type of number, which .dev/phone-metadata.ts writes. */
const readPhoneTypes = dataFile<MetadataJson>(
	"phone-types.bin",
	(bytes) => JSON.parse(new TextDecoder().decode(bytes)) as MetadataJson,
);

/**
 * Refuses a number to which this registry sends no one-time codes, because messages to it cost much or cannot arrive.
 * @param phone E.164.
 * @throws AppError INVALID_PHONE; UNAVAILABLE when the numbering plans cannot be read.
 */
export async function assertSmsNumber(
	env: Bindings,
	{ callingCodes, types }: SmsNumbers,
	phone: string,
): Promise<void> {
	const number = parsePhoneNumberFromString(phone, { extract: false }, await readPhoneTypes(env));
	const isServed = callingCodes
		? callingCodes.has(number?.countryCallingCode ?? "")
		: number?.isNonGeographic() === false;
	if (!isServed) throw new AppError("INVALID_PHONE", "This registry sends no one-time codes to this country.");
	// Numbering plans change faster than what is known of them, so a number of no known type is one of its own.
	if (!types.has(number?.getType() ?? "UNKNOWN")) {
		throw new AppError("INVALID_PHONE", "This registry sends one-time codes to mobile phones only.");
	}
}
