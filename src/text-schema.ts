import * as z from "zod/mini";

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
