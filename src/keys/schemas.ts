import * as z from "zod";

/** Longest name of a key, in Unicode code points. */
const NAME_CHARACTERS_MAX = 100;

const mode = z
	.enum(["test", "live"])
	.meta({ description: "Both reach the same data today; test keys will see a sandbox once there is one." });

const name = z
	.string()
	.normalize("NFC")
	.refine((text) => text.trim() !== "", "Not empty.")
	.refine((text) => Array.from(text).length <= NAME_CHARACTERS_MAX, `At most ${NAME_CHARACTERS_MAX} characters.`)
	.refine((text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text), "No control characters or line breaks.")
	.meta({
		description: "What the key is for.",
		minLength: 1,
		maxLength: NAME_CHARACTERS_MAX,
		examples: ["Delivery backend"],
	});

export const newKeySchema = z.strictObject({ name, mode });

export const keySchema = z.object({
	id: z.string().meta({ examples: ["key_7dN3kq0vXW2mZrB8cT5yLa"] }),
	name: z.string().meta({ examples: ["Delivery backend"] }),
	mode,
	prefix: z.string().meta({ description: "The first characters of the key.", examples: ["addr_live_AbCd1234"] }),
	created_at: z.iso.datetime({ precision: 3 }),
	last_used_at: z.iso
		.datetime({ precision: 3 })
		.nullable()
		.meta({ description: "Null while it was never used; correct to a minute." }),
});

export const createdKeySchema = keySchema.extend({
	key: z.string().meta({ description: "The whole key. It is shown in this answer and never again." }),
});

export const keyListSchema = z.array(keySchema);
