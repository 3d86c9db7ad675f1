/** Minting many addresses at once, each under an external id, so that the same batch can be sent again at any time. */
import { CODES_PER_ZONE, partsOf } from "../codes/code.ts";
import type { Caller } from "../db/caller.ts";
import type { Database } from "../db/open.ts";
import type { Reservation } from "../db/reservations.ts";
import { inOneTrip, type Statements } from "../db/statement.ts";
import { AppError, appErrorOf } from "../errors.ts";
import { toAppError } from "../failures.ts";
import { countingInZone, spendingWrite, usageOfWrites } from "../limits/daily-limits.ts";
import type { Spent } from "../limits/store.ts";
import { cellsAround, duplicatesAmong } from "../points/near.ts";
import type { Registry } from "../registry.ts";
import type { Zone } from "../zones/locate.ts";
import { type Content, contentOf, textsOf, type Wishes } from "./content.ts";
import { assertEntrance } from "./entrance.ts";
import { addressRetired } from "./issued.ts";
import {
	kindOfMint,
	mintInZone,
	type Place,
	placeFor,
	prefixOf,
	provingHome,
	randomCodes,
	reservationName,
	reservingMint,
} from "./mint.ts";
import { inEachPlace, inPlacesThatAnswer } from "./places.ts";
import type { Address } from "./store.ts";
import * as addressStore from "./store.ts";
import { FURTHER_FIELDS } from "./texts.ts";

/** Random codes offered for each item. Items for which none of them is free are minted one by one. */
const CANDIDATES = 16;

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

type Located = Place & { item: BatchItem };

async function placeOf(registry: Registry, caller: Caller, item: BatchItem): Promise<Place> {
	await assertEntrance(registry, item, item.entrance);
	return placeFor(registry, caller, item);
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

/** The same statements under names with an ending, so that those of several items run together. */
const endingIn = (statements: Statements, ending: string | number) =>
	Object.entries(statements).map(([name, statement]) => [`${name}-${ending}`, statement] as const);

/**
 * Mints items, each together with the quota that it spends: in one transaction if there is one database. Leaves out items that found no
 * free code, and items whose external id another request used first.
 */
async function mintTogether(registry: Registry, caller: Caller, items: Located[]): Promise<Address[]> {
	const { database } = registry;
	const kind = kindOfMint(await caller.isSandbox());
	const byZone = Map.groupBy(items, ({ zone }) => prefixOf(zone));
	const offered = new Map(
		Array.from(byZone, ([prefix, { length }]) => {
			// No code is offered to two items of one batch.
			return [prefix, randomCodes(prefix, Math.min(length * CANDIDATES, 5000))];
		}),
	);
	// A batch that needs more than is left spends nothing.
	const usage = () => caller.run(database, (ownerId) => usageOfWrites(registry, kind, ownerId));
	const spendingOf = (ownerId: string, item: BatchItem) =>
		spendingWrite(registry, kind, ownerId, { texts: textsOf(item), usage });
	const addressOf = (ownerId: string, { item, placed }: Located) => ({
		...contentOf(item),
		...placed,
		ownerId,
		createdAt: registry.now,
		externalId: item.externalId,
		idempotencyKey: null,
		requestHash: null,
	});
	const drawingOf = (ownerId: string, some: Located[], isSpending: boolean): Statements =>
		Object.fromEntries(
			some.flatMap((located, index) => {
				const prefix = prefixOf(located.zone);
				const codes = offered.get(prefix)?.splice(0, CANDIDATES) ?? [];
				const minted = addressStore.insertUnderFreeCode(addressOf(ownerId, located), prefix, codes);
				const spending = isSpending ? spendingOf(ownerId, located.item) : {};
				return endingIn({ minted, ofZone: countingInZone(registry, prefix), ...spending }, index);
			}),
		);
	const mintedOf = (drawn: Record<string, unknown>, some: Located[]) =>
		some.flatMap((_, index) => drawn[`minted-${index}`] as Address[]);
	// A retry after a lost answer finds the external ids in use, and mints nothing twice.
	if (registry.databases.length === 1)
		return mintedOf(await caller.run(database, (ownerId) => drawingOf(ownerId, items, true)), items);

	const nameOf = ({ item, zone }: Located) =>
		reservationName(registry, zone, { idempotencyKey: null, externalId: item.externalId });
	const reserved: Record<string, unknown> = await caller.run(database, (userId) =>
		Object.fromEntries(
			items.flatMap((located, index) => {
				const { item, zone } = located;
				const wanted = { userId, name: nameOf(located), zone, requestHash: null };
				return endingIn(reservingMint(registry, wanted, spendingOf(userId, item)), index);
			}),
		),
	);
	// Items reserved earlier for another zone are looked for there, one by one.
	const expected = items.filter((located, index) => {
		const [reservation] = reserved[`reserved-${index}`] as [Reservation];
		return reservation.prefix === prefixOf(located.zone);
	});
	const byDatabase = Map.groupBy(expected, ({ zone }) => registry.databaseOf(partsOf(prefixOf(zone))));
	const proving = (db: Database, some: Located[]): Statements =>
		Object.fromEntries(
			[...new Set(some.map(({ zone }) => prefixOf(zone)))].flatMap((prefix) =>
				endingIn(provingHome(db, prefix), prefix),
			),
		);
	const drawn = await Promise.allSettled(
		Array.from(byDatabase, async ([db, some]) =>
			mintedOf(await inOneTrip(db, { ...proving(db, some), ...drawingOf(caller.userId, some, false) }), some),
		),
	);
	// Items of a database that does not answer are tried one by one, and fail with its error.
	return drawn.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
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
		const { found, missing } = await inPlacesThatAnswer(registry, caller, (ownerId, isSandbox) =>
			addressStore.byExternalIds({ ownerId, isSandbox, externalIds }),
		);
		return { own: new Map(found.flat().map((address) => [address.externalId, address])), missing };
	};
	const [{ own, missing: unanswered }, places] = await Promise.all([
		ownNow(),
		Promise.all(good.map((item) => placeOf(registry, caller, item).catch(appErrorOf))),
	]);
	const outcomes = new Map<string, ItemOutcome>();
	const located: Located[] = [];
	for (const [index, item] of good.entries()) {
		const address = own.get(item.externalId);
		const place = places[index] as Place | AppError;
		if (address) outcomes.set(item.externalId, outcomeOfExisting(item, address));
		// The existing address may be in the database that does not answer.
		else if (unanswered) outcomes.set(item.externalId, { status: "failed", problem: unanswered });
		else if (place instanceof AppError) outcomes.set(item.externalId, { status: "failed", problem: place });
		else if (isDryRun)
			outcomes.set(item.externalId, { status: "would_create", zone: place.zone, country: place.country, item });
		else located.push({ item, ...place });
	}
	const minted = new Map<string | null, Address>();
	if (located.length > 0) {
		for (const address of await mintTogether(registry, caller, located)) minted.set(address.externalId, address);
	}
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
	const lists = await inEachPlace(registry, caller, (ownerId, isSandbox) => ({
		own: addressStore.ownInCells({ ownerId, isSandbox, cells }),
		counted: addressStore.issuedIn({ zones, ownerId }),
		usage: usageOfWrites(registry, kindOfMint(isSandbox), ownerId),
	}));
	const own = lists.flatMap((list) => list.own);
	const [{ usage }] = lists as [(typeof lists)[number]];
	const issuedIn = new Map<string, number>();
	for (const { zone, issued } of lists.flatMap((list) => list.counted))
		issuedIn.set(zone, (issuedIn.get(zone) ?? 0) + issued);
	const [{ spent, quota }] = usage as [Spent];
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
		leftToday: Math.max(0, quota - spent),
	};
}
