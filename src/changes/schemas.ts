import * as z from "zod/mini";
import { canonical } from "../addresses/code-schemas.ts";
import { publicAddressSchema } from "../addresses/schemas.ts";
import { answered, arrayOf, described, pageSize, timeSchema } from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";

/** The most changes on a page. */
export const PAGE_CHANGES_MAX = 1_000;

const CURSOR_CHARACTERS_MAX = 1_024;

const cursor = lazy(() =>
	described(
		z.string().with(z.maxLength(CURSOR_CHARACTERS_MAX)),
		"Your position in the feed. Store it with what you have written, and send it as `after`.",
		"NDIuMTc5NTM3Mzc4OTc3Mw",
	),
);

export const changesQuerySchema = lazy(() =>
	z.strictObject({
		after: described(
			z.optional(cursor()),
			"The cursor of the last change that you have, or of the snapshot that you have loaded. Without it, the feed starts with the oldest change that is stored.",
			"NDIuMTc5NTM3Mzc4OTc3Mw",
		),
		limit: pageSize(PAGE_CHANGES_MAX, PAGE_CHANGES_MAX, "The most changes in an answer."),
		mine: described(
			z.optional(z.enum(["1"])),
			"`1` for the changes of your own addresses only, which any credential may read. To a key without the scope `addresses:write`, `address` is null where the address is private. A test key reads none, because sandbox addresses are not in the feed.",
			"1",
		),
	}),
);

const changeSchema = answered("Change", () => ({
	cursor: cursor(),
	kind: described(
		z.enum(["created", "changed", "moved", "verified", "hidden", "shown", "retired", "erased"]),
		"What happened. `hidden`: the address became private, or an operator hid it. `shown`: readers see it again. `moved`: its point changed.",
		"moved",
	),
	code: canonical(),
	at: described(timeSchema(), "When it was committed."),
	address: described(
		z.nullable(publicAddressSchema()),
		"The address as it is now, which may be newer than this change. It is null if the address is retired, erased, hidden or private: delete your copy.",
	),
	successor: described(
		z.nullable(canonical()),
		"The code to use instead, if the address is retired and its owner named one.",
	),
}));

/** A page of the feed: lines of JSON. */
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

/** The most parts of a snapshot that the documentation allows for: 500 million addresses. */
const PARTS_MAX = 10_000;

const count = (description: string, example: number) =>
	described(z.int().with(z.gte(0), z.lte(2_147_483_647)), description, example);

export const snapshotPartParameterSchema = lazy(() =>
	z.object({
		snapshot: described(z.string(), "The `id` of the snapshot.", "20261122T000012Z", { maxLength: 16 }),
		part: described(z.string(), "The name of the file.", "0-8d969eef6eca.ndjson.gz", { maxLength: 40 }),
	}),
);

const snapshotPart = answered("SnapshotPart", () => ({
	url: described(
		z.url(),
		"The file, for the same credential.",
		"https://addr.example/v1/snapshots/20261122T000012Z/0-8d969eef6eca.ndjson.gz",
		{ maxLength: 300 },
	),
	count: count("The addresses in it.", 50_000),
	bytes: count("Its size.", 5_012_345),
	sha256: described(
		z.string().with(z.regex(/^[0-9a-f]{64}$/)),
		"The SHA-256 of the file, in hexadecimal.",
		"8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92",
		{ maxLength: 64 },
	),
}));

export const snapshotSchema = answered("Snapshot", () => ({
	id: described(z.string().with(z.regex(/^\d{8}T\d{6}Z$/)), "The snapshot, by when it was begun.", "20261122T000012Z", {
		maxLength: 16,
	}),
	created_at: described(timeSchema(), "When the first address was read."),
	cursor: described(cursor(), "The cursor to follow the feed from."),
	count: count("The addresses of all parts.", 50_000),
	parts: arrayOf(snapshotPart(), PARTS_MAX),
}));
