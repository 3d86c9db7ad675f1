import * as z from "zod/mini";
import { lazy } from "./lazy.ts";

/** One line of text that a person wrote, of at most so many Unicode code points, in NFC. */
export function lineOfText(charactersMax: number) {
	return z.string().with(
		z.normalize("NFC"),
		z.refine((text) => Array.from(text).length <= charactersMax, `At most ${charactersMax} characters.`),
		z.refine(
			(text) => !/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029]/u.test(text),
			"Control characters and line breaks are not allowed.",
		),
	);
}

/** A time as every answer has it: ISO 8601, UTC, milliseconds. */
export const timeSchema = lazy(() =>
	z.iso.datetime({ precision: 3 }).with(z.meta({ examples: ["2026-11-21T09:30:00.000Z"] })),
);
