import type { SmsNumbers } from "../env.ts";
import { AppError } from "../errors.ts";
import { type NumberingPlans, readNumber } from "./numbering-plans.ts";

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
