import * as z from "zod/mini";
import { type ProblemCode, problemTable } from "../errors.ts";
import { answered, described } from "./common.ts";
import { lazy, type ValueOf } from "./lazy.ts";

const codes = Object.keys(problemTable) as ProblemCode[];

/** One fault of a request. */
const fieldErrorSchema = answered("FieldError", () => ({
	path: described(
		z.string(),
		"The dotted path of the field, such as `entrance.lat`. It is empty for the whole body.",
		"label",
		{ maxLength: 1024 },
	),
	message: described(z.string(), "What is wrong with it and how to fix it.", "Send at most 200 characters.", {
		maxLength: 1024,
	}),
}));

/** The fields in which a problem describes a private address. */
const zoneOfPrivateAddress = lazy(() => {
	return {
		country: described(z.optional(z.string()), "The country of a private address.", "NG", { maxLength: 2 }),
		zone: described(z.optional(z.string()), "The zone of a private address.", "1377", { maxLength: 4 }),
		zone_name: described(z.optional(z.string()), "The name of its zone.", "Surulere north", { maxLength: 200 }),
		region: described(z.optional(z.string()), "The region of its zone.", "Lagos", { maxLength: 200 }),
	};
});

/** The body of every error: RFC 9457 section 3, with extensions such as `code`, `successor` and `errors`. */
export const problemSchema = answered("Problem", () => ({
	type: described(
		z.url(),
		"The page that explains this kind of problem.",
		"https://addr.example/problems/BAD_CHECK_DIGIT",
		{ maxLength: 300 },
	),
	title: z.string().with(z.meta({ maxLength: 100, examples: [problemTable.BAD_CHECK_DIGIT.title] })),
	status: z.int().with(z.gte(400), z.lte(599), z.meta({ examples: [400] })),
	detail: described(z.string(), "What is wrong with this request and how to fix it, for a person to read.", undefined, {
		maxLength: 4096,
	}),
	instance: described(
		z.string().with(z.regex(/^req_[0-9a-f]{32}$/)),
		"The id of the request, also in X-Request-Id: quote it when you ask for help.",
		"req_0f8f9c2b7a5e4d3c9b1a2f3e4d5c6b7a",
		{ maxLength: 36 },
	),
	code: described(z.enum(codes), "The stable name to branch on."),
	successor: described(
		z.optional(z.string().with(z.regex(/^[A-Z]{2}\d{9}$/))),
		"The code that the owner of a retired address named as its successor.",
		"NG137748215",
		{ maxLength: 11 },
	),
	snapshot: described(
		z.optional(z.url()),
		"Where to load all addresses anew, if the feed of changes does not know a cursor any more.",
		"https://addr.example/v1/snapshots/latest",
		{ maxLength: 300 },
	),
	...zoneOfPrivateAddress(),
	errors: described(
		z.optional(z.array(fieldErrorSchema())),
		"The faults of the request, each with the dotted path of its field.",
		undefined,
		{ maxItems: 20 },
	),
}));

/** The body of an error (RFC 9457 section 3). */
export type ProblemBody = ValueOf<typeof problemSchema>;
