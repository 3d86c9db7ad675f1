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

/** Most parts of a snapshot that the documentation allows for: 500 million addresses. */
const PARTS_MAX = 10_000;

const count = (description: string, example: number) =>
	z.int().with(z.gte(0), z.lte(2_147_483_647), z.meta({ description, examples: [example] }));

export const snapshotPartParameterSchema = lazy(() =>
	z.object({
		snapshot: z
			.string()
			.with(z.meta({ description: "The `id` of the snapshot.", maxLength: 16, examples: ["20261122T000012Z"] })),
		part: z
			.string()
			.with(z.meta({ description: "The name of the file.", maxLength: 40, examples: ["0-8d969eef6eca.ndjson.gz"] })),
	}),
);

export const snapshotSchema = lazy(() =>
	z
		.object({
			id: z
				.string()
				.with(
					z.regex(/^\d{8}T\d{6}Z$/),
					z.meta({ description: "The snapshot, by when it was begun.", maxLength: 16, examples: ["20261122T000012Z"] }),
				),
			created_at: timeSchema().with(z.meta({ description: "When the first address was read." })),
			cursor: cursor().with(z.meta({ description: "The cursor to follow the feed from." })),
			count: count("The addresses of all parts.", 50_000),
			parts: z
				.array(
					z
						.object({
							url: z.url().with(
								z.meta({
									maxLength: 300,
									description: "The file, for the same credential.",
									examples: ["https://addr.example/v1/snapshots/20261122T000012Z/0-8d969eef6eca.ndjson.gz"],
								}),
							),
							count: count("The addresses in it.", 50_000),
							bytes: count("Its size.", 5_012_345),
							sha256: z.string().with(
								z.regex(/^[0-9a-f]{64}$/),
								z.meta({
									maxLength: 64,
									description: "The SHA-256 of the file, in hexadecimal.",
									examples: ["8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92"],
								}),
							),
						})
						.register(z.globalRegistry, { id: "SnapshotPart" }),
				)
				.with(z.meta({ maxItems: PARTS_MAX })),
		})
		.register(z.globalRegistry, { id: "Snapshot" }),
);
