import { type MetadataJson, parsePhoneNumberFromString } from "libphonenumber-js/core";
import { AppError } from "../errors.ts";
import { PHONE_METADATA } from "./phone-metadata.data.ts";

let plans: MetadataJson | undefined;

/** The numbering plans of the world, which an isolate reads when it first needs them. */
export function phoneMetadata(): MetadataJson {
	plans ??= JSON.parse(PHONE_METADATA) as MetadataJson;
	return plans;
}

/** What people put between the digits, which contract and E.164 both leave out: spaces, dashes, dots, brackets, direction marks. */
const PHONE_SEPARATORS = /[\p{Z}\p{Pd}\p{Cf}\t\u2212.()[\]/]/gu;

/** ITU-T E.164: a plus sign, a country code that does not start with 0, at most 15 digits. */
const E164 = /^\+[1-9]\d{3,14}$/;

/**
 * The E.164 form of a phone number. A possible length for its country is enough, because number plans change faster than metadata.
 * @throws AppError INVALID_PHONE.
 */
export function parsePhone(input: string): string {
	const compact = input.length <= 64 ? input.normalize("NFKC").replace(PHONE_SEPARATORS, "") : "";
	const number = E164.test(compact)
		? parsePhoneNumberFromString(compact, { extract: false }, phoneMetadata())
		: undefined;
	if (!number?.isPossible() || number.ext || number.number !== compact) {
		throw new AppError(
			"INVALID_PHONE",
			"Give the phone number in international form, with its country code, such as +234 803 123 4567.",
		);
	}
	return number.number;
}

/** The country calling code of an E.164 number, such as `+234`. Several countries may share one. */
export function callingCode(phone: string): string {
	return `+${parsePhoneNumberFromString(phone, { extract: false }, phoneMetadata())?.countryCallingCode ?? ""}`;
}
