import { asciiDigits } from "../codes/digits.ts";
import type { SmsNumbers } from "../env.ts";
import { AppError } from "../errors.ts";
import type { Registry } from "../registry.ts";
import { type NumberingPlans, readNumber, readNumberingPlans } from "./numbering-plans.ts";

/** What people put between the digits, which contract and E.164 both leave out: spaces, dashes, dots, brackets, direction marks. */
export const PHONE_SEPARATORS = /[\p{Z}\p{Pd}\p{Cf}\t\u2212.()[\]/]/gu;

/** ITU-T E.164: a plus sign, a country code that does not start with 0, at most 15 digits. */
const E164 = /^\+[1-9]\d{3,14}$/;

/**
 * The E.164 form of a phone number. A possible length for its country is enough, because number plans change faster than metadata.
 * @throws AppError INVALID_PHONE.
 */
export function parsePhone(plans: NumberingPlans, input: string): string {
	const compact = input.length <= 64 ? asciiDigits(input.normalize("NFKC").replace(PHONE_SEPARATORS, "")) : "";
	const number = E164.test(compact) ? readNumber(plans, compact) : undefined;
	if (!number?.isPossible || number.number !== compact) {
		throw new AppError(
			"INVALID_PHONE",
			"Give the phone number in international form, with its country code, such as +234 803 123 4567.",
		);
	}
	return number.number;
}

/**
 * Reads the E.164 form of a phone number.
 * @throws AppError INVALID_PHONE; UNAVAILABLE when the numbering plans cannot be read.
 */
export async function readPhone({ bindings }: Registry, input: string): Promise<string> {
	return parsePhone(await readNumberingPlans(bindings), input);
}

/**
 * Refuses a number to which this registry sends no one-time codes, because messages to it cost much or cannot arrive.
 * @param phone E.164.
 * @returns The country calling code of the number, such as `+234`. Several countries may share one.
 * @throws AppError INVALID_PHONE.
 */
export function assertSmsNumber(plans: NumberingPlans, { callingCodes, types }: SmsNumbers, phone: string): string {
	const number = readNumber(plans, phone);
	const callingCode = number?.callingCode ?? "";
	const isServed = callingCodes ? callingCodes.has(callingCode) : number?.isNonGeographic === false;
	if (!isServed) throw new AppError("INVALID_PHONE", "This registry sends no one-time codes to this country.");
	// Numbering plans change faster than what is known of them, so a number of no known type is one of its own.
	if (!types.has(number?.type ?? "UNKNOWN")) {
		throw new AppError("INVALID_PHONE", "This registry sends one-time codes to mobile phones only.");
	}
	return `+${callingCode}`;
}
