/** The endpoint that mints many addresses at once. */

import * as z from "zod/mini";
import { CODES_PER_ZONE } from "../codes/code.ts";
import { DEMO_CODE } from "../codes/demo.ts";
import type { Caller } from "../db/caller.ts";
import { type AppError, appErrorOf, invalidField } from "../errors.ts";
import { json } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { problemBody } from "../http/problem.ts";
import { validateBody } from "../http/validation.ts";
import { userOrWritingKey } from "../keys/key-auth.ts";
import { DUPLICATE_METRES } from "../points/near.ts";
import type { Registry } from "../registry.ts";
import { answered, arrayOf, described, named, sent } from "../schemas/common.ts";
import { lazy, type ValueOf } from "../schemas/lazy.ts";
import { problemSchema } from "../schemas/problem-schema.ts";
import type { Zone } from "../zones/locate.ts";
import { zoneDigits } from "../zones/naming.ts";
import { mintBatch } from "./actions.ts";
import { addressRecord } from "./address-record.ts";
import { type BatchItem, type ItemOutcome, type Survey, surveyItems } from "./batch.ts";
import { prefixOf } from "./mint.ts";
import { addressSchema, batchItemSchema, externalId } from "./schemas.ts";
import { FURTHER_FIELDS } from "./texts.ts";

/** Most items of a batch. */
const BATCH_ITEMS_MAX = 100;
const BODY_BYTES_MAX = 256 * 1024;

/** Each item is validated on its own, so that a fault in one rejects no other. The documentation shows the schema of a valid item. */
const item = lazy(() => {
	batchItemSchema();
	return z.unknown().with(z.meta({ $ref: "#/components/schemas/NewBatchAddress" }));
});

/** A request to mint a batch. */
export const newBatchSchema = sent("NewBatch", () => ({
	dry_run: described(
		z.optional(z.boolean()),
		"Whether only to report what would become of each item. Nothing is created then.",
		false,
	),
	items: described(
		z.array(item()).with(z.minLength(1), z.maxLength(BATCH_ITEMS_MAX)),
		"The addresses to create, each under an external id of your own.",
		[{ external_id: "meter-0042", lat: 6.5244, lng: 3.3792, label: "Blue gate" }],
	),
}));

/** The external id as it was sent; null where it is not a text. */
const sentId = lazy(() => z.nullable(z.string()).with(z.meta({ maxLength: 256, examples: ["meter-0042"] })));

/** An item of the answer. */
function itemSchema<const Status extends string, Fields extends z.core.$ZodShape>(
	id: string,
	status: Status,
	description: string,
	fields: Fields,
) {
	return z
		.object({ external_id: sentId(), status: z.literal(status), ...fields })
		.register(z.globalRegistry, { id, description });
}

const zoneCount = answered({ id: "ZoneItems", description: "How many items lie in a zone." }, () => ({
	country: z.string().with(z.meta({ maxLength: 2, examples: ["NG"] })),
	zone: z.string().with(z.meta({ maxLength: 4, examples: ["1377"] })),
	zone_name: z.string().with(z.meta({ maxLength: 120, examples: ["Somolu 2 km south"] })),
	items: z.int().with(z.gte(1), z.lte(BATCH_ITEMS_MAX), z.meta({ examples: [1] })),
	left: described(
		z.optional(z.int()),
		`How many codes the zone has left, of about ${CODES_PER_ZONE}, rounded down to hundreds. Only in a dry run, and of zones in which you have addresses.`,
		9000,
	),
}));

const nearItem = answered({ id: "NearItem", description: "An item that is near another place." }, () => ({
	external_id: externalId(),
	metres: z.number().with(z.meta({ minimum: 0, maximum: DUPLICATE_METRES, examples: [1.2] })),
	item: described(z.nullable(externalId()), "The earlier item that it is near, by its external id."),
	canonical: described(z.nullable(z.string()), "The address of yours that it is near.", DEMO_CODE, { maxLength: 11 }),
}));

const answerItem = named({ id: "NewBatchItem", description: "What became of an item, told apart by `status`." }, () =>
	z.discriminatedUnion("status", [
		itemSchema("CreatedItem", "created", "The address has been created.", { address: addressSchema() }),
		itemSchema("ExistingItem", "existing", "You have this address already, and nothing has changed.", {
			address: addressSchema(),
			differs: arrayOf(z.enum(FURTHER_FIELDS), FURTHER_FIELDS.length, "The fields in which the item differs from it."),
		}),
		itemSchema("PlannedItem", "would_create", "Without `dry_run` the address would be created.", {
			country: described(z.string().with(z.regex(/^[A-Z]{2}$/)), "Where the point is, also with a test key.", "NG", {
				maxLength: 2,
			}),
		}),
		itemSchema("ConflictingItem", "conflict", "You have an address with this id at another point.", {
			address: addressSchema(),
			problem: problemSchema(),
		}),
		itemSchema("FailedItem", "failed", "The item cannot become an address.", { problem: problemSchema() }),
	]),
);

const newBatchAnswerSchema = answered("NewBatchAnswer", () => ({
	data: arrayOf(answerItem(), BATCH_ITEMS_MAX, "What became of each item, in the order sent."),
	summary: described(
		z.object({
			countries: described(
				z.record(z.string().with(z.regex(/^[A-Z]{2}$/), z.meta({ maxLength: 2 })), z.int()),
				"How many items lie in each country: swapped coordinates show here.",
				{ NG: 1 },
			),
			zones: arrayOf(zoneCount(), BATCH_ITEMS_MAX),
			left_today: described(
				z.optional(z.int()),
				"How many addresses your account may still create today (UTC). Only in a dry run.",
				1900,
			),
			duplicates: z.optional(
				arrayOf(
					nearItem(),
					BATCH_ITEMS_MAX,
					`New items within ${DUPLICATE_METRES} m of an earlier item or of an address of yours. Only in a dry run.`,
				),
			),
		}),
		"Where the items lie that were created, or would be.",
	),
}));

type AnswerItem = ValueOf<typeof newBatchAnswerSchema>["data"][number];

/** The items of a request, each as its schema reads it, or its error. */
function readItems(sent: unknown[]): (BatchItem | AppError)[] {
	const seen = new Set<string>();
	return sent.map((value) => {
		try {
			const { external_id: externalId, ...content } = validateBody(batchItemSchema, value);
			const message = "Another item of this batch has the same external_id.";
			if (seen.has(externalId)) throw invalidField("external_id", message);
			seen.add(externalId);
			return { externalId, ...content };
		} catch (error) {
			return appErrorOf(error);
		}
	});
}

function idOf(value: unknown): string | null {
	const id = (value as { external_id?: unknown } | null)?.external_id;
	return typeof id === "string" ? id.slice(0, 256) : null;
}

function recordOfItem(
	registry: Registry,
	userId: string,
	outcome: ItemOutcome,
	external_id: string | null,
): AnswerItem {
	const problemOf = (problem: AppError) => problemBody(problem, registry.webUrl, registry.requestId);
	const recordOf = (address: Parameters<typeof addressRecord>[0]) => addressRecord(address, userId, registry.webUrl);
	return {
		external_id,
		status: outcome.status,
		...("address" in outcome && { address: recordOf(outcome.address) }),
		...(outcome.status === "would_create" && { country: outcome.country }),
		...("differs" in outcome && { differs: outcome.differs }),
		...("problem" in outcome && { problem: problemOf(outcome.problem) }),
	} as AnswerItem;
}

function summaryOf(outcomes: ItemOutcome[], survey?: Survey) {
	const located = outcomes.flatMap((outcome) => ("zone" in outcome ? [outcome] : []));
	const zones = located.map(({ zone }) => zone);
	const countries: Record<string, number> = {};
	// Also with a test key, so that a rehearsal shows swapped coordinates.
	for (const { country } of located) countries[country] = (countries[country] ?? 0) + 1;
	const counted = Map.groupBy(zones, ({ country, zone }) => `${country}${zone}`);
	return {
		countries,
		zones: Array.from(counted.values(), (same) => {
			const [{ country, zone, name }] = same as [Zone];
			const left = survey?.left.get(prefixOf({ country, zone }));
			return {
				country,
				zone: zoneDigits(zone),
				zone_name: name,
				items: same.length,
				...(left === undefined ? {} : { left }),
			};
		}),
		...(survey && {
			left_today: survey.leftToday,
			duplicates: survey.duplicates.map(({ item, metres, earlier, own }) => ({
				external_id: item.externalId,
				metres: Math.round(metres * 10) / 10,
				item: earlier?.externalId ?? null,
				canonical: own ?? null,
			})),
		}),
	};
}

/** Creates a batch or, in a dry run, says what would become of it. @throws AppError RATE_LIMITED, QUOTA_EXCEEDED. */
export async function answerBatch(
	registry: Registry,
	caller: Caller,
	{ items: sent, dry_run: isDryRun = false }: ValueOf<typeof newBatchSchema>,
): Promise<ValueOf<typeof newBatchAnswerSchema>> {
	const outcomes = await mintBatch(registry, caller, { items: readItems(sent), isDryRun });
	const survey = isDryRun ? await surveyItems(registry, caller, outcomes) : undefined;
	const data = outcomes.map((outcome, index) => recordOfItem(registry, caller.userId, outcome, idOf(sent[index])));
	return { data, summary: summaryOf(outcomes, survey) };
}

export const batchEndpoint: Endpoint = endpoint({
	method: "post",
	path: "/v1/addresses/batch",
	id: "createAddresses",
	tag: "Addresses",
	summary: "Create up to 100 addresses",
	description:
		"Creates an address for each item, under an external id of your own. An item whose id you have used is answered with the address that has it, so you can send a batch again at any time. An item at fault fails alone. A session or an API key may send 60 batches per minute, dry runs included. The body may have up to 256 KiB.",
	access: userOrWritingKey,
	body: newBatchSchema,
	bodyBytesMax: BODY_BYTES_MAX,
	answer: json(200, newBatchAnswerSchema, "What became of each item, in the order sent."),
	errors: ["QUOTA_EXCEEDED"],
	handle: ({ registry, caller, body }) => answerBatch(registry, caller, body),
});
