import * as z from "zod";
import { lineOfText } from "../text-schema.ts";
import { timeSchema } from "../time-schema.ts";

/** Longest name of a key, in Unicode code points. */
const NAME_CHARACTERS_MAX = 100;

const mode = z.enum(["test", "live"]).meta({
	description: "Keys of both modes reach the same data today. Test keys will reach a sandbox once there is one.",
});

const name = lineOfText(NAME_CHARACTERS_MAX)
	.refine((text) => /[^\p{Z}\p{C}]/u.test(text), "Give the key a name that is not empty.")
	.meta({
		description: "What the key is for.",
		minLength: 1,
		maxLength: NAME_CHARACTERS_MAX,
		examples: ["Delivery backend"],
	});

const scope = z.enum(["addresses:read", "addresses:write"]);

const SCOPES_MAX = 2;

const scopes = z
	.array(scope)
	.min(1)
	.max(SCOPES_MAX)
	.meta({
		description:
			"`addresses:read` reads address records. `addresses:write` also creates, lists, changes and retires the addresses of the key's owner, and reads their history.",
		examples: [["addresses:read"]],
	});

export const newKeySchema = z
	.strictObject({ name, mode, scopes: scopes.default(["addresses:read"]) })
	.meta({ id: "NewKey" });

const keyId = z
	.string()
	.meta({ description: "The id of the key.", maxLength: 64, examples: ["key_7dN3kq0vXW2mZrB8cT5yLa"] });

export const keyParameterSchema = z.object({ id: keyId });

/** The fields of a key, as its owner sees it. */
export const keyShape = {
	id: keyId,
	name: z.string().meta({ maxLength: NAME_CHARACTERS_MAX, examples: ["Delivery backend"] }),
	mode,
	scopes,
	prefix: z
		.string()
		.meta({ maxLength: 64, description: "The first characters of the key.", examples: ["addr_live_AbCd1234"] }),
	created_at: timeSchema,
	last_used_at: timeSchema.nullable().meta({
		description: "The last use, correct to a minute. It is null for a key that has never been used.",
		examples: [null],
	}),
};

export const keySchema = z.object(keyShape).meta({ id: "Key" });

export const createdKeySchema = keySchema
	.extend({
		key: z.string().meta({
			maxLength: 256,
			examples: ["addr_live_..."],
			description: "The whole key. Only this answer shows it.",
		}),
	})
	.meta({ id: "CreatedKey" });

/** As many as an account may have: the limit LIVE_KEYS_PER_ACCOUNT can be raised to this. */
const LISTED_KEYS_MAX = 1000;

export const keyListSchema = z.array(keySchema).meta({ id: "KeyList", maxItems: LISTED_KEYS_MAX });
