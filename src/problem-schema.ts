import * as z from "zod/mini";
import { type ProblemCode, problemTable } from "./errors.ts";
import { lazy, type ValueOf } from "./lazy.ts";

const codes = Object.keys(problemTable) as ProblemCode[];

/** One fault of a request. */
const fieldErrorSchema = lazy(() =>
	z
		.object({
			path: z.string().with(
				z.meta({
					maxLength: 1024,
					description: "The dotted path of the field, such as `items.3.lat`. It is empty for the whole body.",
					examples: ["label"],
				}),
			),
			message: z.string().with(
				z.meta({
					maxLength: 1024,
					description: "What is wrong with it and how to fix it.",
					examples: ["At most 200 characters."],
				}),
			),
		})
		.register(z.globalRegistry, { id: "FieldError" }),
);

/** What a problem tells of a private address. */
const zoneOfPrivateAddress = lazy(() => {
	const description = "Of a private address.";
	return {
		country: z.optional(z.string()).with(z.meta({ maxLength: 2, description, examples: ["NG"] })),
		zone: z.optional(z.string()).with(z.meta({ maxLength: 4, description, examples: ["1377"] })),
		zone_name: z.optional(z.string()).with(z.meta({ maxLength: 200, description, examples: ["Surulere north"] })),
		region: z.optional(z.string()).with(z.meta({ maxLength: 200, description, examples: ["Lagos"] })),
	};
});

/** Every error's body: RFC 9457 section 3, with the extensions `code`, `successor` and `errors`. */
export const problemSchema = lazy(() =>
	z
		.object({
			type: z.url().with(
				z.meta({
					maxLength: 300,
					description: "The page that explains this kind of problem.",
					examples: ["https://addr.example/problems/BAD_CHECK_DIGIT"],
				}),
			),
			title: z.string().with(z.meta({ maxLength: 100, examples: [problemTable.BAD_CHECK_DIGIT.title] })),
			status: z.int().with(z.gte(400), z.lte(599), z.meta({ examples: [400] })),
			detail: z.string().with(
				z.meta({
					maxLength: 4096,
					description: "What is wrong with this request and how to fix it, for a person to read.",
				}),
			),
			instance: z.string().with(
				z.regex(/^req_[0-9a-f]{32}$/),
				z.meta({
					maxLength: 36,
					description: "The id of the request, also in X-Request-Id: quote it when you ask for help.",
					examples: ["req_0f8f9c2b7a5e4d3c9b1a2f3e4d5c6b7a"],
				}),
			),
			code: z.enum(codes).with(z.meta({ description: "The stable name to branch on." })),
			successor: z.optional(z.string().with(z.regex(/^[A-Z]{2}\d{9}$/))).with(
				z.meta({
					maxLength: 11,
					description: "The code that the owner of a retired address named as its successor.",
					examples: ["NG137748215"],
				}),
			),
			snapshot: z.optional(z.url()).with(
				z.meta({
					maxLength: 300,
					description: "Where to load all addresses anew, if the feed of changes does not know a cursor any more.",
					examples: ["https://addr.example/v1/snapshots/latest"],
				}),
			),
			...zoneOfPrivateAddress(),
			errors: z
				.optional(z.array(fieldErrorSchema()))
				.with(
					z.meta({ maxItems: 20, description: "The faults of the request, each with the dotted path of its field." }),
				),
		})
		.register(z.globalRegistry, { id: "Problem" }),
);

/** RFC 9457 section 3. */
export type ProblemBody = ValueOf<typeof problemSchema>;
