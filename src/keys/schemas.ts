import * as z from "zod/mini";
import { passwordSchema } from "../accounts/schemas.ts";
import {
	answered,
	described,
	identifier,
	lineOfText,
	named,
	sent,
	timeOrNullSchema,
	timeSchema,
} from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";

/** The longest name of a key, in Unicode code points. */
const NAME_CHARACTERS_MAX = 100;

const mode = lazy(() =>
	described(
		z.enum(["test", "live"]),
		"A live key reads and writes addresses. A test key reads public ones too, but as their owner it reads, lists and writes sandbox addresses only: their codes begin with ZZ, and they are deleted after 30 days. Test keys made before there was a sandbox act on live addresses.",
	),
);

const name = lazy(() =>
	described(
		lineOfText(NAME_CHARACTERS_MAX).with(
			z.refine((text) => /[^\p{Z}\p{C}]/u.test(text), "Give the key a name that is not empty."),
		),
		"What the key is for.",
		"Delivery backend",
		{ minLength: 1, maxLength: NAME_CHARACTERS_MAX },
	),
);

function scopesSchema<const Scope extends string>(scopes: readonly Scope[], description: string, fault?: string) {
	const list = z.array(z.enum(scopes, fault)).with(z.minLength(1), z.maxLength(3));
	return described(list, description, ["addresses:read"]);
}

/** The scopes that a key may have. Only the operator grants `changes:read`. */
export const grantedScopes = lazy(() =>
	scopesSchema(
		["addresses:read", "addresses:write", "changes:read"],
		"What the key may do. The operator of the registry grants `changes:read`, which reads the changes of all addresses.",
	),
);

/** The scopes that anyone may give their own keys. */
const scopes = lazy(() =>
	scopesSchema(
		["addresses:read", "addresses:write"],
		"`addresses:read` reads address records, and is all that a new key gets if you leave this out. `addresses:write` also creates, lists, changes and retires the addresses of the key's owner, and reads their history.",
		'Send "addresses:read" or "addresses:write". The operator of the registry grants "changes:read" to a key that is there already.',
	),
);

export const newKeySchema = sent("NewKey", () => ({
	name: name(),
	mode: mode(),
	scopes: z._default(scopes(), ["addresses:read"]),
	password: z.optional(
		described(
			passwordSchema(),
			"Your password. It is needed for a key with `addresses:write` more than ten minutes after you signed in.",
		),
	),
}));

const keyId = lazy(() => identifier("key", "The id of the key."));

export const keyParameterSchema = lazy(() => z.object({ id: keyId() }));

/** The fields of a key, as its owner sees it. */
export const keyShape = lazy(() => ({
	id: keyId(),
	name: z.string().with(z.meta({ maxLength: NAME_CHARACTERS_MAX, examples: ["Delivery backend"] })),
	mode: mode(),
	scopes: grantedScopes(),
	prefix: described(z.string(), "The first characters of the key.", "addr_test_AbCd1234", { maxLength: 64 }),
	created_at: timeSchema(),
	last_used_at: described(
		timeOrNullSchema(),
		"The last use, correct to a minute. It is null for a key that has never been used.",
	),
}));

export const keySchema = answered("Key", () => keyShape());

export const createdKeySchema = named("CreatedKey", () =>
	z.extend(keySchema(), {
		key: described(z.string(), "The whole key. Only this answer shows it.", "addr_test_...", { maxLength: 256 }),
	}),
);

/** The most keys that an account may have: in earlier versions, LIVE_KEYS_PER_ACCOUNT could be raised to this. */
const LISTED_KEYS_MAX = 1000;

export const keyListSchema = named({ id: "KeyList", maxItems: LISTED_KEYS_MAX }, () => z.array(keySchema()));
