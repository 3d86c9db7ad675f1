import * as z from "zod/mini";
import { canonical } from "../addresses/code-schemas.ts";
import { publicAddressSchema } from "../addresses/schemas.ts";
import { lazy } from "../lazy.ts";
import { timeSchema } from "../text-schema.ts";

/** Most changes on a page. */
export const PAGE_CHANGES_MAX = 1_000;

const CURSOR_CHARACTERS_MAX = 64;

const cursor = lazy(() =>
	z.string().with(
		z.maxLength(CURSOR_CHARACTERS_MAX),
		z.meta({
			description: "Where you stand in the feed. Keep it with what you have written, and send it as `after`.",
			examples: ["NDIuMTc5NTM3Mzc4OTc3Mw"],
		}),
	),
);

export const changesQuerySchema = lazy(() =>
	z.strictObject({
		after: z.optional(cursor()).with(
			z.meta({
				description:
					"The cursor of the last change that you have, or of the snapshot that you have loaded. Without it, the feed starts with the oldest change that is kept.",
				examples: ["NDIuMTc5NTM3Mzc4OTc3Mw"],
			}),
		),
		limit: z
			._default(
				z.pipe(
					z.pipe(z.string().with(z.regex(/^\d{1,4}$/, `A number from 1 to ${PAGE_CHANGES_MAX}.`)), z.transform(Number)),
					z.int().with(z.gte(1), z.lte(PAGE_CHANGES_MAX)),
				),
				PAGE_CHANGES_MAX,
			)
			.with(z.meta({ description: "The most changes in an answer." })),
		mine: z.optional(z.enum(["1"])).with(
			z.meta({
				description: "`1` for the changes of your own addresses only, which any credential may read.",
				examples: ["1"],
			}),
		),
	}),
);

const changeSchema = lazy(() =>
	z
		.object({
			cursor: cursor(),
			kind: z.enum(["created", "changed", "moved", "verified", "hidden", "shown", "retired", "erased"]).with(
				z.meta({
					description:
						"What happened. `hidden`: the address became private, or an operator hid it. `shown`: readers see it again. `moved`: its point changed.",
					examples: ["moved"],
				}),
			),
			code: canonical(),
			at: timeSchema().with(z.meta({ description: "When it was committed." })),
			address: z.nullable(publicAddressSchema()).with(
				z.meta({
					description:
						"The address as it is now, which may be newer than this change. It is null if the address is retired, erased, hidden or private: delete your copy.",
				}),
			),
			successor: z
				.nullable(canonical())
				.with(z.meta({ description: "The code to use instead, if the address is retired and its owner named one." })),
		})
		.register(z.globalRegistry, { id: "Change" }),
);

/** Lines of JSON. */
export const changesSchema = lazy(() => {
	changeSchema();
	return z
		.string()
		.with(z.maxLength(4_194_304))
		.register(z.globalRegistry, {
			id: "Changes",
			description: "A line of JSON for each change, oldest first.",
			contentMediaType: "application/x-ndjson",
			contentSchema: { $ref: "#/components/schemas/Change" },
			examples: [
				'{"cursor":"NDIuMTc5NTM3Mzc4OTc3Mw","kind":"retired","code":"NG137748215","at":"2026-11-21T09:30:00.000Z","address":null,"successor":null}\n',
			],
		});
});
