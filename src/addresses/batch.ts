/** Minting many addresses at once, each under an external id, so that the same batch can be sent again at any time. */

import { recordingDatabase } from "../accounts/address-database-actions.ts";
import { CODES_PER_ZONE, partsOf } from "../codes/code.ts";
import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import type { Caller } from "../db/caller.ts";
import { type Statements, spending } from "../db/statement.ts";
import { AppError, appErrorOf } from "../errors.ts";
import { toAppError } from "../failures.ts";
import { spendingMint, usageOfMints } from "../limits/daily-limits.ts";
import { cellsAround, duplicatesAmong } from "../points/near.ts";
import type { Registry } from "../registry.ts";
import type { Zone } from "../zones/locate.ts";
import { type Content, contentOf, textsOf, type Wishes } from "./content.ts";
import { inDatabasesThatAnswer, inOwnersDatabases } from "./databases-of-owner.ts";
import { assertEntrance } from "./entrance.ts";
import { locateMint, type MintSite, mintInZone, prefixOf, provingHome, randomCodes } from "./mint.ts";
import { addressRetired } from "./retired-or-withheld.ts";
import type { Address } from "./store.ts";
import * as addressStore from "./store.ts";
import { FURTHER_FIELDS } from "./texts.ts";

/** Random codes offered for each item. Items for which none of them is free are minted one by one. */
const CODES_OFFERED_TO_ITEM = 16;

/** An item that is to be minted. */
export interface BatchItem extends Content, Wishes {
	externalId: string;
}

export interface BatchRequest {
	/** Each item, or its error. */
	items: (BatchItem | AppError)[];
	/** Whether this is a dry run, which creates nothing. */
	isDryRun: boolean;
}

/** The outcome for an item. `country` is where its point lies, whereas the zone of a sandbox address has the country ZZ. */
export type ItemOutcome =
	| { status: "created"; address: Address; zone: Zone; country: string }
	| { status: "existing"; address: Address; differs: (typeof FURTHER_FIELDS)[number][] }
	| { status: "would_create"; zone: Zone; country: string; item: BatchItem }
	| { status: "conflict"; address: Address; problem: AppError }
	| { status: "failed"; problem: AppError };

type Located = MintSite & { item: BatchItem };

async function siteOf(registry: Registry, caller: Caller, item: BatchItem): Promise<MintSite> {
	await assertEntrance(registry, item, item.entrance);
	return locateMint(registry, caller, item);
}

/** The outcome for an item whose external id its owner already uses for an address. */
function outcomeOfExisting(item: BatchItem, address: Address): ItemOutcome {
	if (address.retiredAt !== null) return { status: "failed", problem: addressRetired(address.successor) };
	if (address.lat !== item.lat || address.lng !== item.lng) {
		const message =
			"You have an address with this external_id at another point. Move it with PATCH, or use another id.";
		return { status: "conflict", address, problem: new AppError("IDEMPOTENCY_CONFLICT", message) };
	}
	// An item that does not ask for a private address does not ask to make one public, and one without an entrance does not ask to remove
	// it.
	const isAsked = (field: (typeof FURTHER_FIELDS)[number]) =>
		field === "visibility" ? item.visibility === "private" : (item[field] ?? null) !== null;
	const isSame = (field: (typeof FURTHER_FIELDS)[number]) =>
		JSON.stringify(item[field]) === JSON.stringify(address[field]);
	return { status: "existing", address, differs: FURTHER_FIELDS.filter((field) => isAsked(field) && !isSame(field)) };
}

/**
 * Mints items, those of each database in one transaction with the quota that they spend there. The result leaves out items that found no
 * free code, and items whose external id another request used first.
 * @returns By external id, what was minted, or the error of a database that minted nothing. If all are in one database, its error is
 * thrown instead.
 */
async function mintTogether(
	registry: Registry,
	caller: Caller,
	items: Located[],
): Promise<Map<string, Address | AppError>> {
	const byZone = Map.groupBy(items, ({ zone }) => prefixOf(zone));
	const offered = new Map(
		Array.from(byZone, ([prefix, { length }]) => {
			// No code is offered to two items of one batch.
			return [prefix, randomCodes(prefix, Math.min(length * CODES_OFFERED_TO_ITEM, 5000))];
		}),
	);
	const byDatabase = Map.groupBy(items, ({ zone }) => registry.databaseOf(partsOf(prefixOf(zone))));
	if (byDatabase.size > 1) await caller.prove();
	const minting = Array.from(byDatabase, async ([db, some]) => {
		// A batch that needs more than is left spends nothing.
		const usage = (prefix: string) => () => caller.run(db, (ownerId) => usageOfMints(registry, prefix, ownerId));
		const drawn: Record<string, unknown> = await caller.run(db, (ownerId): Statements => {
			const statements = some.map(({ item, zone, placed }, index) => {
				const prefix = prefixOf(zone);
				const address = {
					...contentOf(item),
					...placed,
					ownerId,
					createdAt: registry.now,
					externalId: item.externalId,
					idempotencyKey: null,
					requestHash: null,
				};
				const codes = offered.get(prefix)?.splice(0, CODES_OFFERED_TO_ITEM) ?? [];
				const minted = addressStore.insertUnderFreeCode(address, prefix, codes);
				const spends = spendingMint(registry, prefix, ownerId, { texts: textsOf(item), usage: usage(prefix) });
				return [`minted-${index}`, spending(minted, spends)] as const;
			});
			const homes = [...new Set(some.map(({ zone }) => prefixOf(zone)))].flatMap((prefix) =>
				Object.entries(provingHome(db, prefix)).map(([name, statement]) => [`${name}-${prefix}`, statement] as const),
			);
			return {
				...recordingDatabase(ownerId, db, caller.databaseNames),
				...Object.fromEntries(homes),
				...Object.fromEntries(statements),
			};
		});
		return some.flatMap((_, index) => drawn[`minted-${index}`] as Address[]);
	});
	const minted = new Map<string, Address | AppError>();
	for (const [index, answer] of (await Promise.allSettled(minting)).entries()) {
		if (answer.status === "fulfilled") {
			for (const address of answer.value) minted.set(address.externalId ?? "", address);
		} else if (minting.length === 1) throw answer.reason;
		else {
			const error = toAppError(answer.reason, registry.requestId);
			for (const { item } of [...byDatabase.values()][index] ?? []) minted.set(item.externalId, error);
		}
	}
	return minted;
}

/**
 * Mints addresses for items or, in a dry run, tells what would become of them. An item whose external id its owner already uses is not
 * minted again, so the same request may be sent any number of times.
 * @throws AppError QUOTA_EXCEEDED, where the day's quota does not cover all new addresses: then none is minted.
 */
export async function mintItems(
	registry: Registry,
	caller: Caller,
	{ items, isDryRun }: BatchRequest,
): Promise<ItemOutcome[]> {
	const good = items.filter((item): item is BatchItem => !(item instanceof AppError));
	const externalIds = good.map(({ externalId }) => externalId);
	const ownNow = async () => {
		const { found, missing } = await inDatabasesThatAnswer(registry, caller, (ownerId, isSandbox) =>
			addressStore.byExternalIds({ ownerId, isSandbox, externalIds }),
		);
		return { own: new Map(found.flat().map((address) => [address.externalId, address])), missing };
	};
	const [{ own, missing: unanswered }, sites] = await Promise.all([
		ownNow(),
		Promise.all(good.map((item) => siteOf(registry, caller, item).catch(appErrorOf))),
	]);
	const outcomes = new Map<string, ItemOutcome>();
	const located: Located[] = [];
	for (const [index, item] of good.entries()) {
		const address = own.get(item.externalId);
		const site = sites[index] as MintSite | AppError;
		if (address) outcomes.set(item.externalId, outcomeOfExisting(item, address));
		// The existing address may be in the database that does not answer.
		else if (unanswered) outcomes.set(item.externalId, { status: "failed", problem: unanswered });
		else if (site instanceof AppError) outcomes.set(item.externalId, { status: "failed", problem: site });
		else if (isDryRun)
			outcomes.set(item.externalId, { status: "would_create", zone: site.zone, country: site.country, item });
		else located.push({ item, ...site });
	}
	const minted = located.length > 0 ? await mintTogether(registry, caller, located) : new Map<string, never>();
	const others = located.length > minted.size ? (await ownNow()).own : new Map<string | null, Address>();
	for (const { item, zone, country } of located) {
		const { externalId, lat, lng } = item;
		const address =
			minted.get(externalId) ??
			others.get(externalId) ??
			(await mintInZone(registry, caller, { ...item, idempotencyKey: undefined }).catch((error: unknown) =>
				registry.databases.length === 1 ? appErrorOf(error) : toAppError(error, registry.requestId),
			));
		if (address instanceof AppError) outcomes.set(externalId, { status: "failed", problem: address });
		// Minted by this request, possibly by a try whose answer was lost; otherwise by another request a moment ago.
		else if (address.createdAt === registry.now && address.lat === lat && address.lng === lng)
			outcomes.set(externalId, { status: "created", address, zone, country });
		else outcomes.set(externalId, outcomeOfExisting(item, address));
	}
	return items.map((item) =>
		item instanceof AppError ? { status: "failed", problem: item } : (outcomes.get(item.externalId) as ItemOutcome),
	);
}

/** An item of a dry run that is near an earlier item or an address of the same owner. */
type NearItem = { item: BatchItem; metres: number } & (
	| { earlier: BatchItem; own?: never }
	| { own: string; earlier?: never }
);

/** What a dry run reports besides the outcome of each item. */
export interface Survey {
	duplicates: NearItem[];
	/** How many codes each zone has left, by prefix such as `NG0311`; only of zones in which the account has addresses. */
	left: Map<string, number>;
	/** How many addresses the account may still create today (UTC). */
	leftToday: number;
}

/** The number of codes that a zone has left, rounded down to hundreds, so that nobody can count what others create. */
function leftInHundreds(issued: number): number {
	return Math.max(0, Math.floor((CODES_PER_ZONE - issued) / 100) * 100);
}

/** Surveys what a dry run would create: duplicates, codes left in zones, and quota left today. */
export async function surveyItems(registry: Registry, caller: Caller, outcomes: ItemOutcome[]): Promise<Survey> {
	const planned = outcomes.flatMap((outcome) => (outcome.status === "would_create" ? [outcome] : []));
	const cells = planned.flatMap(({ item }) => cellsAround(item));
	const zones = [...new Set(planned.map(({ zone }) => prefixOf(zone)))];
	const lists = await inOwnersDatabases(registry, caller, (ownerId, isSandbox) => ({
		own: addressStore.ownInCells({ ownerId, isSandbox, cells }),
		counted: addressStore.issuedIn({ zones, ownerId }),
		usage: usageOfMints(registry, isSandbox ? SANDBOX_COUNTRY : "", ownerId),
	}));
	const own = lists.flatMap((list) => list.own);
	const issuedIn = new Map<string, number>();
	for (const { zone, issued } of lists.flatMap((list) => list.counted))
		issuedIn.set(zone, (issuedIn.get(zone) ?? 0) + issued);
	// The quota counts in each database. The first, that of accounts, knows what operators allow.
	const usages = lists.flatMap(({ usage }) => usage);
	const leftToday = (usages[0]?.quota ?? 0) - Math.max(...usages.map(({ spent }) => spent));
	const items = planned.map(({ item }) => item);
	const duplicates = duplicatesAmong([...own, ...items]).flatMap(({ index, of, metres }): NearItem[] => {
		const item = items[index - own.length];
		if (!item) return [];
		const earlier = items[of - own.length];
		return [{ item, metres, ...(earlier ? { earlier } : { own: own[of]?.canonical ?? "" }) }];
	});
	return {
		duplicates,
		left: new Map(Array.from(issuedIn, ([zone, issued]) => [zone, leftInHundreds(issued)])),
		leftToday: Math.max(0, leftToday),
	};
}
