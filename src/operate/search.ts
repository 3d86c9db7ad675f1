import { parseNationalPhone } from "../accounts/phone.ts";
import { findCode } from "../codes/code-text.ts";
import type { ValueOf } from "../schemas/lazy.ts";
import type { findRequestSchema } from "./schemas.ts";

/** What a person is found by: one of these. */
export type AccountSearch = Omit<ValueOf<typeof findRequestSchema>, "reason">;

/**
 * The search for a person by what an operator typed.
 * @param country Where a number without its country's code is dialled, where that is known (ISO 3166-1 alpha-2).
 */
export function searchFor(typed: string, country?: string): AccountSearch {
	const text = typed.trim().replace(/^tel:/i, "");
	if (/^usr_/.test(text)) return { id: text };
	// A code begins with two letters, and a phone number has none.
	if (/\p{L}/u.test(text)) return { code: findCode(text)?.canonical ?? text };
	if (country === undefined || !/^0\d/.test(text)) return { phone: text };
	try {
		return { phone: parseNationalPhone(text, country) };
	} catch {
		return { phone: text };
	}
}
