import * as z from "zod/mini";
import { lazy } from "../lazy.ts";
import { lineOfText, timeSchema } from "../text-schema.ts";

/** Longest name of a key, in Unicode code points. */
const NAME_CHARACTERS_MAX = 100;

const mode = lazy(() =>
	z.enum(["test", "live"]).with(
		z.meta({
			description:
				"A live key reads and writes addresses. A test key reads them too, and writes sandbox addresses only: their codes begin with ZZ, and they are deleted after 30 days. Test keys made before there was a sandbox write live addresses.",
		}),
	),
);

const name = lazy(() =>
	lineOfText(NAME_CHARACTERS_MAX).with(
		z.refine((text) => /[^\p{Z}\p{C}]/u.test(text), "Give the key a name that is not empty."),
		z.meta({
			description: "What the key is for.",
			minLength: 1,
			maxLength: NAME_CHARACTERS_MAX,
			examples: ["Delivery backend"],
		}),
	),
);

/** What anyone may give their own keys. */
const scope = lazy(() => z.enum(["addresses:read", "addresses:write"]));

/** What a key may have: the operator alone gives changes:read. */
const grantedScope = lazy(() => z.enum(["addresses:read", "addresses:write", "changes:read"]));

const SCOPES_MAX = 3;

export const grantedScopes = lazy(() =>
	z.array(grantedScope()).with(
		z.minLength(1),
		z.maxLength(SCOPES_MAX),
		z.meta({
			description:
				"What the key may do. The operator of the registry grants `changes:read`, which reads the changes of all addresses.",
			examples: [["addresses:read"]],
		}),
	),
);

const scopes = lazy(() =>
	z.array(scope()).with(
		z.minLength(1),
		z.maxLength(SCOPES_MAX),
		z.meta({
			description:
				"`addresses:read` reads address records, and is all that a new key gets if you leave this out. `addresses:write` also creates, lists, changes and retires the addresses of the key's owner, and reads their history.",
			examples: [["addresses:read"]],
		}),
	),
);

export const newKeySchema = lazy(() =>
	z
		.strictObject({ name: name(), mode: mode(), scopes: z._default(scopes(), ["addresses:read"]) })
		.register(z.globalRegistry, { id: "NewKey" }),
);

const keyId = lazy(() =>
	z
		.string()
		.with(z.meta({ description: "The id of the key.", maxLength: 64, examples: ["key_7dN3kq0vXW2mZrB8cT5yLa"] })),
);

export const keyParameterSchema = lazy(() => z.object({ id: keyId() }));

/** The fields of a key, as its owner sees it. */
export const keyShape = lazy(() => ({
	id: keyId(),
	name: z.string().with(z.meta({ maxLength: NAME_CHARACTERS_MAX, examples: ["Delivery backend"] })),
	mode: mode(),
	scopes: grantedScopes(),
	prefix: z
		.string()
		.with(z.meta({ maxLength: 64, description: "The first characters of the key.", examples: ["addr_test_AbCd1234"] })),
	created_at: timeSchema(),
	last_used_at: z.nullable(timeSchema()).with(
		z.meta({
			description: "The last use, correct to a minute. It is null for a key that has never been used.",
			examples: [null],
		}),
	),
}));

export const keySchema = lazy(() => z.object(keyShape()).register(z.globalRegistry, { id: "Key" }));

export const createdKeySchema = lazy(() =>
	z
		.extend(keySchema(), {
			key: z.string().with(
				z.meta({
					maxLength: 256,
					examples: ["addr_test_..."],
					description: "The whole key. Only this answer shows it.",
				}),
			),
		})
		.register(z.globalRegistry, { id: "CreatedKey" }),
);

/** As many as an account may have: the limit LIVE_KEYS_PER_ACCOUNT can be raised to this. */
const LISTED_KEYS_MAX = 1000;

export const keyListSchema = lazy(() =>
	z.array(keySchema()).register(z.globalRegistry, { id: "KeyList", maxItems: LISTED_KEYS_MAX }),
);
