import type { ValueOf } from "../lazy.ts";
import type { findRequestSchema } from "./schemas.ts";

/** What a person is found by: one of these. */
export type Search = Omit<ValueOf<typeof findRequestSchema>, "reason">;

/** The search for a person by what an operator typed. */
export function searchFor(typed: string): Search {
	const text = typed.trim();
	if (/^usr_/.test(text)) return { id: text };
	// A code begins with two letters, and a phone number has none.
	return /^[^\p{L}]*$/u.test(text) ? { phone: text } : { code: text };
}
